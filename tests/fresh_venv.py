"""What the wheel does where nothing but it and its dependencies is installed; `make wheel` runs this in such a venv.

No import of the project's tests and tools: only the standard library, Gymnasium, NumPy and the installed war_env.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import gymnasium as gym

import war_env

OPTIONAL = ("torch", "stable_baselines3", "pettingzoo", "pygame", "scipy", "rich", "pandas", "tyro", "agents")


def check(is_so: bool, what: str) -> None:
    """Stop with a message where something is not as it must be; unlike `assert`, under -O too."""
    if not is_so:
        sys.exit(f"fresh venv: {what}")


def check_place() -> None:
    """The package is the installed one, typed, and beside it none of the optional packages is there."""
    folder = Path(war_env.__file__).parent
    check(folder.parent.name == "site-packages", f"war_env was imported from {folder}")
    check((folder / "py.typed").is_file(), "py.typed is missing")
    found = [name for name in OPTIONAL if find_spec(name) is not None]
    check(not found, f"{found} are installed: this check is for the dependencies alone")


def play(name: str, **options: Any) -> None:
    """One episode of one id to its end, by legal random actions."""
    env = gym.make(name, **options)
    _, info = env.reset(seed=0)
    env.action_space.seed(0)
    steps, total, is_over = 0, 0.0, False
    while not is_over:
        action = env.action_space.sample(info["action_mask"])
        _, reward, terminated, truncated, info = env.step(action)
        steps, total, is_over = steps + 1, total + reward, terminated or truncated
    ending = info["reason"] if "reason" in info else f"{info['units']:g} units"
    print(f"{name:<18} {steps:>5} steps, return {total:+g}, {ending}")


def play_many(name: str) -> None:
    """64 games in one vector, until as many episodes have ended."""
    envs = gym.make_vec(name, num_envs=64)
    envs.reset(seed=0)
    ended = 0
    while ended < 64:
        _, _, terminated, _, _ = envs.step(envs.unwrapped.sample_actions())
        ended += int(terminated.sum())
    print(f"{name:<18} 64 rows, {ended} episodes")


def refused(what: str, extra: str, use: Any) -> None:
    """Something optional that is not installed says which extra brings it."""
    try:
        use()
    except Exception as error:  # an ImportError, Gymnasium's DependencyNotInstalled, or one of ours
        check(f"pip install 'war_env[{extra}]'" in str(error), f"{what} does not name its extra: {error!r}")
    else:
        check(False, f"{what} works without the extra {extra}")
    print(f"{what:<34} asks for war_env[{extra}]")


def import_module(name: str) -> Any:
    """A call that imports a module."""
    return lambda: __import__(name)


def main() -> None:
    """All checks."""
    check_place()
    for name in (*(preset.id for preset in war_env.PRESETS), "CasinoWar-v0"):
        play(name)
        play_many(name)
    play("War-v0", opponent="reserve", render_mode="ansi")
    mean = war_env.simulate(war_env.get_rules("classic"), games=1_000, seed=0).summary()["mean"]
    check(200 < mean < 270, f"a classic game has {mean} battles")
    refused("war_env.sb3", "sb3", import_module("war_env.sb3"))
    refused("war_env.parallel_env", "pettingzoo", import_module("war_env.parallel_env"))
    refused("render_mode='rgb_array'", "render", lambda: gym.make("War-v0", render_mode="rgb_array"))
    refused("render_mode='human'", "render", lambda: gym.make("CasinoWar-v0", render_mode="human"))
    refused(
        "simulate(progress=True)",
        "experiments",
        lambda: war_env.simulate(war_env.get_rules("classic"), games=100, progress=True),
    )
    print(f"war_env {war_env.__version__} on Python {sys.version.split()[0]}: all as it should be")


if __name__ == "__main__":
    main()
