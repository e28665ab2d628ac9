"""What was tried to break the environments and the experiments, how often, and what happened.

python -m experiments.reliability
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rich.table import Table

from experiments.harness import Run, Settings, console, main, progress_bar
from experiments.reliability_parts import fuzzing, killing, limits, processes, soak, surroundings
from experiments.report import write_report
from war_env.errors import ArgumentError, checked_int, unknown_name

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
    quick: bool = False
    """The same work, small: a few minutes, nearly all of it starting processes."""


@dataclass(frozen=True)
class Item:
    """Something that is tried.

    Attributes:
        part: one of PARTS.
        what: what is tried, in a few words.
        run: tries it; returns what `told` gives.
    """

    part: str
    what: str
    run: Callable[[], dict[str, Any]]


def items(settings: ReliabilitySettings) -> dict[str, Item]:
    """All that is tried, by name."""
    quick, seed = settings.quick, settings.seed
    workers = 2 if quick else 8
    kills = 2 if quick else settings.kills
    soak_steps = 8_000_000 if quick else settings.soak_steps
    found = {
        "fuzz": Item(
            FUZZING,
            "random sequences of calls of Game, WarEnv, WarVectorEnv and Casino War under random options",
            lambda: fuzzing.fuzz(10.0 if quick else settings.fuzz_seconds, seed),
        ),
        "modes": Item(
            FUZZING,
            "the same games from kernels that are compiled, that check every index, and that are not compiled",
            lambda: fuzzing.modes(3 if quick else 60, seed),
        ),
    }
    for kind, name in (("async", "AsyncVectorEnv"), ("subproc", "SubprocVecEnv")):
        for context in ("fork", "spawn"):
            found[f"{kind}-{context}"] = Item(
                PROCESSES, f"{name}, {context}", lambda k=kind, c=context: processes.many(k, c, workers)
            )
    if not quick:
        found["cold"] = Item(
            PROCESSES,
            "AsyncVectorEnv, spawn, no kernel compiled before",
            lambda: processes.many("async", "spawn", workers, is_cold=True),
        )
    found |= {
        "threads": Item(
            PROCESSES, "threads that step different vectors", lambda: processes.many("threads", "", workers)
        ),
        "forked": Item(
            PROCESSES, "forks of a process whose vector has threads", lambda: processes.many("forked", "", workers)
        ),
        "read-only": Item(PROCESSES, "a read-only installation without a home", lambda: processes.read_only(quick)),
        "missing": Item(PROCESSES, "packages that are missing", lambda: processes.missing(quick)),
    }
    for name in killing.RUNS:
        found[f"kill-{name}"] = Item(
            KILLED, f"{name} killed (-9) at random moments", lambda n=name: killing.random_kills(n, kills, seed)
        )
    found |= {
        "disk": Item(
            SURROUNDINGS,
            "a full disk: tournament, game_length, train",
            lambda: surroundings.full_disk((12_288,) if quick else (4_096, 12_288, 40_960)),
        ),
        "files": Item(SURROUNDINGS, "files that may not grow", lambda: surroundings.small_files(4_096)),
        "folder": Item(SURROUNDINGS, "results folders that cannot be written to", surroundings.no_folder),
        "rows": Item(LIMITS, "65,536 rows", lambda: limits.most_rows(65_536, 5 if quick else 100)),
        "seats": Item(LIMITS, "ten seats under every run_out, winnings and war_party", lambda: limits.most_seats(20)),
        "decks": Item(
            LIMITS,
            "decks of 4 to 64 cards, any ranks, suits and jokers",
            lambda: limits.every_deck(30, 20 if quick else 1),
        ),
        "games": Item(
            LIMITS,
            "millions of games in one call",
            lambda: limits.many_games(200_000 if quick else 10_000_000, 50_000 if quick else 1_000_000),
        ),
    }
    for preset in ("strategic", "one_pass", "three_player", "speed"):
        found[f"soak-{preset}"] = Item(
            SOAK,
            f"{preset}, {soak.ROWS:,} rows",
            lambda p=preset: soak.soaked(p, soak_steps // 4),
        )
    return {name: item for name, item in found.items() if item.part in settings.parts}


def row_of(item: Item, report: dict[str, Any]) -> dict[str, Any]:
    """A row of the table: part, what, tries, unit, failed, happened."""
    failures = report["failures"]
    happened = "; ".join(failures) if failures else report["happened"]
    row = {"part": item.part, "what": item.what, "tries": report["tries"], "unit": report["unit"]}
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
    checked_int("soak_steps", settings.soak_steps, 4 * soak.ROWS * soak.POINTS * 2)
    if not 0 <= settings.fuzz_seconds <= 1e6:
        raise ArgumentError(f"fuzz_seconds={settings.fuzz_seconds!r} is not allowed: it must be from 0 to 1e6.")
    for part in settings.parts:
        if part not in PARTS:
            raise unknown_name("part", part, PARTS)
    chosen = items(settings)
    if not chosen:
        raise ArgumentError(f"parts={settings.parts!r} is not allowed: name at least one.")
    run = Run("reliability", settings, "reliability")
    rows, reports = [], {}
    with progress_bar("items", len(chosen)) as advance:
        for name, item in chosen.items():
            reports[name] = run.part(name, item.run)
            rows.append(row_of(item, reports[name]))
            if rows[-1]["failed"]:
                run.forget(name)  # so that it is tried again
            advance(1)
    failed = sum(row["failed"] for row in rows)
    run.finish(
        {"rows": rows, "failed": failed, "data": {name: report["data"] for name, report in reports.items()}}, rows
    )
    console.print(result_table(rows))
    console.print(f"{failed} failures. Report: {write_report(run.folder)}")
    if failed:
        raise SystemExit(1)


if __name__ == "__main__":
    main(ReliabilitySettings, run_reliability)
