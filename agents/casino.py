"""Agents for Casino War; they are compared by units won per round, not in the two-seat tournament."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from agents.base import AgentSpec
from war_env.casino_rules import (
    BONUS,
    TIE_BET_LOST,
    TIE_BET_WON,
    WAR_LOST,
    WAR_TIED,
    WAR_WON,
    CasinoRules,
    checked_casino_rules,
)
from war_env.casino_state import OBSERVATION_SIZE, CasinoLayout
from war_env.errors import checked_bool
from war_env.policy import Policy, check_views

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

    def __post_init__(self) -> None:
        checked_casino_rules(self.rules)
        checked_bool("surrenders", self.surrenders)
        checked_bool("tie_bet", self.tie_bet)

    def act(self, observation: np.ndarray, action_mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Choose; see `war_env.policy.Policy.act`."""
        check_views(observation, action_mask, rng, int(OBSERVATION_SIZE), self.rules.num_actions)
        is_tie = action_mask[:, self.rules.war_action].astype(bool)
        on_tie = self.rules.surrender_action if self.surrenders else self.rules.war_action
        return np.where(is_tie, on_tie, self.rules.bet_levels if self.tie_bet else 0).astype(np.int64)


@dataclass(frozen=True)
class Counter:
    """Counts the cards, goes to war, and makes the tie bet only where the unseen cards make it pay.

    A tie has probability sum c (c - 1) / (n (n - 1)) over the unseen cards; the bet pays where that, times
    tie_pays + 1, is above 1: exact, in integers. Of several levels it antes the highest only where the whole round has
    a positive expectation.
    """

    rules: CasinoRules

    def __post_init__(self) -> None:
        checked_casino_rules(self.rules)

    def act(self, observation: np.ndarray, action_mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Choose; see `war_env.policy.Policy.act`."""
        check_views(observation, action_mask, rng, int(OBSERVATION_SIZE), self.rules.num_actions)
        counts = CasinoLayout(self.rules).unseen(observation)
        total = counts.sum(axis=1)
        pays = (counts * (counts - 1)).sum(axis=1) * (self.rules.tie_pays + 1) > total * (total - 1)
        bets = np.where(pays, self.rules.bet_levels, 0)
        if self.rules.bet_levels > 1:
            bets = bets + np.where(self._value(counts, total) > 0, self.rules.bet_levels - 1, 0)
        is_tie = action_mask[:, self.rules.war_action].astype(bool)
        return np.where(is_tie, self.rules.war_action, bets).astype(np.int64)

    def _value(self, counts: np.ndarray, total: np.ndarray) -> np.ndarray:
        """Expectation of a round of one unit, to war on a tie, with the tie bet where it pays: float64, shape (n,)."""
        pairs = counts * (counts - 1)
        tie = pairs / (total * (total - 1))[:, None]
        # Two cards of the tie gone: sum c (c - 1) falls by 4 c - 6 for its rank.
        rest = np.maximum(total - 2, 2)
        again = (pairs.sum(axis=1)[:, None] - (4 * counts - 6)) / (rest * (rest - 1))[:, None]
        war = (1 - again) / 2 * (WAR_WON + WAR_LOST) / 2 + again * (WAR_TIED + BONUS * self.rules.bonus) / 2
        side = tie.sum(axis=1) * TIE_BET_WON / 2 * self.rules.tie_pays + (1 - tie.sum(axis=1)) * TIE_BET_LOST / 2
        return np.asarray((tie * war).sum(axis=1) + np.maximum(side, 0.0))


CASINO_AGENTS: dict[str, Callable[[CasinoRules], Policy]] = {
    "war": FixedBettor,
    "surrender": lambda rules: FixedBettor(rules, surrenders=rules.surrender),
    "tie_bettor": lambda rules: FixedBettor(rules, tie_bet=True),
    "counter": Counter,
}
