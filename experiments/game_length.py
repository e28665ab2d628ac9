"""How long games without choices last, under any rules; and whether known numbers come out.

python -m experiments.game_length --presets classic --winnings shuffled winner_first --face-down 1 3
python -m experiments.game_length --check
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any, Literal

import numpy as np
from rich.table import Table

from experiments.game_statistics import LENGTH_STATISTICS
from experiments.harness import Run, Settings, console, main
from experiments.options import RuleOptions, given_choices
from experiments.plots import length_histogram
from experiments.published import REFERENCES, compared, group_key, measure_group
from experiments.report import write_report
from war_env.errors import ArgumentError, RulesError, checked_int, shown
from war_env.presets import get_rules
from war_env.rules import Rules
from war_env.simulation import simulate, summarize

BLOCK = 50_000
COLUMNS = 4  # sets of rules side by side in a table
MILLI = 1000  # seconds are kept in whole milliseconds
_ENDS = {"loops": "loop", "draws": "draw"}
QUICK_GAMES = 10_000


@dataclass
class GameLengthSettings(Settings):
    """Play games without choices by the hundred thousand, and report their length and ends."""

    presets: tuple[str, ...] = ("classic",)
    """Presets by name or id."""
    games: int = 200_000
    """Games for each set of rules."""
    unit: Literal["battles", "comparisons", "plays", "seconds"] = "battles"
    """What a length counts; plays are cards laid per seat."""
    check: bool = False
    """Compare with every published or exact number instead, and fail if one does not agree."""
    rules: RuleOptions = field(default_factory=RuleOptions)
    """Options of the rules; of several values each is tried with each."""


def rule_sets(settings: GameLengthSettings) -> dict[str, dict[str, Any]]:
    """Every combination of presets and option values that `Rules` allows, by label: preset and options."""
    options = given_choices(settings.rules)
    if not settings.presets:
        raise ArgumentError("presets=() is not allowed: name at least one.")
    found: dict[str, dict[str, Any]] = {}
    refused: RulesError | None = None
    for preset, *values in product(settings.presets, *options.values()):
        chosen = dict(zip(options, values, strict=True))
        label = " ".join([preset, *(f"{name}={value}" for name, value in chosen.items())])
        try:
            rules = get_rules(preset, **chosen)
            if rules.has_choices:
                raise RulesError(f"{label}: hand_size must be 1, lengths are those of games without choices")
            if settings.unit == "seconds" and rules.clock is None:
                raise RulesError(f"{label}: unit='seconds' needs a clock")
            found[label] = {"preset": preset, "options": chosen}
        except RulesError as error:
            refused = error
            console.print(f"left out: {error}", markup=False)
    if not found and refused is not None:
        raise refused
    return found


def check_nothing_else(settings: GameLengthSettings) -> None:
    """`--check` compares what is known, under its own rules: an option that says otherwise is refused."""
    default = GameLengthSettings()
    for name in ("presets", "unit", "rules"):
        if getattr(settings, name) != getattr(default, name):
            raise ArgumentError(
                f"{name}={shown(getattr(settings, name))} is not allowed with --check, which has its own rules."
            )


def play_lengths(preset: str, options: dict[str, Any], seed: int, first: int, games: int) -> dict[str, Any]:
    """One block of games as a small aggregate: how many ended how, and histograms of the finished ones."""
    rules = get_rules(preset, **options)
    stats = simulate(rules, games, seed, first=first, progress=False)
    finished = stats.is_finished
    counted = {"battles": stats.battles, "comparisons": stats.comparisons, "wars": stats.wars}
    counted["plays"] = np.rint(stats.plays * rules.players).astype(np.int64)
    counted["seconds"] = np.rint(stats.seconds * MILLI).astype(np.int64)
    histograms = {}
    for name, values in counted.items():
        found, counts = np.unique(values[finished], return_counts=True)
        histograms[name] = [found.tolist(), counts.tolist()]
    ends = {"loop": int(np.sum(stats.reason == "loop")), "unfinished": int(np.sum(stats.reason == "unfinished"))}
    return {
        "games": games,
        "ends": ends | {"draw": int(np.sum(finished & (stats.winner < 0)))},
        "histograms": histograms,
    }


@dataclass(frozen=True)
class Lengths:
    """The games of all blocks of one set of rules.

    Attributes:
        games: their number.
        ends: games that ended by loop, unfinished, and as a draw.
        values: of the finished games, sorted: battles, comparisons, wars, plays a seat, seconds.
    """

    games: int
    ends: dict[str, int]
    values: dict[str, np.ndarray]


def joined(blocks: list[dict[str, Any]], rules: Rules) -> Lengths:
    """Several blocks as one."""
    values = {}
    scales = {"plays": 1 / rules.players, "seconds": 1 / MILLI}
    for name in blocks[0]["histograms"]:
        parts = [
            np.repeat(*map(np.array, block["histograms"][name])) for block in blocks if block["histograms"][name][0]
        ]
        values[name] = np.sort(np.concatenate([np.zeros(0, np.int64), *parts])) * scales.get(name, 1)
    ends = {name: sum(block["ends"][name] for block in blocks) for name in ("loop", "unfinished", "draw")}
    return Lengths(sum(block["games"] for block in blocks), ends, values)


def known_numbers(label: str, rules: Rules, lengths: Lengths) -> list[dict[str, Any]]:
    """Every reference for these very rules that can be read off lengths and ends, beside ours."""
    rows = []
    for reference in REFERENCES:
        if reference.deal or reference.rules != rules:
            continue
        if reference.statistic in LENGTH_STATISTICS:
            name, statistic = LENGTH_STATISTICS[reference.statistic]
            if lengths.values[name].size > 1:
                ours, error = statistic(lengths.values[name].astype(np.float64))
                rows.append(compared(label, reference, ours, error, lengths.games))
        elif reference.statistic in _ENDS:
            share = lengths.ends[_ENDS[reference.statistic]] / lengths.games
            error = math.sqrt(max(share * (1 - share), 1 / lengths.games) / lengths.games)
            rows.append(compared(label, reference, share, error, lengths.games))
    return rows


def run_lengths(run: Run, settings: GameLengthSettings, sets: dict[str, dict[str, Any]]) -> None:
    """Play and print one row for each set of rules, and every number that is known for it beside ours."""
    tasks = {}
    for number, what in enumerate(sets.values()):
        for first in range(0, settings.games, BLOCK):
            count = min(BLOCK, settings.games - first)
            tasks[f"{number}-{first}-{count}"] = (what["preset"], what["options"], settings.seed, first, count)
    results = run.map("games", play_lengths, tasks)
    rows, known, histograms = [], [], {}
    for number, (label, what) in enumerate(sets.items()):
        rules = get_rules(what["preset"], **what["options"])
        lengths = joined([result for name, result in results.items() if name.startswith(f"{number}-")], rules)
        values = lengths.values[settings.unit]
        rows.append(summarize(label, settings.unit, lengths.games, values, lengths.values["wars"], lengths.ends))
        known += known_numbers(label, rules, lengths)
        histograms[label] = values
    run.finish({"rows": rows, "known": known}, rows)
    length_histogram(histograms, settings.unit, run.folder / "lengths.png")
    for table in length_tables(rows):
        console.print(table)
    if known:
        console.print(check_table(known))


def length_tables(rows: list[dict[str, Any]]) -> list[Table]:
    """The rows as tables of a few columns each, a column for each set of rules."""
    return [_length_table(rows[start : start + COLUMNS]) for start in range(0, len(rows), COLUMNS)]


def _length_table(rows: list[dict[str, Any]]) -> Table:
    table = Table(title=f"length in {rows[0]['unit']}, finished games of {rows[0]['games']:,}")
    table.add_column("")
    for row in rows:
        table.add_column(row["rules"], justify="right", overflow="fold")
    for name in ("mean", "standard_error", "sd", "median", "p95", "p99", "min", "max", "wars_per_game"):
        cells = ["-" if row[name] is None else f"{row[name]:.2f}" for row in rows]
        table.add_row(name.replace("_", " "), *cells)
    for name in ("loop_share", "unfinished_share", "draw_share"):
        table.add_row(name.replace("_", " "), *(f"{100 * row[name]:.2f} %" for row in rows))
    return table


def run_check(run: Run, settings: GameLengthSettings) -> None:
    """Compare with every reference; a number that does not agree is an error."""
    games = settings.games
    groups = list(dict.fromkeys(group_key(reference) for reference in REFERENCES))
    if settings.quick:
        groups = [group for group in groups if "10 strict" not in group]
    tasks = {f"check-{number}": (group, games, settings.seed) for number, group in enumerate(groups)}
    results = run.map("known numbers", measure_group, tasks)
    rows = [row for result in results.values() for row in result]
    run.finish({"checks": rows}, rows)
    console.print(check_table(rows))
    wrong = [row for row in rows if not row["agrees"]]
    console.print(f"{len(rows) - len(wrong)} of {len(rows)} known numbers agree.")
    if wrong:
        console.print("\n".join(f"{row['rules']}: {row['statistic']}" for row in wrong), markup=False)
        raise SystemExit(1)


def check_table(rows: list[dict[str, Any]]) -> Table:
    """Ours beside the references, a section for each set of rules; the sources stand in rows.csv and the report."""
    table = Table(title=f"known numbers, {rows[0]['games']:,} games where not enumerated")
    for column in ("", "ours", "± se", "known", "kind", "agrees"):
        table.add_column(column)
    group = ""
    for row in rows:
        if row["rules"] != group:
            group = row["rules"]
            table.add_section()
            table.add_row(group.replace(",", " "), style="bold")
        values = (f"{row['ours']:.6g}", f"{row['standard_error']:.2g}", f"{row['reference']:.6g}")
        table.add_row("  " + row["statistic"], *values, row["kind"], "yes" if row["agrees"] else "NO")
    return table


def run_game_length(settings: GameLengthSettings) -> None:
    """Play, print, write."""
    checked_int("games", settings.games, 2, 10**9)
    if settings.check:
        check_nothing_else(settings)
    sets = {} if settings.check else rule_sets(settings)
    if settings.quick:
        settings = replace(settings, games=min(settings.games, QUICK_GAMES))
    run = Run("game_length", settings, label="check" if settings.check else "lengths")
    if settings.check:
        run_check(run, settings)
    else:
        run_lengths(run, settings, sets)
    console.print(f"Report: {write_report(run.folder)}")


if __name__ == "__main__":
    main(GameLengthSettings, run_game_length)
