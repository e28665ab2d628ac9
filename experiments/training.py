"""Training as a part of an experiment: the learning curve against the scripted agents, progress, export."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from agents.training.ppo import PPOConfig, Trained, layout_of, train
from experiments.arena import play_games
from experiments.harness import Run, progress_bar, write_json
from war_env.layout import Layout
from war_env.policy import NetworkPolicy, ScriptedPolicy, get_policy, save_network
from war_env.policy_names import SCRIPTED

CURVE_BLOCK = 1_000_000  # the deals of the curve are no deals of a tournament


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


def train_and_export(run: Run, config: PPOConfig, weights: Path, description: str) -> dict[str, Any]:
    """Train, or take over a finished or stopped training of this run, and export the weights.

    Returns:
        `training`: steps, seconds and steps_per_second; `curve`: the points of the learning curve.
    """
    layout = layout_of(config)

    def compute() -> dict[str, Any]:
        with progress_bar("training", config.steps) as advance:
            done = 0

            def report(steps: int) -> None:
                nonlocal done
                advance(steps - done)
                done = steps

            trained = train(config, run.folder / "checkpoint", lambda network: curve_point(network, layout), report)
            report(max(done, config.steps))
        save_network(weights, _carded(trained, description), layout)
        speed = trained.steps / max(trained.seconds, 1e-9)
        result = {
            "training": {"steps": trained.steps, "seconds": trained.seconds, "steps_per_second": speed},
            "curve": trained.curve,
        }
        write_json(run.folder / "training.json", result)
        return result

    result: dict[str, Any] = run.part(f"training-{weights.stem}", compute)
    return result


def _carded(trained: Trained, description: str) -> NetworkPolicy:
    trained.network.card["description"] = description
    return trained.network
