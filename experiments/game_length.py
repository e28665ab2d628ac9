"""How long games without choices last, under any rules; and whether known numbers come out.

python -m experiments.game_length --presets classic --winnings shuffled winner_first --face-down 1 3
python -m experiments.game_length --check
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any, Literal

import numpy as np
from rich.table import Table

from experiments.harness import Run, Settings, console, main
from experiments.options import RuleOptions, given_choices
from experiments.plots import length_histogram
from experiments.published import REFERENCES, group_key, measure_group
from experiments.report import write_report
from war_env.errors import RulesError, checked_int
from war_env.presets import get_rules
from war_env.rules import Rules
from war_env.simulation import GameStatistics, simulate

BLOCK = 50_000
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
    found: dict[str, dict[str, Any]] = {}
    refused: RulesError | None = None
    for preset, *values in product(settings.presets, *options.values()):
        chosen = dict(zip(options, values, strict=True))
        label = " ".join([preset, *(f"{name}={value}" for name, value in chosen.items())])
        try:
            if get_rules(preset, **chosen).has_choices:
                raise RulesError(f"{label}: hand_size must be 1, lengths are those of games without choices")
            found[label] = {"preset": preset, "options": chosen}
        except RulesError as error:
            refused = error
            console.print(f"left out: {error}", markup=False)
    if not found and refused is not None:
        raise refused
    return found


def play_lengths(preset: str, options: dict[str, Any], seed: int, first: int, games: int) -> dict[str, Any]:
    """One block of games: what the row of a table needs, as plain numbers."""
    stats = simulate(get_rules(preset, **options), games, seed, first=first, progress=False)
    codes, reasons = np.unique(stats.reason.astype(str), return_inverse=True)
    names = ("winner", "battles", "comparisons", "wars", "period")
    block: dict[str, Any] = {name: getattr(stats, name).tolist() for name in names}
    halves = np.rint(stats.plays * stats.rules.players).astype(np.int64)
    block |= {"cards": halves.tolist(), "nanos": np.rint(stats.seconds * 1e9).astype(np.int64).tolist()}
    return block | {"reasons": codes.tolist(), "reason": reasons.tolist()}


def joined(blocks: list[dict[str, Any]], rules: Rules) -> GameStatistics:
    """The games of several blocks as one."""

    def column(name: str) -> np.ndarray:
        return np.concatenate([np.asarray(block[name], np.int64) for block in blocks])

    reason = np.concatenate([np.array(block["reasons"], object)[block["reason"]] for block in blocks])
    nothing = np.zeros((len(reason), rules.players), np.int64)
    return GameStatistics(
        rules=rules,
        winner=column("winner"),
        reason=reason,
        battles=column("battles"),
        comparisons=column("comparisons"),
        wars=column("wars"),
        plays=column("cards") / rules.players,
        held=nothing,
        aces=nothing,
        period=column("period"),
        seconds=column("nanos") / 1e9,
    )


def run_lengths(run: Run, settings: GameLengthSettings, sets: dict[str, dict[str, Any]]) -> None:
    """Play and print one row for each set of rules, beside the numbers that are known for it."""
    games = settings.games
    tasks = {}
    for number, what in enumerate(sets.values()):
        for first in range(0, games, BLOCK):
            count = min(BLOCK, games - first)
            tasks[f"{number}-{first}-{count}"] = (what["preset"], what["options"], settings.seed, first, count)
    results = run.map("games", play_lengths, tasks)
    rows, histograms = [], {}
    for number, (label, what) in enumerate(sets.items()):
        rules = get_rules(what["preset"], **what["options"])
        blocks = [result for name, result in results.items() if name.startswith(f"{number}-")]
        stats = joined(blocks, rules)
        rows.append(stats.summary(settings.unit, label) | {"known": known_numbers(rules, settings.unit)})
        histograms[label] = getattr(stats, settings.unit)[stats.is_finished]
    run.finish({"rows": rows}, rows)
    length_histogram(histograms, settings.unit, run.folder / "lengths.png")
    console.print(length_table(rows))


def known_numbers(rules: Rules, unit: str) -> str:
    """What is known of the mean length under these very rules, and from where."""
    wanted = {"battles": "mean", "plays": "plays", "comparisons": "comparisons"}.get(unit)
    found = [r for r in REFERENCES if r.statistic == wanted and not r.deal and r.rules == rules]
    return "; ".join(f"{reference.value:g} ({reference.source})" for reference in found)


def length_table(rows: list[dict[str, Any]]) -> Table:
    """The rows as a table."""
    names = ("mean", "sd", "median", "p95", "p99", "max", "wars_per_game")
    table = Table(title=f"length in {rows[0]['unit']}, finished games of {rows[0]['games']:,}")
    for column in ("rules", "mean ± se", *names[1:-1], "wars", "loops", "unfinished", "draws", "known mean"):
        table.add_column(column, justify="left" if column in ("rules", "known mean") else "right")
    for row in rows:
        values = ["-" if row[name] is None else f"{row[name]:.1f}" for name in names]
        if row["standard_error"] is not None:
            values[0] += f" ± {row['standard_error']:.1f}"
        shares = [f"{100 * row[name]:.2f} %" for name in ("loop_share", "unfinished_share", "draw_share")]
        table.add_row(row["rules"], *values, *shares, row["known"])
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
    run.finish({"rows": rows}, rows)
    console.print(check_table(rows))
    wrong = [row for row in rows if not row["agrees"]]
    console.print(f"{len(rows) - len(wrong)} of {len(rows)} known numbers agree.")
    if wrong:
        console.print("\n".join(f"{row['rules']}: {row['statistic']}" for row in wrong), markup=False)
        raise SystemExit(1)


def check_table(rows: list[dict[str, Any]]) -> Table:
    """Ours beside the references, a section for each set of rules; sources stand in rows.csv and the report."""
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
    checked_int("games", settings.games, 2)
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
