"""The main job: train an agent on War-v0, compare it with the scripted ones, write the report.

python -m experiments.benchmark
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from agents.training.ppo import PPOConfig
from experiments.harness import Run, Settings, console, main
from experiments.plots import learning_curve, win_bars, win_matrix
from experiments.report import write_report
from experiments.tournament import play_pairs, win_table
from experiments.training import train_and_export
from war_env.policy_names import SCRIPTED

MIX = {"random": 1, "greedy": 1, "lowest": 1, "median": 1}
CONFIG = PPOConfig(preset="War-v0", opponent=MIX, steps=4_000_000, evaluations=20)
QUICK_STEPS = 131_072


@dataclass
class BenchmarkSettings(Settings):
    """Train MaskablePPO on War-v0 against a mix of scripted agents, then compare it with each on paired deals."""

    steps: int = CONFIG.steps
    """Environment steps of the training."""
    games: int = 10_000
    """Games for each two agents, an even number."""


def run_benchmark(settings: BenchmarkSettings) -> None:
    """Train, play, print, write."""
    run = Run("benchmark", settings, label=CONFIG.preset)
    config = replace(CONFIG, steps=QUICK_STEPS if settings.quick else settings.steps, seed=settings.seed)
    weights = run.folder / "trained.npz"
    result = train_and_export(run, config, weights, "MaskablePPO against a mix of random, greedy, lowest and median")
    names = (str(weights), *SCRIPTED)
    rows = play_pairs(run, names, config.preset, {}, 2_048 if settings.quick else settings.games)
    summary: dict[str, Any] = {"pairs": rows, "training": result["training"], "curve": result["curve"]}
    run.finish(summary, rows)
    win_matrix(rows, run.folder / "win_rates.png")
    win_bars(rows, "trained", run.folder / "win_bars.png")
    learning_curve(result["curve"], list(SCRIPTED), run.folder / "learning_curve.png")
    console.print(win_table(rows))
    console.print(
        "random and greedy are weak references: reserve (lowest card in a battle, highest in a war) is the one to beat."
    )
    console.print(f"Report: {write_report(run.folder)}")


if __name__ == "__main__":
    main(BenchmarkSettings, run_benchmark)
