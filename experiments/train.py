"""Train one agent with MaskablePPO and export its weights.

python -m experiments.train --preset WarOnePass-v0 --opponent random greedy reserve --steps 2000000
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from agents.training.ppo import PPOConfig, check_config
from experiments.arena import arena_rules
from experiments.harness import Run, Settings, console, main
from experiments.options import RuleOptions, given_options
from experiments.plots import learning_curve
from experiments.report import write_report
from experiments.training import MIX, QUICK_STEPS, STEPS, train_and_export, weights_of
from war_env.errors import ArgumentError, shown
from war_env.opponent_spec import read_opponents
from war_env.policy_names import SCRIPTED
from war_env.presets import get_preset


@dataclass
class TrainSettings(Settings):
    """Train an agent with MaskablePPO; a stopped run goes on from its last checkpoint."""

    preset: str = "War-v0"
    """Preset by name or id; two seats."""
    opponent: tuple[str, ...] = tuple(MIX)
    """Scripted names or paths to exported weights; one is drawn for each episode. Beside `self` and `past`, the newest
    and earlier members of the training's own league, scripted names only."""
    weights: tuple[float, ...] = ()
    """How often each is drawn, relative to the others; equally when not given."""
    steps: int = STEPS
    """Environment steps, over all parallel games."""
    num_envs: int = 1024
    """Parallel games."""
    rollout: int = PPOConfig.rollout
    """Steps of each game between two updates."""
    batch_size: int = PPOConfig.batch_size
    """Steps in a minibatch."""
    epochs: int = PPOConfig.epochs
    """Passes over each rollout."""
    learning_rate: float = PPOConfig.learning_rate
    """Adam's step size at the start; it falls to 0."""
    entropy: float = PPOConfig.entropy
    """Weight of the entropy bonus."""
    hidden: tuple[int, ...] = PPOConfig.hidden
    """Units of the hidden layers."""
    reward: str = "win"
    """win, margin or capture."""
    memory: bool = True
    """Whether the agent sees what an attentive player remembers."""
    rules: RuleOptions = field(default_factory=RuleOptions)
    """Options of the rules to override."""


def config_of(settings: TrainSettings) -> PPOConfig:
    """The training's configuration."""
    shares = settings.weights or (1.0,) * len(settings.opponent)
    if len(shares) != len(settings.opponent):
        raise ArgumentError(
            f"weights={shown(shares)} has {len(shares)} entries: opponent has {len(settings.opponent)}."
        )
    if len(set(settings.opponent)) < len(settings.opponent):
        raise ArgumentError(f"opponent={shown(settings.opponent)} is not allowed: name each once.")
    names = ("num_envs", "rollout", "batch_size", "epochs", "learning_rate", "entropy", "hidden", "reward", "memory")
    return PPOConfig(
        preset=settings.preset,
        options=given_options(settings.rules),
        opponent=dict(zip(settings.opponent, shares, strict=True)),
        steps=settings.steps,
        seed=settings.seed,
        **{name: getattr(settings, name) for name in names},
    )


def run_train(settings: TrainSettings) -> None:
    """Train, export, draw."""
    if settings.quick:
        settings = replace(settings, steps=min(settings.steps, QUICK_STEPS))
    config = config_of(settings)
    check_config(config)
    rules = arena_rules(config.preset, config.options)
    if not config.has_league:  # check_config has seen the others
        read_opponents(config.opponent, rules, config.memory)
    run = Run("train", settings, get_preset(settings.preset).id)
    name = run.folder.name
    result = train_and_export(run, config, name, f"MaskablePPO against {', '.join(settings.opponent)}")
    run.finish(result, result["curve"])
    learning_curve(result["curve"], list(SCRIPTED), run.folder / "learning_curve.png")
    last = result["curve"][-1]
    console.print("  ".join(f"{name} {100 * last[name]:.1f} %" for name in SCRIPTED))
    console.print(f"Weights: {weights_of(run, name)}; report: {write_report(run.folder)}")


if __name__ == "__main__":
    main(TrainSettings, run_train)
