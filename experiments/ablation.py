"""What the memory part of the observation is worth: the same training with and without it, over several seeds.

python -m experiments.ablation
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from agents.training.ppo import PPOConfig, check_config, layout_of, train
from experiments.arena import BLOCK, play_block
from experiments.harness import MAX_SEED, Run, Settings, console, main
from experiments.report import write_report
from experiments.statistics import PairSums, rate_of
from experiments.training import MIX, QUICK_STEPS, STEPS
from war_env.errors import checked_int
from war_env.policy import save_network
from war_env.policy_names import SCRIPTED


@dataclass
class AblationSettings(Settings):
    """Train with and without `memory`, and compare the trained agents with the scripted ones on paired deals."""

    seeds: int = 3
    """Trainings of each kind."""
    steps: int = STEPS
    """Environment steps of each training."""
    blocks: int = 5
    """Blocks of 1,024 paired deals against each scripted agent."""


def train_and_measure(config: PPOConfig, checkpoints: Path, weights: Path, blocks: int, seed: int) -> dict[str, Any]:
    """Train one agent and give its win rate against each scripted agent."""
    trained = train(config, checkpoints, lambda network: {}, lambda steps: None)
    save_network(weights, trained.network, layout_of(config))
    rates = {}
    for name in SCRIPTED:
        sums = (PairSums(**play_block(str(weights), name, config.preset, {}, seed, k, BLOCK)) for k in range(blocks))
        rates[name] = rate_of(sum(sums, PairSums()))
    return {"steps": trained.steps, "rates": rates}


def run_ablation(settings: AblationSettings) -> None:
    """Train, measure, print one table."""
    checked_int("seeds", settings.seeds, 1, 1000)
    checked_int("blocks", settings.blocks, 1, 10**6)
    if settings.quick:
        settings = replace(settings, steps=min(settings.steps, QUICK_STEPS), blocks=1)
    config = PPOConfig(opponent=MIX, steps=settings.steps, evaluations=1)
    check_config(config)
    run = Run("ablation", settings, config.preset)
    tasks = {}
    for memory in (True, False):
        for k in range(settings.seeds):
            name = f"memory-{memory}-{k}"
            one = replace(config, memory=memory, seed=(settings.seed + k) % (MAX_SEED + 1))
            weights = run.weights_folder / f"{name}.npz"
            tasks[name] = (one, run.checkpoint_folder(name), weights, settings.blocks, settings.seed)
    results = run.map("trainings", train_and_measure, tasks)
    rows = [
        {"memory": "-True-" in name, "seed": int(name.rsplit("-", 1)[1]), "against": against, **rate}
        for name, result in results.items()
        for against, rate in result["rates"].items()
    ]
    run.finish({"rows": rows}, rows)
    console.print(ablation_table(rows))
    console.print(f"Report: {write_report(run.folder)}")


def ablation_cells(rows: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    """For each scripted agent its name, and the mean win rate (least to largest) with and without memory."""
    cells = []
    for against in SCRIPTED:
        pair = []
        for memory in (True, False):
            rates = [100 * row["win_rate"] for row in rows if row["memory"] == memory and row["against"] == against]
            pair.append(f"{np.mean(rates):.1f} ({min(rates):.1f} to {max(rates):.1f})")
        cells.append((against, pair[0], pair[1]))
    return cells


def ablation_table(rows: list[dict[str, Any]]) -> Table:
    """The cells as a table."""
    table = Table(title="win rate of the trained agent, %, mean over seeds (least to largest)")
    for column in ("against", "with memory", "without memory"):
        table.add_column(column)
    for cells in ablation_cells(rows):
        table.add_row(*cells)
    return table


if __name__ == "__main__":
    main(AblationSettings, run_ablation)
