"""Best responses learned against one frozen agent: what they win is a lower bound of how exploitable it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from agents.training.champion import ChampionConfig, Evaluate, Round, make_champion
from agents.training.cloning import CloneConfig, clone
from agents.training.playouts import PlayoutConfig
from agents.training.ppo import MAX_STEPS, PPOConfig, layout_of, train
from war_env.errors import checked_int, unknown_name
from war_env.policy import NetworkPolicy, Policy, ScriptedPolicy

NOTHING, AGENT, RESERVE, PLAYOUTS = "nothing", "agent", "reserve", "playouts"
STARTS = {
    NOTHING: "MaskablePPO from an untrained network",
    AGENT: "MaskablePPO from a clone of the agent itself",
    RESERVE: "MaskablePPO from a clone of reserve",
    PLAYOUTS: "two rounds of paired playouts from reserve",
}


@dataclass(frozen=True)
class ResponseConfig:
    """How a best response is learned.

    Attributes:
        preset, options: the rules; two seats.
        steps: environment steps of each training with MaskablePPO.
        num_envs: games side by side in these trainings.
        cloning: how the agent or *reserve* is copied for a start.
        playouts: of the start `playouts`.
        seed: of networks, deals and updates.
        evaluations: points of each learning curve.
    """

    preset: str = "War-v0"
    options: dict[str, Any] = field(default_factory=dict)
    steps: int = 4_000_000
    num_envs: int = 512
    cloning: CloneConfig = field(default_factory=CloneConfig)
    playouts: PlayoutConfig = field(default_factory=PlayoutConfig)
    seed: int = 0
    evaluations: int = 8

    def check(self) -> None:
        """Refuse what cannot run.

        Raises:
            ArgumentError: the message names the field, its value and what is allowed.
        """
        checked_int("steps", self.steps, 1, MAX_STEPS)
        checked_int("num_envs", self.num_envs, 1, 65_536)
        self.cloning.check()
        self.playouts.check()

    def quick(self) -> ResponseConfig:
        """The same, small."""
        cloning = replace(self.cloning, views=8_192, epochs=2)
        return replace(self, steps=65_536, num_envs=256, cloning=cloning, playouts=self.playouts.quick(), evaluations=2)

    def training(self, agent: Policy, start: str) -> PPOConfig:
        """The training that begins from a start."""
        value_steps = 0 if start == NOTHING else self.steps // 8
        return PPOConfig(
            preset=self.preset,
            options=self.options,
            opponent=agent,
            steps=self.steps,
            num_envs=self.num_envs,
            batch_size=4096,
            epochs=2,
            value_steps=value_steps,
            seed=self.seed,
            evaluations=self.evaluations,
        )


def respond(
    agent: Policy,
    start: str,
    config: ResponseConfig,
    folder: Path,
    evaluate: Evaluate,
    report: Callable[[int], None] = lambda done: None,
) -> tuple[NetworkPolicy, list[dict[str, Any]]]:
    """Learn to beat an agent, or go on with a training that was stopped.

    Args:
        agent: who is played against; it does not change.
        start: a name of `STARTS`.
        config: how.
        folder: where the training is kept.
        evaluate: from a network to the values of one point of the curve.
        report: called with the steps, or decisions, done so far.

    Returns:
        The response and its learning curve.

    Raises:
        UnknownNameError: no such start.
    """
    if start not in STARTS:
        raise unknown_name("start", start, STARTS)
    if start == PLAYOUTS:
        rounds = (Round("war", {AGENT: 1.0}), Round("battle", {AGENT: 1.0}))
        recipe = ChampionConfig(config.preset, config.options, rounds, config.playouts, seed=config.seed)
        improved = make_champion(recipe, folder, evaluate, report, {AGENT: agent})
        return improved.network, improved.curve
    training = config.training(agent, start)
    layout = layout_of(training)
    teacher = {NOTHING: None, AGENT: agent, RESERVE: ScriptedPolicy("reserve", layout)}[start]
    teach = None
    if teacher is not None:
        teach = partial(clone, teacher=teacher, layout=layout, opponent=agent, seed=config.seed, config=config.cloning)
    trained = train(training, folder, evaluate, report, teach)
    trained.network.card = {"start": start, "steps": trained.steps}
    return trained.network, trained.curve
