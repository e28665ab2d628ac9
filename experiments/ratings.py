"""Bradley-Terry ratings from the win rates of all pairs, with bootstrap intervals, and what rank they allow.

Bradley and Terry, "Rank analysis of incomplete block designs", Biometrika 39 (1952): the odds of i against j are
exp(t_i - t_j). Fitted by choix (Maystre), regularised, so that an agent that never loses has a finite rating, and
independent of the order of games. Agents of a cycle (rock, paper, scissors) have no such strengths: look at the matrix
of win rates beside it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import choix
import numpy as np

from experiments.statistics import Z95
from war_env.seeding import tagged_generator

POINTS = 400 / math.log(10)  # as in chess: 400 points are odds of ten to one
MEAN = 1500.0
DRAWS = 400
_ALPHA = 0.01  # games won against everybody that each agent is given beforehand
_TAG = 7


def _fit(wins: np.ndarray) -> np.ndarray:
    """Ratings from a matrix of games won, row against column, draws as halves."""
    return np.asarray(choix.ilsr_pairwise_dense(wins, alpha=_ALPHA, max_iter=10_000)) * POINTS


def _wins(names: list[str], rows: list[dict[str, Any]], rates: np.ndarray) -> np.ndarray:
    wins = np.zeros((len(names), len(names)))
    for row, rate in zip(rows, rates, strict=True):
        a, b = names.index(row["a"]), names.index(row["b"])
        wins[a, b], wins[b, a] = rate * row["games"], (1 - rate) * row["games"]
    return wins


def rate_agents(rows: list[dict[str, Any]], seed: int) -> dict[str, dict[str, float]]:
    """Ratings of all agents of a tournament.

    Args:
        rows: a result for every two agents, as `rate_of` gives them, with the agents' names a and b.
        seed: of the bootstrap, which draws every pair's win rate anew from its own (clustered) standard error.

    Returns:
        For each agent, strongest first: rating, low and high (95 %), in points around a mean of 1500, and rank, see
        `shared_ranks`.
    """
    names = names_of(rows)
    rates = np.array([row["win_rate"] for row in rows])
    errors = np.array([(row["high"] - row["low"]) / (2 * Z95) for row in rows])
    ratings = _fit(_wins(names, rows, rates))
    rng = tagged_generator(seed, _TAG)
    drawn = [_fit(_wins(names, rows, np.clip(rng.normal(rates, errors), 0.0, 1.0))) for _ in range(DRAWS)]
    low, high = np.percentile(drawn, [2.5, 97.5], axis=0)
    low, high = np.minimum(low, ratings), np.maximum(high, ratings)
    found = {}
    order = np.argsort(-ratings)
    for k, rank in zip(order, shared_ranks(low[order], high[order]), strict=True):
        values = {"rating": MEAN + ratings[k], "low": MEAN + low[k], "high": MEAN + high[k], "rank": rank}
        found[names[k]] = {name: float(value) if name != "rank" else rank for name, value in values.items()}
    return found


def shared_ranks(low: Sequence[float], high: Sequence[float]) -> list[int]:
    """Ranks of agents in the order of their ratings, from the ends of their intervals.

    Agents whose intervals overlap share a rank, and so do those that are linked by others' intervals: a rank is one
    more than the number of agents above the whole chain.
    """
    ranks: list[int] = []
    least = -math.inf  # low end of the chain so far
    for place, (bottom, top) in enumerate(zip(low, high, strict=True)):
        is_linked = place > 0 and top >= least
        ranks.append(ranks[-1] if is_linked else place + 1)
        least = min(least, bottom) if is_linked else bottom
    return ranks


def games_needed(variance_of_pair: float, difference: float, power: float = 0.8) -> int:
    """Games, two a deal, that show a difference from one half at the 5 % level with the given power.

    Args:
        variance_of_pair: variance of a pair's mean score.
        difference: in win rate, e.g. 0.01.
        power: chance of showing it.
    """
    quantiles = {0.8: 0.8416212335729143, 0.9: 1.2815515655446004}
    return 2 * math.ceil((Z95 + quantiles[power]) ** 2 * variance_of_pair / difference**2)


def pair_variance(row: dict[str, Any]) -> float:
    """Variance of a pair's mean score, from the width of a result's interval."""
    return float(((row["high"] - row["low"]) / (2 * Z95)) ** 2 * row["games"] / 2)


def games_text(rows: list[dict[str, Any]]) -> str:
    """How many games each two played: one number, or the least and the largest."""
    least, most = min(row["games"] for row in rows), max(row["games"] for row in rows)
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"


def rates_and_halves(rows: list[dict[str, Any]]) -> dict[tuple[str, str], tuple[float, float]]:
    """Win rate of the first against the second, and half its interval's width, for both orders of every two."""
    found = {}
    for row in rows:
        half = (row["high"] - row["low"]) / 2
        found[row["a"], row["b"]] = row["win_rate"], half
        found[row["b"], row["a"]] = 1 - row["win_rate"], half
    return found


def names_of(rows: list[dict[str, Any]]) -> list[str]:
    """The agents of some results, in the order in which they were entered."""
    return list(dict.fromkeys([row["a"] for row in rows] + [row["b"] for row in rows]))


def rank_text(ratings: dict[str, dict[str, float]], name: str) -> str:
    """An agent's rank, with "=" where it is shared."""
    ranks = [values["rank"] for values in ratings.values()]
    rank = ratings[name]["rank"]
    return f"{rank}{'=' if ranks.count(rank) > 1 else ''}"
