"""How fast MaskablePPO learns on compiled lanes and on single environments, and where its time goes."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import gymnasium as gym

try:
    import torch
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.vec_env import DummyVecEnv
except ImportError as error:
    raise ImportError(f"the speed of learning needs its extra: pip install 'war_env[sb3]' ({error})") from error

from experiments.speed_parts.measure import Item
from war_env.sb3 import WarVecEnv

BATCH, EPOCHS = 8192, 4


class Timed:
    """Adds up the CPU seconds of calls of some methods, which it wraps in place."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def wrap(self, owner: Any, name: str, label: str) -> None:
        """Count the time of `owner.name` under a label; a call within a counted call counts for both."""
        inner = getattr(owner, name)

        def call(*args: Any, **kwargs: Any) -> Any:
            start = time.process_time()
            result = inner(*args, **kwargs)
            self.seconds[label] = self.seconds.get(label, 0.0) + time.process_time() - start
            return result

        setattr(owner, name, call)


def _model(env: Any, rollout: int) -> MaskablePPO:
    torch.set_num_threads(1)
    policy = {"net_arch": [64, 64], "activation_fn": torch.nn.ReLU}
    arguments = {"n_steps": rollout, "batch_size": BATCH, "n_epochs": EPOCHS, "policy_kwargs": policy}
    return MaskablePPO("MlpPolicy", env, seed=0, device="cpu", **arguments)


def native() -> MaskablePPO:
    """A model on 1,024 compiled lanes."""
    return _model(WarVecEnv("War-v0", 1024), 64)


def dummy() -> MaskablePPO:
    """A model on eight single environments, stepped in turn by stable-baselines3."""
    return _model(DummyVecEnv([lambda: gym.make("War-v0")] * 8), 1024)


def learning_item(name: str, make: Callable[[], MaskablePPO], repeats: int) -> Item:
    """Steps of learning, everything included."""
    model = make()
    least = model.n_steps * model.n_envs

    def run(units: int) -> int:
        before = model.num_timesteps
        model.learn(units, reset_num_timesteps=False)
        return int(model.num_timesteps - before)

    return Item(name, "step", run, repeats=repeats, least=least)


def where_time_goes(steps: int) -> list[dict[str, Any]]:
    """CPU microseconds a step of MaskablePPO on lanes: the environment (ours), the rest of the rollout, learning."""
    model, timed = native(), Timed()
    model.learn(1)
    timed.wrap(model.env, "step_wait", "environment")
    timed.wrap(model.env, "env_method", "masks")
    timed.wrap(model, "collect_rollouts", "rollout")
    timed.wrap(model, "train", "learning")
    before = model.num_timesteps
    model.learn(steps, reset_num_timesteps=False)
    done = model.num_timesteps - before
    seconds = timed.seconds
    ours = seconds["environment"] + seconds["masks"]
    parts = {
        "environment: steps and infos": seconds["environment"],
        "environment: masks": seconds["masks"],
        "rollout: networks and buffers of stable-baselines3": seconds["rollout"] - ours,
        "learning: gradient steps": seconds["learning"],
    }
    total = sum(parts.values())
    return [{"part": part, "us_per_step": 1e6 * s / done, "share": s / total} for part, s in parts.items()]
