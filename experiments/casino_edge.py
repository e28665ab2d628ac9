"""Casino War: the exact edge of the house beside the simulated one, and whether counting cards pays.

python -m experiments.casino_edge --packs 1 6 8
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from agents.casino import CASINO_AGENTS
from agents.solvers.casino_exact import evaluate
from experiments.harness import Run, Settings, console, main
from experiments.plots import casino_counting, casino_edges
from experiments.report import write_report
from experiments.statistics import Z95
from war_env.casino_lanes import CasinoLanes
from war_env.casino_rules import TIE_BET_LOST, TIE_BET_WON, CasinoRules
from war_env.casino_state import RECORD_WORDS, CasinoLayout, make_plan
from war_env.engine.casino_simulation import ALWAYS_SURRENDER, ALWAYS_WAR, COUNTER, SUMS, TIE_BETTOR, simulate_rounds
from war_env.errors import ArgumentError, checked_int
from war_env.policy import Policy
from war_env.seeding import draw_keys, tagged_generator
from war_env.weights import load_network, save_network

POLICIES = {"surrender": ALWAYS_SURRENDER, "war": ALWAYS_WAR, "tie_bet": TIE_BETTOR}
QUICK_ROUNDS, QUICK_EPISODES, QUICK_STEPS = 200_000, 2_048, 131_072
TABLES = 1024  # tables that an agent plays side by side
AGENT_ROUNDS = 200  # rounds of their episodes: several shoes
LEAST_ROUNDS = 100_000  # fewer give intervals by shoe from too few shoes
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
    agent_episodes: int = 102_400
    """Episodes of 200 rounds that each agent plays, of shoes dealt to the last ten cards."""
    steps: int = 2_000_000
    """Environment steps of the trained agent's training."""


def play_rounds(rules: CasinoRules, policy: int, rounds: int, is_fresh: bool, seed: int, cell: int) -> dict[str, int]:
    """The sums of `simulate_rounds` for one block of rounds, by name."""
    sums = np.zeros(len(SUMS), np.int64)
    key = draw_keys(tagged_generator(seed, cell, _TAG))
    words = np.zeros(int(RECORD_WORDS), np.uint64)
    simulate_rounds(words, make_plan(rules), np.uint64(policy), np.uint64(rounds), is_fresh, key, sums)
    return {name: int(value) for name, value in zip(SUMS, sums, strict=True)}


def train_and_save(rules: CasinoRules, steps: int, seed: int, path: Path) -> dict[str, int]:
    """Train an agent and export its weights; needs the extra `sb3`, which is only asked for here."""
    try:
        from agents.training.casino import train_casino
    except ImportError as error:
        raise ArgumentError(f"the trained agent needs the extra: pip install 'war_env[sb3]' ({error}).") from None
    save_network(path, train_casino(rules, steps, seed), CasinoLayout(rules))
    return {"steps": steps, "seed": seed}


def edge_cells(settings: CasinoEdgeSettings) -> list[tuple[str, CasinoRules]]:
    """Policies and rules of the table."""
    return [
        (policy, CasinoRules(packs=packs, bonus=bonus, tie_pays=settings.tie_pays))
        for packs, policy, bonus in product(settings.packs, POLICIES, settings.bonus)
    ]


def edge_row(policy: str, rules: CasinoRules, sums: dict[str, int]) -> dict[str, Any]:
    """Exact beside simulated, per unit of the bet named; the tie bet by the units that it won alone."""
    rounds = sums["rounds"]
    if policy == "tie_bet":
        win, loss = TIE_BET_WON * rules.tie_pays / 2, TIE_BET_LOST / 2
        won, squares = sums["side"] / 2, sums["ties"] * win**2 + (rounds - sums["ties"]) * loss**2
    else:
        won, squares = sums["won"] / 2, sums["won_squares"] / 4
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


def _by_shoe(sums: dict[str, int], total: str, squares: str, products: str) -> tuple[float, float]:
    """Units per round and half the 95 % interval, of a ratio whose unit is the shoe."""
    rounds, shoes = sums["rounds"], sums["shoes"]
    rate = sums[total] / 2 / rounds
    residual = sums[squares] / 4 - rate * sums[products] + rate**2 * sums["rounds_squares"]
    return rate, Z95 * math.sqrt(max(residual, 0.0) * shoes / (shoes - 1)) / rounds


def counter_row(penetration: float, rules: CasinoRules, sums: dict[str, int]) -> dict[str, Any]:
    """What the counter wins per 100 rounds, and what of it counting earns: the tie bets alone; intervals by shoe."""
    rate, half = _by_shoe(sums, "won", "shoe_won_squares", "rounds_won")
    side, side_half = _by_shoe(sums, "side", "shoe_side_squares", "rounds_side")
    return {
        "penetration": penetration,
        "packs": rules.packs,
        "tie_pays": rules.tie_pays,
        "rounds": sums["rounds"],
        "shoes": sums["shoes"],
        "win_per_100": 100 * rate,
        "low": 100 * (rate - half),
        "high": 100 * (rate + half),
        "tie_bet_share": sums["tie_bets"] / sums["rounds"],
        "counting_per_100": 100 * side,
        "counting_low": 100 * (side - side_half),
        "counting_high": 100 * (side + side_half),
    }


def verdict(rows: list[dict[str, Any]]) -> str:
    """A plain sentence on whether counting pays, for the deepest shoe."""
    row = max(rows, key=lambda row: row["penetration"])
    deal = f"With {100 * row['penetration']:.0f} % of {row['packs']} packs dealt the counter"
    interval = f"(95 % interval {row['low']:.2f} to {row['high']:.2f} units per 100 rounds of one unit)"
    worth = (
        f"Counting itself, by tie bets in {100 * row['tie_bet_share']:.3f} % of rounds, earns "
        f"{row['counting_per_100']:.4f} units per 100 rounds ({row['counting_low']:.4f} to {row['counting_high']:.4f})."
    )
    if row["low"] > 0:
        return f"Counting pays. {deal} wins {interval}. {worth}"
    if row["high"] < 0:
        return f"Counting does not pay. {deal} still loses {interval}. {worth}"
    return f"Whether counting pays cannot be told from so few rounds. {deal} may lose or win {interval}. {worth}"


def play_agent(name: str, weights: str, rules: CasinoRules, episodes: int, seed: int) -> dict[str, Any]:
    """Return per round of an agent in the environment, with a 95 % interval over episodes.

    Tables are played to their end in waves: taking the first episodes that finish would favour those with few ties.
    """
    policy: Policy = load_network(weights) if name == "trained" else CASINO_AGENTS[name](rules)
    lanes = CasinoLanes(rules, TABLES)
    rng = tagged_generator(seed, _AGENTS_TAG)
    lanes.seed(lanes.all_rows, draw_keys(rng, TABLES))
    returns, tie_bets = [], 0
    for _ in range(math.ceil(episodes / TABLES)):
        lanes.reset()
        while not lanes.over.all():
            observations, masks = lanes.observe()
            actions = policy.act(observations, masks, rng)
            is_side = (actions >= rules.bet_levels) & (actions < 2 * rules.bet_levels)
            tie_bets += int(np.sum(is_side & ~lanes.over))
            lanes.step(actions)
        returns.append(lanes.endings(lanes.all_rows)["units"])
    units = np.concatenate(returns) / rules.rounds
    error = float(units.std(ddof=1)) / math.sqrt(units.size)
    mean = float(units.mean())
    row = {"agent": name, "episodes": units.size, "per_round": mean, "standard_error": error}
    share = tie_bets / (units.size * rules.rounds)
    row |= {"low": mean - Z95 * error, "high": mean + Z95 * error, "tie_bet_share": share}
    return row | {"exact_full_shoe": exact_return(name, rules)}


def exact_return(name: str, rules: CasinoRules) -> float | None:
    """What an agent of fixed play wins per round of a full shoe; None for the others."""
    bets = {"war": ("war",), "surrender": ("surrender",), "tie_bettor": ("war", "tie_bet")}.get(name)
    return None if bets is None else -float(sum(evaluate(bet, rules).edge for bet in bets))


def compared_rules(settings: CasinoEdgeSettings) -> CasinoRules:
    """The table at which agents are compared: deep enough that there is something to count."""
    return CasinoRules(packs=settings.counter_packs, tie_pays=settings.tie_pays, penetration=1.0, rounds=AGENT_ROUNDS)


def check_settings(settings: CasinoEdgeSettings) -> None:
    """Refuse what cannot be played, before anything is."""
    checked_int("rounds", settings.rounds, LEAST_ROUNDS, 10**10)
    checked_int("agent_episodes", settings.agent_episodes, 2, 10**8)
    checked_int("steps", settings.steps, 1, 10**12)
    checked_int("counter_packs", settings.counter_packs, 1, 8)
    for name in ("packs", "bonus", "penetrations"):
        if not getattr(settings, name):
            raise ArgumentError(f"{name}=() is not allowed: give at least one value.")
    edge_cells(settings)
    for penetration in settings.penetrations:
        CasinoRules(packs=settings.counter_packs, penetration=penetration, tie_pays=settings.tie_pays)


def joined(results: dict[str, dict[str, int]], start: str) -> dict[str, int]:
    """Sums of all blocks of a cell."""
    blocks = [sums for name, sums in results.items() if name.startswith(start)]
    return {name: sum(block[name] for block in blocks) for name in SUMS}


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
    table = compared_rules(settings)
    run.part("training", lambda: train_and_save(table, settings.steps, settings.seed, weights))
    plays = {
        f"agent-{name}": (name, str(weights), table, settings.agent_episodes, settings.seed)
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
    wrong = [f"{row['packs']} packs, {row['policy']}, bonus {row['bonus']}" for row in edges if not row["agrees"]]
    if wrong:
        console.print(f"More than four standard errors from the exact value: {'; '.join(wrong)}.", style="red")
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
    table = Table(
        title="agents: units per 100 rounds of shoes dealt to the last ten cards, 95 % interval over episodes"
    )
    for column in ("agent", "units", "low", "high", "exact, full shoe", "tie bets, % of rounds"):
        table.add_column(column, justify="right")
    for row in sorted(rows, key=lambda row: -row["per_round"]):
        numbers = [f"{100 * row[key]:.3f}" for key in ("per_round", "low", "high")]
        exact = "" if row["exact_full_shoe"] is None else f"{100 * row['exact_full_shoe']:.3f}"
        table.add_row(row["agent"], *numbers, exact, f"{100 * row['tie_bet_share']:.3f}")
    return table


def counting_table(rows: list[dict[str, Any]]) -> Table:
    """The counter's results as a table."""
    table = Table(
        title=f"the counter, {rows[0]['packs']} packs: units per 100 rounds of one unit, 95 % interval by shoe"
    )
    for column in ("penetration", "units", "low", "high", "tie bets, % of rounds", "of it by counting"):
        table.add_column(column, justify="right")
    for row in rows:
        numbers = [f"{row[key]:.3f}" for key in ("win_per_100", "low", "high")]
        counting = f"{row['counting_per_100']:.4f} ± {(row['counting_high'] - row['counting_low']) / 2:.4f}"
        table.add_row(f"{100 * row['penetration']:.0f} %", *numbers, f"{100 * row['tie_bet_share']:.3f}", counting)
    return table


if __name__ == "__main__":
    main(CasinoEdgeSettings, run_casino_edge)
