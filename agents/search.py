"""Determinised search: hidden cards drawn from the view, each card of the hand tried, the games played out.

At each decision games are drawn that agree with all that the observation says (`war_env.playouts`), every card is tried
in the same ones, and both seats go on as *reserve* does, or as the parameters say. A card other than *reserve*'s own is
played where its mean score is better by more than `caution` standard errors of the difference, so that few samples
mean plain play and not guesses.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from agents.base import AgentSpec
from war_env.errors import checked_int, checked_number
from war_env.layout import Layout
from war_env.playouts import MAX_SAMPLES, Playouts, SlotScores
from war_env.policy import Policy, ScriptedPolicy, checked_layout
from war_env.rules import Rules

SAMPLES = 32


class SearchPolicy:
    """Plays the card after which the imagined games end best.

    Args:
        layout: how observations are laid out; two seats.
        samples: games drawn per decision, or with `seconds` the games drawn before each look at the clock.
        seconds: time per decision, on average over the views of one call; results then depend on the machine.
        own: how the seat itself goes on in the imagined games: a scripted name.
        other: how the other plays in them: a scripted name or `{name: weight}`.
        hoard: which cards the other keeps, see `Playouts`.
        caution: standard errors by which another card must be better than that of `own`.
    """

    def __init__(
        self,
        layout: Layout,
        samples: int = SAMPLES,
        *,
        seconds: float | None = None,
        own: str = "reserve",
        other: Any = "reserve",
        hoard: float = 0.0,
        caution: float = 1.0,
    ) -> None:
        checked_layout(layout)
        self.samples = checked_int("samples", samples, 1, MAX_SAMPLES)
        self.seconds = None if seconds is None else checked_number("seconds", seconds, 1e-6, 1e6)
        self.caution = checked_number("caution", caution, 0.0, 1e6)
        self._playouts = Playouts(layout, own, other, hoard)
        self._base = ScriptedPolicy(own, layout)

    def scores(self, observation: np.ndarray, rng: np.random.Generator) -> SlotScores:
        """What came of each slot, for a batch of views."""
        playouts, count = self._playouts, len(observation)
        start = time.monotonic()
        found = playouts.try_slots(observation, rng.integers(0, 2**64, size=count, dtype=np.uint64), self.samples)
        while self.seconds is not None and time.monotonic() - start < self.seconds * count:
            more = playouts.try_slots(observation, rng.integers(0, 2**64, size=count, dtype=np.uint64), self.samples)
            found = SlotScores(found.games + more.games, found.scores + more.scores, found.squares + more.squares)
        return found

    def act(self, observation: np.ndarray, action_mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Choose; see `war_env.policy.Policy.act`."""
        base = self._base.act(observation, action_mask, rng)
        found = self.scores(observation, rng)
        means = found.scores / found.games
        gains = means - np.take_along_axis(means, base[:, None], axis=1)
        variances = np.maximum(found.squares / found.games - gains**2, 0.0) / max(found.games - 1, 1)
        lower = np.where(action_mask > 0, gains - self.caution * np.sqrt(variances), -np.inf)
        best = np.argmax(lower, axis=1)
        is_better = np.take_along_axis(lower, best[:, None], axis=1)[:, 0] > 0
        return np.where(is_better, best, base).astype(np.int64)


def tuned(rules: Rules) -> dict[str, float]:
    """The beliefs and the caution that did best against *reserve* on War-v0, where cards come back, and elsewhere.

    With `hoard` 0.7 the imagined hands of *reserve* have its real ones' mean ranks, card by card, within one rank
    through a whole game of War-v0; with 0 they are up to five ranks too low.
    """
    return {"hoard": 0.7, "caution": 2.0} if rules.goal == "all_cards" else {"hoard": 0.0, "caution": 1.0}


def _make(rules: Rules, memory: bool) -> Policy:
    return SearchPolicy(Layout(rules, memory), **tuned(rules))


AGENTS = [AgentSpec("search", f"determinised search, {SAMPLES} imagined games a decision", _make, is_slow=True)]
