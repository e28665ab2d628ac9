"""What the memory part of the observation is worth: the same training with and without it, over several seeds.

python -m experiments.ablation
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from agents.training.ppo import PPOConfig, layout_of, train
from experiments.arena import BLOCK, play_block
from experiments.benchmark import MIX, QUICK_STEPS
from experiments.harness import Run, Settings, console, main
from experiments.report import write_report
from experiments.statistics import PairSums, rate_of
from war_env.policy import save_network
from war_env.policy_names import SCRIPTED


@dataclass
class AblationSettings(Settings):
    """Train with and without `memory`, and compare the trained agents with the scripted ones on paired deals."""

    seeds: int = 3
    """Trainings of each kind."""
    steps: int = 4_000_000
    """Environment steps of each training."""
    blocks: int = 5
    """Blocks of 1,024 paired deals against each scripted agent."""


def train_and_measure(config: PPOConfig, folder: Path, blocks: int, seed: int) -> dict[str, Any]:
    """Train one agent and give its win rate against each scripted agent."""
    weights = folder / "weights.npz"
    trained = train(config, folder, lambda network: {}, lambda steps: None)
    save_network(weights, trained.network, layout_of(config))
    rates = {}
    for name in SCRIPTED:
        sums = (PairSums(**play_block(str(weights), name, config.preset, {}, seed, k, BLOCK)) for k in range(blocks))
        rates[name] = rate_of(sum(sums, PairSums()))
    return {"steps": trained.steps, "rates": rates}


def run_ablation(settings: AblationSettings) -> None:
    """Train, measure, print one table."""
    run = Run("ablation", settings, label="War-v0")
    steps, blocks = (QUICK_STEPS, 1) if settings.quick else (settings.steps, settings.blocks)
    tasks = {}
    for memory in (True, False):
        for k in range(settings.seeds):
            config = replace(
                PPOConfig(), opponent=MIX, steps=steps, memory=memory, seed=settings.seed + k, evaluations=1
            )
            name = f"memory-{memory}-{k}"
            tasks[name] = (config, run.folder / name, blocks, settings.seed)
    results = run.map("trainings", train_and_measure, tasks)
    rows = [
        {"memory": "-True-" in name, "seed": int(name.rsplit("-", 1)[1]), "against": against, **rate}
        for name, result in results.items()
        for against, rate in result["rates"].items()
    ]
    run.finish({"rows": rows}, rows)
    console.print(ablation_table(rows))
    console.print(f"Report: {write_report(run.folder)}")


def ablation_table(rows: list[dict[str, Any]]) -> Table:
    """Mean win rate over seeds, with the least and the largest, for both kinds."""
    table = Table(title="win rate of the trained agent, %, mean over seeds (least to largest)")
    for column in ("against", "with memory", "without memory"):
        table.add_column(column)
    for against in SCRIPTED:
        cells = []
        for memory in (True, False):
            rates = [100 * row["win_rate"] for row in rows if row["memory"] == memory and row["against"] == against]
            cells.append(f"{np.mean(rates):.1f} ({min(rates):.1f} to {max(rates):.1f})")
        table.add_row(against, *cells)
    return table


if __name__ == "__main__":
    main(AblationSettings, run_ablation)
