"""Every agent against every other, on paired deals.

python -m experiments.tournament --agents random greedy reserve --preset War-v0 --games 20000
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from statistics import median
from typing import Any

import numpy as np
from rich.table import Table

from agents.registry import Entry, get_entries
from experiments.arena import BLOCK, Budget, arena_rules, block_sizes, play_block
from experiments.harness import Run, Settings, console, main
from experiments.options import RuleOptions, given_options
from experiments.plots import length_histogram, rating_points
from experiments.ratings import (
    games_needed,
    games_text,
    names_of,
    pair_variance,
    rank_text,
    rate_agents,
    rates_and_halves,
)
from experiments.report import write_report
from experiments.statistics import CARDS, PairSums, added_counts, card_shares, rate_of
from war_env.presets import get_preset

QUICK_GAMES = 2_048
MOST_TASKS = 1_000  # for each two agents; of more blocks, several make a task


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
    run: Run,
    entries: Sequence[Entry],
    preset: str,
    options: dict[str, Any],
    budget: Callable[[Entry, Entry], Budget],
) -> tuple[list[dict[str, Any]], dict[str, np.ndarray], dict[str, dict[str, int]]]:
    """Play every two agents.

    Args:
        run: keeps the results.
        entries: the agents, at least two.
        preset, options: the rules.
        budget: how much each two play.

    Returns:
        The results of every two: dictionaries with a, b, the keys of `rate_of` and illegal, in the order of `entries`;
        for each agent the lengths of its games in comparisons, sorted, int64; and how often it played which card, by
        `CARDS`, in all its games.
    """
    tasks: dict[str, tuple[Any, ...]] = {}
    keys: dict[tuple[str, str], list[str]] = {}
    for a, b in combinations(entries, 2):
        games, deals = (much := budget(a, b)).games, much.deals
        blocks = math.ceil(len(block_sizes(games, deals)) / MOST_TASKS)
        for number, pairs in enumerate(block_sizes(games, deals, blocks)):
            size = "" if deals == BLOCK else f"-of-{deals}"
            key = f"{preset}-{a.identity}-{b.identity}-{number * blocks}-{pairs}{size}"
            tasks[key] = (a.name, b.name, preset, options, run.settings.seed, number * blocks, pairs, deals)
            keys.setdefault((a.title, b.title), []).append(key)
    results = run.map(f"games of {preset}", play_block, tasks)
    rows, lengths, usage = [], dict[str, dict[str, int]](), dict[str, dict[str, int]]()
    for (a_title, b_title), names in keys.items():
        total = sum((PairSums(**results[name]) for name in names), PairSums())
        rows.append({"a": a_title, "b": b_title, **rate_of(total), "illegal": total.illegal})
        for title, cards in ((a_title, total.first_cards), (b_title, total.second_cards)):
            lengths[title] = added_counts(lengths.get(title, {}), total.lengths)
            usage[title] = added_counts(usage.get(title, {}), cards)
    return rows, {title: _spread(counts) for title, counts in lengths.items()}, usage


def _spread(counts: dict[str, int]) -> np.ndarray:
    values = np.array([int(value) for value in counts], np.int64)
    return np.sort(np.repeat(values, list(counts.values())))


def win_table(rows: list[dict[str, Any]]) -> Table:
    """The matrix of win rates as a table: row against column, in percent, with half the interval's width."""
    names, cells = names_of(rows), rates_and_halves(rows)
    table = Table(title=f"win rate of the row, %, ± 95 % interval, {games_text(rows)} paired games each")
    table.add_column("")
    for name in names:
        table.add_column(name, justify="right")
    for a in names:
        pairs = [cells.get((a, b)) for b in names]
        table.add_row(a, *("" if pair is None else f"{100 * pair[0]:.1f}±{100 * pair[1]:.1f}" for pair in pairs))
    return table


def rating_table(ratings: dict[str, dict[str, float]]) -> Table:
    """The agents by their ratings; "=" marks a rank that is shared."""
    table = Table(title="Bradley-Terry ratings, 95 % interval; overlapping intervals share a rank")
    for column in ("rank", "agent", "rating", "interval"):
        table.add_column(column, justify="left" if column == "agent" else "right")
    for name, values in ratings.items():
        numbers = f"{values['rating']:.0f}", f"{values['low']:.0f} to {values['high']:.0f}"
        table.add_row(rank_text(ratings, name), name, *numbers)
    return table


def card_table(usage: dict[str, dict[str, int]]) -> Table:
    """Which card each agent plays, in percent of its decisions in battles and in wars."""
    table = Table(title="which card is played, %, of two or more in hand")
    table.add_column("agent")
    for name in CARDS:
        table.add_column(name.replace("_", " "), justify="right")
    for agent, counts in usage.items():
        shares = card_shares(counts).values()
        table.add_row(agent, *("" if share is None else f"{100 * share:.1f}" for share in shares))
    return table


def pairing_note(rows: list[dict[str, Any]]) -> str:
    """What pairing was worth, and how many games show a difference of one point."""
    ratios = [row["variance_ratio"] for row in rows if row["variance_ratio"] is not None]
    if not ratios:
        return "Nothing varied: pairing cannot be judged."
    needed = games_needed(max(pair_variance(row) for row in rows), 0.01)
    return (
        f"Variance with paired deals / with independent ones: {median(ratios):.2f} (median over pairs of agents, "
        f"{min(ratios):.2f} to {max(ratios):.2f}). To show a difference of 1 percentage point from one half: at most "
        f"{needed:,} games (5 % level, power 80 %)."
    )


def run_tournament(settings: TournamentSettings) -> None:
    """Play, print the table, write the files."""
    options = given_options(settings.rules)
    entries = get_entries(settings.agents, arena_rules(settings.preset, options))
    block_sizes(settings.games)
    if settings.quick:
        settings = replace(settings, games=min(settings.games, QUICK_GAMES))
    preset = get_preset(settings.preset).id
    run = Run("tournament", settings, preset, {entry.title: entry.identity for entry in entries})
    rows, lengths, usage = play_pairs(run, entries, preset, options, lambda a, b: Budget(settings.games))
    ratings = rate_agents(rows, settings.seed)
    run.finish({"pairs": rows, "ratings": ratings, "usage": usage}, rows)
    console.print(win_table(rows))
    console.print(rating_table(ratings))
    console.print(card_table(usage))
    console.print(pairing_note(rows))
    rating_points(ratings, run.folder / "ratings.png")
    length_histogram(lengths, "comparisons", run.folder / "lengths.png")
    console.print(f"Report: {write_report(run.folder)}")


if __name__ == "__main__":
    main(TournamentSettings, run_tournament)
