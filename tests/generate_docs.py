"""The parts of README.md and docs/ that are made from code: `make docs` writes them anew, a test compares."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

from agents.registry import agent_specs, get_agent
from agents.solvers.best_response import Payoffs, agent_exploitability, exploitability
from agents.solvers.build import build_game
from agents.solvers.casino_exact import evaluate
from agents.solvers.strategies import agent_strategies
from experiments.ablation import ablation_cells
from experiments.published import REFERENCES
from tests import environment_pages, measured_docs, sessions, settings_docs
from tests.measured_docs import kept, table
from tests.public_faults import faults_table
from war_env.casino_rules import (
    BONUS,
    CASINO_ID,
    CASINO_SUMMARY,
    LOSE,
    SURRENDER,
    TIE_BET_LOST,
    TIE_BET_WON,
    WAR_LOST,
    WAR_TIED,
    WAR_WON,
    WIN,
    CasinoRules,
)
from war_env.casino_state import CASINO_FIELDS
from war_env.game import Game
from war_env.layout import FIELDS, Layout
from war_env.policy_names import SCRIPTED
from war_env.presets import PRESETS, get_rules
from war_env.rules import Rules
from war_env.truth import TRUTH_FIELDS, TruthLayout

DOCS = Path(__file__).parent.parent / "docs"
SMALL = ({"ranks": 3}, {"ranks": 3, "suits": 3}, {"face_down": 1}, {"hand_size": 3}, {"hand_size": 4})


def option_table(rules: type) -> str:
    """Every option of a rules class with its default, range, meaning and source."""
    rows = []
    for entry in dataclasses.fields(rules):
        data = entry.metadata
        rows.append((f"`{entry.name}`", f"`{entry.default!r}`", data["allowed"], data["meaning"], data["source"]))
    return table(("option", "default", "values", "meaning", "source"), rows)


def presets() -> str:
    """Every preset with the options that differ from the classic ones."""
    rows = []
    for preset in PRESETS:
        classic = Rules().to_dict()
        changed = {name: value for name, value in preset.rules.to_dict().items() if value != classic[name]}
        text = ", ".join(f"{name}={value!r}" for name, value in changed.items()) or "the defaults"
        rows.append((f"`{preset.name}`", f"`{preset.id}`", preset.summary, f"`{text}`", preset.source))
    return table(("name", "id", "what", "options", "from"), rows)


def ids() -> str:
    """Every id with a line."""
    rows = [(f"`{preset.id}`", preset.summary) for preset in PRESETS]
    return table(("id", "what"), [*rows, (f"`{CASINO_ID}`", CASINO_SUMMARY)])


def checks() -> str:
    """How many numbers `game_length --check` compares, by kind."""
    kinds = [reference.kind for reference in REFERENCES]
    parts = ", ".join(f"{kinds.count(kind)} {kind}" for kind in ("exact", "published", "measured"))
    return f"`--check` compares {len(kinds)} numbers with theirs: {parts} (by two other programs)."


def casino_payoffs() -> str:
    """Units won per unit of the ante, from the table of payoffs."""
    rows = [
        ("higher card", WIN),
        ("lower card", LOSE),
        ("tie, surrendered", SURRENDER),
        ("war won", WAR_WON),
        ("war lost", WAR_LOST),
        ("war tied", WAR_TIED),
        ("war tied, bonus 1", WAR_TIED + BONUS),
        ("tie bet won, per unit of it", TIE_BET_WON * CasinoRules().tie_pays),
        ("tie bet lost", TIE_BET_LOST),
    ]
    return table(("what happens", "units"), [(name, f"{half / 2:+g}") for name, half in rows])


def casino_fields() -> str:
    """The fields of Casino War's observation."""
    return table(
        ("field", "numbers", "meaning"), [(f"`{name}`", str(size), text) for name, size, text in CASINO_FIELDS]
    )


def casino_edges() -> str:
    """Exact edges for full shoes."""
    rows = []
    for packs in (1, 2, 4, 6, 8):
        cells = []
        for policy, bonus in (("surrender", 0), ("war", 0), ("war", 1), ("tie_bet", 0)):
            value = evaluate(policy, CasinoRules(packs=packs, bonus=bonus))
            cells.append(f"{value.edge} = {100 * float(value.edge):.4f} %")
        war = evaluate("war", CasinoRules(packs=packs))
        rows.append((str(packs), *cells, f"{war.deviation:.4f}", f"{100 * float(war.element_of_risk):.4f} %"))
    head = ("packs", "surrender", "war", "war, bonus 1", "tie bet 10:1", "sd of war", "element of risk of war")
    return table(head, rows)


def solved() -> str:
    """Sizes of small games, and what a best response gains in them."""
    rows = []
    for label, options in (("WarMini-v0", {}), *((", ".join(f"`{k}={v}`" for k, v in o.items()), o) for o in SMALL)):
        payoffs = Payoffs(build_game(get_rules("mini", **options)))
        size, policy = payoffs.game.size(), get_agent("equilibrium", payoffs.game.rules)
        sizes = (size.deals, size.histories, size.information_sets, size.sequences, size.terminal_pairs)
        strategies = (agent_strategies(payoffs.game, get_agent(name, payoffs.game.rules)) for name in SCRIPTED)
        gains = [f"{exploitability(payoffs, pair):.5f}" for pair in strategies]
        lost = agent_exploitability(payoffs, policy)
        gains.append("below 1e-6" if lost < 1e-6 else f"{lost:.5f}")
        rows.append((label, *(f"{number:,}" for number in sizes), *gains))
    head = ("game", "deals", "histories", "information sets", "sequences", "terminal pairs", *SCRIPTED, "equilibrium")
    return table(head, rows)


def fields() -> str:
    """The fields of an observation, with their size under War-v0."""
    layout = Layout(PRESETS[0].rules)
    rows = []
    for field in FIELDS:
        place = layout.slices.get(field.name)
        size = "–" if place is None else str(place.stop - place.start)
        rows.append((f"`{field.name}`", size, field.meaning, "yes" if field.is_memory else ""))
    return table(("field", f"numbers in {PRESETS[0].id}", "meaning", "memory"), rows)


def truth() -> str:
    """The fields of `state()`, with their size under War-v0."""
    places = TruthLayout(PRESETS[0].rules).slices
    rows = []
    for field in TRUTH_FIELDS:
        place = places.get(field.name)
        rows.append((f"`{field.name}`", "–" if place is None else str(place.stop - place.start), field.meaning))
    return table(("field", f"numbers in {PRESETS[0].id}", "meaning"), rows)


def sizes() -> str:
    """Length of the observation for every preset."""
    return ", ".join(f"{preset.id} {Layout(preset.rules).size}" for preset in PRESETS) + "."


def scripted() -> str:
    """The scripted policies."""
    return table(("name", "plays"), [(f"`{name}`", text) for name, text in SCRIPTED.items()])


def ablation() -> str:
    """What memory is worth, from the kept results of `python -m experiments.ablation`."""
    summary = kept("ablation")
    steps = summary["config"]["steps"]
    note = (
        f"Win rate in % of MaskablePPO after {steps / 1e6:.0f} million steps on War-v0 against a mix of random, "
        f"greedy, lowest and median: mean over {summary['config']['seeds']} seeds (least to largest), "
        f"{summary['rows'][0]['games']:,} paired games each; `python -m experiments.ablation` remakes it, "
        "its summary.json is kept in docs/data/."
    )
    return note + "\n\n" + table(("against", "with memory", "without memory"), ablation_cells(summary["rows"]))


def agent_table() -> str:
    """Every agent of the registry with its file."""
    rows = []
    for spec in agent_specs().values():
        made = spec.make.func if isinstance(spec.make, partial) else spec.make
        rows.append((f"`{spec.name}`", spec.description, f"`{made.__module__.replace('.', '/')}.py`"))
    return table(("agent", "what it does", "file"), rows)


PARTS: dict[str, Callable[[], str]] = {
    "options": lambda: option_table(Rules),
    "presets": presets,
    "ids": ids,
    "solved": solved,
    "fields": fields,
    "sizes": sizes,
    "truth": truth,
    "scripted": scripted,
    "checks": checks,
    "casino_options": lambda: option_table(CasinoRules),
    "casino_payoffs": casino_payoffs,
    "casino_fields": casino_fields,
    "casino_edges": casino_edges,
    "ablation": ablation,
    **measured_docs.PARTS,
    **environment_pages.PARTS,
    **settings_docs.PARTS,
    "agents": agent_table,
    "faults": faults_table,
}


def generated(text: str) -> str:
    """A page with its generated parts written anew."""

    def fill(match: re.Match[str]) -> str:
        return f"<!-- generated: {match[1]} -->\n{PARTS[match[1]]()}\n<!-- end -->"

    return re.sub(r"<!-- generated: (\w+) -->\n.*?<!-- end -->", fill, text, flags=re.DOTALL)


def pages() -> list[Path]:
    """The pages that hold generated parts."""
    paths = (DOCS.parent / "README.md", *sorted(DOCS.rglob("*.md")))
    return [path for path in paths if "<!-- generated" in path.read_text()]


def picture() -> None:
    """A double war as a picture, for the page on environments."""
    import pygame

    from war_env.render.pixels import paint

    stocks = ["9h 2s 2d 2h 10s 9s 3c 3d 3s As 5c 5d Qh Jc", "9c 4c 4d 4h 10c 9d 5h 5s 6c Ks 6d 6h Qs Jd"]
    game = Game.from_stocks(stocks, PRESETS[0].rules)
    for cards in (("9h", "9c"), ("10s", "10c")):
        before = game.copy()
        game.play([hand.split().index(card) for hand, card in zip(game.hands, cards, strict=True)])
    pygame.image.save(paint(game.scene(0, before)), DOCS / "images" / "table.png")


def environment_pictures() -> None:
    """A table of each id in the middle of a game, for the ids' pages."""
    import gymnasium as gym
    import pygame

    for env_id in environment_pages.PAGES.values():
        env = gym.make(env_id, render_mode="rgb_array")
        _, info = env.reset(seed=3)
        env.action_space.seed(3)
        for _ in range(3):
            _, _, _, _, info = env.step(env.action_space.sample(info["action_mask"]))
        surface = pygame.surfarray.make_surface(env.render().swapaxes(0, 1))
        pygame.image.save(surface, DOCS / "images" / "environments" / f"{env_id}.png")


def main() -> None:
    """Write all generated parts anew."""
    for path in pages():
        path.write_text(generated(path.read_text()))
    picture()
    environment_pictures()
    for page in sessions.SESSIONS:
        page.write_text(sessions.with_outputs(page.read_text()))


if __name__ == "__main__":
    main()
