"""Agents for Casino War; they are compared by units won per round, not in the two-seat tournament."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from agents.base import AgentSpec
from war_env.casino_rules import CasinoRules
from war_env.casino_state import CasinoLayout
from war_env.policy import Policy

AGENTS: list[AgentSpec] = []  # none of them plays at two seats


@dataclass(frozen=True)
class FixedBettor:
    """Antes one unit and always answers a tie alike.

    Args:
        rules: the rules.
        surrenders: whether it surrenders ties.
        tie_bet: whether it makes the tie bet.
    """

    rules: CasinoRules
    surrenders: bool = False
    tie_bet: bool = False

    def act(self, observation: np.ndarray, action_mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Choose; see `war_env.policy.Policy.act`."""
        is_tie = action_mask[:, self.rules.war_action].astype(bool)
        on_tie = self.rules.surrender_action if self.surrenders else self.rules.war_action
        return np.where(is_tie, on_tie, self.rules.bet_levels if self.tie_bet else 0).astype(np.int64)


@dataclass(frozen=True)
class Counter:
    """Counts the cards, goes to war, and makes the tie bet only where the unseen cards make it pay.

    A tie has probability sum c (c - 1) / (n (n - 1)) over the unseen cards; the bet pays where that, times
    tie_pays + 1, is above 1: exact, in integers. With several bet levels it then bets the most.
    """

    rules: CasinoRules

    def act(self, observation: np.ndarray, action_mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Choose; see `war_env.policy.Policy.act`."""
        counts = CasinoLayout(self.rules).unseen(observation)
        total = counts.sum(axis=1)
        pays = (counts * (counts - 1)).sum(axis=1) * (self.rules.tie_pays + 1) > total * (total - 1)
        is_tie = action_mask[:, self.rules.war_action].astype(bool)
        return np.where(is_tie, self.rules.war_action, np.where(pays, 2 * self.rules.bet_levels - 1, 0)).astype(
            np.int64
        )


CASINO_AGENTS: dict[str, Callable[[CasinoRules], Policy]] = {
    "war": FixedBettor,
    "surrender": lambda rules: FixedBettor(rules, surrenders=True),
    "tie_bettor": lambda rules: FixedBettor(rules, tie_bet=True),
    "counter": Counter,
}
