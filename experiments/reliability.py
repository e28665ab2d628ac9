"""What was tried to break the environments and the experiments, how often, and what happened.

python -m experiments.reliability
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import tyro
from rich.table import Table

from experiments.harness import Run, Settings, console, main, progress_bar
from experiments.reliability_parts import fuzzing, killing, limits, processes, soak, surroundings
from experiments.reliability_parts.children import together
from experiments.report import write_report
from war_env.errors import ArgumentError, checked_int, checked_number, unknown_name

FUZZING, PROCESSES, KILLED, SURROUNDINGS, LIMITS, SOAK = PARTS = (
    "fuzzing",
    "processes",
    "killed runs",
    "surroundings",
    "limits",
    "soak",
)


@dataclass
class ReliabilitySettings(Settings):
    """Try to break everything; parts that are done are kept, so that a stopped run goes on."""

    parts: tuple[str, ...] = PARTS
    """Which parts are tried: fuzzing, processes, killed runs, surroundings, limits, soak."""
    fuzz_seconds: float = 600.0
    """Time of the fuzzing."""
    kills: int = 10
    """Kills of each kind of run."""
    soak_steps: int = 1_000_000_000
    """Steps of the soak, a quarter in each of four processes."""
    workers: tyro.conf.Suppress[int] = 1  # neither is an option: all is done here, one after another
    backend: tyro.conf.Suppress[Literal["loky"]] = "loky"  # type: ignore[assignment]
    quick: bool = False
    """The same work, small: a few minutes, nearly all of it starting processes."""


@dataclass(frozen=True)
class Item:
    """Something that is tried.

    Attributes:
        part: one of PARTS.
        what: what is tried, in a few words.
        pieces: each tries some of it and returns what `told` gives; they are kept one by one.
    """

    part: str
    what: str
    pieces: tuple[Callable[[], dict[str, Any]], ...]


def item(part: str, what: str, function: Callable[..., dict[str, Any]], *calls: tuple[Any, ...]) -> Item:
    """An item of one piece for each tuple of arguments."""
    return Item(part, what, tuple(partial(function, *arguments) for arguments in calls))


def items(settings: ReliabilitySettings) -> dict[str, Item]:
    """All that is tried, by name."""
    quick, seed = settings.quick, settings.seed
    seconds = min(settings.fuzz_seconds, 10.0) if quick else settings.fuzz_seconds
    found = _fuzzing(seconds, 3 if quick else 10, seed, 1 if quick else 4)
    found |= _processes(2 if quick else 8, quick)
    kills = min(settings.kills, 2) if quick else settings.kills
    for name in killing.RUNS:
        calls = [(name, min(2, kills - k), seed + k) for k in range(0, kills, 2)]
        found[f"kill-{name}"] = item(KILLED, f"{name} killed (-9) at random moments", killing.random_kills, *calls)
    sizes = (12_288,) if quick else (12_288, 40_960)
    full = [(name, size) for name in surroundings.SMALL for size in sizes]
    found |= {
        "disk": item(SURROUNDINGS, "a full disk: tournament, game_length, train", surroundings.full_disk, *full),
        "files": item(SURROUNDINGS, "files that may not grow", surroundings.small_files, (4_096,)),
        "folder": item(SURROUNDINGS, "results folders that cannot be written to", surroundings.no_folder, ()),
    }
    found |= _limits(quick)
    steps = (min(settings.soak_steps, 8_000_000) if quick else settings.soak_steps) // 4
    for preset, pieces in (("strategic", 1), ("one_pass", 1), ("three_player", 2), ("speed", 1)):
        calls = [(preset, steps // pieces, seed + k) for k in range(pieces)]
        found[f"soak-{preset}"] = item(SOAK, f"{preset}, {soak.ROWS:,} rows", soak.soaked, *calls)
    return {name: one for name, one in found.items() if one.part in settings.parts}


def _fuzzing(seconds: float, count: int, seed: int, pieces: int) -> dict[str, Item]:
    calls = "random sequences of calls of Game, WarEnv, WarVectorEnv and Casino War under random options"
    kernels = "the same games from kernels that are compiled, that check every index, and that are not compiled"
    rounds = [(seconds / pieces, seed + 1_000_000 * k) for k in range(pieces)]
    drawn = [(count, seed + 1_000_000 * k) for k in range(pieces)]
    return {
        "fuzz": item(FUZZING, calls, fuzzing.fuzz, *rounds),
        "modes": item(FUZZING, kernels, fuzzing.modes, *drawn),
    }


def _processes(workers: int, is_quick: bool) -> dict[str, Item]:
    found = {}
    for kind, name in (("async", "AsyncVectorEnv"), ("subproc", "SubprocVecEnv")):
        for context in ("fork", "spawn"):
            found[f"{kind}-{context}"] = item(PROCESSES, f"{name}, {context}", processes.many, (kind, context, workers))
    cold = "AsyncVectorEnv, spawn, no kernel compiled before"
    if not is_quick:
        found["cold"] = item(PROCESSES, cold, processes.many, ("async", "spawn", workers, True))
    threads, forks = "threads that step different vectors", "forks of a process whose vector has threads"
    return found | {
        "threads": item(PROCESSES, threads, processes.many, ("threads", "", workers)),
        "forked": item(PROCESSES, forks, processes.many, ("forked", "", workers)),
        "read-only": item(PROCESSES, "a read-only installation without a home", processes.read_only, (is_quick,)),
        "missing": item(PROCESSES, "packages that are missing", processes.missing, (is_quick,)),
    }


def _limits(is_quick: bool) -> dict[str, Item]:
    every = 20 if is_quick else 1
    games, block = (200_000, 50_000) if is_quick else (10_000_000, 1_000_000)
    seats = "ten seats under every run_out, winnings and war_party"
    decks = "decks of 4 to 64 cards, any ranks, suits and jokers"
    return {
        "rows": item(LIMITS, "65,536 rows", limits.most_rows, (65_536, 5 if is_quick else 100)),
        "seats": item(LIMITS, seats, limits.most_seats, (5 if is_quick else 20,)),
        "decks": item(LIMITS, decks, limits.every_deck, (30, every)),
        "games": item(LIMITS, "millions of games in one call", limits.many_games, (games, block)),
    }


def try_piece(run: Run, name: str, piece: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """A piece's report, kept unless something failed, so that it is then tried again."""
    report: dict[str, Any] = run.part(name, piece)
    if report["failures"]:
        run.forget(name)
    return report


def row_of(one: Item, report: dict[str, Any]) -> dict[str, Any]:
    """A row of the table: part, what, tries, unit, failed, happened."""
    failures = report["failures"]
    happened = "; ".join(failures) if failures else report["happened"]
    row = {"part": one.part, "what": one.what, "tries": report["tries"], "unit": report["unit"]}
    return row | {"failed": len(failures), "happened": happened}


def result_table(rows: list[dict[str, Any]]) -> Table:
    """What was tried, how often, and what happened."""
    table = Table(title="what was tried, how often, and what happened")
    for column in ("part", "tried", "how often", "failed", "what happened"):
        table.add_column(column, justify="right" if column in ("how often", "failed") else "left")
    for row in rows:
        often = f"{row['tries']:,} {row['unit']}"
        table.add_row(row["part"], row["what"], often, str(row["failed"]), row["happened"])
    return table


def run_reliability(settings: ReliabilitySettings) -> None:
    """Try everything, print the table, write the files; failures are an exit code of 1."""
    checked_int("kills", settings.kills, 1, 1000)
    checked_int("soak_steps", settings.soak_steps, 4 * soak.ROWS * soak.POINTS * 2, 10**12)
    checked_number("fuzz_seconds", settings.fuzz_seconds, 0.0, 1e6)
    for part in settings.parts:
        if part not in PARTS:
            raise unknown_name("parts", part, PARTS)
    chosen = items(settings)
    if not chosen:
        raise ArgumentError("parts=() is not allowed: name at least one.")
    run = Run("reliability", settings, "reliability")
    rows = []
    with progress_bar("items", len(chosen)) as advance:
        for name, one in chosen.items():
            pieces = [try_piece(run, f"{name}-{k}", piece) for k, piece in enumerate(one.pieces)]
            rows.append(row_of(one, together(pieces)))
            advance(1)
    failed = sum(row["failed"] for row in rows)
    run.finish({"rows": rows, "failed": failed}, rows)
    console.print(result_table(rows))
    console.print(f"{failed} failures. Report: {write_report(run.folder)}")
    if failed:
        raise SystemExit(1)


if __name__ == "__main__":
    main(ReliabilitySettings, run_reliability)
