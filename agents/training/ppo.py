"""MaskablePPO on compiled lanes, with checkpoints that hold plain tensors, and the export to NumPy weights."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

from agents.training.checkpoints import load_curve, load_state, save_state
from agents.training.league import PAST, SELF, League, check_shares
from agents.training.nets import layers_of
from war_env.errors import checked_bool, checked_choice, checked_int, checked_kind, checked_number
from war_env.files import written_whole
from war_env.layout import Layout
from war_env.plan import REWARDS
from war_env.policy import NetworkPolicy
from war_env.presets import get_rules
from war_env.rules import MAX_COUNT
from war_env.sb3 import WarVecEnv
from war_env.seeding import tagged_generator

CHECKPOINT = "checkpoint.npz"
CURVE = "curve.json"
LEAGUE = "league"
MAX_STEPS = 10**12

Evaluate = Callable[[NetworkPolicy], dict[str, float]]


@dataclass(frozen=True)
class PPOConfig:
    """What a training run is made of.

    Attributes:
        preset: the preset trained on.
        options: options of its rules to override.
        opponent: who plays the other seats, as environments take it; in `{name: share}` also `self` and `past`, the
            newest and earlier members of the training's league.
        league_every: updates after which the policy joins the league.
        steps: environment steps in all, over all lanes.
        num_envs: lanes stepped together.
        rollout: steps of each lane between two updates.
        batch_size, epochs, learning_rate, gamma, gae_lambda, entropy, clip: as PPO names them; the rate falls to 0.
        hidden: units of the hidden layers of policy and value, ReLU.
        value_steps: steps at the start in which only the value is learned, so that a policy that was taught is not
            spoilt by a value that knows nothing.
        reward, memory: as for the environments.
        seed: of networks, deals and updates.
        evaluations: points of the learning curve.
    """

    preset: str = "War-v0"
    options: dict[str, Any] = field(default_factory=dict)
    opponent: Any = "random"
    league_every: int = 8
    steps: int = 2_000_000
    num_envs: int = 1024
    rollout: int = 64
    batch_size: int = 8192
    epochs: int = 4
    learning_rate: float = 1e-3
    gamma: float = 1.0
    gae_lambda: float = 0.95
    entropy: float = 0.003
    clip: float = 0.2
    hidden: tuple[int, ...] = (64, 64)
    value_steps: int = 0
    reward: str = "win"
    memory: bool = True
    seed: int = 0
    evaluations: int = 10

    @property
    def has_league(self) -> bool:
        """Whether past selves play the other seat."""
        return isinstance(self.opponent, Mapping) and not {SELF, PAST}.isdisjoint(self.opponent)


def check_config(config: PPOConfig) -> None:
    """Refuse a training that cannot run, before anything is computed.

    Raises:
        ArgumentError: the message names the field, its value and what is allowed.
    """
    for name, low, high in (
        ("steps", 1, MAX_STEPS),
        ("num_envs", 1, 65_536),
        ("rollout", 2, 65_536),
        ("batch_size", 2, MAX_COUNT),
        ("epochs", 1, 1000),
        ("seed", 0, 2**32 - 1),
        ("evaluations", 1, 10_000),
        ("league_every", 1, MAX_COUNT),
        ("value_steps", 0, MAX_STEPS),
    ):
        checked_int(name, getattr(config, name), low, high)
    checked_choice("reward", config.reward, REWARDS)
    checked_bool("memory", config.memory)
    for units in checked_kind("hidden", config.hidden, tuple, "numbers of units"):
        checked_int("hidden", units, 1, 65_536)
    for name, low, high in (("learning_rate", 0, 10), ("gamma", 0, 1), ("gae_lambda", 0, 1), ("entropy", 0, 100)):
        checked_number(name, getattr(config, name), low, high)
    if config.has_league:
        check_shares("opponent", config.opponent)


def make_model(config: PPOConfig) -> MaskablePPO:
    """The model and its environment, untrained."""
    check_config(config)
    torch.set_num_threads(1)  # with small batches more threads only wait for each other
    env = WarVecEnv(
        config.preset,
        config.num_envs,
        opponent="random" if config.has_league else config.opponent,
        reward=config.reward,
        memory=config.memory,
        **config.options,
    )
    env.seed(config.seed)
    return MaskablePPO(
        "MlpPolicy",
        env,
        learning_rate=lambda remaining: config.learning_rate * remaining,
        n_steps=config.rollout,
        batch_size=config.batch_size,
        n_epochs=config.epochs,
        gamma=config.gamma,
        gae_lambda=config.gae_lambda,
        ent_coef=config.entropy,
        clip_range=config.clip,
        policy_kwargs={"net_arch": list(config.hidden), "activation_fn": torch.nn.ReLU},
        seed=config.seed,
        device="cpu",
    )


def to_network(model: MaskablePPO, is_sampling: bool = False, **card: Any) -> NetworkPolicy:
    """The model's policy as a network that NumPy plays; by default it takes the most likely slot."""
    return NetworkPolicy(layers_of(logits_of(model)), is_sampling, card)


def logits_of(model: MaskablePPO) -> torch.nn.Sequential:
    """From observations to logits; it shares the model's parameters."""
    return torch.nn.Sequential(*model.policy.mlp_extractor.policy_net, model.policy.action_net)


def save_checkpoint(model: MaskablePPO, folder: Path, members: int = 0) -> None:
    """Write what resuming needs, as plain arrays, whole or not at all; `members` is the size of the league."""
    state = {
        "steps": model.num_timesteps,
        "updates": model._n_updates,
        "policy": model.policy.state_dict(),
        "optimizer": model.policy.optimizer.state_dict(),
        "members": members,
    }
    save_state(folder / CHECKPOINT, state)


def load_checkpoint(model: MaskablePPO, folder: Path) -> int | None:
    """Go on from a checkpoint, if there is one; only arrays and JSON are read from it.

    Returns:
        The size of the league when it was written, None where there is no checkpoint.

    Raises:
        NotationError: the file is damaged or of another training.
    """
    path = folder / CHECKPOINT
    if not path.exists():
        return None

    def take_over(state: Any) -> int:
        model.policy.load_state_dict(state["policy"])
        model.policy.optimizer.load_state_dict(state["optimizer"])
        model.num_timesteps, model._n_updates = state["steps"], state["updates"]
        model.env.seed(model.seed + state["steps"])
        return int(state["members"])

    return int(load_state(path, take_over))


class _Recorder(BaseCallback):
    """Reports progress, renews the opponents, writes checkpoints and the points of the learning curve."""

    def __init__(
        self, config: PPOConfig, folder: Path, league: League, evaluate: Evaluate, report: Callable[[int], None]
    ) -> None:
        super().__init__()
        self.config, self.folder, self.league, self.evaluate, self.report = config, folder, league, evaluate, report
        self.curve: list[dict[str, float]] = load_curve(folder / CURVE, "seconds")
        self.seconds = self.curve[-1]["seconds"] if self.curve else 0.0
        self.since = time.perf_counter()
        self.updates = 0

    def _on_step(self) -> bool:
        return True

    def _on_rollout_start(self) -> None:
        self.report(self.num_timesteps)
        logits_of(self.model).requires_grad_(self.num_timesteps >= self.config.value_steps)
        if self.config.has_league and self.updates % self.config.league_every == 0:
            self.renew_opponents()
        self.updates += 1
        if self.num_timesteps >= len(self.curve) * self.config.steps / self.config.evaluations:
            self.record()

    def renew_opponents(self) -> None:
        """Let the policy join the league, and draw opponents from it."""
        self.league.add(to_network(self.model, is_sampling=True))
        rng = tagged_generator(self.config.seed, len(self.league.members))
        self.model.env.env_method("set_opponent", self.league.opponents(self.config.opponent, rng))

    def record(self) -> None:
        """Add a point to the curve and write a checkpoint; the time it takes is not counted as training."""
        self.seconds += time.perf_counter() - self.since
        returns = [episode["r"] for episode in self.model.ep_info_buffer or ()]
        point = {"steps": self.model.num_timesteps, "seconds": self.seconds, "return": float(np.mean(returns or [0.0]))}
        self.curve.append(point | self.evaluate(to_network(self.model)))
        save_checkpoint(self.model, self.folder, len(self.league.members))
        with written_whole(self.folder / CURVE) as partial:
            partial.write_text(json.dumps(self.curve))
        self.since = time.perf_counter()


@dataclass
class Trained:
    """What training gives: the network, its learning curve, and how long the learning took."""

    network: NetworkPolicy
    curve: list[dict[str, float]]
    steps: int
    seconds: float


def train(
    config: PPOConfig,
    folder: Path,
    evaluate: Evaluate,
    report: Callable[[int], None],
    teach: Callable[[torch.nn.Module], Any] | None = None,
) -> Trained:
    """Train, or go on with a training that was stopped.

    Args:
        config: the run.
        folder: where checkpoint, curve and league are kept.
        evaluate: from a network to the values of one point of the curve.
        report: called with the steps done so far.
        teach: changes the untrained network of logits into a start, see `cloning.clone`; None starts from nothing.
    """
    folder.mkdir(parents=True, exist_ok=True)
    model = make_model(config)
    members = load_checkpoint(model, folder)
    if members is None and teach is not None:
        teach(logits_of(model))
    league = League(folder / LEAGUE, layout_of(config))
    league.shrink(members or 0)
    recorder = _Recorder(config, folder, league, evaluate, report)
    recorder.model = model
    if model.num_timesteps < config.steps:
        model.learn(config.steps - model.num_timesteps, callback=recorder, reset_num_timesteps=False)
    if not recorder.curve or recorder.curve[-1]["steps"] < model.num_timesteps:
        recorder.record()  # also where the last run was killed between its last checkpoint and that point of the curve
    card = {"config": asdict(config), "steps": model.num_timesteps}
    return Trained(to_network(model, **card), recorder.curve, model.num_timesteps, recorder.seconds)


def layout_of(config: PPOConfig) -> Layout:
    """The observation that a run trains on."""
    return Layout(get_rules(config.preset, **config.options), config.memory)
