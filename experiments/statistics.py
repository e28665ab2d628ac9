"""Win rates of paired games with intervals clustered by pair.

A *pair* is one deal played twice with the agents' seats swapped. A win counts 1, a draw 1/2. The unit of every
interval is the pair: the two games of a pair share their cards and are not independent.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

Z95 = 1.959963984540054
PHASES, PLACES = ("battle", "war"), ("lowest", "between", "highest")
CARDS = tuple(f"{phase}_{place}" for phase in PHASES for place in PLACES)  # which card of the hand is played, and when


@dataclass(frozen=True)
class PairSums:
    """Sums over pairs from which rates and intervals follow; they add up over blocks.

    Attributes:
        pairs: number of pairs.
        score: sum of the pairs' mean scores for the first agent.
        score_squares: sum of their squares.
        game_squares: sum over single games of squared scores.
        draws: drawn games.
        illegal: illegal actions of the first agent and of the second.
        steps: comparisons played.
        lengths: how many single games took so many comparisons; keys are their decimal digits, as JSON has them.
        first_cards, second_cards: how often the first agent and the second played which card, by `CARDS`: decisions
            with two or more cards in hand, in all games of the blocks played, those that do not count too.
    """

    pairs: int = 0
    score: float = 0.0
    score_squares: float = 0.0
    game_squares: float = 0.0
    draws: int = 0
    illegal: int = 0
    steps: int = 0
    lengths: dict[str, int] = field(default_factory=dict)
    first_cards: dict[str, int] = field(default_factory=dict)
    second_cards: dict[str, int] = field(default_factory=dict)

    def __add__(self, other: PairSums) -> PairSums:
        theirs = asdict(other)
        return PairSums(**{name: _added(value, theirs[name]) for name, value in asdict(self).items()})


def _added(first: Any, second: Any) -> Any:
    return added_counts(first, second) if isinstance(first, dict) else first + second


def added_counts(first: Mapping[str, int], second: Mapping[str, int]) -> dict[str, int]:
    """Two counts of the same kind of things as one."""
    return {name: first.get(name, 0) + second.get(name, 0) for name in {**first, **second}}


def card_shares(counts: Mapping[str, int]) -> dict[str, float | None]:
    """Each of `CARDS` as a share of the decisions of its phase; None where the phase has none."""
    shares: dict[str, float | None] = {}
    for phase in PHASES:
        names = [f"{phase}_{place}" for place in PLACES]
        total = sum(counts.get(name, 0) for name in names)
        shares.update({name: counts.get(name, 0) / total if total else None for name in names})
    return shares


def rate_of(sums: PairSums) -> dict[str, Any]:
    """Win rate with its 95 % interval, draw rate, and what pairing was worth.

    The interval is normal over pair means; where all pairs scored alike it is Wilson's over pairs, which does not
    shrink to a point.

    Returns:
        games, win_rate, low, high, draw_rate, and variance_ratio: variance of the win rate with paired deals over that
        of as many single games with independent deals; below 1 pairing helps, None where nothing varies.
    """
    pairs = sums.pairs
    mean = sums.score / pairs
    variance = max(sums.score_squares / pairs - mean**2, 0.0) * pairs / max(pairs - 1, 1)
    low, high = _interval(mean, variance, pairs)
    single = max(sums.game_squares / (2 * pairs) - mean**2, 0.0)
    return {
        "games": 2 * pairs,
        "win_rate": mean,
        "low": low,
        "high": high,
        "draw_rate": sums.draws / (2 * pairs),
        "variance_ratio": variance / (single / 2) if single > 0 else None,
    }


def _interval(mean: float, variance: float, count: int) -> tuple[float, float]:
    if variance > 0:
        half = Z95 * math.sqrt(variance / count)
        return max(0.0, mean - half), min(1.0, mean + half)
    z2 = Z95**2 / count
    middle = (mean + z2 / 2) / (1 + z2)
    half = Z95 * math.sqrt(mean * (1 - mean) / count + z2 / (4 * count)) / (1 + z2)
    return max(0.0, middle - half), min(1.0, middle + half)
