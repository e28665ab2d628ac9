"""`CasinoWarEnv` and `CasinoWarVectorEnv`: Casino War as Gymnasium environments."""

from __future__ import annotations

from typing import Any

from gymnasium.vector import AutoresetMode

from war_env.casino_lanes import CasinoLanes
from war_env.casino_rules import CASINO_ID, CASINO_NAME, CasinoRules
from war_env.errors import RulesError, refused, unknown_name
from war_env.lane_env import LaneEnv, check_arguments
from war_env.lane_vector_env import LaneVectorEnv, read_autoreset_mode


def get_casino_rules(preset: Any = CASINO_NAME, **options: Any) -> CasinoRules:
    """The rules of Casino War, from its name, its id or a `CasinoRules`, with some options changed."""
    if isinstance(preset, CasinoRules):
        return preset.replace(**options)
    if not isinstance(preset, str):
        raise refused("preset", preset, f"a CasinoRules, {CASINO_NAME!r} or {CASINO_ID!r}", RulesError)
    if preset not in (CASINO_NAME, CASINO_ID):
        raise unknown_name("preset", preset, [CASINO_NAME, CASINO_ID])
    return CasinoRules().replace(**options)


class CasinoWarEnv(LaneEnv):
    """Casino War: one player against the house, `rounds` rounds of one shoe.

    Action space: `Discrete(2 L + 2)` with L `bet_levels`: 0..L-1 ante 1..L units; L..2L-1 the same with a tie bet of as
    many units; 2L surrenders a tie; 2L+1 goes to war. `info["action_mask"]` says which apply: bets at the start of a
    round, the other two on a tie. One that does not apply antes one unit, or goes to war on a tie, and sets
    `info["illegal_action"]`, unless `illegal_action="raise"`.
    Observation space: a float32 `Box` in [0, 1]; see `layout.describe`. Burned cards are not seen.
    Reward: units won in the step. Episode end: `terminated` after `rounds` rounds; infos `units`, `rounds`, `ties`.

    Args:
        preset: `"casino"`, `"CasinoWar-v0"` or a `CasinoRules`.
        illegal_action: `"smallest"` (the smallest ante, or war) or `"raise"`.
        render_mode: None, `"ansi"`, `"rgb_array"` or `"human"`.
        **options: options of `CasinoRules` to override.
    """

    def __init__(
        self,
        preset: str | CasinoRules = CASINO_NAME,
        *,
        illegal_action: str = "smallest",
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        check_arguments(type(self), options, CasinoRules)
        self.rules = get_casino_rules(preset, **options)
        lanes = CasinoLanes(self.rules, 1)
        self.layout = lanes.layout
        self._set_up(lanes, illegal_action, render_mode)


class CasinoWarVectorEnv(LaneVectorEnv):
    """N tables of Casino War; row i of a vector seeded s is the single environment seeded s + i, step for step.

    Args:
        preset: `"casino"`, `"CasinoWar-v0"` or a `CasinoRules`.
        num_envs: number of tables, at least 1.
        autoreset_mode: NEXT_STEP, SAME_STEP or DISABLED, as the Enum or its value.
        max_episode_steps: steps after which an episode is truncated; None for never.
        illegal_action, render_mode: as for `CasinoWarEnv`.
        **options: options of `CasinoRules` to override.
    """

    def __init__(
        self,
        preset: str | CasinoRules = CASINO_NAME,
        num_envs: int = 1,
        *,
        illegal_action: str = "smallest",
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        max_episode_steps: int | None = None,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        check_arguments(type(self), options, CasinoRules)
        self.rules = get_casino_rules(preset, **options)
        mode = read_autoreset_mode(autoreset_mode)
        next_step = mode == AutoresetMode.NEXT_STEP
        lanes = CasinoLanes(self.rules, num_envs, max_episode_steps=max_episode_steps, next_step=next_step)
        self.layout = lanes.layout
        self._set_up(lanes, mode, illegal_action, render_mode)
