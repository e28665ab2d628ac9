"""`LaneVectorEnv`: a Gymnasium vector environment over lanes of any game; what all vector environments share."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from war_env.base_lanes import BaseLanes, LaneStep
from war_env.errors import ArgumentError, FinishedError, IllegalActionError, refused, shown
from war_env.lane_env import LaneEnv, check_options_of_reset, illegal, read_illegal_action, read_render_mode
from war_env.render.drawing import Drawing
from war_env.seeding import checked_seed, tagged_generator

_OPPONENTS_TAG, _SAMPLER_TAG, _OWN_TAG = 1, 2, 3


def read_autoreset_mode(value: Any) -> AutoresetMode:
    """An autoreset mode from the Enum or its value (`"NextStep"`, `"SameStep"`, `"Disabled"`) or name."""
    for mode in AutoresetMode:
        if value is mode or (isinstance(value, str) and value in (mode.value, mode.name)):
            return mode
    allowed = ", ".join(mode.value for mode in AutoresetMode)
    raise refused("autoreset_mode", value, f"one of {allowed}")


def as_array(actions: Any) -> np.ndarray:
    """Actions as an array; IllegalActionError where they are ragged or hold bools among integers."""
    if isinstance(actions, list | tuple) and any(isinstance(action, bool | np.bool_) for action in actions):
        raise IllegalActionError(f"actions={shown(actions)} are not allowed: they hold bools.")
    try:
        return np.asarray(actions)
    except ValueError:
        raise IllegalActionError(f"actions={shown(actions)} are not allowed: they are ragged.") from None


class LaneVectorEnv(VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """N games stepped by one compiled call: resets, steps, autoreset, infos, checks of actions, masks, text."""

    _lanes: BaseLanes

    def _set_up(self, lanes: BaseLanes, mode: AutoresetMode, illegal_action: Any, render_mode: Any) -> None:
        self._mode = mode
        self._is_strict = read_illegal_action(illegal_action, lanes.fallback)
        self.metadata = deepcopy(LaneEnv.metadata) | {"render_modes": ["ansi", "rgb_array"], "autoreset_mode": mode}
        self.render_mode = read_render_mode(render_mode, self.metadata["render_modes"])
        self._drawing = Drawing(self.render_mode, self.metadata["render_fps"])
        self._lanes = lanes
        self.num_envs = lanes.num_lanes
        self.single_observation_space = gym.spaces.Box(0.0, 1.0, (lanes.size,), np.float32)
        self.single_action_space = gym.spaces.Discrete(lanes.num_actions)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._masks = np.ones((self.num_envs, lanes.num_actions), np.int8)
        self._is_started = False
        self._everywhere = np.ones(self.num_envs, np.bool_)
        self._sampler = np.random.default_rng()

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Start the next game in all rows, or in those of `options["reset_mask"]`.

        Args:
            seed: None to go on with the streams as they are; s to seed row i with s + i; or one entry per row.
            options: `reset_mask`, bool (n,) with at least one True, resets some rows and leaves the others as they are.
        """
        seeds = self._row_seeds(seed)
        mask = self._reset_mask(options)
        rows = np.flatnonzero(mask)
        if not self._is_started and len(rows) < self.num_envs:
            raise ArgumentError("options['reset_mask'] is not allowed in the first reset: it must start all rows.")
        is_first, self._is_started = not self._is_started, True
        if seed is not None or is_first:
            self._seed_rows(seeds, rows)
        self._lanes.reset(rows)
        observations, self._masks = self._lanes.observe()
        infos: dict[str, Any] = {}
        masks = np.where(mask[:, None], self._masks, 0).astype(np.int8)
        self._add(infos, "action_mask", masks, mask)
        self._add(infos, "illegal_action", np.zeros(self.num_envs, np.bool_), mask)
        return observations, infos

    def _row_seeds(self, seed: Any) -> list[int | None]:
        is_list = isinstance(seed, Sequence) and not isinstance(seed, str | bytes | bytearray | memoryview)
        if is_list or (isinstance(seed, np.ndarray) and seed.ndim):
            if len(seed) != self.num_envs:
                raise ArgumentError(
                    f"seed={shown(seed)} has {len(seed)} entries: it must have one per row, {self.num_envs}."
                )
            return [checked_seed(entry) for entry in seed]
        first = checked_seed(seed)
        return [None if first is None else first + row for row in range(self.num_envs)]

    def _seed_rows(self, seeds: list[int | None], rows: np.ndarray) -> None:
        """Rows with a seed start their streams from it; unseeded rows that were never started, from fresh entropy."""
        seeded = [row for row in rows.tolist() if seeds[row] is not None or not self._lanes.is_seeded(row)]
        if seeded:
            generators = [np.random.default_rng(seeds[row]) for row in seeded]
            self._lanes.start_streams(generators, np.array(seeded, np.int64))
            if len(seeded) == self.num_envs:
                self._lanes.rng = tagged_generator(seeds[0], _OPPONENTS_TAG)
                self._sampler = tagged_generator(seeds[0], _SAMPLER_TAG)
                self._np_random, self._np_random_seed = tagged_generator(seeds[0], _OWN_TAG), seeds[0]

    def _reset_mask(self, options: dict[str, Any] | None) -> np.ndarray:
        check_options_of_reset(options)
        if options is None or "reset_mask" not in options:
            return np.ones(self.num_envs, np.bool_)
        mask = options["reset_mask"]
        is_right = isinstance(mask, np.ndarray) and mask.dtype == np.bool_ and mask.shape == (self.num_envs,)
        if not is_right or not mask.any():
            allowed = f"a bool array of shape ({self.num_envs},) with at least one True"
            raise refused("options['reset_mask']", mask, allowed)
        return np.asarray(mask)

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Step every row.

        Args:
            actions: integers, shape (n,). Rows that the NEXT_STEP mode resets now ignore theirs.

        Raises:
            IllegalActionError: the array or an entry is not an action; nothing has changed.
            FinishedError: a row is over with autoreset disabled, or reset() was never called.
        """
        checked = self._checked(actions)
        self._drawing.before_change(self._lanes)
        result = self._lanes.step(checked)
        self._masks = result.masks
        done = result.terminated | result.truncated
        infos: dict[str, Any] = {}
        if np.count_nonzero(done):
            final = infos if self._mode != AutoresetMode.SAME_STEP else {}
            if np.count_nonzero(result.terminated):
                self._add_endings(final, result.terminated)
            if self._mode == AutoresetMode.SAME_STEP:
                self._finish_rows(infos, final, result, done)
        self._add(infos, "action_mask", result.masks.copy(), self._everywhere.copy())
        self._add(infos, "illegal_action", result.illegal, self._everywhere.copy())
        return result.observations, result.rewards, result.terminated, result.truncated, infos

    def _finish_rows(self, infos: dict[str, Any], final: dict[str, Any], result: LaneStep, done: np.ndarray) -> None:
        """SAME_STEP: keep the last view of finished rows in the infos, and show the first of their next game."""
        rows = np.flatnonzero(done)
        final_obs = np.empty(self.num_envs, dtype=object)
        for row in rows:
            final_obs[row] = result.observations[row].copy()
        self._add(final, "action_mask", np.where(done[:, None], result.masks, 0).astype(np.int8), done.copy())
        self._add(final, "illegal_action", result.illegal & done, done.copy())
        self._add(infos, "final_obs", final_obs, done.copy())
        self._add(infos, "final_info", final, done.copy())
        self._lanes.reset(rows)
        result.observations[rows], result.masks[rows] = self._lanes.observe(rows)
        result.illegal[rows] = False

    def _add_endings(self, infos: dict[str, Any], ended: np.ndarray) -> None:
        """The infos of the ends of some rows' episodes."""
        endings = self._lanes.endings(np.flatnonzero(ended))
        marks = np.empty((len(endings), self.num_envs), np.bool_)
        marks[:] = ended
        for mark, (key, values) in zip(marks, endings.items(), strict=True):
            self._add(infos, key, values, mark)

    @staticmethod
    def _add(infos: dict[str, Any], key: str, values: Any, where: np.ndarray) -> None:
        infos[key], infos[f"_{key}"] = values, where

    def _checked(self, actions: Any) -> np.ndarray:
        if not self._is_started:
            raise FinishedError("the games were never started: call reset() before step().")
        array = as_array(actions)
        if array.dtype.kind not in "iu" or array.shape != (self.num_envs,):
            raise IllegalActionError(
                f"actions of shape {array.shape}, dtype {array.dtype} are not allowed: they must be integers of shape "
                f"({self.num_envs},)."
            )
        if self._mode == AutoresetMode.DISABLED and self._lanes.over.any():
            raise FinishedError(
                f"row {int(np.flatnonzero(self._lanes.over)[0])} is over: reset it with options={{'reset_mask': ...}}."
            )
        slots = np.ascontiguousarray(array, dtype=np.int64)
        most = self._lanes.num_actions - 1
        if slots.view(np.uint64).max() > most:  # negative ones are large there
            is_wrong = slots.view(np.uint64) > most
            self._refuse_first(array, is_wrong & ~self._lanes.over, f"an integer from 0 to {most}")
            slots = np.where(is_wrong, 0, slots)
        if self._is_strict:
            is_masked = self._masks[np.arange(self.num_envs), slots] == 0
            self._refuse_first(array, is_masked & ~self._lanes.over, "one that the mask allows")
        return slots

    def _refuse_first(self, actions: np.ndarray, wrong: np.ndarray, allowed: str) -> None:
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            raise IllegalActionError(f"row {row}: {illegal(int(actions[row]), allowed)}")

    def action_masks(self) -> np.ndarray:
        """Which actions are legal now: bool, shape (n, a)."""
        return self._masks.astype(np.bool_)

    def sample_actions(self) -> np.ndarray:
        """A uniformly random legal action for each row: int64, shape (n,)."""
        draws = self._sampler.random(self._masks.shape) * self._masks
        return np.asarray(np.argmax(draws, axis=1))

    def render(self) -> tuple[Any, ...] | None:  # type: ignore[override]
        """Each row's table: text (`ansi`), pixels uint8 (480, 640, 3) (`rgb_array`), or None without a mode."""
        if self.render_mode is None:
            return None
        return tuple(self._drawing.render(self._lanes, row) for row in range(self.num_envs))
