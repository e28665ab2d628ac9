"""Equilibria of small games, and the policy that plays one from observations.

A policy sees an observation, which sums up what its seat has seen; an information set is all of it, in order. So
several sets can look alike. `project` lets the policy play there what the equilibrium plays on average, each set
weighing as often as it is reached. What that costs, if anything, is measured: `exploitability` of the projected table.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agents.solvers.best_response import Payoffs, SidePayoffs, by_own_sequence, exploitability
from agents.solvers.cfr import solve_cfr
from agents.solvers.linear import solve_linear
from agents.solvers.sequence_kernels import add_payoffs, best_values
from agents.solvers.small_game import SmallGame
from agents.solvers.strategies import is_lowest_of_rank, plan, sequence_of_slot, strategy_of, uniform
from war_env.errors import ArgumentError

LINEAR = "linear program"
LINEAR_SEQUENCES = 20_000  # a seat's sequences up to which the linear program is quick
# Weight of sets that the equilibrium never reaches: they decide only where nothing else looks like them.
_TREMBLE = 1e-12
_GOOD_ENOUGH, _MORE_ITERATIONS = 1e-7, 4_000


@dataclass(frozen=True)
class Equilibrium:
    """A solution of a small game.

    Attributes:
        method: `linear program` or `CFR+`.
        strategies: both seats', over information sets; see `strategy_of`.
        low, high: what seat 0's strategy is sure to score, and what seat 1's lets it score at most.
    """

    method: str
    strategies: tuple[np.ndarray, np.ndarray]
    low: float
    high: float

    @property
    def value(self) -> float:
        """Seat 0's score in equilibrium, known to half of `high` - `low`."""
        return (self.low + self.high) / 2

    @property
    def exploitability(self) -> float:
        """Of the strategies over information sets."""
        return (self.high - self.low) / 2


def find_equilibrium(payoffs: Payoffs, iterations: int = 1_000, target: float = 1e-6) -> Equilibrium:
    """The linear program's solution for games that are small enough for it, else that of predictive CFR+.

    Args:
        payoffs: those of the game.
        iterations, target: for CFR+, see `solve_cfr`.
    """
    forms = payoffs.game.seats
    is_linear = max(form.num_sequences for form in forms) <= LINEAR_SEQUENCES
    strategies = solve_linear(payoffs) if is_linear else solve_cfr(payoffs, iterations, target)
    plans = [plan(form, strategy) for form, strategy in zip(forms, strategies, strict=True)]
    low, high = 1 - payoffs.best_response(1, plans[0])[0], payoffs.best_response(0, plans[1])[0]
    return Equilibrium(LINEAR if is_linear else "CFR+", strategies, low, high)


def _reach(game: SmallGame, side: SidePayoffs, seat: int, other_plan: np.ndarray) -> np.ndarray:
    """How often deal and other seat lead to each information set, in deals: float64, shape (i,).

    Every game counts one, so that whatever the seat chooses, what is behind a choice sums up to the set's own reach.
    """
    form = game.seats[seat]
    values = np.empty(form.num_sequences)
    add_payoffs(side.starts, side.others, side.wins, other_plan, values)
    best_values(form.parent, form.first, form.actions, values, np.empty(form.num_information_sets, np.int64))
    return values[form.first]


def project(game: SmallGame, strategies: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """The probabilities of slots at each observation that play two strategies as nearly as observations allow.

    Args:
        game: the game.
        strategies: of both seats, over information sets.

    Returns:
        float64, shape (observations, hand size).
    """
    found = np.zeros(game.action_masks.shape)
    plans = [plan(form, strategy) for form, strategy in zip(game.seats, strategies, strict=True)]
    even = [plan(form, uniform(form)) for form in game.seats]
    for seat, form in enumerate(game.seats):
        side = by_own_sequence(game, seat, game.weights)
        sets = form.information_set[1:]
        weights = np.zeros(form.num_sequences)
        weights[1:] = plans[seat][1:] * _reach(game, side, seat, plans[1 - seat])[sets]
        weights[1:] += _TREMBLE * strategies[seat][1:] * _reach(game, side, seat, even[1 - seat])[sets]
        is_first = is_lowest_of_rank(form)
        places = np.broadcast_to(form.observation[:, None], form.slots.shape)[is_first]
        np.add.at(found, (places, np.nonzero(is_first)[1]), weights[sequence_of_slot(form)[is_first]])
    return np.asarray(found / found.sum(axis=1, keepdims=True))


class ObservationTable:
    """A policy that draws from known probabilities at each observation.

    Args:
        observations: float32, shape (m, d), all different.
        slots: float64, shape (m, a).
    """

    def __init__(self, observations: np.ndarray, slots: np.ndarray) -> None:
        self._rows = {row.tobytes(): k for k, row in enumerate(observations)}
        self._slots, self._ends = slots, np.cumsum(slots, axis=1)

    def _find(self, observations: np.ndarray) -> np.ndarray:
        rows = np.ascontiguousarray(observations, np.float32)
        try:
            return np.array([self._rows[row.tobytes()] for row in rows], np.int64)
        except KeyError:
            raise ArgumentError("observation is none of this game's: the table was made for other rules.") from None

    def probabilities(self, observation: np.ndarray, action_mask: np.ndarray) -> np.ndarray:
        """With what probability each slot is played: float64, shape (n, a)."""
        return np.asarray(self._slots[self._find(observation)])

    def act(self, observation: np.ndarray, action_mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Choose; see `war_env.policy.Policy.act`."""
        ends = self._ends[self._find(observation)]
        draws = rng.random(len(ends))[:, None] * ends[:, -1:]
        return np.asarray((draws >= ends[:, :-1]).sum(axis=1))


def equilibrium_policy(payoffs: Payoffs, equilibrium: Equilibrium) -> tuple[ObservationTable, float]:
    """The policy that plays an equilibrium from observations, as nearly as they allow.

    Of a game's many equilibria some play alike where things look alike and others do not. The linear program gives a
    corner of them, regret matching one from inside; where projecting the first costs something the second is tried.

    Returns:
        The policy, and its exploitability.
    """
    game = payoffs.game
    table = project(game, equilibrium.strategies)
    lost = table_exploitability(payoffs, table)
    if equilibrium.method == LINEAR and lost > _GOOD_ENOUGH + equilibrium.exploitability:
        other = project(game, solve_cfr(payoffs, _MORE_ITERATIONS, _GOOD_ENOUGH))
        other_lost = table_exploitability(payoffs, other)
        if other_lost < lost:
            table, lost = other, other_lost
    return ObservationTable(game.observations, table), lost


def table_exploitability(payoffs: Payoffs, slots: np.ndarray) -> float:
    """Exploitability of playing each observation's slots with some probabilities."""
    strategies = strategy_of(payoffs.game, 0, slots), strategy_of(payoffs.game, 1, slots)
    return exploitability(payoffs, strategies)
