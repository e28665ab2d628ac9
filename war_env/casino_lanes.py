"""`CasinoLanes`: N tables of Casino War stepped together."""

from __future__ import annotations

import numpy as np

from war_env.base_lanes import BaseLanes
from war_env.casino_rules import CasinoRules
from war_env.casino_state import RECORD, CasinoLayout, make_plan
from war_env.engine.casino import reset_shoes, show_shoes, step_shoes
from war_env.render.casino_scene import CasinoScene, casino_keys, casino_scene


class CasinoLanes(BaseLanes):
    """N tables, each with one player and its own shoe.

    Args:
        rules: the rules.
        num_lanes: number of tables, at least 1.
        max_episode_steps: steps after which an episode is truncated; None for never.
        next_step: whether a finished lane starts anew in the next step.
    """

    fallback = "smallest"
    end_keys = ("units", "rounds", "ties")

    def __init__(
        self, rules: CasinoRules, num_lanes: int, *, max_episode_steps: int | None = None, next_step: bool = False
    ) -> None:
        self.rules = rules
        self.layout = CasinoLayout(rules)
        super().__init__(num_lanes, self.layout, rules.num_actions, max_episode_steps)
        self.plan = make_plan(rules, max_episode_steps, next_step)
        self.records = np.zeros(self.num_lanes, RECORD)
        self.records["over"] = 1

    @property
    def header(self) -> np.ndarray:
        """The tables' records, structured, shape (n,)."""
        return self.records

    @property
    def _words(self) -> np.ndarray:
        return self.records.view(np.uint64)

    def reset(self, rows: np.ndarray | None = None) -> None:
        """Start the next episode in all lanes, or in `rows`, int64."""
        reset_shoes(self._words, self.plan, self.all_rows if rows is None else rows)

    def observe(self, rows: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Fresh observations, float32 (k, d), and masks, int8 (k, a)."""
        rows = self.all_rows if rows is None else rows
        observations = np.empty((len(rows), self.size), np.float32)
        masks = np.empty((len(rows), self.num_actions), np.int8)
        show_shoes(self._words, self.plan, rows, observations.reshape(-1), masks.reshape(-1))
        return observations, masks

    def step_into(
        self, actions: np.ndarray, observations: np.ndarray, masks: np.ndarray, rewards: np.ndarray, flags: np.ndarray
    ) -> None:
        """See `BaseLanes.step_into`."""
        step_shoes(self._words, self.plan, actions, observations, masks, rewards, flags)

    def endings(self, rows: np.ndarray) -> dict[str, np.ndarray]:
        """How the episodes of the lanes `rows` ended: units won, float64; rounds and ties, int64; shape (n,)."""
        units, rounds, ties = (
            np.zeros(self.num_lanes),
            np.zeros(self.num_lanes, np.int64),
            np.zeros(self.num_lanes, np.int64),
        )
        units[rows] = self.records["half_units"][rows] / 2
        rounds[rows] = self.records["round"][rows]
        ties[rows] = self.records["ties"][rows]
        return dict(zip(self.end_keys, (units, rounds, ties), strict=True))

    @property
    def keys(self) -> list[str]:
        """See `BaseLanes.keys`."""
        return casino_keys(self.rules)

    def scene(self, row: int) -> CasinoScene:
        """One table, with the last open cards of the round before."""
        return casino_scene(self.records[row], self.rules)
