"""Training as a part of an experiment: the learning curve against the scripted agents, progress, export."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from agents.training.ppo import PPOConfig, layout_of, train
from experiments.arena import play_games
from experiments.harness import Run, progress_bar, write_json
from war_env.layout import Layout
from war_env.policy import NetworkPolicy, ScriptedPolicy, get_policy, save_network, weight_paths
from war_env.policy_names import SCRIPTED

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
        `training`: steps, seconds and steps_per_second; `curve`: the points of the learning curve.
    """
    weights = weights_of(run, name)
    if not all(path.exists() for path in weight_paths(weights)):
        run.forget(f"training-{name}")
    result: dict[str, Any] = run.part(f"training-{name}", lambda: _train(run, config, name, description))
    write_json(run.folder / "training.json", result)
    return result


def weights_of(run: Run, name: str) -> Path:
    """Where a run keeps the weights of that name."""
    return run.weights_folder / f"{name}.npz"


def _train(run: Run, config: PPOConfig, name: str, description: str) -> dict[str, Any]:
    layout = layout_of(config)
    with progress_bar("training", config.steps) as advance:
        done = 0

        def report(steps: int) -> None:
            nonlocal done
            advance(min(steps, config.steps) - done)
            done = min(steps, config.steps)

        trained = train(config, run.checkpoint_folder(name), lambda network: curve_point(network, layout), report)
        report(config.steps)
    trained.network.card["description"] = description
    save_network(weights_of(run, name), trained.network, layout)
    speed = trained.steps / max(trained.seconds, 1e-9)
    return {
        "training": {"steps": trained.steps, "seconds": trained.seconds, "steps_per_second": speed},
        "curve": trained.curve,
    }
