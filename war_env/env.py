"""`WarEnv`: one game of War as a Gymnasium environment."""

from __future__ import annotations

import dataclasses
import inspect
from numbers import Integral
from typing import Any

import gymnasium as gym
import numpy as np

from war_env.errors import ArgumentError, FinishedError, IllegalActionError, unknown_name
from war_env.lanes import Endings, Lanes
from war_env.presets import get_rules
from war_env.rules import Rules
from war_env.seeding import checked_seed, draw_keys

ILLEGAL_ACTION = ("highest", "raise")
_ROW = np.zeros(1, np.int64)


def read_illegal_action(value: Any) -> bool:
    """Whether masked actions raise; anything but `"highest"` and `"raise"` is an ArgumentError."""
    if not isinstance(value, str) or value not in ILLEGAL_ACTION:
        raise ArgumentError(f"illegal_action={value!r} is not allowed: it must be one of {', '.join(ILLEGAL_ACTION)}.")
    return value == "raise"


def read_render_mode(value: Any, modes: list[str]) -> str | None:
    """A render mode that the environment has, or None."""
    if value is not None and not (isinstance(value, str) and value in modes):
        raise ArgumentError(f"render_mode={value!r} is not allowed: it must be None or one of {', '.join(modes)}.")
    return None if value is None else str(value)


def check_arguments(environment: type, options: dict[str, Any]) -> None:
    """Refuse names that are neither an argument of the environment nor an option of `Rules`."""
    arguments = [name for name in inspect.signature(environment).parameters if name != "options"]
    known = [*arguments, *(entry.name for entry in dataclasses.fields(Rules))]
    for name in options:
        if name not in known:
            raise unknown_name("argument", name, known)


class WarEnv(gym.Env[np.ndarray, np.int64]):
    """A game of War against compiled or given opponents; a step is one comparison of cards.

    Action space: `Discrete(hand_size)`; action k turns up the k-th lowest card in hand. Towards the end the hand
    shrinks: `info["action_mask"]`, int8 (hand_size,), says which slots hold a card, and a masked action plays the
    highest card and sets `info["illegal_action"]`, unless `illegal_action="raise"`.
    Observation space: a float32 `Box` in [0, 1]; `env.unwrapped.layout.slices` names its parts and
    `env.unwrapped.layout.describe(observation)` prints one. The observation at reset is that of the first decision.
    Episode end: `terminated` by a win, a draw or a limit of the rules; nothing truncates but a user's TimeLimit.
    Infos: `action_mask` and `illegal_action` always; at the end `winner` (-1 for none), `reason`, `battles`,
    `comparisons`, `wars` and `held`, int64 (players,).

    Args:
        preset: a preset's name, its id, or a `Rules`.
        opponent: who plays the other seats: a scripted name, `{name: weight}` drawn per episode, a path to exported
            weights, a policy object, or a list with one of these per other seat.
        seat: the learner's seat.
        reward: `"win"` gives +1 to the winner, -1 to the others and 0 on a draw at the end; `"margin"` own cards less
            the largest other's, over the deck, at the end; `"capture"` the change of that margin at each step.
        memory: whether the observation holds what an attentive player remembers.
        illegal_action: `"highest"` or `"raise"`.
        render_mode: None or `"ansi"`.
        **options: options of `Rules` to override.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 2}

    def __init__(
        self,
        preset: str | Rules = "strategic",
        *,
        opponent: Any = "random",
        seat: int = 0,
        reward: str = "win",
        memory: bool = True,
        illegal_action: str = "highest",
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        check_arguments(type(self), options)
        self.rules = get_rules(preset, **options)
        self._is_strict = read_illegal_action(illegal_action)
        self.render_mode = read_render_mode(render_mode, self.metadata["render_modes"])
        self._lanes = Lanes(self.rules, 1, seat=seat, opponent=opponent, reward=reward, memory=memory)
        self.layout = self._lanes.layout
        self.observation_space = gym.spaces.Box(0.0, 1.0, (self.layout.size,), np.float32)
        self.action_space = gym.spaces.Discrete(self.rules.hand_size)
        self._action = np.zeros(1, np.int64)
        self._mask = np.ones(self.rules.hand_size, np.int8)
        self._reward, self._flags = np.zeros(1), np.zeros(3, np.uint8)

    @property
    def seat(self) -> int:
        """The learner's seat."""
        return self._lanes.seat

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Start the next game.

        Args:
            seed: None to go on with the streams as they are, or a non-negative integer to start them anew.
            options: nothing is read from it.
        """
        super().reset(seed=checked_seed(seed))
        if seed is not None or not self._lanes.is_seeded(0):
            self._lanes.start_streams([self.np_random])
            self._lanes.rng = np.random.default_rng(draw_keys(self.np_random))
        self._lanes.reset()
        observations, masks = self._lanes.observe()
        self._mask[:] = masks[0]
        return observations[0], {"action_mask": self._mask.copy(), "illegal_action": False}

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Play one comparison.

        Args:
            action: slot of the hand: int or integer scalar in 0..hand_size-1.

        Raises:
            IllegalActionError: the action is not one, or is masked and the environment strict.
            FinishedError: the episode is over, or was never started.
        """
        self._action[0] = self._checked(action)
        observation = np.empty(self.layout.size, np.float32)
        self._lanes.step_into(self._action, observation, self._mask, self._reward, self._flags)
        terminated, _, is_illegal = self._flags.tolist()
        info = {"action_mask": self._mask.copy(), "illegal_action": bool(is_illegal)}
        if terminated:
            info |= ending_info(self._lanes.endings(_ROW), 0)
        return observation, self._reward.item(), bool(terminated), False, info

    def _checked(self, action: Any) -> int:
        if self._lanes.is_over():
            state = "is over" if self._lanes.is_seeded(0) else "was never started"
            raise FinishedError(f"the episode {state}: call reset() before step().")
        if type(action) is not int:
            action = integer_action(action, self.rules.hand_size)
        if not 0 <= action < self.rules.hand_size:
            raise illegal(action, f"an integer from 0 to {self.rules.hand_size - 1}")
        if self._is_strict and not self._mask[action]:
            raise illegal(action, f"a slot that holds a card, one of {np.flatnonzero(self._mask).tolist()}")
        return int(action)

    def action_masks(self) -> np.ndarray:
        """Which actions are legal now: bool, shape (hand_size,); the form that sb3-contrib asks for."""
        return self._mask.astype(np.bool_)

    def set_opponent(self, opponent: Any) -> None:
        """Change who plays the other seats, from the next episode on; see the class's argument."""
        self._lanes.set_opponent(opponent)

    def render(self) -> str | None:
        """The table as text with `render_mode="ansi"`, else None."""
        if self.render_mode != "ansi":
            return None
        from war_env.render.text import table_text

        return table_text(self._lanes, 0)


def integer_action(action: Any, size: int) -> int:
    """An action as int; bools, floats, NaN and arrays with a shape are an IllegalActionError."""
    if isinstance(action, np.ndarray) and action.ndim == 0:
        action = action[()]
    if isinstance(action, bool | np.bool_) or not isinstance(action, Integral):
        raise illegal(action, f"an integer from 0 to {size - 1}")
    return int(action)


def illegal(action: Any, allowed: str) -> IllegalActionError:
    """The error for an action that cannot be played."""
    return IllegalActionError(f"action={action!r} is not allowed: it must be {allowed}.")


def ending_info(endings: Endings, k: int) -> dict[str, Any]:
    """The infos of the end of one episode."""
    return {
        "winner": int(endings.winner[k]),
        "reason": str(endings.reason[k]),
        "battles": int(endings.battles[k]),
        "comparisons": int(endings.comparisons[k]),
        "wars": int(endings.wars[k]),
        "held": endings.held[k].copy(),
    }
