"""Small games solved, and agents measured in them exactly; the parts of a run that do so.

Workers find what they call by its module, and what is kept between calls by its name there: none of it may stand in
the module that is run.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from agents.registry import Entry, get_agent
from agents.solvers.best_response import Payoffs, exact_exploitability, exploitability
from agents.solvers.build import build_game
from agents.solvers.equilibrium import equilibrium_policy, find_equilibrium
from agents.solvers.size import GameSize
from agents.solvers.strategies import agent_strategies, known_probabilities, plan
from experiments.harness import Run
from war_env.rules import Rules

EQUILIBRIUM = "equilibrium"


@functools.lru_cache(maxsize=1)
def _payoffs(rules: Rules, max_bytes: int) -> Payoffs:
    return Payoffs(build_game(rules, max_bytes))


def solve(rules: Rules, max_bytes: int, iterations: int) -> dict[str, Any]:
    """The game's value, and the equilibrium as an agent that plays from observations.

    Returns:
        size, method, value, low, high (bounds of the value), exploitability over information sets, and of the agent;
        `best` are the win rates of best responses against the agent in seat 0 and in seat 1.
    """
    payoffs = _payoffs(rules, max_bytes)
    found = find_equilibrium(payoffs, iterations)
    policy, _ = equilibrium_policy(payoffs, found)
    size = payoffs.game.size()
    return {
        "size": {name: getattr(size, name) for name in GameSize.__dataclass_fields__},
        "method": found.method,
        "value": found.value,
        "low": found.low,
        "high": found.high,
        "over_information_sets": found.exploitability,
        "agent": _row(payoffs, policy, 1),
    }


def measure_exactly(name: str, rules: Rules, max_bytes: int, samples: int) -> dict[str, Any]:
    """An agent's exact exploitability; see `_row`."""
    return _row(_payoffs(rules, max_bytes), get_agent(name, rules), samples)


def _row(payoffs: Payoffs, policy: Any, samples: int) -> dict[str, Any]:
    """Exploitability of a policy.

    Returns:
        exploitability, method, low, high; fraction, or None; against_seat_0 and _1, the best response's win rates;
        draws: how often it was asked at each observation, None where its probabilities are known.
    """
    game = payoffs.game
    strategies = agent_strategies(game, policy, samples)
    plans = [plan(form, strategy) for form, strategy in zip(game.seats, strategies, strict=True)]
    gained = exploitability(payoffs, strategies)
    is_known = known_probabilities(policy, game.observations[:1], game.action_masks[:1]) is not None
    exact = exact_exploitability(payoffs, strategies) if is_known else None
    return {
        "exploitability": gained,
        "method": "exact",
        "low": gained,
        "high": gained,
        "fraction": None if exact is None else str(exact),
        "against_seat_0": payoffs.best_response(1, plans[0])[0],
        "against_seat_1": payoffs.best_response(0, plans[1])[0],
        "draws": None if is_known else samples,
    }


def exact_rows(
    run: Run, entries: Sequence[Entry], preset: str, rules: Rules, max_bytes: int, samples: int, iterations: int
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The solution of a game, see `solve`, and a row for each agent, see `_row`, the least exploitable first."""
    solution = run.part(f"solution-{preset}", lambda: solve(rules, max_bytes, iterations))
    tasks = {
        f"exact-{preset}-{entry.identity}": (entry.name, rules, max_bytes, samples)
        for entry in entries
        if entry.name != EQUILIBRIUM
    }
    found = run.map(f"best responses on {preset}", measure_exactly, tasks)
    found[f"exact-{preset}-{EQUILIBRIUM}"] = solution.pop("agent")
    rows = [{"agent": entry.title, **found[f"exact-{preset}-{entry.identity}"]} for entry in entries]
    return solution, sorted(rows, key=lambda row: float(row["exploitability"]))
