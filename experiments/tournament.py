"""Every agent against every other, on paired deals.

python -m experiments.tournament --agents random greedy reserve --preset War-v0 --games 20000
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

from rich.table import Table

from agents.registry import Entry, get_entries
from experiments.arena import arena_rules, block_sizes, play_block
from experiments.harness import Run, Settings, console, main
from experiments.options import RuleOptions, given_options
from experiments.plots import win_matrix
from experiments.report import write_report
from experiments.statistics import PairSums, rate_of
from war_env.presets import get_preset

QUICK_GAMES = 2_048


@dataclass
class TournamentSettings(Settings):
    """Compare agents: every one against every other on paired deals, with clustered 95 % intervals."""

    agents: tuple[str, ...] = ("random", "greedy", "lowest", "median", "reserve")
    """Agents by name, or paths to exported weights."""
    preset: str = "War-v0"
    """Preset by name or id; two seats."""
    games: int = 20_000
    """Games for each two agents, an even number; every deal is played twice, with the seats swapped."""
    rules: RuleOptions = field(default_factory=RuleOptions)
    """Options of the rules to override."""


def play_pairs(
    run: Run, entries: Sequence[Entry], preset: str, options: dict[str, Any], games: int
) -> list[dict[str, Any]]:
    """The results of every two agents: dictionaries with a, b and the keys of `rate_of`, in the order of `entries`."""
    tasks: dict[str, tuple[Any, ...]] = {}
    keys: dict[tuple[str, str], list[str]] = {}
    for a, b in combinations(entries, 2):
        for block, pairs in enumerate(block_sizes(games)):
            key = f"{a.identity}-{b.identity}-{block}-{pairs}"
            tasks[key] = (a.name, b.name, preset, options, run.settings.seed, block, pairs)
            keys.setdefault((a.title, b.title), []).append(key)
    results = run.map("games", play_block, tasks)
    rows = []
    for (a_title, b_title), names in keys.items():
        total = sum((PairSums(**results[name]) for name in names), PairSums())
        rows.append({"a": a_title, "b": b_title, **rate_of(total), "illegal": total.illegal})
    return rows


def win_table(rows: list[dict[str, Any]]) -> Table:
    """The matrix of win rates as a table: row against column, in percent, with half the interval's width."""
    names = list(dict.fromkeys([row["a"] for row in rows] + [row["b"] for row in rows]))
    table = Table(title=f"win rate of the row, %, ± 95 % interval, {rows[0]['games']:,} paired games each")
    table.add_column("")
    for name in names:
        table.add_column(name, justify="right")
    cells = {(row["a"], row["b"]): row["win_rate"] for row in rows} | {
        (row["b"], row["a"]): 1 - row["win_rate"] for row in rows
    }
    widths = {frozenset((row["a"], row["b"])): (row["high"] - row["low"]) / 2 for row in rows}
    for a in names:
        table.add_row(
            a, *("" if a == b else f"{100 * cells[a, b]:.1f}±{100 * widths[frozenset((a, b))]:.1f}" for b in names)
        )
    return table


def run_tournament(settings: TournamentSettings) -> None:
    """Play, print the table, write the files."""
    options = given_options(settings.rules)
    entries = get_entries(settings.agents, arena_rules(settings.preset, options))
    block_sizes(settings.games)
    if settings.quick:
        settings = replace(settings, games=min(settings.games, QUICK_GAMES))
    preset = get_preset(settings.preset).id
    run = Run("tournament", settings, preset, {entry.title: entry.identity for entry in entries})
    rows = play_pairs(run, entries, preset, options, settings.games)
    run.finish({"pairs": rows}, rows)
    console.print(win_table(rows))
    win_matrix(rows, run.folder / "win_rates.png")
    console.print(f"Report: {write_report(run.folder)}")


if __name__ == "__main__":
    main(TournamentSettings, run_tournament)
