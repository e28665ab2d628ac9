"""`WarVectorEnv`: N games of War stepped by one compiled call, as a Gymnasium vector environment."""

from __future__ import annotations

from typing import Any

from gymnasium.vector import AutoresetMode

from war_env.lane_env import check_arguments
from war_env.lane_vector_env import LaneVectorEnv, read_autoreset_mode
from war_env.lanes import Lanes
from war_env.presets import get_rules
from war_env.rules import Rules


class WarVectorEnv(LaneVectorEnv):
    """N games of War; row i of a vector seeded s is the single environment seeded s + i, step for step.

    Observations are float32 (n, d), actions int64 (n,), rewards float64 (n,), both flags bool (n,); infos are those of
    `SyncVectorEnv` over `WarEnv`, with their `_key` masks. Every array is fresh.

    Args:
        preset: a preset's name, its id, or a `Rules`.
        num_envs: number of games, at least 1.
        autoreset_mode: NEXT_STEP, SAME_STEP or DISABLED, as the Enum or its value.
        max_episode_steps: steps after which an episode is truncated; None for never.
        num_threads: threads that step the rows side by side, the same games whatever their number; more than 1 needs
            at least 4,096 rows, below which handing them over costs more than it saves.
        opponent, seat, reward, memory, illegal_action, render_mode: as for `WarEnv`.
        **options: options of `Rules` to override.
    """

    def __init__(
        self,
        preset: str | Rules = "strategic",
        num_envs: int = 1,
        *,
        opponent: Any = "random",
        seat: int = 0,
        reward: str = "win",
        memory: bool = True,
        illegal_action: str = "highest",
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        max_episode_steps: int | None = None,
        num_threads: int = 1,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        check_arguments(type(self), options, Rules)
        self.rules = get_rules(preset, **options)
        mode = read_autoreset_mode(autoreset_mode)
        self._lanes: Lanes = Lanes(
            self.rules,
            num_envs,
            seat=seat,
            opponent=opponent,
            reward=reward,
            memory=memory,
            max_episode_steps=max_episode_steps,
            next_step=mode == AutoresetMode.NEXT_STEP,
            num_threads=num_threads,
        )
        self.layout = self._lanes.layout
        self._set_up(self._lanes, mode, illegal_action, render_mode)

    @property
    def seat(self) -> int:
        """The learner's seat."""
        return self._lanes.seat

    def set_opponent(self, opponent: Any) -> None:
        """Change who plays the other seats, from each row's next episode on."""
        self._lanes.set_opponent(opponent)
