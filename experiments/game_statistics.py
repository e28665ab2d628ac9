"""Statistics of many games with their standard errors, by name."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from war_env.simulation import GameStatistics

Value = tuple[float, float]  # a statistic and its standard error


def _mean(values: np.ndarray) -> Value:
    return float(values.mean()), float(values.std(ddof=1) / math.sqrt(values.size)) if values.size > 1 else 0.0


def _share(is_so: np.ndarray) -> Value:
    share = float(is_so.mean())
    return share, math.sqrt(max(share * (1 - share), 1 / is_so.size) / is_so.size)


def _deviation(values: np.ndarray) -> Value:
    deviation = float(values.std(ddof=1))
    fourth = float(((values - values.mean()) ** 4).mean())
    return deviation, math.sqrt(max(fourth - deviation**4, 0.0) / values.size) / (2 * deviation)


def _quantile(share: float) -> Callable[[np.ndarray], Value]:
    def statistic(values: np.ndarray) -> Value:
        half = math.sqrt(share * (1 - share) / values.size)  # standard error of the share, turned into the value's
        low, middle, high = np.percentile(values, [100 * (share - half), 100 * share, 100 * (share + half)])
        return float(middle), float(high - low) / 2

    return statistic


def _of_lengths(statistic: Callable[[np.ndarray], Value], unit: str = "battles") -> Callable[[GameStatistics], Value]:
    return lambda stats: statistic(getattr(stats, unit)[stats.is_finished].astype(np.float64))


def _aces(count: int) -> Callable[[GameStatistics], Value]:
    def statistic(stats: GameStatistics) -> Value:
        dealt = stats.aces[:, 0] == count
        return _mean(np.where(stats.winner[dealt] < 0, 0.5, stats.winner[dealt] == 0).astype(float))

    return statistic


def _ties_per_comparison(stats: GameStatistics) -> Value:
    ratio = stats.wars.sum() / stats.comparisons.sum()
    residual = stats.wars - ratio * stats.comparisons
    return float(ratio), float(residual.std() / math.sqrt(stats.games) / stats.comparisons.mean())


def _undone(stats: GameStatistics) -> np.ndarray:
    """Pots taken back: every battle has one comparison more than wars, but for a tie that nobody could pay for."""
    return stats.battles + stats.wars - stats.comparisons


# Statistics of lengths of finished games: what is counted, and how it is summed up.
LENGTH_STATISTICS: dict[str, tuple[str, Callable[[np.ndarray], Value]]] = {
    "mean": ("battles", _mean),
    "sd": ("battles", _deviation),
    "median": ("battles", _quantile(0.5)),
    "p95": ("battles", _quantile(0.95)),
    "p99": ("battles", _quantile(0.99)),
    "max": ("battles", lambda values: (float(values.max()), 0.0)),
    "plays": ("plays", _mean),
    "plays sd": ("plays", _deviation),
    "plays median": ("plays", _quantile(0.5)),
    "comparisons": ("comparisons", _mean),
    "wars": ("wars", _mean),
}
# Statistics of all games.
STATISTICS: dict[str, Callable[[GameStatistics], Value]] = {
    **{name: _of_lengths(statistic, unit) for name, (unit, statistic) in LENGTH_STATISTICS.items()},
    "loops": lambda stats: _share(stats.reason == "loop"),
    "without a verdict": lambda stats: _share(~stats.is_finished),
    "period": lambda stats: (float(stats.period.max()), 0.0),
    "first battle tied": lambda stats: _share(stats.wars > 0),
    "seat 0 wins, no tie": lambda stats: _share((stats.winner == 0) & (stats.wars == 0)),
    "seat 0 wins": lambda stats: _share(stats.winner == 0),
    "seat 1 wins": lambda stats: _share(stats.winner == 1),
    "draws": lambda stats: _share(stats.winner < 0),
    "decided battles": lambda stats: _mean((stats.battles - _undone(stats)).astype(float)),
    "last tie taken back": lambda stats: _share(_undone(stats) > 0),
    "sd of captured difference": lambda stats: _deviation((stats.held[:, 0] - stats.held[:, 1]).astype(float)),
    "ties per comparison": _ties_per_comparison,
    "no tie in one pass": lambda stats: _share(stats.wars == 0),
    "seconds per comparison": lambda stats: _mean(stats.seconds),
    **{f"wins with {count} aces": _aces(count) for count in range(5)},
}
