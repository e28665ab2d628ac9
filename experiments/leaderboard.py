"""Every agent that comes with the project, on every two-seat preset with a choice: one page, and the README's tables.

python -m experiments.leaderboard
python -m experiments.leaderboard --keep    # the numbers go to docs/data too; `make leaderboard` writes the pages anew
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.table import Table

import agents
from agents.registry import Entry, agent_specs, fitting_agents, get_entries
from agents.solvers.build import measure_game
from experiments.arena import BLOCK, Budget, arena_rules, block_sizes
from experiments.exact import EQUILIBRIUM, exact_rows
from experiments.harness import Run, Settings, console, main, write_json
from experiments.leaderboard_page import board_head, board_rows, write_leaderboard
from experiments.plots import rating_points
from experiments.ratings import rate_agents, rates_and_halves
from experiments.tournament import play_pairs
from war_env.errors import ArgumentError, RulesError, checked_int, shown
from war_env.files import read_json
from war_env.policy_names import SCRIPTED
from war_env.presets import PRESETS, get_preset
from war_env.rules import MAX_COUNT, Rules

KEPT = Path(__file__).parent.parent / "docs" / "data"
SMALL_BYTES = 10**9  # of a game that is solved on the way
ITERATIONS = 1_000
QUICK_GAMES, QUICK_SLOW_GAMES, QUICK_SAMPLES = 256, 16, 100


@dataclass
class LeaderboardSettings(Settings):
    """Play every agent against every other on every two-seat preset with a choice, and rank them."""

    presets: tuple[str, ...] = ()
    """Presets by name or id; when not given all with two seats and a choice."""
    agents: tuple[str, ...] = ()
    """Agents by name, or paths to exported weights; when not given all that fit the rules and come with the project."""
    games: int = 20_480
    """Paired games of each trained agent with each scripted one, an even number."""
    other_games: int = 8_192
    """Paired games of any other two, an even number."""
    slow_games: int = 256
    """Paired games of two of which one thinks long, an even number."""
    samples: int = 1_000
    """Where the game is solved: how often an agent whose probabilities are not known is asked at each observation."""
    keep: bool = False
    """Write the numbers to docs/data/leaderboard.json too, from which `make docs` writes the pages' tables."""


def quick_settings(settings: LeaderboardSettings) -> LeaderboardSettings:
    """The same work, small."""
    games = {name: min(getattr(settings, name), QUICK_GAMES) for name in ("games", "other_games")}
    slow, samples = min(settings.slow_games, QUICK_SLOW_GAMES), min(settings.samples, QUICK_SAMPLES)
    return replace(settings, **games, slow_games=slow, samples=samples)


def chosen_presets(names: Sequence[str]) -> list[str]:
    """Ids of the presets: those named, or all with two seats and a choice.

    Raises:
        UnknownNameError: there is no such preset. ArgumentError: one is named twice, seats more or has no choice.
    """
    found = [get_preset(name) for name in names]
    found = found or [preset for preset in PRESETS if preset.rules.players == 2 and preset.rules.has_choices]
    ids = [preset.id for preset in found]
    if len(set(ids)) < len(ids):
        raise ArgumentError(f"presets={shown(ids)} is not allowed: name each once.")
    for preset in found:
        arena_rules(preset.id, {})
        if not preset.rules.has_choices:
            raise ArgumentError(f"presets={shown(preset.id)} is not allowed: there is nothing to choose.")
    return ids


def shipped_agents(rules: Rules) -> list[str]:
    """Names of all agents that fit some rules, without those that were trained on this machine."""
    home = Path(agents.__file__).parent
    specs = agent_specs()
    names = [agent.name for agent in fitting_agents(rules)]
    weights = {name: specs[name].weights for name in names}
    return [name for name, path in weights.items() if path is None or path(rules).is_relative_to(home)]


def is_slow(entry: Entry) -> bool:
    """Whether an agent thinks long, so that it plays few games."""
    spec = agent_specs().get(entry.title)
    return spec is not None and spec.is_slow


def budget_of(settings: LeaderboardSettings) -> Callable[[Entry, Entry], Budget]:
    """How much each two agents play."""
    deals = min(BLOCK, settings.games // 2, settings.other_games // 2)

    def is_trained(entry: Entry) -> bool:
        spec = agent_specs().get(entry.title)
        return spec is None or spec.is_trained

    def budget(a: Entry, b: Entry) -> Budget:
        if is_slow(a) or is_slow(b):
            return Budget(settings.slow_games, min(BLOCK, settings.slow_games // 2))
        is_main = any(is_trained(one) and other.name in SCRIPTED for one, other in ((a, b), (b, a)))
        return Budget(settings.games if is_main else settings.other_games, deals)

    return budget


def is_small(rules: Rules) -> bool:
    """Whether a game is solved on the way."""
    if not agent_specs()[EQUILIBRIUM].is_quick(rules):
        return False
    try:
        return measure_game(rules).num_bytes <= SMALL_BYTES
    except RulesError:
        return False


def best_opponent(rows: list[dict[str, Any]], name: str) -> dict[str, Any]:
    """What the opponent whose result against an agent is surest gains over one half."""
    halves = rates_and_halves(rows)
    found = {a: (rate - 0.5, half) for (a, b), (rate, half) in halves.items() if b == name}
    by = max(found, key=lambda other: found[other][0] - found[other][1])
    gain, half = found[by]
    games = next(row["games"] for row in rows if {row["a"], row["b"]} == {by, name})
    return {"gain": gain, "low": gain - half, "high": gain + half, "method": "agent", "by": by, "games": games}


def learned_bound(entry: Entry, preset: str, folder: Path = KEPT) -> dict[str, Any] | None:
    """The kept result of `experiments.exploitability --method learned` for this very agent, where there is one."""
    path = folder / f"learned_{preset}.json"
    summary = read_json(path, f"kept={str(path)!r}", is_strict=False) if path.exists() else {"entries": {}}
    if summary["entries"].get(entry.title) != entry.identity:
        return None
    found, config = summary["agents"][entry.title], summary["config"]
    kept = {"gain": found["exploitability"], "low": found["low"], "high": found["high"], "by": found["start"]}
    return {**kept, "method": "learned", "games": config["games"], "steps": config["steps"]}


def bounds(entries: Sequence[Entry], rows: list[dict[str, Any]], preset: str) -> dict[str, dict[str, Any]]:
    """For each agent the best lower bound of its exploitability: by a learned response, or by an opponent here."""
    found = {}
    for entry in entries:
        learned = learned_bound(entry, preset)
        candidates = [best_opponent(rows, entry.title), *([] if learned is None else [learned])]
        found[entry.title] = max(candidates, key=lambda bound: float(bound["low"]))
    return found


def exact_gains(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The same form as `bounds`, from exact exploitabilities."""
    return {
        row["agent"]: {
            "gain": row["exploitability"],
            "method": "exact",
            "fraction": row["fraction"],
            "asked": row["draws"],
        }
        for row in rows
    }


def make_board(run: Run, preset: str, entries: list[Entry], settings: LeaderboardSettings) -> dict[str, Any]:
    """Play one preset.

    Returns:
        pairs, ratings, gains (exploitability or a lower bound of each agent), exact (rows, empty where the game is not
        solved) and slow (agents that played few games).
    """
    rules = arena_rules(preset, {})
    rows, _, _ = play_pairs(run, entries, preset, {}, budget_of(settings))
    ratings = rate_agents(rows, settings.seed)
    rating_points(ratings, run.folder / f"ratings_{preset}.png")
    exact: list[dict[str, Any]] = []
    if is_small(rules):
        _, exact = exact_rows(run, entries, preset, rules, SMALL_BYTES, settings.samples, ITERATIONS)
    gains = exact_gains(exact) if exact else bounds(entries, rows, preset)
    slow = [entry.title for entry in entries if is_slow(entry)]
    return {"pairs": rows, "ratings": ratings, "gains": gains, "exact": exact, "slow": slow}


def board_table(preset: str, board: dict[str, Any]) -> Table:
    """One preset's leaderboard."""
    table = Table(title=preset)
    for column in board_head(board):
        table.add_column(column)
    for row in board_rows(board):
        table.add_row(*row)
    return table


def run_leaderboard(settings: LeaderboardSettings) -> None:
    """Play, print the tables, write the files."""
    presets = chosen_presets(settings.presets)
    for name in ("games", "other_games", "slow_games"):
        block_sizes(getattr(settings, name), field=name)
    checked_int("samples", settings.samples, 1, MAX_COUNT)
    if settings.keep and settings.quick:
        raise ArgumentError("keep=True is not allowed with quick=True: its numbers are too rough to be kept.")
    rules = {preset: arena_rules(preset, {}) for preset in presets}
    entries = {
        preset: get_entries(settings.agents or shipped_agents(rules[preset]), rules[preset]) for preset in presets
    }
    settings = quick_settings(settings) if settings.quick else settings
    identities = {f"{entry.title} on {preset}": entry.identity for preset in presets for entry in entries[preset]}
    run = Run("leaderboard", settings, "all" if not settings.presets else "-".join(presets), identities)
    boards = {preset: make_board(run, preset, entries[preset], settings) for preset in presets}
    rows = [{"preset": preset, **row} for preset, board in boards.items() for row in board["pairs"]]
    run.finish({"boards": boards}, rows)
    for preset, board in boards.items():
        console.print(board_table(preset, board))
    if settings.keep:
        write_json(KEPT / "leaderboard.json", json.loads((run.folder / "summary.json").read_text()))
    console.print(f"Leaderboard: {write_leaderboard(run.folder)}")


if __name__ == "__main__":
    main(LeaderboardSettings, run_leaderboard)
