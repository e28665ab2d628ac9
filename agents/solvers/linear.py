"""The sequence-form linear program (Koller, Megiddo, von Stengel 1996), solved with scipy's HiGHS.

Seat 0 maximises what it is sure of: its plan is a flow through its information sets, and seat 1's best response is
bounded set by set. The multipliers of those bounds are seat 1's own equilibrium plan.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from agents.solvers.best_response import Payoffs
from agents.solvers.small_game import SeatForm
from agents.solvers.strategies import strategy_of_plan
from war_env.errors import ArgumentError, refused

METHODS = ("highs", "highs-ds", "highs-ipm")


def _scipy() -> tuple[Any, Any]:
    try:
        from scipy import sparse
        from scipy.optimize import linprog
    except ImportError as error:
        raise ArgumentError(f"the linear program needs scipy: pip install 'war_env[exact]' ({error}).") from error
    return sparse, linprog


def _flow(sparse: Any, form: SeatForm) -> Any:
    """For each information set, a column with +1 at its actions' sequences and -1 at its parent sequence, by row."""
    sets = np.arange(form.num_information_sets)
    rows = np.concatenate([np.arange(1, form.num_sequences), form.parent])
    columns = np.concatenate([form.information_set[1:], sets])
    signs = np.concatenate([np.ones(form.num_sequences - 1), -np.ones(len(sets))])
    return sparse.csr_array((signs, (rows, columns)), shape=(form.num_sequences, len(sets)))


def solve_linear(payoffs: Payoffs, method: str = "highs") -> tuple[np.ndarray, np.ndarray]:
    """An equilibrium's strategies in both seats, as `strategy_of` gives them.

    Args:
        payoffs: those of the game.
        method: highs, highs-ds or highs-ipm.

    Raises:
        ArgumentError: scipy is missing, or it found no solution; the message says why.
    """
    if method not in METHODS:
        raise refused("method", method, f"one of {', '.join(METHODS)}")
    sparse, linprog = _scipy()
    game = payoffs.game
    own, other = game.seats
    shape = own.num_sequences, other.num_sequences
    gains = sparse.csr_array((game.wins / (2.0 * game.deals), (game.rows, game.columns)), shape=shape)
    # Variables: seat 0's plan, then the value of each of seat 1's sets; the empty sequence's value is the aim.
    own_flow, other_flow = _flow(sparse, own), _flow(sparse, other)
    bounds = sparse.hstack([-gains.T, other_flow]).tocsr()
    root_row = bounds[[0]].toarray()[0]
    equal = sparse.hstack(
        [
            sparse.vstack([own_flow.T, sparse.csr_array(([1.0], ([0], [0])), shape=(1, shape[0]))]),
            sparse.csr_array((own.num_information_sets + 1, other.num_information_sets)),
        ]
    )
    solved = linprog(
        root_row,  # minimise -(gains + the values of the first sets)
        A_ub=bounds[1:],
        b_ub=np.zeros(shape[1] - 1),
        A_eq=equal,
        b_eq=np.concatenate([np.zeros(own.num_information_sets), [1.0]]),
        bounds=[(0, None)] * shape[0] + [(None, None)] * other.num_information_sets,
        method=method,
    )
    if solved.x is None or not solved.success:
        raise ArgumentError(f"the linear program was not solved: {solved.message}")
    plans = solved.x[: shape[0]], np.concatenate([[1.0], -solved.ineqlin.marginals])
    strategies = [strategy_of_plan(form, np.maximum(made, 0)) for form, made in zip(game.seats, plans, strict=True)]
    return strategies[0], strategies[1]
