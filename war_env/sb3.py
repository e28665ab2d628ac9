"""`WarVecEnv`: stable-baselines3's vector environment over compiled lanes. Needs the extra `sb3`."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import gymnasium as gym
import numpy as np

try:
    from stable_baselines3.common.vec_env.base_vec_env import VecEnv, VecEnvIndices
except ImportError as error:
    raise ImportError("war_env.sb3 needs stable-baselines3: pip install 'war_env[sb3]'") from error

from war_env.base_lanes import plain
from war_env.casino_env import CasinoWarVectorEnv
from war_env.casino_rules import CASINO_ID, CASINO_NAME, CasinoRules
from war_env.errors import ArgumentError, checked_int, checked_kind, shown
from war_env.lane_vector_env import LaneVectorEnv
from war_env.seeding import checked_seed
from war_env.vector_env import WarVectorEnv

_NOTHING: dict[str, Any] = {}


class WarVecEnv(VecEnv):  # type: ignore[misc]
    """N games of War for stable-baselines3; masks through `action_masks`, as sb3-contrib asks for them.

    A finished row's observation is already that of its next game; its info holds `terminal_observation`,
    `TimeLimit.truncated`, `episode` (return, length and seconds, as VecMonitor writes them) and the infos of its end.
    All other rows share one empty info.

    Args:
        preset: a preset's name, its id, or a `Rules`; also `"casino"`, its id, or a `CasinoRules`.
        num_envs: number of games.
        **kwargs: as for `WarVectorEnv` or `CasinoWarVectorEnv`, but `autoreset_mode`, which is always SAME_STEP here.
    """

    def __init__(self, preset: Any = "strategic", num_envs: int = 1, **kwargs: Any) -> None:
        if "autoreset_mode" in kwargs:
            raise ArgumentError("autoreset_mode is not allowed: stable-baselines3 resets in the same step.")
        is_casino = isinstance(preset, CasinoRules) or (isinstance(preset, str) and preset in (CASINO_NAME, CASINO_ID))
        make = CasinoWarVectorEnv if is_casino else WarVectorEnv
        self.envs: LaneVectorEnv = make(preset, num_envs, autoreset_mode="SameStep", **kwargs)
        self.render_mode = self.envs.render_mode
        super().__init__(num_envs, self.envs.single_observation_space, self.envs.single_action_space)
        self.metadata = self.envs.metadata
        self._returns = np.zeros(num_envs)
        self._lengths = np.zeros(num_envs, np.int64)
        self._actions: np.ndarray | None = None
        self._started = time.time()

    def reset(self) -> np.ndarray:
        """Start the next game in every row, seeded where `seed()` was called before."""
        seeds = self._seeds if any(seed is not None for seed in self._seeds) else None
        observations, infos = self.envs.reset(seed=seeds)
        self._reset_seeds()
        self._reset_options()
        self._returns[:], self._lengths[:] = 0.0, 0
        self.reset_infos = [{"action_mask": mask, "illegal_action": False} for mask in infos["action_mask"]]
        return observations

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Seed the rows at the next reset: row i with seed + i, or with numbers drawn afresh when None."""
        seeds: Sequence[int | None] = super().seed(checked_seed(seed))
        return seeds

    def set_options(self, options: Any = None) -> None:
        """Rows take no options at a reset; anything but none is an ArgumentError."""
        if options is not None and not (isinstance(options, dict | list) and not any(options)):
            raise ArgumentError(f"options={shown(options)} is not allowed: rows take no options at a reset.")

    def step_async(self, actions: np.ndarray) -> None:
        """Take the actions of the next `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Step every row: observations, rewards float32, dones bool, infos."""
        actions, self._actions = self._actions, None
        observations, rewards, terminated, truncated, vector_infos = self.envs.step(actions)
        self._returns += rewards
        self._lengths += 1
        dones = terminated | truncated
        infos = [_NOTHING] * self.num_envs
        for row in np.flatnonzero(dones).tolist():
            infos[row] = self._info_of(row, vector_infos, bool(truncated[row] and not terminated[row]))
        self._returns[dones], self._lengths[dones] = 0.0, 0
        return observations, rewards.astype(np.float32), dones, infos

    def _info_of(self, row: int, infos: dict[str, Any], is_cut: bool) -> dict[str, Any]:
        final = infos["final_info"]
        info = {key: plain(final[key][row]) for key in final if key[0] != "_" and final[f"_{key}"][row]}
        info["terminal_observation"] = infos["final_obs"][row]
        info["TimeLimit.truncated"] = is_cut
        seconds = round(time.time() - self._started, 6)
        info["episode"] = {"r": float(self._returns[row]), "l": int(self._lengths[row]), "t": seconds}
        return info

    def close(self) -> None:
        """Nothing to release."""

    def _rows(self, indices: VecEnvIndices) -> list[int]:
        if indices is None:
            return list(range(self.num_envs))
        is_list = isinstance(indices, list | tuple | range) or (isinstance(indices, np.ndarray) and indices.ndim > 0)
        rows = indices if is_list else [indices]
        return [checked_int("indices", row, 0, self.num_envs - 1) for row in rows]

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """The attribute once per row; all rows share one.

        Raises:
            AttributeError: there is none of that name, as stable-baselines3 expects it.
            ArgumentError: that is no name, or a row does not exist.
        """
        if isinstance(attr_name, str) and attr_name == "action_masks":
            return [self._masks_of(row) for row in self._rows(indices)]
        checked_kind("attr_name", attr_name, str, "the name of an attribute")
        return [getattr(self.envs, attr_name)] * len(self._rows(indices))

    def _masks_of(self, row: int) -> Callable[[], np.ndarray]:
        return lambda: self.envs.action_masks()[row]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Rows are not separate objects here, so that attributes cannot be set; use `env_method("set_opponent", …)`."""
        raise ArgumentError(
            f"attribute {shown(attr_name)} cannot be set: rows are not objects of their own; use env_method."
        )

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """`action_masks` once per row; another method of `WarVectorEnv` once for all, its result repeated."""
        rows = self._rows(indices)
        checked_kind("method_name", method_name, str, "the name of a method")
        if method_name == "action_masks":
            return list(self.envs.action_masks()[rows])
        if len(set(rows)) < self.num_envs:
            raise ArgumentError(
                f"indices={shown(indices)} is not allowed: {shown(method_name)} acts on all rows or on none."
            )
        method = getattr(self.envs, method_name, None)
        if not callable(method):
            raise ArgumentError(f"method_name={shown(method_name)} is no method of {type(self.envs).__name__}.")
        return [method(*method_args, **method_kwargs)] * len(rows)

    def env_is_wrapped(self, wrapper_class: type[gym.Wrapper], indices: VecEnvIndices = None) -> list[bool]:
        """No row is wrapped."""
        return [False] * len(self._rows(indices))

    def get_images(self) -> Sequence[np.ndarray | None]:
        """Each row's table as pixels with `render_mode="rgb_array"`, else None."""
        images = self.envs.render() if self.render_mode == "rgb_array" else None
        return [None] * self.num_envs if images is None else images
