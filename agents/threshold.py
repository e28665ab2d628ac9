"""The threshold family: fixed rules on ranks, the size of the pot and how late it is.

The members come from a search against *reserve* over 60 settings on War-v0 and 35 on WarOnePass-v0, 256 paired deals
each: `attack` from 5 to 12 ranks up, `spare` 0 to 8, `enough` 8 to 12, `late` 0 or 2 %. On War-v0 `spare` 6/13 was best
(.504), on WarOnePass-v0 `spare` 8/13 (.513); over more deals the first is no better. No `attack` was among the
best, and saving on a war's card gained nothing. docs/agents.md has their strength.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from agents.base import AgentSpec
from war_env.errors import checked_number
from war_env.layout import Layout
from war_env.policy import Policy, check_views, checked_layout
from war_env.rules import Rules

NEVER = 2.0  # a share that no rank reaches
_ROUNDING = 1e-9


class ThresholdPolicy:
    """Plays by ranks, given as shares of the deck's ranks: 0.5 is the middle of the deck, above 1 no card at all.

    In a battle: the lowest card of at least `attack`, else the highest below `spare`, else the lowest card. In a war:
    the lowest card of at least `enough`, else the highest; from `big_pot` cards on always the highest.

    Args:
        layout: how observations are laid out.
        attack: share of the ranks from which a card is played in a battle.
        spare: share of the ranks below which cards are not saved for wars.
        enough: share of the ranks that a war's card must reach.
        big_pot: cards on the table for which nothing is saved.
        late: share of `max_battles` left at which cards are saved no longer: every battle's card is the highest.
    """

    def __init__(
        self,
        layout: Layout,
        *,
        attack: float = NEVER,
        spare: float = 0.0,
        enough: float = NEVER,
        big_pot: float = math.inf,
        late: float = 0.0,
    ) -> None:
        self._slices, self._size, self._num_actions = checked_layout(layout).slices, layout.size, layout.num_actions
        self._num_cards = len(layout.rules.cards)
        self._ranks = len(layout.rules.deck.rank_names)
        self._attack, self._spare, self._enough = (
            math.ceil(checked_number(name, share, 0.0, NEVER) * self._ranks - _ROUNDING)
            for name, share in (("attack", attack), ("spare", spare), ("enough", enough))
        )
        self._big_pot = checked_number("big_pot", big_pot, 0.0, math.inf)
        self._late = checked_number("late", late, 0.0, 1.0)

    def act(self, observation: np.ndarray, action_mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Choose; see `war_env.policy.Policy.act`."""
        check_views(observation, action_mask, rng, self._size, self._num_actions)
        fields = {name: observation[:, place] for name, place in self._slices.items()}
        highest = action_mask.sum(axis=1, dtype=np.int64) - 1
        ranks = np.rint(fields["hand_slots"] * self._ranks) - 1  # 0 lowest; -1 where there is no card
        is_card = (action_mask > 0) & (ranks >= 0)
        attacking, reaching = is_card & (ranks >= self._attack), is_card & (ranks >= self._enough)
        num_spare = (is_card & (ranks < self._spare)).sum(axis=1)
        battle = np.where(attacking.any(axis=1), attacking.argmax(axis=1), np.maximum(num_spare - 1, 0))
        war = np.where(reaching.any(axis=1), reaching.argmax(axis=1), highest)
        war = np.where(np.rint(fields["pot_size"][:, 0] * self._num_cards) >= self._big_pot, highest, war)
        if "battles_left" in fields:
            battle = np.where(fields["battles_left"][:, 0] <= self._late, highest, battle)
        return np.where(fields["is_war"][:, 0] > 0, war, battle).astype(np.int64)


MEMBERS = {
    "threshold_8": (
        {"spare": 6 / 13},
        "in a battle the highest card below the 8, else the lowest; in a war the highest",
    ),
    "threshold_10": ({"spare": 8 / 13}, "the same with the 10"),
    "threshold_attack": (
        {"attack": 8 / 13},
        "in a battle the lowest from the 10 up, else the lowest; in a war the highest",
    ),
}


def _make(name: str, rules: Rules, memory: bool) -> Policy:
    return ThresholdPolicy(Layout(rules, memory), **MEMBERS[name][0])


AGENTS = [AgentSpec(name, text, partial(_make, name)) for name, (_, text) in MEMBERS.items()]
