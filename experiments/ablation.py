"""What the memory part of the observation is worth: the same training with and without it, over several seeds.

python -m experiments.ablation
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from rich.table import Table

from agents.training.ppo import PPOConfig, check_config
from experiments.arena import BLOCK
from experiments.harness import Run, Settings, console, following_seeds, main
from experiments.plots import memory_bars
from experiments.report import write_report
from experiments.training import MIX, QUICK_STEPS, STEPS, train_and_measure, weights_of
from war_env.errors import checked_int
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


def run_ablation(settings: AblationSettings) -> None:
    """Train, measure, print one table."""
    checked_int("blocks", settings.blocks, 1, 10**6)
    if settings.quick:
        settings = replace(settings, steps=min(settings.steps, QUICK_STEPS), blocks=1)
    seeds = following_seeds(settings.seed, settings.seeds)
    config = PPOConfig(opponent=MIX, steps=settings.steps, evaluations=1)
    check_config(config)
    run = Run("ablation", settings, config.preset)
    tasks = {}
    for memory in (True, False):
        for seed in seeds:
            name = f"memory-{memory}-{seed}"
            one = replace(config, memory=memory, seed=seed)
            places = run.checkpoint_folder(name), weights_of(run, name)
            tasks[name] = (one, *places, f"{name}, of an ablation", 2 * BLOCK * settings.blocks, settings.seed)
    results = run.map("trainings", train_and_measure, tasks)
    rows = [
        {"memory": "-True-" in name, "seed": int(name.rsplit("-", 1)[1]), "against": against, **rate}
        for name, result in results.items()
        for against, rate in result["rates"].items()
    ]
    run.finish({"rows": rows}, rows)
    memory_bars({memory: rates_by_agent(rows, memory) for memory in (True, False)}, run.folder / "memory.png")
    console.print(ablation_table(rows))
    console.print(f"Report: {write_report(run.folder)}")


def rates_by_agent(rows: list[dict[str, Any]], memory: bool) -> dict[str, list[float]]:
    """Win rates of all seeds against each scripted agent."""
    return {
        name: [row["win_rate"] for row in rows if row["memory"] == memory and row["against"] == name]
        for name in SCRIPTED
    }


def ablation_cells(rows: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    """For each scripted agent its name, and the mean win rate (least to largest) with and without memory."""
    with_memory, without = (
        {name: 100 * np.array(rates) for name, rates in rates_by_agent(rows, memory).items()}
        for memory in (True, False)
    )
    texts = [
        [f"{rates.mean():.1f} ({rates.min():.1f} to {rates.max():.1f})" for rates in both]
        for both in zip(with_memory.values(), without.values(), strict=True)
    ]
    return [(name, first, second) for name, (first, second) in zip(SCRIPTED, texts, strict=True)]


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
