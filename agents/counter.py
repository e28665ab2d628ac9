"""The card counter: what the other can hold, what it is likely to turn up, and the card of the best expected worth.

From the cards known with the other seat, those whose whereabouts are unknown and those never seen follow the numbers
of each rank to expect in the other's hand. A model of how it plays turns them into chances for its next card. Each own
card is then worth, in a battle, the cards won and lost and the chance of a war times what the war is worth with the
best card left; in a war, the pot; less what it costs to have used the card up.

`thrift`, `steepness` and `quality` come from a search against *reserve*: on WarOnePass-v0 60 settings over 256 paired
deals, on War-v0 those and 40 more over 1,024. On War-v0 all that do well save their high cards as *reserve* does, and
none was better than it; on WarOnePass-v0 many beat it. `quality` never helped.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from agents.base import AgentSpec
from war_env.errors import RulesError, checked_number, unknown_name
from war_env.layout import Layout
from war_env.policy import Policy, check_views, checked_layout
from war_env.rules import CAPTURED, WINNINGS, Rules

MODELS = ("random", "reserve")


class CounterPolicy:
    """Plays the card of the highest expected worth.

    Args:
        layout: how observations are laid out; two seats, with memory.
        model: how the other plays: `random`, any of its cards; `reserve`, its lowest in a battle, its highest in a war.
        thrift: worth of the highest card kept in hand, in cards; that of others falls with the power `steepness` of
            their rank.
        steepness: see `thrift`.
        quality: how much more the highest card is worth than the lowest when cards change hands, in cards.
    """

    def __init__(
        self,
        layout: Layout,
        model: str = "random",
        *,
        thrift: float,
        steepness: float,
        quality: float = 0.0,
    ) -> None:
        checked_layout(layout)
        if layout.rules.players != 2:
            raise RulesError(f"players={layout.rules.players} is not allowed: the counter plays against one other.")
        if not layout.memory:
            raise RulesError("memory=False is not allowed: the counter plays from what is remembered.")
        if not isinstance(model, str) or model not in MODELS:
            raise unknown_name("model", model, MODELS)
        thrift = checked_number("thrift", thrift, 0.0, 1e6)
        steepness = checked_number("steepness", steepness, 0.0, 1e6)
        quality = checked_number("quality", quality, 0.0, 1e6)
        self.model = model
        rules = layout.rules
        self._slices, self._rules = layout.slices, rules
        self._size, self._num_actions = layout.size, layout.num_actions
        self._ranks = len(rules.deck.rank_names)
        self._is_captured = rules.winnings == WINNINGS[int(CAPTURED)]
        levels = np.arange(self._ranks) / max(self._ranks - 1, 1)
        self._keep = thrift * levels**steepness
        self._worth = 1.0 + quality * levels

    def expected(self, observation: np.ndarray) -> np.ndarray:
        """Cards of each rank to expect among those that the other draws from, in any unit: float64, (n, ranks)."""
        part = {name: observation[:, place].astype(np.float64) for name, place in self._slices.items()}
        rules, ranks = self._rules, self._ranks
        most, total = rules.deck.most_of_a_rank, len(rules.cards)
        known = part["known"][:, ranks:] * most
        hidden = (part["unlocated"] + part["unseen"]) * most
        if self._is_captured:  # what is known with the other lies captured, and never comes back
            return hidden
        other = part["stock_sizes"][:, 1] * total + part["hand_sizes"][:, 1] * rules.hand_size
        if "pile_sizes" in part:
            other = other + part["pile_sizes"][:, 1] * total
        share = np.clip((other - known.sum(axis=1)) / np.maximum(hidden.sum(axis=1), 1.0), 0.0, 1.0)
        return np.asarray(known + share[:, None] * hidden)

    def chances(self, observation: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Chances of each rank for the other's card in a battle and in a war: float64, (n, ranks) each."""
        counts = self.expected(observation)
        one = (counts + 1e-9) / (counts + 1e-9).sum(axis=1, keepdims=True)
        if self.model == "random":
            return one, one
        cards = np.maximum(np.rint(observation[:, self._slices["hand_sizes"]][:, 1:] * self._rules.hand_size), 1)
        below = np.concatenate([np.zeros((len(one), 1)), np.minimum(np.cumsum(one, axis=1), 1.0)], axis=1)
        war = np.diff(below**cards, axis=1)
        battle = -np.diff((1.0 - below) ** cards, axis=1)
        return battle, war

    def act(self, observation: np.ndarray, action_mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Choose; see `war_env.policy.Policy.act`."""
        check_views(observation, action_mask, rng, self._size, self._num_actions)
        part = {name: observation[:, place] for name, place in self._slices.items()}
        hand = np.clip(np.rint(part["hand_slots"] * self._ranks).astype(np.int64) - 1, 0, None)
        battle, war = self.chances(observation)
        pot = np.rint(part["pot_size"] * len(self._rules.cards))
        is_war = part["is_war"] > 0
        values = np.where(is_war, self._war_values(hand, war, pot), self._battle_values(hand, battle, war, action_mask))
        return np.where(action_mask > 0, values, -np.inf).argmax(axis=1).astype(np.int64)

    def _war_values(self, hand: np.ndarray, war: np.ndarray, pot: np.ndarray) -> np.ndarray:
        """Worth of each card in a war: float64, (n, a)."""
        return np.asarray(self._odds(hand, war) * (pot / 2.0 + 1.0) - self._keep[hand])

    def _battle_values(
        self, hand: np.ndarray, battle: np.ndarray, war: np.ndarray, action_mask: np.ndarray
    ) -> np.ndarray:
        """Worth of each card in a battle: float64, (n, a)."""
        taken = np.cumsum(battle * self._worth, axis=1) - battle * self._worth
        below = np.cumsum(battle, axis=1)
        won = np.take_along_axis(taken, hand, axis=1)
        lost = (1.0 - np.take_along_axis(below, hand, axis=1)) * self._worth[hand]
        tied = np.take_along_axis(battle, hand, axis=1)
        count = action_mask.sum(axis=1, dtype=np.int64)
        slots = np.arange(hand.shape[1])
        best = np.where(slots == count[:, None] - 1, count[:, None] - 2, count[:, None] - 1)  # the best card left
        best = np.take_along_axis(hand, np.maximum(best, 0), axis=1)
        stake = self._rules.face_down + 2.0
        return np.asarray(won - lost + tied * self._odds(best, war) * stake - self._keep[hand])

    def _odds(self, cards: np.ndarray, chances: np.ndarray) -> np.ndarray:
        """Chance that each card is the higher one less that it is the lower: float64, shape of `cards`."""
        below = np.cumsum(chances, axis=1)
        upto = np.take_along_axis(below, cards, axis=1)
        return np.asarray(2.0 * upto - np.take_along_axis(chances, cards, axis=1) - 1.0)


def tuned(rules: Rules, model: str) -> dict[str, float]:
    """The parameters found for War-v0 where cards come back, and for WarOnePass-v0 where they do not."""
    if rules.winnings == WINNINGS[int(CAPTURED)]:
        return {"thrift": 1.0, "steepness": 2.0}
    return {"thrift": 8.0, "steepness": 3.0} if model == "reserve" else {"thrift": 4.0, "steepness": 2.0}


def _make(model: str, rules: Rules, memory: bool) -> Policy:
    return CounterPolicy(Layout(rules, memory), model, **tuned(rules, model))


AGENTS = [
    AgentSpec(
        "counter", "counts cards, plays the card of best expected worth against any play", partial(_make, "random")
    ),
    AgentSpec("counter_reserve", "the same, expecting the other to play like reserve", partial(_make, "reserve")),
]
