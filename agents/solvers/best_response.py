"""Best responses with perfect recall, and what they gain: exploitability."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from agents.solvers.sequence_kernels import add_payoffs, best_values, plan_of
from agents.solvers.small_game import SmallGame
from agents.solvers.strategies import SAMPLES, agent_strategies, plan
from war_env.policy import Policy

_MOST = 2**62


@dataclass(frozen=True)
class SidePayoffs:
    """One seat's terminal pairs, sorted by its own sequence.

    Attributes:
        starts: where each sequence's pairs begin, int64, shape (sequences + 1,).
        others: the other seat's sequence, int32, shape (pairs,).
        wins: twice this seat's score, summed over deals, int32, shape (pairs,).
    """

    starts: np.ndarray
    others: np.ndarray
    wins: np.ndarray


class Payoffs:
    """Both seats' payoffs of a game, ready for best responses.

    Args:
        game: the game.
    """

    def __init__(self, game: SmallGame) -> None:
        self.game = game
        losses = 2 * game.weights - game.wins
        self.sides = by_own_sequence(game, 0, game.wins), by_own_sequence(game, 1, losses)

    def values(self, seat: int, other_plan: np.ndarray) -> np.ndarray:
        """What each sequence of a seat adds to its win rate against a plan: float64, shape (sequences,)."""
        side = self.sides[seat]
        values = np.empty(len(side.starts) - 1)
        add_payoffs(side.starts, side.others, side.wins, other_plan, values)
        values *= 0.5 / self.game.deals
        return values

    def best_response(self, seat: int, other_plan: np.ndarray) -> tuple[float, np.ndarray]:
        """The best a seat can do against a plan of the other, knowing it.

        Returns:
            Its win rate, a draw counted one half, and the best action in each of its information sets, int64.
        """
        form = self.game.seats[seat]
        values = self.values(seat, other_plan)
        choices = np.empty(form.num_information_sets, np.int64)
        best_values(form.parent, form.first, form.actions, values, choices)
        return float(values[0]), choices


def by_own_sequence(game: SmallGame, seat: int, amounts: np.ndarray) -> SidePayoffs:
    """Some amount of each terminal pair, int32, sorted by one seat's sequence."""
    own, others = (game.rows, game.columns) if seat == 0 else (game.columns, game.rows)
    order = np.argsort(own, kind="stable")
    counts = np.bincount(own, minlength=game.seats[seat].num_sequences)
    return SidePayoffs(np.concatenate([[0], np.cumsum(counts)]), others[order], amounts[order])


def expected_score(payoffs: Payoffs, strategies: tuple[np.ndarray, np.ndarray]) -> float:
    """Seat 0's win rate, a draw counted one half, when the seats play these strategies."""
    plans = [plan(form, strategy) for form, strategy in zip(payoffs.game.seats, strategies, strict=True)]
    return float(payoffs.values(0, plans[1]) @ plans[0])


def exploitability(payoffs: Payoffs, strategies: tuple[np.ndarray, np.ndarray]) -> float:
    """The mean over seats of a best response's win rate, less one half.

    Args:
        payoffs: those of the game.
        strategies: of both seats, as `strategy_of` gives them.
    """
    plans = [plan(form, strategy) for form, strategy in zip(payoffs.game.seats, strategies, strict=True)]
    return (payoffs.best_response(0, plans[1])[0] + payoffs.best_response(1, plans[0])[0]) / 2 - 0.5


def exact_exploitability(payoffs: Payoffs, strategies: tuple[np.ndarray, np.ndarray]) -> Fraction | None:
    """The same as a fraction, where all probabilities are multiples of 1/lcm(1..hand size); None for others.

    All sums are whole numbers: a plan at depth d is a multiple of 1/lcm^d.
    """
    scale = math.lcm(*range(1, payoffs.game.rules.hand_size + 1))
    total = Fraction(0)
    for seat in range(2):
        value = _exact_value(payoffs, seat, strategies[1 - seat], scale)
        if value is None:
            return None
        total += value
    return total / 2 - Fraction(1, 2)


def _exact_value(payoffs: Payoffs, seat: int, strategy: np.ndarray, scale: int) -> Fraction | None:
    game = payoffs.game
    other = game.seats[1 - seat]
    scaled = np.rint(strategy * scale)
    if np.abs(strategy * scale - scaled).max() > 1e-9:
        return None
    depth = _depths(other.parent, other.first, other.actions)
    most = int(depth.max())
    if 2 * game.deals * scale**most > _MOST:
        return None
    # Whole numbers: each choice multiplies by `scale`, and at the end all are brought to the same power.
    whole = np.empty(other.num_sequences, np.int64)
    plan_of(other.parent, other.first, other.actions, scaled.astype(np.int64), 1, whole)
    whole *= scale ** (most - depth)
    side, form = payoffs.sides[seat], game.seats[seat]
    values = np.empty(form.num_sequences, np.int64)
    add_payoffs(side.starts, side.others, side.wins, whole, values)
    best_values(form.parent, form.first, form.actions, values, np.empty(form.num_information_sets, np.int64))
    return Fraction(int(values[0]), 2 * game.deals * scale**most)


def _depths(parent: np.ndarray, first: np.ndarray, actions: np.ndarray) -> np.ndarray:
    """Number of own choices in each sequence, int64."""
    depth = np.zeros(1 + int(actions.sum()), np.int64)
    for k in range(len(parent)):
        depth[first[k] : first[k] + actions[k]] = depth[parent[k]] + 1
    return depth


def agent_exploitability(payoffs: Payoffs, policy: Policy, samples: int = SAMPLES) -> float:
    """How exploitable a policy is that plays from its observations."""
    return exploitability(payoffs, agent_strategies(payoffs.game, policy, samples))
