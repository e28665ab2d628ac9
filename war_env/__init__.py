"""The card game War for reinforcement learning: environments, a fast exact engine, and tools to compare agents.

Importing this package registers the environments and compiles nothing; heavy parts load when they are first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import gymnasium

from war_env._version import __version__
from war_env.casino_rules import CASINO_ID, CASINO_NAME, CasinoRules
from war_env.errors import (
    ArgumentError,
    FinishedError,
    IllegalActionError,
    NotationError,
    RulesError,
    UnknownNameError,
    WarEnvError,
)
from war_env.presets import PRESETS, get_rules, preset_names
from war_env.rules import Rules

if TYPE_CHECKING:
    from war_env.casino_env import CasinoWarEnv, CasinoWarVectorEnv
    from war_env.env import WarEnv
    from war_env.game import Game
    from war_env.game_view import Outcome
    from war_env.simulation import GameStatistics, simulate
    from war_env.vector_env import WarVectorEnv

_LAZY = {
    "CasinoWarEnv": "casino_env",
    "CasinoWarVectorEnv": "casino_env",
    "Game": "game",
    "GameStatistics": "simulation",
    "simulate": "simulation",
    "Outcome": "game_view",
    "WarEnv": "env",
    "WarVectorEnv": "vector_env",
}

__all__ = [
    "PRESETS",
    "ArgumentError",
    "CasinoRules",
    "CasinoWarEnv",
    "CasinoWarVectorEnv",
    "FinishedError",
    "Game",
    "GameStatistics",
    "IllegalActionError",
    "NotationError",
    "Outcome",
    "Rules",
    "RulesError",
    "UnknownNameError",
    "WarEnv",
    "WarEnvError",
    "WarVectorEnv",
    "__version__",
    "get_rules",
    "preset_names",
    "simulate",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(importlib.import_module(f"war_env.{_LAZY[name]}"), name)
    raise AttributeError(f"module 'war_env' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})


def _register() -> None:
    if CASINO_ID not in gymnasium.registry:
        gymnasium.register(
            CASINO_ID,
            entry_point="war_env.casino_env:CasinoWarEnv",
            vector_entry_point="war_env.casino_env:CasinoWarVectorEnv",
            kwargs={"preset": CASINO_NAME},
        )
    for preset in PRESETS:
        if preset.id not in gymnasium.registry:
            gymnasium.register(
                preset.id,
                entry_point="war_env.env:WarEnv",
                vector_entry_point="war_env.vector_env:WarVectorEnv",
                kwargs={"preset": preset.name},
            )


_register()
