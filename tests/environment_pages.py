"""The page of each environment id, in Gymnasium's form; `make docs` writes them into docs/environments/."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
from docstring_parser import parse

from agents.registry import get_agent
from agents.solvers.best_response import Payoffs, agent_exploitability, expected_score
from agents.solvers.build import build_game
from agents.solvers.casino_exact import evaluate
from agents.solvers.strategies import agent_strategies
from experiments.leaderboard_page import games_note
from experiments.ratings import rates_and_halves
from tests.measured_docs import kept, table
from tests.settings_docs import shown
from war_env.casino_env import CasinoWarEnv, CasinoWarVectorEnv
from war_env.casino_rules import CASINO_ID, CASINO_NAME, CASINO_SUMMARY, CasinoRules
from war_env.casino_state import CASINO_FIELDS, CasinoLayout
from war_env.env import WarEnv
from war_env.lanes import ELIMINATED
from war_env.layout import FIELDS, Layout
from war_env.presets import PRESETS, Preset, get_preset
from war_env.render.scene import REASON_TEXTS
from war_env.rules import Rules
from war_env.vector_env import WarVectorEnv

EPISODES = 1_024
ORDINALS = ("second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
WEAK = ("random", "greedy", "reserve")
READ_ON = (
    "± is half the width of a 95 % interval, clustered by pair; a draw counts one half. See "
    "[the champions](../champion.md) and [comparing](../comparing.md)."
)
REASONS = REASON_TEXTS | {ELIMINATED: "the learner is out, the others play on"}


def spaces(env_id: str) -> str:
    """The head of a page: spaces and how the environment is made."""
    env = gym.make(env_id)
    head = ("Action space", f"`{env.action_space}`")
    rows = [
        ("Observation space", f"`{env.observation_space}`"),
        ("Made by", f'`gymnasium.make("{env_id}")` after `import war_env`'),
        ("Many at once", f'`gymnasium.make_vec("{env_id}", num_envs=1024)`, one compiled call a step'),
    ]
    return table(head, rows)


def sentence(text: str) -> str:
    """A line of description as a sentence."""
    return f"{text[0].upper()}{text[1:]}."


def description(preset: Preset) -> str:
    """What the game is: its options beside the classic ones, and where they come from."""
    classic, rows = Rules(), []
    for entry in dataclasses.fields(Rules):
        value = getattr(preset.rules, entry.name)
        if value != getattr(classic, entry.name):
            rows.append((f"`{entry.name}={value!r}`", entry.metadata["meaning"]))
    options = table(("option", "meaning"), rows) if rows else ""
    head = (
        f"{preset.summary[0].upper()}{preset.summary[1:]}. From: {preset.source}. The preset's name is `{preset.name}`."
    )
    rules = "[The rules](../rules.md) explain each option."
    changed = "These differ from classic War's:" if rows else "All are as they are by default."
    return f"{head} {rules} {changed}\n\n{options}".strip()


def actions(rules: Rules) -> str:
    """The action table."""
    if not rules.has_choices:
        text = "There is nothing to choose: the environment plays one game of chance, a comparison a step."
        return text + "\n\n" + table(("action", "what it does"), [("0", "turn up the next card")])
    names = ("lowest", *(f"{ordinal} lowest" for ordinal in ORDINALS))[: rules.hand_size]
    rows = [(str(k), f"turn up the {name} card in hand") for k, name in enumerate(names)]
    note = (
        'The hand is sorted by rank. `info["action_mask"]` says which slots hold a card; with `h` cards left they are '
        '0 to h − 1. A masked action plays the highest card, unless `illegal_action="raise"`.'
    )
    return table(("action", "what it does"), rows) + "\n\n" + note


def observation(slices: dict[str, slice], meanings: dict[str, str]) -> str:
    """The observation table: which numbers say what."""
    rows = []
    for name, place in slices.items():
        last = place.stop - 1
        where = str(place.start) if last == place.start else f"{place.start} to {last}"
        rows.append((where, f"`{name}`", meanings[name], "0", "1"))
    return table(("numbers", "field", "meaning", "min", "max"), rows)


def start(rules: Rules) -> str:
    """The starting state."""
    cards, deck = len(rules.cards), rules.deck.size
    left_out = f" ({deck - cards} of {deck} left out)" if deck != cards else ""
    each, more = divmod(cards, rules.players)
    shares = f"{each} each" + (f", the first {more} seats one more" if more else "")
    hand = f"; {rules.hand_size} of them are the hand, the others the stock" if rules.has_choices else ""
    return (
        f"{cards} cards{left_out} are shuffled and dealt to {rules.players} seats, {shares}{hand}. Nothing is on the "
        "table. `reset(seed=s)` always deals the same game; see [seeding](../seeding.md)."
    )


def arguments(environment: type) -> list[tuple[str, str, str]]:
    """The arguments of an environment with their defaults, from its signature and docstring."""
    defaults = inspect.signature(environment).parameters
    rows = []
    for entry in parse(inspect.getdoc(environment) or "").params:
        if entry.arg_name in defaults and entry.arg_name != "preset":
            meaning = " ".join((entry.description or "").split())
            rows.append((f"`{entry.arg_name}`", shown(defaults[entry.arg_name].default) or "`None`", meaning))
    return rows


def options(rules: Any) -> list[tuple[str, ...]]:
    """The options of the rules with this id's values."""
    found = []
    for entry in dataclasses.fields(rules):
        data = entry.metadata
        value = shown(getattr(rules, entry.name)) or "`None`"
        found.append((f"`{entry.name}`", value, data["allowed"], data["meaning"]))
    return found


def rewards() -> str:
    """What the rewards are, as the environment's docstring has it."""
    reward = next(entry for entry in parse(inspect.getdoc(WarEnv) or "").params if entry.arg_name == "reward")
    return f"By the argument `reward`: {' '.join((reward.description or '').split())}"


def ends(env_id: str) -> str:
    """Why and when episodes of random play end, measured."""
    envs = gym.make_vec(env_id, num_envs=EPISODES, autoreset_mode="SameStep").unwrapped
    envs.reset(seed=0)
    steps, reasons = np.zeros(EPISODES, np.int64), np.full(EPISODES, "", object)
    count = 0
    while (steps == 0).any():  # of each row the first episode
        _, _, over, _, infos = envs.step(envs.sample_actions())
        count += 1
        fresh = over & (steps == 0)
        if fresh.any():
            steps[fresh], reasons[fresh] = count, infos["final_info"]["reason"][fresh]
    names, counts = np.unique(reasons.astype(str), return_counts=True)
    rows = [
        (f"`{name}`", REASONS[name], f"{100 * counts[k] / EPISODES:.1f} %")
        for name, k in sorted(zip(names, range(len(names)), strict=True), key=lambda pair: -counts[pair[1]])
    ]
    low, middle, high = np.percentile(steps, (5, 50, 95), method="nearest")
    note = (
        f"Measured over {EPISODES:,} episodes of uniformly random play on both sides. They have {middle} steps in the "
        f"median, 5 % at most {low}, 5 % at least {high}. All ends are `terminated`; nothing truncates but a TimeLimit."
    )
    return table(('`info["reason"]`', "why", "episodes"), rows) + "\n\n" + note


def baselines(preset: Preset) -> str:
    """How random, greedy, reserve and the best known agent score against each other."""
    if not preset.rules.has_choices:
        share = "one half" if preset.rules.players == 2 else f"1/{preset.rules.players}"
        return (
            "There is nothing to choose: random, greedy, reserve and every other agent play the same games. Over all "
            f"deals each seat wins {share} of them, a draw shared."
        )
    return exact_baselines(preset) if preset.name == "mini" else measured_baselines(preset)


def exact_baselines(preset: Preset) -> str:
    """Win rates without any error, and what a best response gains."""
    payoffs = Payoffs(build_game(preset.rules))
    names = (*WEAK, "equilibrium")
    policies = {name: get_agent(name, preset.rules) for name in names}
    strategies = {name: agent_strategies(payoffs.game, policy) for name, policy in policies.items()}
    rows = []
    for name in names:
        cells = []
        for other in names:
            first = expected_score(payoffs, (strategies[name][0], strategies[other][1]))
            second = 1 - expected_score(payoffs, (strategies[other][0], strategies[name][1]))
            cells.append(f"{50 * (first + second):.2f}")
        lost = agent_exploitability(payoffs, policies[name])
        rows.append((f"`{name}`", *cells, f"{100 * lost:.2f}" if lost > 1e-6 else "0"))
    head = ("win rate in %", *(f"against {name}" for name in names), "a best response gains")
    note = "Exact, over all deals and both seats; a draw counts one half. `equilibrium` is the best there is."
    return table(head, rows) + "\n\n" + note + " See [exact play](../solvers.md)."


def measured_baselines(preset: Preset) -> str:
    """Win rates with intervals, from the kept leaderboard."""
    summary = kept("leaderboard")
    board = summary["boards"][preset.id]
    cells = rates_and_halves(board["pairs"])
    names = (*WEAK, next(name for name in board["ratings"] if name not in WEAK))

    def against(name: str, other: str) -> str:
        return "" if name == other else "{:.1f} ± {:.1f}".format(*(100 * x for x in cells[name, other]))

    rows = [(f"`{name}`", *(against(name, other) for other in names)) for name in names]
    rows[-1] = (f"{rows[-1][0]}, the best known", *rows[-1][1:])
    head = ("win rate in %", *(f"against {name}" for name in names))
    return f"{table(head, rows)}\n\n{games_note(board, summary['config'])}. {READ_ON}"


def war_page(name: str) -> str:
    """The page of one preset."""
    preset = get_preset(name)
    rules = preset.rules
    meanings = {field.name: field.meaning for field in FIELDS}
    memory = ", ".join(f"`{field.name}`" for field in FIELDS if field.is_memory)
    seen = observation(Layout(rules).slices, meanings)
    return sections(
        preset.id,
        {
            "Description": description(preset),
            "Action space": actions(rules),
            "Observation space": f"{seen}\n\nWith `memory=False`, {memory} are left out.",
            "Starting state": start(rules),
            "Rewards": rewards(),
            "Episode end": ends(preset.id),
            "Arguments": argument_tables(WarEnv, WarVectorEnv, rules),
            "Baselines": baselines(preset),
        },
    )


def argument_rows(single: type, vector: type) -> list[tuple[str, str, str]]:
    """Arguments of the environment, and those that its vectors have besides."""
    own = arguments(single)
    names = [row[0] for row in own]
    more = [(name, default, f"vectors only: {text}") for name, default, text in arguments(vector) if name not in names]
    return own + more


def argument_tables(single: type, vector: type, rules: Any) -> str:
    """Arguments of the environment, those that vectors have besides, and the options of the rules."""
    tables = (
        table(("argument", "default", "meaning"), argument_rows(single, vector)),
        "Every option of the rules is an argument too, here with this id's values:",
        table(("option", "default", "values", "meaning"), options(rules)),
    )
    return "\n\n".join(tables)


def sections(env_id: str, texts: dict[str, str]) -> str:
    """A page's sections, its version history at the end."""
    parts = [spaces(env_id), *(f"## {title}\n\n{text}" for title, text in texts.items())]
    return "\n\n".join((*parts, "## Version history\n\nv0: first version."))


def casino_page() -> str:
    """The page of Casino War."""
    rules = CasinoRules()
    meanings = {name: meaning for name, _, meaning in CASINO_FIELDS}
    rows = [
        ("0", "ante one unit", "a round begins"),
        ("1", "ante one unit with a tie bet of one unit", "a round begins"),
        (str(rules.surrender_action), "surrender half the ante", "the cards tie"),
        (str(rules.war_action), "go to war", "the cards tie"),
    ]
    note = "With `bet_levels` there are more antes: see [Casino War](../casino.md#actions)."
    edges = [
        (text, f"{value.edge} = {100 * float(value.edge):.2f} %")
        for text, value in (
            ("always to war, the best play", evaluate("war", rules)),
            ("always surrender", evaluate("surrender", rules)),
            ("the tie bet, per unit of it", evaluate("tie_bet", rules)),
        )
    ]
    return sections(
        CASINO_ID,
        {
            "Description": f"{sentence(CASINO_SUMMARY)} [Casino War](../casino.md) has the rules.",
            "Action space": table(("action", "what it does", "when"), rows) + "\n\n" + note,
            "Observation space": observation(CasinoLayout(rules).slices, meanings),
            "Starting state": f"A shuffled shoe of {rules.num_cards} cards, and the player to bet. `reset(seed=s)` "
            "always gives the same shoe; see [seeding](../seeding.md).",
            "Rewards": "The units won in the step, negative if lost; see [the payoffs](../casino.md#actions).",
            "Episode end": f"`terminated` after {rules.rounds} rounds; infos then hold `units`, `rounds`, `ties`.",
            "Arguments": argument_tables(CasinoWarEnv, CasinoWarVectorEnv, rules),
            "Baselines": "What the house keeps of a unit, exactly, in the first round of a full shoe:\n\n"
            + table(("policy", "edge of the house"), edges),
        },
    )


PARTS: dict[str, Callable[[], str]] = {f"env_{preset.name}": partial(war_page, preset.name) for preset in PRESETS}
PARTS[f"env_{CASINO_NAME}"] = casino_page
PARTS["arguments"] = lambda: table(("argument", "default", "meaning"), argument_rows(WarEnv, WarVectorEnv))
PAGES = {f"env_{preset.name}": preset.id for preset in PRESETS} | {f"env_{CASINO_NAME}": CASINO_ID}
