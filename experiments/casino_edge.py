"""Casino War: the exact edge of the house beside the simulated one, and whether counting cards pays.

python -m experiments.casino_edge --packs 1 6 8
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from rich.table import Table

from agents.casino import CASINO_AGENTS
from agents.solvers.casino_exact import evaluate
from agents.training.casino import STEPS, train_and_save
from experiments.harness import Run, Settings, console, main
from experiments.plots import casino_counting, casino_edges
from experiments.report import write_report
from experiments.statistics import Z95
from war_env.casino_lanes import CasinoLanes
from war_env.casino_rules import CasinoRules
from war_env.casino_state import RECORD_WORDS, make_plan
from war_env.engine.casino import ALWAYS_SURRENDER, ALWAYS_WAR, COUNTER, TIE_BETTOR, simulate_rounds
from war_env.errors import ArgumentError, checked_int
from war_env.policy import Policy, load_network
from war_env.seeding import draw_keys, tagged_generator

POLICIES = {"surrender": ALWAYS_SURRENDER, "war": ALWAYS_WAR, "tie_bet": TIE_BETTOR}
QUICK_ROUNDS, QUICK_EPISODES, QUICK_STEPS = 200_000, 2_048, 131_072
TABLES = 1024  # tables that an agent plays side by side
BLOCK = 5_000_000
_TAG, _AGENTS_TAG = 1, 2


@dataclass
class CasinoEdgeSettings(Settings):
    """Exact and simulated edges of Casino War for packs, policies and bonus; and the counter's win by penetration."""

    packs: tuple[int, ...] = (1, 2, 4, 6, 8)
    """Packs in the shoe, each 1 to 8."""
    bonus: tuple[int, ...] = (0, 1)
    """Antes paid on top for a tie after a tie."""
    tie_pays: int = 10
    """Units that the tie bet wins."""
    rounds: int = 10_000_000
    """Rounds simulated for each cell."""
    penetrations: tuple[float, ...] = (0.25, 0.5, 0.75, 0.9, 1.0)
    """Shares of the shoe that are dealt, for the counter."""
    counter_packs: int = 6
    """Packs in the counter's shoe."""
    agent_episodes: int = 40_960
    """Episodes of 50 rounds that each agent plays."""
    steps: int = STEPS
    """Environment steps of the trained agent's training."""


def play_rounds(rules: CasinoRules, policy: int, rounds: int, is_fresh: bool, seed: int, cell: int) -> list[int]:
    """The sums of `simulate_rounds` for one block of rounds."""
    sums = np.zeros(8, np.int64)
    key = draw_keys(tagged_generator(seed, cell, _TAG))
    words = np.zeros(int(RECORD_WORDS), np.uint64)
    simulate_rounds(words, make_plan(rules), np.uint64(policy), np.uint64(rounds), is_fresh, key, sums)
    return [int(value) for value in sums]


def edge_cells(settings: CasinoEdgeSettings) -> list[tuple[str, CasinoRules]]:
    """Policies and rules of the table."""
    return [
        (policy, CasinoRules(packs=packs, bonus=bonus, tie_pays=settings.tie_pays))
        for packs, policy, bonus in product(settings.packs, POLICIES, settings.bonus)
    ]


def edge_row(policy: str, rules: CasinoRules, sums: list[int]) -> dict[str, Any]:
    """Exact beside simulated, per unit of the bet named.

    The tie bettor's rounds hold its ante and war too, so that the tie bet alone is read off how often ties came.
    """
    rounds, won, squares, ties = sums[0], sums[1] / 2, sums[2] / 4, sums[3]
    if policy == "tie_bet":
        share = ties / rounds
        edge = 1 - share * (rules.tie_pays + 1)
        error = (rules.tie_pays + 1) * math.sqrt(share * (1 - share) / rounds)
    else:
        edge = -won / rounds
        error = math.sqrt((squares / rounds - edge**2) / rounds)
    exact = evaluate(policy, rules)
    return {
        "packs": rules.packs,
        "policy": policy,
        "bonus": rules.bonus,
        "tie_pays": rules.tie_pays,
        "exact": str(exact.edge),
        "edge": float(exact.edge),
        "deviation": exact.deviation,
        "element_of_risk": float(exact.element_of_risk),
        "rounds": rounds,
        "simulated": edge,
        "standard_error": error,
        "agrees": abs(edge - float(exact.edge)) <= 4 * error,
    }


def counter_row(penetration: float, rules: CasinoRules, sums: list[int]) -> dict[str, Any]:
    """What the counter wins per 100 rounds, with a 95 % interval clustered by shoe."""
    rounds, won, _, _, bets, shoes, shoe_squares, shoe_products = sums
    rate = won / 2 / rounds
    # Variance of won - rate * rounds over shoes; rounds of a shoe vary little, so their squares are their mean's.
    residual = shoe_squares / 4 - 2 * rate * shoe_products / 2 + rate**2 * rounds**2 / max(shoes, 1)
    half = Z95 * math.sqrt(max(residual, 0.0)) / rounds
    return {
        "penetration": penetration,
        "packs": rules.packs,
        "tie_pays": rules.tie_pays,
        "rounds": rounds,
        "win_per_100": 100 * rate,
        "low": 100 * (rate - half),
        "high": 100 * (rate + half),
        "tie_bet_share": bets / rounds,
    }


def verdict(rows: list[dict[str, Any]]) -> str:
    """A plain sentence on whether counting pays."""
    packs = rows[0]["packs"]
    paying = [row for row in rows if row["low"] > 0]
    if paying:
        row = max(paying, key=lambda row: row["low"])
        return (
            f"Counting pays: with {100 * row['penetration']:.0f} % of {packs} packs dealt the counter wins "
            f"{row['win_per_100']:.2f} units per 100 rounds."
        )
    row = max(rows, key=lambda row: row["penetration"])
    return (
        f"Counting does not pay: with {100 * row['penetration']:.0f} % of {packs} packs dealt the counter loses "
        f"{-row['win_per_100']:.2f} units per 100 rounds of one unit (95 % interval {-row['high']:.2f} to "
        f"{-row['low']:.2f}); the tie bet is worth making in {100 * row['tie_bet_share']:.3f} % of rounds."
    )


def play_agent(name: str, weights: str, rules: CasinoRules, episodes: int, seed: int) -> dict[str, Any]:
    """Return per round of an agent in the environment, with a 95 % interval over episodes.

    Tables are played to their end in waves: taking the first episodes that finish would favour those with few ties.
    """
    policy: Policy = load_network(weights) if name == "trained" else CASINO_AGENTS[name](rules)
    lanes = CasinoLanes(rules, TABLES)
    rng = tagged_generator(seed, _AGENTS_TAG)
    lanes.seed(lanes.all_rows, draw_keys(rng, TABLES))
    returns = []
    for _ in range(math.ceil(episodes / TABLES)):
        lanes.reset()
        while not lanes.over.all():
            observations, masks = lanes.observe()
            lanes.step(policy.act(observations, masks, rng))
        returns.append(lanes.endings(lanes.all_rows)["units"])
    units = np.concatenate(returns) / rules.rounds
    half = Z95 * float(units.std(ddof=1)) / math.sqrt(units.size)
    mean = float(units.mean())
    return {"agent": name, "episodes": units.size, "per_round": mean, "low": mean - half, "high": mean + half}


def check_settings(settings: CasinoEdgeSettings) -> None:
    """Refuse what cannot be played, before anything is."""
    checked_int("rounds", settings.rounds, 100)
    checked_int("agent_episodes", settings.agent_episodes, 2)
    checked_int("steps", settings.steps, 1)
    for name in ("packs", "bonus", "penetrations"):
        if not getattr(settings, name):
            raise ArgumentError(f"{name}=() is not allowed: give at least one value.")
    edge_cells(settings)
    for penetration in settings.penetrations:
        CasinoRules(packs=settings.counter_packs, penetration=penetration, tie_pays=settings.tie_pays)


def joined(results: dict[str, list[int]], start: str) -> list[int]:
    """Sums of all blocks of a cell."""
    return [
        sum(column) for column in zip(*(sums for name, sums in results.items() if name.startswith(start)), strict=True)
    ]


def run_casino_edge(settings: CasinoEdgeSettings) -> None:
    """Evaluate, simulate, print, write."""
    check_settings(settings)
    if settings.quick:
        settings = replace(
            settings,
            rounds=min(settings.rounds, QUICK_ROUNDS),
            agent_episodes=min(settings.agent_episodes, QUICK_EPISODES),
            steps=min(settings.steps, QUICK_STEPS),
        )
    cells = edge_cells(settings)
    shoes = [
        (share, CasinoRules(packs=settings.counter_packs, penetration=share, tie_pays=settings.tie_pays))
        for share in settings.penetrations
    ]
    run = Run("casino_edge", settings, "CasinoWar-v0")
    tasks: dict[str, tuple[Any, ...]] = {}
    jobs = [(f"edge-{k}", rules, int(POLICIES[policy]), True) for k, (policy, rules) in enumerate(cells)]
    jobs += [(f"counter-{k}", rules, int(COUNTER), False) for k, (_, rules) in enumerate(shoes)]
    for job, (name, rules, policy, is_fresh) in enumerate(jobs):
        for block, first in enumerate(range(0, settings.rounds, BLOCK)):
            rounds = min(BLOCK, settings.rounds - first)
            tasks[f"{name}-{block}"] = (rules, policy, rounds, is_fresh, settings.seed, 1000 * job + block)
    weights = run.weights_folder / "trained.npz"
    if not weights.exists():
        run.forget("training")
    run.part("training", lambda: train_and_save(CasinoRules(), settings.steps, settings.seed, weights))
    plays = {
        f"agent-{name}": (name, str(weights), CasinoRules(), settings.agent_episodes, settings.seed)
        for name in (*CASINO_AGENTS, "trained")
    }
    agents = list(run.map("agents", play_agent, plays).values())
    results = run.map("rounds", play_rounds, tasks)
    edges = [edge_row(policy, rules, joined(results, f"edge-{k}-")) for k, (policy, rules) in enumerate(cells)]
    counting = [counter_row(share, rules, joined(results, f"counter-{k}-")) for k, (share, rules) in enumerate(shoes)]
    sentence = verdict(counting)
    run.finish({"edges": edges, "counting": counting, "agents": agents, "verdict": sentence}, edges)
    casino_edges(edges, run.folder / "casino_edges.png")
    casino_counting(counting, run.folder / "casino_counting.png")
    console.print(edge_table(edges))
    console.print(counting_table(counting))
    console.print(agents_table(agents))
    console.print(sentence)
    console.print(f"Report: {write_report(run.folder)}")


def edge_table(rows: list[dict[str, Any]]) -> Table:
    """The house's edges as a table."""
    table = Table(title="edge of the house per unit of the bet named, %")
    for column in ("packs", "policy", "bonus", "exact", "%", "simulated", "± se"):
        table.add_column(column, justify="right", no_wrap=True)
    for row in rows:
        numbers = (f"{100 * row['edge']:.4f}", f"{100 * row['simulated']:.4f}", f"{100 * row['standard_error']:.4f}")
        table.add_row(str(row["packs"]), row["policy"], str(row["bonus"]), row["exact"], *numbers)
    return table


def agents_table(rows: list[dict[str, Any]]) -> Table:
    """Return per round of the agents."""
    table = Table(title="units per 100 rounds in CasinoWar-v0, 95 % interval over episodes")
    for column in ("agent", "units", "low", "high"):
        table.add_column(column, justify="right")
    for row in sorted(rows, key=lambda row: -row["per_round"]):
        table.add_row(row["agent"], *(f"{100 * row[key]:.2f}" for key in ("per_round", "low", "high")))
    return table


def counting_table(rows: list[dict[str, Any]]) -> Table:
    """The counter's results as a table."""
    table = Table(
        title=f"the counter, {rows[0]['packs']} packs: units per 100 rounds of one unit, 95 % interval by shoe"
    )
    for column in ("penetration", "units", "low", "high", "rounds with a tie bet"):
        table.add_column(column, justify="right")
    for row in rows:
        numbers = (f"{row['win_per_100']:.3f}", f"{row['low']:.3f}", f"{row['high']:.3f}")
        table.add_row(f"{100 * row['penetration']:.0f} %", *numbers, f"{100 * row['tie_bet_share']:.3f} %")
    return table


if __name__ == "__main__":
    main(CasinoEdgeSettings, run_casino_edge)
