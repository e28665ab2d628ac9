"""Games at all stages, from which training takes views and decisions."""

from __future__ import annotations

from typing import Any

import numpy as np

from war_env.lanes import Lanes
from war_env.policy import Policy
from war_env.rules import Rules
from war_env.seeding import draw_keys

_SPREAD = (40, 80)  # steps after which lanes that started together are at all stages of a game
_STAGGERING = 8  # times that half of the games start anew


class GamesInProgress:
    """Lanes in which a policy plays on for ever; finished games start anew.

    Args:
        policy: the learner's.
        rules: the rules.
        opponent: who plays the other seat, as environments take it.
        count: number of games.
        exploration: share of the moves that are uniformly random instead, 0..1.
        rng: the one source of randomness.

    Attributes:
        lanes: the games.
        observations, masks: the learner's views, float32 (count, d) and int8 (count, a).
    """

    def __init__(
        self, policy: Policy, rules: Rules, opponent: Any, count: int, exploration: float, rng: np.random.Generator
    ) -> None:
        self.policy, self.exploration, self.rng = policy, exploration, rng
        self.lanes = Lanes(rules, count, opponent=opponent)
        self.lanes.seed(self.lanes.all_rows, draw_keys(rng, count))
        self.lanes.rng = rng
        self.lanes.reset()
        self.observations, self.masks = self.lanes.observe()
        for _ in range(int(rng.integers(*_SPREAD))):
            self.step()

    def step(self) -> None:
        """Play one comparison in each game."""
        slots = self.policy.act(self.observations, self.masks, self.rng)
        anywhere = (self.rng.random(self.masks.shape) * self.masks).argmax(axis=1)
        is_exploring = self.rng.random(len(slots)) < self.exploration
        result = self.lanes.step(np.where(is_exploring, anywhere, slots))
        self.observations, self.masks = result.observations, result.masks
        rows = np.flatnonzero(self.lanes.over)
        if rows.size:
            self.lanes.reset(rows)
            self.observations[rows], self.masks[rows] = self.lanes.observe(rows)

    def stagger(self) -> None:
        """Spread games that last equally long, and so end together, over the stages of a game."""
        for _ in range(_STAGGERING):
            rows = np.flatnonzero(self.rng.random(self.lanes.num_lanes) < 0.5)
            self.lanes.reset(rows)
            self.observations[rows], self.masks[rows] = self.lanes.observe(rows)
            self.step()

    def choices(self, most: int) -> np.ndarray:
        """Lanes with more than one card to choose from, at most so many, in random order."""
        return self.rng.permutation(np.flatnonzero(self.masks.sum(axis=1) > 1))[:most]
