"""Determinised search: hidden cards drawn from the view, each card of the hand tried, the games played out.

At each decision games are drawn that agree with all that the observation says (`war_env.playouts`), every card is tried
in the same ones, and both seats go on as *reserve* does, or as the parameters say. A card other than *reserve*'s own is
played where its mean score is better by more than `caution` standard errors of the difference, so that few samples
mean plain play and not guesses.
"""

from __future__ import annotations

import math
import time
from functools import partial
from typing import Any

import numpy as np

from agents.base import AgentSpec
from war_env.errors import ArgumentError, checked_int
from war_env.layout import Layout
from war_env.playouts import MAX_SAMPLES, Playouts, SlotScores
from war_env.policy import Policy, ScriptedPolicy
from war_env.rules import Rules

SAMPLES = 16
CAUTION = 1.0
HOARD = 0.7


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
        hoard: float = HOARD,
        caution: float = CAUTION,
    ) -> None:
        self.samples = checked_int("samples", samples, 1, MAX_SAMPLES)
        if seconds is not None and not (isinstance(seconds, int | float) and 0 < seconds < math.inf):
            raise ArgumentError(f"seconds={seconds!r} is not allowed: it must be None or a number > 0.")
        if isinstance(caution, bool) or not isinstance(caution, int | float) or not 0 <= caution < math.inf:
            raise ArgumentError(f"caution={caution!r} is not allowed: it must be a number >= 0.")
        self.seconds, self.caution = seconds, caution
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


def _make(samples: int, rules: Rules, memory: bool) -> Policy:
    return SearchPolicy(Layout(rules, memory), samples)


AGENTS = [AgentSpec("search", f"determinised search, {SAMPLES} imagined games a decision", partial(_make, SAMPLES))]
