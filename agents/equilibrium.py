"""`equilibrium`: exact play of a miniature, found by linear programming when the agent is made."""

from __future__ import annotations

import functools

from agents.base import AgentSpec
from agents.solvers.deals import FEW_DEALS, sorted_deals
from agents.solvers.size import GameTooLargeError
from war_env.errors import RulesError
from war_env.policy import Policy
from war_env.rules import Rules


@functools.lru_cache(maxsize=4)
def _solve(rules: Rules) -> Policy:
    # Compiles kernels, so only where the agent is wanted.
    from agents.solvers.best_response import Payoffs
    from agents.solvers.build import build_game, measure_game
    from agents.solvers.equilibrium import LINEAR_SEQUENCES, equilibrium_policy, find_equilibrium

    size = measure_game(rules)
    if size.sequences > LINEAR_SEQUENCES:
        raise GameTooLargeError(
            f"agent='equilibrium' plays games of up to {LINEAR_SEQUENCES:,} sequences a seat, these rules have {size}; "
            "agents.solvers solves somewhat larger ones nearly."
        )
    payoffs = Payoffs(build_game(rules))
    return equilibrium_policy(payoffs, find_equilibrium(payoffs))[0]


def _make(rules: Rules, memory: bool) -> Policy:
    if not memory:
        raise RulesError("memory=False is not allowed for agent='equilibrium': it plays from what is remembered.")
    return _solve(rules)


def _is_quick(rules: Rules) -> bool:
    """Whether a game is walked through at once; larger ones are measured first, which alone may take minutes."""
    return rules.players == 2 and sorted_deals(rules) <= FEW_DEALS


AGENTS = [AgentSpec("equilibrium", "exact play of a miniature, e.g. WarMini-v0", _make, is_quick=_is_quick)]
