"""Training as a part of an experiment: seeds, the learning curve against the scripted agents, progress, export."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from agents.training.ppo import PPOConfig, layout_of, train
from experiments.arena import block_sizes, play_block, play_games
from experiments.harness import Run, progress_bar, write_json
from experiments.statistics import PairSums, rate_of
from war_env.layout import Layout
from war_env.policy import NetworkPolicy, ScriptedPolicy
from war_env.policy_names import SCRIPTED
from war_env.weights import get_policy, save_network, weight_paths

CURVE_BLOCK = 1_000_000  # the deals of the curve are no deals of a tournament
STEPS = 4_000_000  # enough on War-v0, about a minute on one core
QUICK_STEPS = 131_072
MIX = {"random": 1.0, "greedy": 1.0, "lowest": 1.0, "median": 1.0}


def curve_point(network: NetworkPolicy, layout: Layout) -> dict[str, float]:
    """Win rate of a network in seat 0 against each scripted agent, over one block of deals."""
    network.card.update(rules=layout.rules.to_dict(), memory=layout.memory, name="learner")
    policy = get_policy("agent", network, layout.rules, memory=True)
    rates = {}
    for name in SCRIPTED:
        opponent = ScriptedPolicy(name, Layout(layout.rules))
        scores, _ = play_games(policy, opponent, layout.rules, 0, CURVE_BLOCK, swap=False)
        rates[name] = float(np.mean(scores))
    return rates


def train_and_export(run: Run, config: PPOConfig, name: str, description: str) -> dict[str, Any]:
    """Train, or take over a finished or stopped training of this run, and export the weights.

    Args:
        run: the run.
        config: the training.
        name: file name of the weights, without its ending, in the run's folder of weights.
        description: one line that goes with them.

    Returns:
        See `train_to`.
    """
    forget_without_weights(run, name)
    places = run.checkpoint_folder(name), weights_of(run, name)
    result: dict[str, Any] = run.part(f"training-{name}", lambda: _shown(train_to, config, *places, description))
    write_json(run.folder / "training.json", result)
    return result


def train_seeds(run: Run, configs: Mapping[str, PPOConfig], description: str, games: int) -> dict[str, dict[str, Any]]:
    """Several trainings side by side, or one that shows its steps; stopped ones go on from their checkpoints.

    Args:
        run: the run; the seed of the games is that of its settings.
        configs: the trainings, by the file names of their weights, without endings.
        description: one line that goes with the weights.
        games: paired games against each scripted agent, an even number.

    Returns:
        What `train_and_measure` gives, by those names.
    """
    tasks: dict[str, tuple[Any, ...]] = {}
    for name, config in configs.items():
        forget_without_weights(run, name)
        places = run.checkpoint_folder(name), weights_of(run, name)
        tasks[f"training-{name}"] = (config, *places, description, games, run.settings.seed)
    if len(tasks) == 1 and run.settings.backend == "loky":
        [(task, arguments)] = tasks.items()
        results = {task: run.part(task, lambda: _shown(train_and_measure, *arguments))}
    else:
        results = run.map("trainings", train_and_measure, tasks)
    return {name: results[f"training-{name}"] for name in configs}


def forget_without_weights(run: Run, name: str) -> None:
    """Let a training whose weights are gone be done again."""
    if not all(path.exists() for path in weight_paths(weights_of(run, name))):
        run.forget(f"training-{name}")


def weights_of(run: Run, name: str) -> Path:
    """Where a run keeps the weights of that name."""
    return run.weights_folder / f"{name}.npz"


def _shown(function: Callable[..., Any], config: PPOConfig, *arguments: Any) -> Any:
    """A training in this process, with its steps as a progress bar."""
    with progress_bar("training", config.steps) as advance:
        done = 0

        def report(steps: int) -> None:
            nonlocal done
            advance(min(steps, config.steps) - done)
            done = min(steps, config.steps)

        return function(config, *arguments, report=report)


def train_to(
    config: PPOConfig,
    checkpoints: Path,
    weights: Path,
    description: str,
    report: Callable[[int], None] = lambda steps: None,
) -> dict[str, Any]:
    """Train, or go on from the checkpoint, and export the weights.

    Args:
        config: the training.
        checkpoints: folder of its checkpoint.
        weights: the file to write.
        description: one line that goes with it.
        report: called with the steps done so far.

    Returns:
        `training`: steps, seconds and steps_per_second; `curve`: the points of the learning curve.
    """
    layout = layout_of(config)
    trained = train(config, checkpoints, lambda network: curve_point(network, layout), report)
    report(config.steps)
    trained.network.card["description"] = description
    save_network(weights, trained.network, layout)
    speed = trained.steps / max(trained.seconds, 1e-9)
    return {
        "training": {"steps": trained.steps, "seconds": trained.seconds, "steps_per_second": speed},
        "curve": trained.curve,
    }


def train_and_measure(
    config: PPOConfig,
    checkpoints: Path,
    weights: Path,
    description: str,
    games: int,
    seed: int,
    report: Callable[[int], None] = lambda steps: None,
) -> dict[str, Any]:
    """`train_to`, and `rates` of the trained agent; see `rates_of` for games and seed."""
    result = train_to(config, checkpoints, weights, description, report)
    return {**result, "rates": rates_of(str(weights), config, games, seed)}


def rates_of(weights: str, config: Any, games: int, seed: int) -> dict[str, dict[str, Any]]:
    """`rate_of` of exported weights against each scripted agent.

    Args:
        weights: the file.
        config: names the rules: preset and options.
        games: paired games against each, an even number.
        seed: which deals.
    """
    rates = {}
    for name in SCRIPTED:
        blocks = enumerate(block_sizes(games))
        sums = (
            PairSums(**play_block(weights, name, config.preset, config.options, seed, block, pairs))
            for block, pairs in blocks
        )
        rates[name] = rate_of(sum(sums, PairSums()))
    return rates


def rate_rows(results: Mapping[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """A row for each seed and opponent, from results with `rates` whose names end with the seed."""
    return [
        {"seed": int(name.rsplit("-", 1)[1]), "against": against, **rate}
        for name, result in results.items()
        for against, rate in result["rates"].items()
    ]


def rate_table(rows: list[dict[str, Any]]) -> Table:
    """Win rates by seed, with their spread."""
    table = Table(title=f"win rate of each seed's agent, %, {rows[0]['games']:,} paired games each")
    table.add_column("against")
    seeds = sorted({row["seed"] for row in rows})
    for seed in seeds:
        table.add_column(f"seed {seed}", justify="right")
    table.add_column("mean (least to largest)", justify="right")
    for against in SCRIPTED:
        cells = {row["seed"]: row for row in rows if row["against"] == against}
        rates = [100 * cells[seed]["win_rate"] for seed in seeds]
        texts = [
            f"{rate:.1f}±{50 * (cells[s]['high'] - cells[s]['low']):.1f}" for s, rate in zip(seeds, rates, strict=True)
        ]
        table.add_row(against, *texts, f"{np.mean(rates):.1f} ({min(rates):.1f} to {max(rates):.1f})")
    return table
