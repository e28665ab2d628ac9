"""`parallel_env`: War for two to ten learners as a PettingZoo parallel environment. Needs the extra `pettingzoo`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium as gym
import numpy as np

try:
    from pettingzoo import ParallelEnv
except ImportError as error:
    raise ImportError("war_env.parallel_env needs PettingZoo: pip install 'war_env[pettingzoo]'") from error

from war_env.base_lanes import plain
from war_env.errors import FinishedError, IllegalActionError, checked_int, shown, unknown_name
from war_env.lane_env import (
    RENDERING,
    check_arguments,
    check_options_of_reset,
    illegal,
    integer_action,
    read_illegal_action,
    read_render_mode,
)
from war_env.lanes import Lanes
from war_env.presets import get_rules
from war_env.render.drawing import Drawing
from war_env.rules import Rules
from war_env.seeding import checked_seed
from war_env.state import FIGHTERS
from war_env.table_kernels import open_table, play_table, write_truth
from war_env.truth import TruthLayout

_ROW = np.zeros(1, np.int64)
_FIGHTERS = int(FIGHTERS)
_Views = tuple[dict[str, dict[str, np.ndarray]], dict[str, dict[str, Any]]]


class WarParallelEnv(ParallelEnv[str, dict[str, np.ndarray], np.int64]):  # type: ignore[misc]
    """A game of War in which every seat is an agent, `seat_0`, `seat_1`, …; a step is one comparison of cards.

    Observation space: a dict of `observation`, the float32 `Box` that `WarEnv` gives the same seat, and `action_mask`,
    int8 (hand_size,), which the infos hold as well. Action space: `Discrete(hand_size)`; action k turns up the k-th
    lowest card in hand, a masked one the highest, and sets `illegal_action` in the infos unless strict.
    A seat without a say, in a war of others, has a mask of slot 0 alone; its action is ignored and may be left out.
    A seat that is out is terminated with reason `eliminated` and leaves `agents`; the others go on.
    Rewards and infos are those of `WarEnv`, seat by seat.

    Args:
        preset: a preset's name, its id, or a `Rules`.
        reward: `"win"`, `"margin"` or `"capture"`, as for `WarEnv`.
        memory: whether observations hold what an attentive player remembers.
        illegal_action: `"highest"` or `"raise"`.
        render_mode: None, `"ansi"`, `"rgb_array"` or `"human"`.
        render_seat: whose view is drawn.
        **options: options of `Rules` to override.
    """

    metadata: dict[str, Any] = {**RENDERING, "name": "war_v0", "is_parallelizable": True}

    def __init__(
        self,
        preset: str | Rules = "strategic",
        *,
        reward: str = "win",
        memory: bool = True,
        illegal_action: str = "highest",
        render_mode: str | None = None,
        render_seat: int = 0,
        **options: Any,
    ) -> None:
        check_arguments(type(self), options, Rules)
        self.rules = get_rules(preset, **options)
        seat = checked_int("render_seat", render_seat, 0, self.rules.players - 1)
        self._lanes = Lanes(self.rules, 1, seat=seat, reward=reward, memory=memory)
        self._is_strict = read_illegal_action(illegal_action, self._lanes.fallback)
        self.render_mode = read_render_mode(render_mode, self.metadata["render_modes"])
        self._drawing = Drawing(self.render_mode, self.metadata["render_fps"])
        self.layout, self.state_layout = self._lanes.layout, TruthLayout(self.rules)
        self.state_space = gym.spaces.Box(0.0, 1.0, (self.state_layout.size,), np.float32)
        self.possible_agents = [f"seat_{number}" for number in range(self.rules.players)]
        self.agents: list[str] = []
        self._seat_of = {name: number for number, name in enumerate(self.possible_agents)}
        size = self.rules.hand_size
        self.observation_spaces = {name: self._views(size) for name in self.possible_agents}
        self.action_spaces = {name: gym.spaces.Discrete(size) for name in self.possible_agents}
        self._places = self.state_layout.encode()
        self._slots, self._margins = np.zeros((2, self.rules.players), np.int64)
        self._masks = np.ones((self.rules.players, size), np.int8)
        self._rewards = np.zeros(self.rules.players)
        self._flags = np.zeros((2, self.rules.players), np.uint8)

    def _views(self, num_actions: int) -> gym.spaces.Dict:
        return gym.spaces.Dict(
            {
                "observation": gym.spaces.Box(0.0, 1.0, (self.layout.size,), np.float32),
                "action_mask": gym.spaces.Box(0, 1, (num_actions,), np.int8),
            }
        )

    def observation_space(self, agent: str) -> gym.spaces.Dict:
        """What the agent sees; the same object in every call."""
        return self.observation_spaces[self._known(agent)]

    def action_space(self, agent: str) -> gym.spaces.Discrete:
        """What the agent may do; the same object in every call."""
        return self.action_spaces[self._known(agent)]

    def _known(self, agent: Any) -> str:
        if not isinstance(agent, str) or agent not in self._seat_of:
            raise unknown_name("agent", agent, self.possible_agents)
        return agent

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> _Views:
        """Start the next game: with a seed the one that `WarEnv` and `Game.deal` give for it.

        Args:
            seed: None to go on with the streams as they are, or a non-negative integer to start them anew.
            options: None or a dict, from which nothing is read.

        Raises:
            ArgumentError: an argument has the wrong type or range; nothing has changed.
        """
        check_options_of_reset(options)
        seed = checked_seed(seed)
        if seed is not None or not self._lanes.is_seeded(0):
            self._lanes.start_streams([np.random.default_rng(seed)])
        self._lanes.reset()
        self.agents = list(self.possible_agents)
        self._flags[:] = 0
        seen = np.empty(self.rules.players * self.layout.size, np.float32)
        open_table(*self._memory, self._margins, seen, self._masks.reshape(-1))
        self._drawing.after_change(self._lanes)
        return self._by_name(seen)

    @property
    def _memory(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self._lanes.records.words, self._lanes.records.octets, self._lanes.plan

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[
        dict[str, dict[str, np.ndarray]],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Play one comparison.

        Args:
            actions: for each of `agents` an int or integer scalar in its action space.

        Raises:
            IllegalActionError: an action is missing or is not one, or is masked and the environment strict; nothing
                has changed.
            FinishedError: the game is over, or was never started.
        """
        self._read(actions)
        self._drawing.before_change(self._lanes)
        seen = np.empty(self.rules.players * self.layout.size, np.float32)
        flags, masks = self._flags.reshape(-1), self._masks.reshape(-1)
        play_table(*self._memory, self._slots, self._margins, seen, masks, self._rewards, flags)
        observations, infos = self._by_name(seen)
        values, over = self._rewards.tolist(), self._flags[0].tolist()
        rewards = {name: values[self._seat_of[name]] for name in self.agents}
        terminated = {name: bool(over[self._seat_of[name]]) for name in self.agents}
        if any(over):
            self._note_ends(terminated, infos)
        self._drawing.after_change(self._lanes)
        return observations, rewards, terminated, dict.fromkeys(rewards, False), infos

    def _note_ends(self, terminated: dict[str, bool], infos: dict[str, dict[str, Any]]) -> None:
        """How it ended for the agents that are out, who leave the table."""
        endings = self._lanes.endings(_ROW)
        for name in [name for name, is_over in terminated.items() if is_over]:
            infos[name] |= {key: plain(values[0]) for key, values in endings.items()}
            self.agents.remove(name)
        self._lanes.header["over"] = not self.agents

    def _by_name(self, seen: np.ndarray) -> _Views:
        """What each agent of `agents` sees, and its infos; no two arrays share memory."""
        observations = seen.reshape(self.rules.players, self.layout.size)
        masks, copies, is_illegal = self._masks.copy(), self._masks.copy(), self._flags[1].tolist()
        views, infos = {}, {}
        for name in self.agents:
            number = self._seat_of[name]
            views[name] = {"observation": observations[number], "action_mask": masks[number]}
            infos[name] = {"action_mask": copies[number], "illegal_action": bool(is_illegal[number])}
        return views, infos

    def _read(self, actions: Mapping[str, Any]) -> None:
        """Check all actions, then note their slots."""
        if not self.agents:
            state = "is over" if self._lanes.is_seeded(0) else "was never started"
            raise FinishedError(f"the game {state}: call reset() before step().")
        if not isinstance(actions, Mapping) or not actions.keys() <= set(self.agents):
            raise IllegalActionError(
                f"actions={shown(actions)} is not allowed: it must be a dict with an action for each of "
                f"{', '.join(self.agents)}."
            )
        fighters = self._lanes.records.words.item(_FIGHTERS)
        slots = [0] * self.rules.players
        for name in self.agents:
            number = self._seat_of[name]
            has_say = bool(fighters >> number & 1)
            if name in actions:
                slots[number] = self._checked(name, number, actions[name], has_say)
            elif has_say:
                raise IllegalActionError(f"{name}: an action is missing, the seat has a say.")
        self._slots[:] = slots

    def _checked(self, name: str, number: int, action: Any, has_say: bool) -> int:
        """The slot that an action names."""
        size = self.rules.hand_size
        if type(action) is not int:
            try:
                action = integer_action(action, size)
            except IllegalActionError as error:
                raise IllegalActionError(f"{name}: {error}") from None
        if not 0 <= action < size:
            raise IllegalActionError(f"{name}: {illegal(action, f'an integer from 0 to {size - 1}')}")
        if self._is_strict and has_say and not self._masks[number, action]:
            allowed = np.flatnonzero(self._masks[number]).tolist()
            raise IllegalActionError(f"{name}: {illegal(action, f'one that the mask allows, one of {allowed}')}")
        return int(action)

    def state(self) -> np.ndarray:
        """The whole truth for a central critic: where every card is, hidden ones too, in any order.

        Returns:
            Float32, shape of `state_space`, in [0, 1]; `state_layout.slices` names its parts.

        Raises:
            FinishedError: the game was never started.
        """
        if not self._lanes.is_seeded(0):
            raise FinishedError("the game was never started: call reset() before state().")
        truth = np.zeros(self.state_layout.size, np.float32)
        write_truth(*self._memory, self._places, truth)
        return truth

    def render(self) -> Any:
        """The table as `render_seat` sees it: text, pixels uint8 (480, 640, 3), or None with a window or no mode."""
        return self._drawing.render(self._lanes)

    def close(self) -> None:
        """Close the window, if there is one."""
        self._drawing.close()


def parallel_env(preset: str | Rules = "strategic", **options: Any) -> WarParallelEnv:
    """War for as many learners as the rules have seats; see `WarParallelEnv` for arguments and options."""
    return WarParallelEnv(preset, **options)
