"""Train agents with MaskablePPO, export their weights, and compare them with the scripted agents on paired deals.

python -m experiments.train --preset WarOnePass-v0 --opponent random greedy reserve --steps 2000000 --seeds 3
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from agents.training.ppo import PPOConfig, check_config
from experiments.arena import arena_rules, block_sizes
from experiments.harness import Run, Settings, console, following_seeds, main
from experiments.options import RuleOptions, given_options
from experiments.plots import learning_curve
from experiments.report import write_report
from experiments.tournament import QUICK_GAMES
from experiments.training import MIX, QUICK_STEPS, STEPS, rate_rows, rate_table, train_seeds, weights_of
from war_env.errors import ArgumentError, shown
from war_env.opponent_spec import read_opponents
from war_env.policy_names import SCRIPTED
from war_env.presets import get_preset


@dataclass
class TrainSettings(Settings):
    """Train agents with MaskablePPO; a stopped run goes on from its last checkpoint."""

    preset: str = "War-v0"
    """Preset by name or id; two seats."""
    opponent: tuple[str, ...] = tuple(MIX)
    """Scripted names or paths to exported weights; one is drawn for each episode. Beside `self` and `past`, the newest
    and earlier members of the training's own league, scripted names only."""
    weights: tuple[float, ...] = ()
    """How often each is drawn, relative to the others; equally when not given."""
    steps: int = STEPS
    """Environment steps of each training, over all parallel games."""
    seeds: int = 1
    """Trainings, from seed, seed + 1, ...; they go on side by side, and their spread is shown."""
    games: int = 10_240
    """Paired games of each trained agent against each scripted agent, an even number."""
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
    """Train, export, measure, draw."""
    if settings.quick:
        steps, games = min(settings.steps, QUICK_STEPS), min(settings.games, QUICK_GAMES)
        settings = replace(settings, steps=steps, games=games)
    config = config_of(settings)
    check_config(config)
    block_sizes(settings.games)
    seeds = following_seeds(settings.seed, settings.seeds)
    rules = arena_rules(config.preset, config.options)
    if not config.has_league:  # check_config has seen the others
        read_opponents(config.opponent, rules, config.memory)
    run = Run("train", settings, get_preset(settings.preset).id)
    configs = {f"{run.folder.name}-{seed}": replace(config, seed=seed) for seed in seeds}
    results = train_seeds(run, configs, f"MaskablePPO against {', '.join(settings.opponent)}", settings.games)
    rows = rate_rows(results)
    curves = {name: result["curve"] for name, result in results.items()}
    training = [{"seed": seed, **result["training"]} for seed, result in zip(seeds, results.values(), strict=True)]
    run.finish({"rows": rows, "curves": curves, "training": training}, rows)
    learning_curve(list(curves.values()), list(SCRIPTED), run.folder / "learning_curve.png")
    console.print(rate_table(rows))
    console.print(f"Weights: {', '.join(str(weights_of(run, name)) for name in results)}", soft_wrap=True)
    console.print(f"Report: {write_report(run.folder)}")


if __name__ == "__main__":
    main(TrainSettings, run_train)
