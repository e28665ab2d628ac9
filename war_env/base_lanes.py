"""What lanes of any game offer the environments: N games stepped together, each with its own stream."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from war_env.errors import checked_int
from war_env.seeding import draw_keys

if TYPE_CHECKING:
    from war_env.render.casino_scene import CasinoScene
    from war_env.render.scene import Scene


class ObservationLayout(Protocol):
    """Names the numbers of an observation."""

    @property
    def size(self) -> int:
        """Length of the vector."""
        ...

    @property
    def slices(self) -> dict[str, slice]:
        """Name of each field -> its place."""
        ...


@dataclass
class LaneStep:
    """What one step of all lanes gives; fresh arrays.

    Attributes:
        observations: float32, shape (n, d).
        masks: int8, shape (n, a).
        rewards: float64, shape (n,).
        terminated, truncated, illegal: bool, shape (n,).
    """

    observations: np.ndarray
    masks: np.ndarray
    rewards: np.ndarray
    terminated: np.ndarray
    truncated: np.ndarray
    illegal: np.ndarray


class BaseLanes(ABC):
    """N games stepped together; finished ones wait for their reset, or start anew in the next step.

    Args:
        num_lanes: number of games, at least 1.
        layout: how observations are laid out.
        num_actions: size of the action space.
        max_episode_steps: steps after which an episode is truncated; None for never.
    """

    end_keys: tuple[str, ...] = ()  # infos of the end of an episode
    fallback = ""  # what a masked action does, as `illegal_action=` names it

    def __init__(
        self, num_lanes: int, layout: ObservationLayout, num_actions: int, max_episode_steps: int | None
    ) -> None:
        self.num_lanes = checked_int("num_envs", num_lanes, 1, MAX_LANES)
        if max_episode_steps is not None:
            checked_int("max_episode_steps", max_episode_steps, 1, 2**31 - 1)
        self.size, self.num_actions = layout.size, num_actions
        self.rng = np.random.default_rng(0)  # what opponents that Python plays draw from; whoever seeds lanes sets it
        self.all_rows = np.arange(self.num_lanes, dtype=np.int64)
        self._seeded = np.zeros(self.num_lanes, np.bool_)

    @property
    @abstractmethod
    def header(self) -> np.ndarray:
        """The lanes' own fields, structured, shape (n,): `lane` and `over` among them."""

    @abstractmethod
    def reset(self, rows: np.ndarray | None = None) -> None:
        """Start the next game in all lanes, or in `rows`, int64."""

    @abstractmethod
    def observe(self, rows: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Fresh observations, float32 (k, d), and masks, int8 (k, a)."""

    @abstractmethod
    def step_into(
        self, actions: np.ndarray, observations: np.ndarray, masks: np.ndarray, rewards: np.ndarray, flags: np.ndarray
    ) -> None:
        """`step` into given flat arrays: float32 (n * d,), int8 (n * a,), float64 (n,), uint8 (3 * n,).

        The flags are terminated, truncated and illegal, one after another. Rows of lanes that are over and wait for
        their reset are left as they are.
        """

    def step_one(self, action: int, observation: np.ndarray) -> tuple[np.ndarray, float, bool, bool, bool]:
        """Step a single lane that is not over.

        Args:
            action: already checked to be in the action space.
            observation: float32, shape (d,), written.

        Returns:
            The mask, int8 (a,), not to be changed; the reward; whether it is terminated, truncated, and was illegal.
        """
        mask, reward, flags = np.empty(self.num_actions, np.int8), np.zeros(1), np.zeros(3, np.uint8)
        self.step_into(np.array([action], np.int64), observation, mask, reward, flags)
        terminated, truncated, is_illegal = flags.astype(np.bool_).tolist()
        return mask, reward.item(), terminated, truncated, is_illegal

    @abstractmethod
    def endings(self, rows: np.ndarray) -> dict[str, np.ndarray]:
        """How the episodes of the lanes `rows`, int64, ended: each of `end_keys`, one entry per lane."""

    @abstractmethod
    def scene(self, row: int) -> Scene | CasinoScene:
        """One lane's table as its learner sees it, with what has happened since `remember` was called last."""

    @property
    def keys(self) -> list[str]:
        """The key on a keyboard that plays each action."""
        return [str(k + 1) for k in range(self.num_actions)]

    def remember(self) -> None:
        """Keep the lanes as they are now, so that a scene can tell what a step changes."""
        return

    def step(self, actions: np.ndarray) -> LaneStep:
        """Step all lanes.

        Args:
            actions: int64, C-contiguous, shape (n,), already checked to be in the action space.
        """
        total = self.num_lanes
        observations = np.empty((total, self.size), np.float32)
        masks = np.empty((total, self.num_actions), np.int8)
        rewards = np.zeros(total)
        flags = np.zeros((3, total), np.uint8)
        self.step_into(actions, observations.reshape(-1), masks.reshape(-1), rewards, flags.reshape(-1))
        return LaneStep(observations, masks, rewards, *flags.view(np.bool_))

    def seed(self, rows: np.ndarray, keys: np.ndarray) -> None:
        """Set where the streams of some lanes start; uint64, shape (len(rows),)."""
        self.header["lane"][rows] = keys
        self._seeded[rows] = True

    def start_streams(self, generators: list[np.random.Generator], rows: np.ndarray | None = None) -> None:
        """Seed lanes from one NumPy generator each."""
        rows = self.all_rows if rows is None else rows
        self.seed(rows, np.array([draw_keys(generator) for generator in generators], np.uint64))

    @property
    def over(self) -> np.ndarray:
        """Which lanes wait for their reset: bool, shape (n,)."""
        return np.asarray(self.header["over"], np.bool_)

    def is_seeded(self, row: int) -> bool:
        """Whether a lane's stream was ever started."""
        return bool(self._seeded[row])


MAX_LANES = 2**24


def plain(value: Any) -> Any:
    """A NumPy scalar as Python's own, an array as a copy."""
    return value.copy() if isinstance(value, np.ndarray) else value.item() if isinstance(value, np.generic) else value
