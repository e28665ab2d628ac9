"""CFR+: regret matching plus in every information set, seats in turn, later plans weighing more in the average.

Tammelin, "Solving large imperfect information games using CFR+", 2014; the predictive form is that of Farina, Kroer and
Sandholm, "Faster game solving via predictive Blackwell approachability", AAAI 2021.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from agents.solvers.best_response import Payoffs, exploitability
from agents.solvers.sequence_kernels import match_regrets
from agents.solvers.strategies import plan, strategy_of_plan, uniform
from war_env.errors import checked_int, refused

CHECK_EVERY = 50


def _nothing(iterations: int, reached: float) -> None:
    """The default of `progress`."""


def solve_cfr(
    payoffs: Payoffs,
    iterations: int = 1_000,
    target: float = 0.0,
    is_predictive: bool = True,
    progress: Callable[[int, float], None] = _nothing,
) -> tuple[np.ndarray, np.ndarray]:
    """Strategies near an equilibrium.

    Args:
        payoffs: those of the game.
        iterations: at most so many passes over both seats.
        target: stop when exploitability is below; asked every 50 iterations.
        is_predictive: whether each step foresees that the last one's regrets return, which needs several times fewer
            iterations here; else plain CFR+.
        progress: called then with the iterations done and the exploitability.

    Returns:
        The average strategies of both seats, as `strategy_of` gives them.
    """
    checked_int("iterations", iterations, 1)
    if not 0 <= target < 1:
        raise refused("target", target, "from 0 to below 1")
    power, foresight = (2, 1.0) if is_predictive else (1, 0.0)
    forms = payoffs.game.seats
    strategies = [uniform(form) for form in forms]
    regrets = [np.zeros(form.num_sequences) for form in forms]
    sums = [np.zeros(form.num_sequences) for form in forms]
    plans = [plan(form, strategy) for form, strategy in zip(forms, strategies, strict=True)]
    for k in range(1, iterations + 1):
        for seat, form in enumerate(forms):
            values = payoffs.values(seat, plans[1 - seat])
            sets = form.parent, form.first, form.actions
            match_regrets(*sets, values, regrets[seat], strategies[seat], foresight)
            plans[seat] = plan(form, strategies[seat])
            sums[seat] += float(k) ** power * plans[seat]
        if k % CHECK_EVERY == 0 or k == iterations:
            averages = strategy_of_plan(forms[0], sums[0]), strategy_of_plan(forms[1], sums[1])
            reached = exploitability(payoffs, averages)
            progress(k, reached)
            if reached <= target:
                break
    return averages
