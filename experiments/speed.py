"""How fast the environments, the engine and learning are, beside others, as ratios measured in one run.

python -m experiments.speed
"""

from __future__ import annotations

import platform
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any, Literal

import gymnasium as gym
import tyro
from rich.table import Table

from experiments.harness import Run, Settings, console, main, progress_bar
from experiments.plots import growth_lines, speed_bars
from experiments.report import write_report
from experiments.speed_parts import own
from experiments.speed_parts.c_twin import CTwin
from experiments.speed_parts.learning import dummy, learning_item, native, where_time_goes
from experiments.speed_parts.measure import Item, compare, measure
from experiments.speed_parts.peers import peer_items
from experiments.speed_parts.processes import first_game_seconds, import_seconds
from war_env.errors import ArgumentError, checked_int, refused
from war_env.presets import get_rules
from war_env.state import record_dtype

GAMES, VECTOR, LARGE = "simulate, classic games", "WarVectorEnv, 1,024 rows", "WarVectorEnv, 16,384 rows"
SINGLE, KERNEL, TWO = "gym.make War-v0", "bare kernel, 1,024 rows", "WarVectorEnv, 16,384 rows, two threads"
HAND_1, HAND_8 = "WarVectorEnv, hand of 1", "WarVectorEnv, hand of 8"
LEARNING, LEARNING_8 = "MaskablePPO on WarVecEnv(1024)", "MaskablePPO on DummyVecEnv(8)"
OPENSPIEL, TENSOR = "OpenSpiel goofspiel 13", "OpenSpiel goofspiel 13 with tensor"
BLACKJACK, CARTPOLE = "gym.make Blackjack-v1", "gym.make CartPole-v1"


@dataclass(frozen=True)
class Target:
    """A ratio, or a number of seconds or bytes, that is to be reached.

    Attributes:
        id: T1 to T12.
        text: what is compared.
        slow, fast: the items whose times per unit are divided, slow / fast; without `fast` the seconds of `slow`,
            without either bytes.
        must: the least or the largest value that reaches it.
        is_floor: whether `must` is the least.
    """

    id: str
    text: str
    slow: str
    fast: str
    must: float
    is_floor: bool = True

    def is_met(self, value: float) -> bool:
        """Whether a value reaches the target."""
        return value >= self.must if self.is_floor else value <= self.must


TARGETS = (
    Target("T1", "whole classic games, as fast as a tuned Python deque", "tuned deque, Python", GAMES, 50),
    Target("T2", "the same, as fast as a branch-free C twin", "C twin", GAMES, 0.8),
    Target("T3", "a row's step in WarVectorEnv, beside OpenSpiel's goofspiel", OPENSPIEL, VECTOR, 40),
    Target("T4", "the same, beside goofspiel with its tensor", TENSOR, VECTOR, 120),
    Target("T5", "a single step, beside Blackjack-v1", BLACKJACK, SINGLE, 12),
    Target("T6", "a single step, beside CartPole-v1", CARTPOLE, SINGLE, 2.5),
    Target("T7", "WarVectorEnv, beside the bare kernel", KERNEL, VECTOR, 0.75),
    Target("T8", "learning on lanes, beside DummyVecEnv(8)", LEARNING_8, LEARNING, 5),
    Target("T9", "CPU time of import war_env / of import gymnasium", "import war_env", "import gymnasium", 1.5, False),
    Target("T10", "the first game, warm cache / cold cache", "first game, warm", "first game, cold", 0.25, False),
    Target("T10_cold", "CPU seconds of the first game beyond imports, cold cache", "first game, cold", "", 25, False),
    Target("T10_warm", "CPU seconds of the first game beyond imports, warm cache", "first game, warm", "", 1, False),
    Target("T11", "bytes of a game's record, two seats", "", "", 512, False),
    Target("T12", "cost of a step, 16,384 rows / 1,024 rows", LARGE, VECTOR, 1.15, False),
    Target("T12_hand", "cost of a step, hand of 8 / hand of 1", HAND_8, HAND_1, 1.25, False),
)


@dataclass
class SpeedSettings(Settings):
    """Measure the speed of everything that matters, in turn and in one process, as ratios to others."""

    rounds: int = 7
    """Batches of each item; the medians of the ratios within each round are shown."""
    seconds: float = 0.3
    """CPU seconds of a batch."""
    workers: tyro.conf.Suppress[int] = 1  # neither is an option: all is done here, one after another
    backend: tyro.conf.Suppress[Literal["loky"]] = "loky"  # type: ignore[assignment]
    quick: bool = False
    """The same work, small: a minute or two, most of it compiling with an empty cache and learning."""


def ratio_items() -> tuple[list[Item], dict[str, str]]:
    """All items whose ratios are targets, and the peers that are not here."""
    peers, skipped = peer_items()
    items = [
        own.games(GAMES, get_rules("classic")),
        own.vector(VECTOR, own.ROWS),
        own.kernel(KERNEL, own.ROWS),
        own.vector(LARGE, 16_384),
        own.vector(HAND_1, own.ROWS, hand_size=1),
        own.vector(HAND_8, own.ROWS, hand_size=8),
        own.single(SINGLE, "War-v0"),
        own.single(CARTPOLE, "CartPole-v1"),
        own.single(BLACKJACK, "Blackjack-v1"),
        *peers,
        learning_item(LEARNING, native, 3),
        learning_item(LEARNING_8, dummy, 3),
    ]
    return items, skipped


def _measure(title: str, items: list[Item], rounds: int, seconds: float) -> dict[str, list[float]]:
    with progress_bar(title, len(items) * (rounds + 1)) as advance:
        return measure(items, rounds, seconds, advance)


def fresh_processes(rounds: int) -> dict[str, list[float]]:
    """Nanoseconds of imports and first games, in fresh processes in turn."""
    times: dict[str, list[float]] = {}
    with progress_bar("fresh processes", rounds + 1) as advance:
        for _ in range(rounds):
            for module in ("war_env", "gymnasium"):
                times.setdefault(f"import {module}", []).append(1e9 * import_seconds(module))
            advance(1)
        cold, warm = first_game_seconds()
        times |= {"first game, cold": [1e9 * cold], "first game, warm": [1e9 * warm]}
        advance(1)
    return times


def ratio_rows(times: Mapping[str, list[float]]) -> list[dict[str, Any]]:
    """Every target that could be measured: id, text, value, low, high, must, met."""
    rows = []
    for target in TARGETS:
        if not target.slow:
            value = low = high = float(record_dtype(get_rules()).itemsize)
        elif not target.fast and target.slow in times:
            value, low, high = compare(times[target.slow], [1e9] * len(times[target.slow]))
        elif target.slow in times and target.fast in times:
            value, low, high = compare(times[target.slow], times[target.fast])
        else:
            continue
        bound = f"{'at least' if target.is_floor else 'at most'} {target.must:g}"
        row = {"id": target.id, "what": target.text, "ratio": value, "low": low, "high": high}
        rows.append(row | {"must": bound, "met": target.is_met(value)})
    return rows


def growth_rows(times: Mapping[str, list[float]]) -> list[dict[str, Any]]:
    """How the cost grows: what, its value, and nanoseconds per step or battle."""
    rows = []
    for name, measured in times.items():
        what, value = name.rsplit(" ", 1)
        rows.append({"what": what, "value": int(value), "ns": median(measured)})
    return rows


def two_threads(rounds: int, seconds: float) -> dict[str, Any]:
    """What a second thread gives, by the clock on the wall: only on an idle machine does the figure mean anything."""
    one = own.vector(LARGE, 16_384, time.perf_counter)
    two = own.vector(TWO, 16_384, time.perf_counter, num_threads=2)
    times = _measure("two threads", [one, two], rounds, seconds)
    value, low, high = compare(times[LARGE], times[TWO])
    return {"ratio": value, "low": low, "high": high}


def ratio_table(rows: list[dict[str, Any]]) -> Table:
    """The targets as a table."""
    table = Table(title="ratios, median of the rounds (least to largest)")
    for column in ("", "what", "ratio", "range", "must be", ""):
        table.add_column(column, justify="right" if column in ("ratio", "range") else "left")
    for row in rows:
        span = f"{row['low']:.3g} to {row['high']:.3g}"
        table.add_row(
            row["id"], row["what"], f"{row['ratio']:.3g}", span, row["must"], "met" if row["met"] else "missed"
        )
    return table


def item_table(items: Mapping[str, float], units: Mapping[str, str], skipped: Mapping[str, str]) -> Table:
    """Time per unit of every item, and why others are missing."""
    table = Table(title="time of each item, CPU, median")
    for column in ("item", "per", "time", "per second"):
        table.add_column(column, justify="left" if column in ("item", "per") else "right")
    for name, ns in items.items():
        table.add_row(name, units.get(name, "run"), f"{ns:,.0f} ns", f"{1e9 / ns:,.0f}" if name in units else "")
    for name, reason in skipped.items():
        table.add_row(name, "", "skipped", reason)
    return table


def training_table(rows: list[dict[str, Any]]) -> Table:
    """Where the time of learning goes."""
    table = Table(title="MaskablePPO on WarVecEnv(1024): where a step's time goes")
    for column in ("part", "us per step", "share"):
        table.add_column(column, justify="left" if column == "part" else "right")
    for row in rows:
        table.add_row(row["part"], f"{row['us_per_step']:.2f}", f"{100 * row['share']:.0f} %")
    return table


def processor() -> str:
    """The processor's name, where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def compiler() -> str:
    """The C compiler of the twin, and numba's."""
    try:
        return CTwin().compiler
    except ArgumentError as error:
        return str(error)


def run_speed(settings: SpeedSettings) -> None:
    """Measure, print the tables, write the files."""
    checked_int("rounds", settings.rounds, 1, 1000)
    if not 0.001 <= settings.seconds <= 60:
        raise refused("seconds", settings.seconds, "from 0.001 to 60")
    most_rounds, most_seconds = (2, 0.05) if settings.quick else (1000, 60.0)
    rounds, seconds = min(settings.rounds, most_rounds), min(settings.seconds, most_seconds)
    run = Run("speed", settings, platform.machine())
    summary: dict[str, Any] = run.part("speed", lambda: _compute(rounds, seconds))
    run.finish(summary, summary["rows"])
    speed_bars(summary["rows"], run.folder / "speed.png")
    growth_lines(summary["growth"], run.folder / "growth.png")
    console.print(item_table(summary["items"], summary["units"], summary["skipped"]))
    console.print(training_table(summary["training"]))
    console.print(ratio_table(summary["rows"]))
    threads = summary["two_threads"]
    console.print(
        f"Two threads, 16,384 rows, wall clock: {threads['ratio']:.2f} times ({threads['low']:.2f} to "
        f"{threads['high']:.2f}). C: {summary['compiler']}. Report: {write_report(run.folder)}"
    )


def _compute(rounds: int, seconds: float) -> dict[str, Any]:
    gym.logger.min_level = gym.logger.ERROR
    items, skipped = ratio_items()
    times = _measure("items in turn", items, rounds, seconds) | fresh_processes(rounds)
    rows = ratio_rows(times)
    missing = {target.id: f"needs {target.slow}" for target in TARGETS if target.id not in {row["id"] for row in rows}}
    return {
        "ratios": {row["id"]: row["ratio"] for row in rows},
        "items": {name: median(measured) for name, measured in times.items()},
        "skipped": skipped | missing,
        "compiler": compiler(),
        "processor": processor(),
        "rows": rows,
        "units": {item.name: item.unit for item in items},
        "growth": growth_rows(_measure("growth", own.growth_items(), max(1, rounds // 2), seconds / 2)),
        "two_threads": two_threads(rounds, seconds),
        "training": where_time_goes(131_072 if rounds < 3 else 524_288),
        "targets": [asdict(target) for target in TARGETS],
    }


if __name__ == "__main__":
    main(SpeedSettings, run_speed)
