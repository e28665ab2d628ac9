"""The main job: train an agent on War-v0, compare it with the scripted ones, write the report.

python -m experiments.benchmark
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from agents.networks import LATEST
from agents.registry import get_entries
from agents.training.ppo import PPOConfig, check_config
from experiments.arena import Budget, arena_rules, block_sizes
from experiments.harness import Run, Settings, console, main, write_text
from experiments.plots import learning_curve, length_histogram, rating_points, win_bars
from experiments.ratings import rate_agents
from experiments.report import write_report
from experiments.tournament import QUICK_GAMES, card_table, pairing_note, play_pairs, rating_table, win_table
from experiments.training import MIX, QUICK_STEPS, STEPS, train_and_export, weights_of
from war_env.policy_names import SCRIPTED

PRESET = "War-v0"


@dataclass
class BenchmarkSettings(Settings):
    """Train MaskablePPO on War-v0 against a mix of scripted agents, then compare it with each on paired deals."""

    steps: int = STEPS
    """Environment steps of the training."""
    games: int = 10_000
    """Games for each two agents, an even number."""


def run_benchmark(settings: BenchmarkSettings) -> None:
    """Train, play, print, write."""
    block_sizes(settings.games)
    if settings.quick:
        settings = replace(settings, steps=min(settings.steps, QUICK_STEPS), games=min(settings.games, QUICK_GAMES))
    config = PPOConfig(preset=PRESET, opponent=MIX, steps=settings.steps, seed=settings.seed, evaluations=20)
    check_config(config)
    run = Run("benchmark", settings, PRESET)
    result = train_and_export(run, config, "trained", f"MaskablePPO against a mix of {', '.join(MIX)}")
    weights = weights_of(run, "trained")
    if not settings.quick:
        write_text(LATEST, f"{weights.resolve()}\n")
    entries = get_entries((str(weights), *SCRIPTED), arena_rules(PRESET, {}))
    rows, lengths, usage = play_pairs(run, entries, PRESET, {}, lambda a, b: Budget(settings.games))
    ratings = rate_agents(rows, settings.seed)
    compared = {"pairs": rows, "ratings": ratings, "usage": usage}
    run.finish({**compared, "training": result["training"], "curve": result["curve"]}, rows)
    length_histogram(lengths, "comparisons", run.folder / "lengths.png")
    win_bars(rows, "trained", run.folder / "win_bars.png")
    learning_curve([result["curve"]], list(SCRIPTED), run.folder / "learning_curve.png")
    rating_points(ratings, run.folder / "ratings.png")
    console.print(win_table(rows))
    console.print(rating_table(ratings))
    console.print(card_table(usage))
    console.print(pairing_note(rows))
    console.print(
        "random and greedy are weak references: reserve (lowest card in a battle, highest in a war) is the one to beat."
    )
    console.print(f"Report: {write_report(run.folder)}")


if __name__ == "__main__":
    main(BenchmarkSettings, run_benchmark)
