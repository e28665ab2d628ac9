"""Make `champion` anew, over several seeds, each measured against the scripted agents.

python -m experiments.champion --preset War-v0 --seeds 5
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from agents.solvers.best_response import Payoffs, agent_exploitability
from agents.solvers.build import build_game
from agents.training.champion import Recipe, check, make, quick, recipe_for
from agents.training.distilled import DistilledConfig
from agents.training.ppo import PPOConfig
from agents.training.regularised import RegularisedConfig
from experiments.arena import arena_rules, block_sizes
from experiments.harness import Run, Settings, console, following_seeds, main
from experiments.options import RuleOptions, command_options, given_options
from experiments.plots import learning_curve, several_curves
from experiments.report import write_report
from experiments.training import curve_point, rate_rows, rate_table, rates_of
from war_env.layout import Layout
from war_env.policy import NetworkPolicy
from war_env.policy_names import SCRIPTED
from war_env.presets import get_preset
from war_env.weights import save_network


@dataclass
class ChampionSettings(Settings):
    """Make champions from several seeds; a stopped run goes on after its last round, but for distilled ones."""

    preset: str = "War-v0"
    """Preset by name or id; two seats."""
    seeds: int = 5
    """Champions made, from seed, seed + 1, ..."""
    recipe: Literal["best", "playouts", "ppo", "regularised", "distilled"] = "best"
    """How they are made; best: what the shipped champion of such rules was made by."""
    games: int = 20_480
    """Paired games of each against each scripted agent, an even number."""
    rules: RuleOptions = field(default_factory=RuleOptions)
    """Options of the rules to override."""


def describe(config: Recipe) -> str:
    """The recipe in one line."""
    if isinstance(config, DistilledConfig):
        return f"the exact equilibrium of {get_preset(config.preset).id}, learned by a network"
    if isinstance(config, RegularisedConfig):
        return f"regularised self-play on {get_preset(config.preset).id}, {config.iterations:,} iterations"
    how = f"MaskablePPO, {config.steps:,} steps" if isinstance(config, PPOConfig) else "paired playouts"
    return f"{how}, against scripted agents and its own past on {get_preset(config.preset).id}"


def evaluation_of(config: Recipe, layout: Layout) -> Callable[[NetworkPolicy], dict[str, float]]:
    """What a point of the curve holds: win rates against scripted agents, in small games the exact exploitability."""
    if not isinstance(config, RegularisedConfig | DistilledConfig):
        return lambda network: curve_point(network, layout)
    payoffs = Payoffs(build_game(layout.rules))
    return lambda network: {"exploitability": agent_exploitability(payoffs, network)}


def make_and_measure(
    config: Recipe, checkpoints: Path, weights: Path, games: int, seed: int, origin: dict[str, Any]
) -> dict[str, Any]:
    """Make one champion, export it, and give its curve and its win rate against each scripted agent."""
    layout = Layout(arena_rules(config.preset, config.options))
    made = make(config, checkpoints, evaluation_of(config, layout))
    made.network.card = {
        "description": describe(config),
        **origin,
        "config": asdict(config),
        "curve": made.curve,
    }
    save_network(weights, made.network, layout)
    return {"curve": made.curve, "rates": rates_of(str(weights), config, games, seed)}


def run_champion(settings: ChampionSettings) -> None:
    """Make them, print one table, name the best against reserve."""
    block_sizes(settings.games)
    preset = get_preset(settings.preset).id
    seeds = following_seeds(settings.seed, settings.seeds)
    config = recipe_for(preset, given_options(settings.rules), settings.recipe)
    check(config)
    if settings.quick:
        config, settings.games, seeds = quick(config), min(settings.games, 2_048), seeds[:1]
    run = Run("champion", settings, preset)
    tasks: dict[str, tuple[Any, ...]] = {}
    more = "" if settings.recipe == "best" else f" --recipe {settings.recipe}"
    more += command_options(settings.rules) + (" --quick" if settings.quick else "")
    for seed in seeds:
        name = f"champion-{seed}"
        one = replace(config, seed=seed)
        command = f"python -m experiments.champion --preset {preset} --seed {seed} --seeds 1{more}"
        origin = {"command": command, "seed": seed, "versions": run.config["versions"]}
        weights = run.weights_folder / f"{name}.npz"
        tasks[name] = (one, run.checkpoint_folder(name), weights, settings.games, settings.seed, origin)
    results = run.map("champions", make_and_measure, tasks)
    rows = rate_rows(results)
    curves = {name: result["curve"] for name, result in results.items()}
    best = best_of(rows, curves)
    run.finish({"rows": rows, "best": best, "curves": curves}, rows)
    draw_curves(curves, best, run.folder / "learning_curve.png")
    console.print(rate_table(rows))
    for name, curve in curves.items():
        if "exploitability" in curve[-1]:
            console.print(f"{name}: exploitability {curve[-1]['exploitability']:.5f}")
    console.print(f"Best: {run.weights_folder / f'{best}.npz'}; {write_report(run.folder)}")


def draw_curves(curves: dict[str, list[dict[str, Any]]], best: str, path: Path) -> None:
    """Exploitability of all champions where it is known, else their win rates."""
    if "exploitability" in curves[best][-1]:
        several_curves(curves, "exploitability", "exploitability, percentage points", path)
    else:
        learning_curve(list(curves.values()), list(SCRIPTED), path)


def best_of(rows: list[dict[str, Any]], curves: dict[str, list[dict[str, Any]]]) -> str:
    """Name of the champion to ship: the least exploitable where that is known, else who wins most against reserve."""
    if all("exploitability" in curve[-1] for curve in curves.values()):
        return min(curves, key=lambda name: float(curves[name][-1]["exploitability"]))
    hard = [row for row in rows if row["against"] == "reserve"]
    return f"champion-{max(hard, key=lambda row: float(row['win_rate']))['seed']}"


if __name__ == "__main__":
    main(ChampionSettings, run_champion)
