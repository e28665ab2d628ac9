"""Regularised self-play: magnetic mirror descent (Sokota et al., 2023) on what every card of a decision gains.

The policy plays itself. At decisions every card is tried and played out (playouts.py); the policy moves towards cards
that gain, but not far from itself in one iteration, and is drawn to a *magnet*, a slow copy of itself. The pull keeps
it mixed where mixing is what makes it hard to exploit. What is handed out is the average of its play over the training,
learned from views of all iterations, which is less exploitable than the play of any moment.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from agents.training.checkpoints import load_curve, load_state, save_state
from agents.training.in_progress import GamesInProgress
from agents.training.nets import layers_of, multilayer
from agents.training.playouts import try_all
from war_env.errors import checked_int, checked_number
from war_env.files import written_whole
from war_env.layout import Layout
from war_env.policy import NetworkPolicy
from war_env.presets import get_rules
from war_env.rules import MAX_COUNT
from war_env.seeding import tagged_generator

CHECKPOINT, CURVE = "checkpoint.npz", "curve.json"
_LEAST = 1e-8  # of a probability whose logarithm is taken
Evaluate = Callable[[NetworkPolicy], dict[str, float]]


@dataclass(frozen=True)
class RegularisedConfig:
    """What a regularised self-play is made of.

    Attributes:
        preset, options: the rules; two seats.
        iterations: updates of the policy.
        lanes: games at once, each with one decision in each iteration where there is a choice.
        hidden: units of the hidden layers, ReLU.
        batch_size, epochs, learning_rate: of Adam in each iteration; the rate falls to 0.
        step_size: weight of the gains against staying near the last policy; larger moves faster.
        pull: weight of staying near the magnet.
        magnet_every: iterations after which the magnet becomes the policy of that moment; 0 keeps uniform play.
        warm_up: share of the iterations at the start that the average leaves out.
        kept: share of the views that the average is learned from.
        average_epochs: passes over them.
        seed: of networks and games.
        evaluations: points of the learning curve.
    """

    preset: str = "WarMini-v0"
    options: dict[str, Any] = field(default_factory=dict)
    iterations: int = 1000
    lanes: int = 6144
    hidden: tuple[int, ...] = (128, 128)
    batch_size: int = 2048
    epochs: int = 2
    learning_rate: float = 2e-3
    step_size: float = 2.0
    pull: float = 0.02
    magnet_every: int = 75
    warm_up: float = 0.2
    kept: float = 0.15
    average_epochs: int = 8
    seed: int = 0
    evaluations: int = 4

    def check(self) -> None:
        """Refuse what cannot run.

        Raises:
            ArgumentError: the message names the field, its value and what is allowed.
        """
        for name in ("iterations", "lanes", "batch_size", "epochs", "average_epochs", "evaluations"):
            checked_int(name, getattr(self, name), 1, MAX_COUNT)
        for units in self.hidden:
            checked_int("hidden", units, 1, 65_536)
        checked_int("magnet_every", self.magnet_every, 0)
        checked_int("seed", self.seed, 0, 2**32 - 1)
        for name, low, high in (
            ("learning_rate", 0, 10),
            ("step_size", 1e-6, 1e6),
            ("pull", 0, 1e6),
            ("warm_up", 0, 0.99),
            ("kept", 0.001, 1),
        ):
            checked_number(name, getattr(self, name), low, high)


class _SelfPlay:
    """The networks of a training; `checkpoint` and `restore` keep them as plain tensors."""

    def __init__(self, config: RegularisedConfig) -> None:
        self.config, self.iteration = config, 0
        self.layout = Layout(get_rules(config.preset, **config.options))
        torch.manual_seed(config.seed)
        self.net = self._network()
        self.magnet = self._network()
        nn.init.zeros_(self.net[-1].weight)  # uniform play, which is the first magnet too
        nn.init.zeros_(self.net[-1].bias)
        self.magnet.load_state_dict(self.net.state_dict())
        self.optimizer = torch.optim.Adam(self.net.parameters(), config.learning_rate)
        policy, rng = self.policy(), tagged_generator(config.seed, 1)
        self.games = GamesInProgress(policy, self.layout.rules, policy, config.lanes, 0.0, rng)
        self.games.stagger()
        size, slots = self.layout.size, self.layout.num_actions
        self.views = torch.empty(0, size, dtype=torch.float16)  # what the average is learned from,
        self.chances = torch.empty(0, slots, dtype=torch.float16)  # and how it was played; 0 where there is no card

    def _network(self) -> nn.Sequential:
        return multilayer(self.layout.size, self.config.hidden, self.layout.num_actions)

    def policy(self, net: nn.Sequential | None = None, **card: Any) -> NetworkPolicy:
        """A network, by default that of now, as a policy that draws from its probabilities."""
        return NetworkPolicy(
            layers_of(net or self.net), True, {**card, "rules": self.layout.rules.to_dict(), "memory": True}
        )

    def average(self, **card: Any) -> NetworkPolicy:
        """The average of the play so far, weighted by how often it came to a view."""
        config, net = self.config, self._network()
        optimizer = torch.optim.Adam(net.parameters(), config.learning_rate)
        for epoch in range(config.average_epochs):
            optimizer.param_groups[0]["lr"] = config.learning_rate * (1 - epoch / config.average_epochs)
            for rows in torch.randperm(len(self.views)).split(config.batch_size):
                chances = self.chances[rows].float()
                logits = _log_probabilities(net, self.views[rows].float(), chances > 0)
                loss = -(chances * logits).sum(1).mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
        return self.policy(net, **card)

    def remember(self, views: torch.Tensor, chances: torch.Tensor) -> None:
        """Keep a part of the views of an iteration for the average."""
        if self.iteration >= self.config.warm_up * self.config.iterations:
            rows = torch.rand(len(views)) < self.config.kept
            self.views = torch.cat([self.views, views[rows].half()])
            self.chances = torch.cat([self.chances, chances[rows].half()])

    def checkpoint(self, path: Path) -> None:
        """Write what resuming needs, whole or not at all."""
        state = {
            "iteration": self.iteration,
            "net": self.net.state_dict(),
            "magnet": self.magnet.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "views": self.views,
            "chances": self.chances,
        }
        save_state(path, state)

    def restore(self, path: Path) -> None:
        """Go on from a checkpoint; NotationError if it is damaged or of another training."""

        def take_over(state: Any) -> None:
            for name in ("net", "magnet", "optimizer"):
                getattr(self, name).load_state_dict(state[name])
            self.iteration, self.views, self.chances = state["iteration"], state["views"], state["chances"]

        load_state(path, take_over)

    def improve(self) -> None:
        """One iteration: decisions of games against itself, and the update that follows from them."""
        config = self.config
        if config.magnet_every and self.iteration and self.iteration % config.magnet_every == 0:
            self.magnet.load_state_dict(self.net.state_dict())
        policy, games = self.policy(), self.games
        games.policy = policy
        games.lanes.set_opponent(policy)
        games.step()
        rows = games.choices(config.lanes)
        scores = torch.as_tensor(try_all(games.lanes, rows, policy))
        self._update(torch.as_tensor(games.observations[rows]), torch.as_tensor(games.masks[rows] > 0), scores)
        self.iteration += 1

    def _update(self, views: torch.Tensor, masks: torch.Tensor, scores: torch.Tensor) -> None:
        config = self.config
        with torch.no_grad():
            last, magnet = (_log_probabilities(net, views, masks) for net in (self.net, self.magnet))
            self.remember(views, last.exp() * masks)
            gains = torch.where(masks, scores - (last.exp() * scores).sum(1, keepdim=True), 0.0)
        self.optimizer.param_groups[0]["lr"] = config.learning_rate * (1 - self.iteration / config.iterations)
        for _ in range(config.epochs):
            for part in torch.randperm(len(views)).split(config.batch_size):
                now = _log_probabilities(self.net, views[part], masks[part])
                chances = now.exp()
                loss = (
                    -(chances * gains[part]).sum(1)
                    + (chances * (now - last[part])).sum(1) / config.step_size
                    + config.pull * (chances * (now - magnet[part])).sum(1)
                ).mean()
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()


def _log_probabilities(net: nn.Module, views: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
    """Logarithms of the probabilities of all slots, (n, a); those without a card get a very small one."""
    logits = net(views).masked_fill(~masks, -1e9)
    return logits.log_softmax(1).clamp(min=float(np.log(_LEAST)))


def play_itself(
    config: RegularisedConfig, folder: Path, evaluate: Evaluate, report: Callable[[int], None] = lambda done: None
) -> tuple[NetworkPolicy, list[dict[str, Any]]]:
    """Train by regularised self-play, or go on with a training that was stopped.

    Args:
        config: the run.
        folder: where checkpoint and curve are kept.
        evaluate: from a policy to the values of one point of the curve.
        report: called with the iterations done so far.

    Returns:
        The average policy and its learning curve.
    """
    config.check()
    folder.mkdir(parents=True, exist_ok=True)
    play = _SelfPlay(config)
    if (folder / CHECKPOINT).exists():
        play.restore(folder / CHECKPOINT)
    path = folder / CURVE
    curve = [point for point in load_curve(path, "iteration") if point["iteration"] <= play.iteration]
    while True:
        if play.iteration >= len(curve) * config.iterations / config.evaluations:
            policy = play.average() if len(play.views) else play.policy()
            curve.append({"iteration": play.iteration} | evaluate(policy))
            play.checkpoint(folder / CHECKPOINT)
            with written_whole(path) as partial:
                partial.write_text(json.dumps(curve))
        report(play.iteration)
        if play.iteration >= config.iterations:
            return play.average(config=asdict(config)), curve
        play.improve()
