"""`LaneEnv`: a Gymnasium environment over one lane of any game; what all single environments share."""

from __future__ import annotations

import dataclasses
import inspect
from numbers import Integral
from typing import Any

import gymnasium as gym
import numpy as np

from war_env.base_lanes import BaseLanes, plain
from war_env.errors import FinishedError, IllegalActionError, refused, unknown_name
from war_env.render.drawing import Drawing
from war_env.seeding import checked_seed, draw_keys

_ROW = np.zeros(1, np.int64)
RENDERING: dict[str, Any] = {"render_modes": ["ansi", "rgb_array", "human"], "render_fps": 2}


def read_illegal_action(value: Any, fallback: str) -> bool:
    """Whether masked actions raise; anything but `"raise"` and the name of the fallback is an ArgumentError."""
    if not isinstance(value, str) or value not in (fallback, "raise"):
        raise refused("illegal_action", value, f"one of {fallback}, raise")
    return value == "raise"


def read_render_mode(value: Any, modes: list[str]) -> str | None:
    """A render mode that the environment has, or None."""
    if value is not None and not (isinstance(value, str) and value in modes):
        raise refused("render_mode", value, f"None or one of {', '.join(modes)}")
    return None if value is None else str(value)


def check_options_of_reset(options: Any) -> None:
    """Refuse what cannot be the options of a reset; wrappers may put into the dict what they like."""
    if options is not None and not isinstance(options, dict):
        raise refused("options", options, "None or a dict")


def check_arguments(environment: type, options: dict[str, Any], rules: type) -> None:
    """Refuse names that are neither an argument of the environment nor an option of its rules."""
    arguments = [name for name in inspect.signature(environment).parameters if name != "options"]
    known = [*arguments, *(entry.name for entry in dataclasses.fields(rules))]
    for name in options:
        if name not in known:
            raise unknown_name("argument", name, known)


class LaneEnv(gym.Env[np.ndarray, np.int64]):
    """A single environment over one lane of any game: resets, steps, checks of actions, masks, text."""

    metadata: dict[str, Any] = RENDERING
    _lanes: BaseLanes

    def _set_up(self, lanes: BaseLanes, illegal_action: Any, render_mode: Any) -> None:
        self._is_strict = read_illegal_action(illegal_action, lanes.fallback)
        self.render_mode = read_render_mode(render_mode, self.metadata["render_modes"])
        self._drawing = Drawing(self.render_mode, self.metadata["render_fps"])
        self._lanes = lanes
        self.observation_space = gym.spaces.Box(0.0, 1.0, (lanes.size,), np.float32)
        self.action_space = gym.spaces.Discrete(lanes.num_actions)
        self._mask = np.ones(lanes.num_actions, np.int8)
        self._is_on = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Start the next game.

        Args:
            seed: None to go on with the streams as they are, or a non-negative integer to start them anew.
            options: None or a dict, from which nothing is read.

        Raises:
            ArgumentError: an argument has the wrong type or range; nothing has changed.
        """
        check_options_of_reset(options)
        super().reset(seed=checked_seed(seed))
        if seed is not None or not self._lanes.is_seeded(0):
            self._lanes.start_streams([self.np_random])
            self._lanes.rng = np.random.default_rng(draw_keys(self.np_random))
        self._lanes.reset()
        observations, masks = self._lanes.observe()
        self._mask, self._is_on = masks[0], True
        if self.render_mode is not None:
            self._drawing.after_change(self._lanes)
        return observations[0], {"action_mask": self._mask.copy(), "illegal_action": False}

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Take one step.

        Args:
            action: int or integer scalar in the action space.

        Raises:
            IllegalActionError: the action is not one, or is masked and the environment strict.
            FinishedError: the episode is over, or was never started.
        """
        slot = self._checked(action)
        if self.render_mode is not None:
            self._drawing.before_change(self._lanes)
        observation = np.empty(self._lanes.size, np.float32)
        self._mask, reward, terminated, _, is_illegal = self._lanes.step_one(slot, observation)
        info = {"action_mask": self._mask.copy(), "illegal_action": is_illegal}
        if terminated:
            self._is_on = False
            info |= {key: plain(values[0]) for key, values in self._lanes.endings(_ROW).items()}
        if self.render_mode is not None:
            self._drawing.after_change(self._lanes)
        return observation, reward, terminated, False, info

    def _checked(self, action: Any) -> int:
        if not self._is_on:
            state = "is over" if self._lanes.is_seeded(0) else "was never started"
            raise FinishedError(f"the episode {state}: call reset() before step().")
        if type(action) is not int:
            action = integer_action(action, self._lanes.num_actions)
        if not 0 <= action < self._lanes.num_actions:
            raise illegal(action, f"an integer from 0 to {self._lanes.num_actions - 1}")
        if self._is_strict and not self._mask[action]:
            raise illegal(action, f"one that the mask allows, one of {np.flatnonzero(self._mask).tolist()}")
        return int(action)

    def action_masks(self) -> np.ndarray:
        """Which actions are legal now: bool, shape (a,); the form that sb3-contrib asks for."""
        return self._mask.astype(np.bool_)

    def render(self) -> Any:
        """The table: text (`ansi`), pixels uint8 (480, 640, 3) (`rgb_array`), None with a window or without a mode."""
        return self._drawing.render(self._lanes)

    def close(self) -> None:
        """Close the window, if there is one."""
        self._drawing.close()

    def get_keys_to_action(self) -> dict[tuple[int, ...], int]:
        """The keys of `gymnasium.utils.play`, as code points -> the action that each plays."""
        return {(ord(key),): action for action, key in enumerate(self._lanes.keys)}


def integer_action(action: Any, size: int) -> int:
    """An action as int; bools, floats, NaN and arrays with a shape are an IllegalActionError."""
    if isinstance(action, np.ndarray) and action.ndim == 0:
        action = action[()]
    if isinstance(action, bool | np.bool_) or not isinstance(action, Integral):
        raise illegal(action, f"an integer from 0 to {size - 1}")
    return int(action)


def illegal(action: Any, allowed: str) -> IllegalActionError:
    """The error for an action that cannot be played."""
    return refused("action", action, allowed, IllegalActionError)
