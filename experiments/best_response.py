"""How exploitable is an agent at least? Best responses are learned against it, and play it on paired deals.

python -m experiments.best_response --agent champion --preset War-v0
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from agents.registry import Entry, get_agent, get_entry
from agents.training.best_response import STARTS, ResponseConfig, respond
from experiments.arena import arena_rules, block_sizes, play_block, play_games
from experiments.harness import Run, Settings, console, main
from experiments.options import RuleOptions, given_options
from experiments.plots import several_curves
from experiments.report import write_report
from experiments.statistics import PairSums, rate_of
from experiments.training import CURVE_BLOCK
from war_env.errors import ArgumentError, shown, unknown_name
from war_env.layout import Layout
from war_env.policy import NetworkPolicy
from war_env.presets import get_preset
from war_env.weights import save_network

QUICK_GAMES = 2_048


@dataclass
class BestResponseSettings(Settings):
    """Learn best responses to one agent; what the best of them wins is a lower bound of the agent's exploitability."""

    agent: str = "reserve"
    """Agent by name, or path to exported weights."""
    preset: str = "War-v0"
    """Preset by name or id; two seats."""
    starts: tuple[str, ...] = tuple(STARTS)
    """Where responses begin: nothing, agent, reserve (MaskablePPO), playouts (paired playouts)."""
    steps: int = ResponseConfig.steps
    """Environment steps of each training with MaskablePPO."""
    decisions: int = 60_000
    """Decisions tried in each round of playouts."""
    games: int = 20_480
    """Paired games of each response against the agent, an even number."""
    rules: RuleOptions = field(default_factory=RuleOptions)
    """Options of the rules to override."""


def response_config(settings: Any, preset: str, options: dict[str, Any]) -> ResponseConfig:
    """How responses are learned, checked, from settings with steps, decisions, seed and quick."""
    config = ResponseConfig(preset, options, steps=settings.steps, seed=settings.seed)
    config = replace(config, playouts=replace(config.playouts, decisions=settings.decisions))
    config = config.quick() if settings.quick else config
    config.check()
    return config


def respond_and_measure(
    entry: str, start: str, config: ResponseConfig, checkpoints: Path, weights: Path, games: int, seed: int
) -> dict[str, Any]:
    """Learn one response, export it, and play it against the agent.

    Returns:
        start, the keys of `rate_of`, and curve.
    """
    rules = arena_rules(config.preset, config.options)
    layout = Layout(rules)
    agent = get_agent(entry, rules)

    def evaluate(network: NetworkPolicy) -> dict[str, float]:
        network.card.update(rules=rules.to_dict(), memory=True, name="response")
        return {"win_rate": float(np.mean(play_games(network, agent, rules, 0, CURVE_BLOCK, swap=False)[0]))}

    network, curve = respond(agent, start, config, checkpoints, evaluate)
    save_network(weights, network, layout)
    sums = (
        PairSums(**play_block(str(weights), entry, config.preset, config.options, seed, block, pairs))
        for block, pairs in enumerate(block_sizes(games))
    )
    return {"start": start, **rate_of(sum(sums, PairSums())), "curve": curve}


def check_starts(starts: tuple[str, ...]) -> None:
    """Refuse starts that there are not, and none at all."""
    if not starts:
        raise ArgumentError(f"starts={shown(starts)} is not allowed: name at least one of {', '.join(STARTS)}.")
    for start in starts:
        if start not in STARTS:
            raise unknown_name("starts", start, STARTS)


def learned_best_response(
    run: Run, entry: Entry, config: ResponseConfig, games: int, starts: tuple[str, ...] = tuple(STARTS)
) -> dict[str, Any]:
    """The best of several learned responses to one agent.

    Args:
        run: keeps trainings and results; the seed of the games is that of its settings.
        entry: the agent.
        config: how responses are learned.
        games: paired games of each, an even number.
        starts: names of `STARTS`.

    Returns:
        win_rate, low, high and start of the response that wins most, method `learned`, and `responses`: those of all
        starts with their curves.

    Raises:
        UnknownNameError: no such start.
    """
    check_starts(starts)
    tasks: dict[str, tuple[Any, ...]] = {}
    for start in starts:
        name = f"response-{entry.identity}-{start}"
        places = run.checkpoint_folder(name), run.weights_folder / f"{name}.npz"
        tasks[name] = (entry.name, start, config, *places, games, run.settings.seed)
    responses = list(run.map(f"responses to {entry.title}", respond_and_measure, tasks).values())
    best = max(responses, key=lambda response: response["win_rate"])
    kept = {key: best[key] for key in ("win_rate", "low", "high", "start", "games")}
    return {"agent": entry.title, "method": "learned", **kept, "responses": responses}


def response_table(result: dict[str, Any]) -> Table:
    """One line for each start."""
    table = Table(title=f"learned responses to {result['agent']}, win rate %, {result['games']:,} paired games each")
    for column in ("start", "win rate", "95 % interval"):
        table.add_column(column)
    for row in result["responses"]:
        cells = f"{100 * row['win_rate']:.1f}", f"{100 * row['low']:.1f} to {100 * row['high']:.1f}"
        table.add_row(f"{row['start']}: {STARTS[row['start']]}", *cells)
    return table


def run_best_response(settings: BestResponseSettings) -> None:
    """Learn, play, print one table."""
    preset, options = get_preset(settings.preset).id, given_options(settings.rules)
    entry = get_entry(settings.agent, arena_rules(preset, options))
    block_sizes(settings.games)
    check_starts(settings.starts)
    config = response_config(settings, preset, options)
    if settings.quick:
        settings = replace(settings, games=min(settings.games, QUICK_GAMES))
    run = Run("best_response", settings, preset, {entry.title: entry.identity})
    result = learned_best_response(run, entry, config, settings.games, settings.starts)
    rows = [{key: value for key, value in row.items() if key != "curve"} for row in result["responses"]]
    run.finish(result, rows)
    curves = {row["start"]: row["curve"] for row in result["responses"]}
    several_curves(curves, "win_rate", "win rate of the response, %", run.folder / "learning_curve.png")
    console.print(response_table(result))
    console.print(f"Report: {write_report(run.folder)}")


if __name__ == "__main__":
    main(BestResponseSettings, run_best_response)
