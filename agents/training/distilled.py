"""A network that plays the equilibrium of a small game, learned from the exact solution."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch

from agents.registry import get_agent
from agents.training.cloning import CloneConfig, clone
from agents.training.nets import layers_of, multilayer
from war_env.errors import checked_int
from war_env.layout import Layout
from war_env.policy import NetworkPolicy
from war_env.presets import get_rules

EQUILIBRIUM = "equilibrium"
Evaluate = Callable[[NetworkPolicy], dict[str, float]]


@dataclass(frozen=True)
class DistilledConfig:
    """How a network learns an equilibrium.

    Attributes:
        preset, options: the rules, of a game that the agent `equilibrium` can solve.
        hidden: units of the hidden layers, ReLU.
        cloning: the views and passes; the other seat plays randomly in half of the games, so that the copy knows what
            to do after any play.
        seed: of games and network.
        evaluations: points of the learning curve.
    """

    preset: str = "WarMini-v0"
    options: dict[str, Any] = field(default_factory=dict)
    hidden: tuple[int, ...] = (128, 128)
    cloning: CloneConfig = field(
        default_factory=lambda: CloneConfig(views=400_000, exploration=0.3, doubt=0.0, epochs=20)
    )
    seed: int = 0
    evaluations: int = 5

    def check(self) -> None:
        """Refuse what cannot run.

        Raises:
            ArgumentError: the message names the field, its value and what is allowed.
        """
        for units in self.hidden:
            checked_int("hidden", units, 1, 65_536)
        checked_int("seed", self.seed, 0, 2**32 - 1)
        checked_int("evaluations", self.evaluations, 1, self.cloning.epochs)
        self.cloning.check()


def distil(
    config: DistilledConfig, evaluate: Evaluate, report: Callable[[int], None] = lambda epochs: None
) -> tuple[NetworkPolicy, list[dict[str, Any]]]:
    """Solve the game, and let a network learn how the equilibrium plays.

    Args:
        config: how.
        evaluate: from a network to the values of one point of the curve.
        report: called with the passes over the views so far.

    Returns:
        The network, which draws from its probabilities, and its learning curve by passes.

    Raises:
        GameTooLargeError: the game cannot be solved exactly.
    """
    config.check()
    rules = get_rules(config.preset, **config.options)
    layout, teacher = Layout(rules), get_agent(EQUILIBRIUM, rules).policy
    torch.manual_seed(config.seed)
    network = multilayer(layout.size, config.hidden, layout.num_actions)
    curve: list[dict[str, Any]] = []

    def policy() -> NetworkPolicy:
        return NetworkPolicy(layers_of(network), True, {"rules": rules.to_dict(), "memory": True})

    def after_epoch(epoch: int) -> None:
        report(epoch)
        if epoch >= (len(curve) + 1) * config.cloning.epochs / config.evaluations:
            curve.append({"epochs": epoch} | evaluate(policy()))

    clone(network, teacher, layout, {"random": 1, teacher: 1}, config.seed, config.cloning, after_epoch)
    return policy(), curve
