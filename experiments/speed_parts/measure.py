"""Measuring items in turn: CPU time of this process, so that other work on the machine counts as little as it can."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

Clock = Callable[[], float]


@dataclass
class Item:
    """Something that takes time.

    Attributes:
        name: unique.
        unit: what is counted: step, game, …
        run: does at least the given number of units; returns how many it did.
        clock: what measures it, in seconds; CPU time of this process unless said otherwise.
        repeats: at most so many rounds, for items that take long; None for all.
        least: units of the shortest batch that makes sense.
    """

    name: str
    unit: str
    run: Callable[[int], int]
    clock: Clock = time.process_time
    repeats: int | None = None
    least: int = 1


def _time(item: Item, units: int) -> float:
    """Nanoseconds per unit in one batch."""
    start = item.clock()
    done = item.run(units)
    return (item.clock() - start) / done * 1e9


def measure(
    items: Sequence[Item], rounds: int, seconds: float, advance: Callable[[int], None]
) -> dict[str, list[float]]:
    """Nanoseconds per unit of every item, once per round; in each round the items take their turns.

    Args:
        items: what is measured; a first batch of each warms it up and finds how many units fill its time.
        rounds: batches of each item.
        seconds: time that a batch should take.
        advance: called with 1 after each batch.
    """
    sizes = {}
    for item in items:
        _time(item, item.least)
        each = max(_time(item, item.least), 0.1)
        sizes[item.name] = max(item.least, int(seconds * 1e9 / each))
        advance(1)
    times: dict[str, list[float]] = {item.name: [] for item in items}
    for number in range(rounds):
        for item in items:
            if item.repeats is None or number < item.repeats:
                times[item.name].append(_time(item, sizes[item.name]))
            advance(1)
    return times


def compare(slow: list[float], fast: list[float]) -> tuple[float, float, float]:
    """Median, least and largest of the ratios slow / fast, round by round."""
    ratios = [a / b for a, b in zip(slow, fast, strict=False)]
    return median(ratios), min(ratios), max(ratios)
