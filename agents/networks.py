"""Trained agents: every `.npz` and `.json` in agents/trained, and `trained`, the one that `make benchmark` trains."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

from agents.base import AgentSpec
from war_env.errors import UnknownNameError
from war_env.policy import Policy, get_policy
from war_env.rules import Rules

TRAINED_FOLDER = Path(__file__).parent / "trained"
# Written by the benchmark: the path of the weights that `trained` stands for.
LATEST = TRAINED_FOLDER / "latest_benchmark.txt"


def _make(path: Path, rules: Rules, memory: bool) -> Policy:
    return get_policy("agent", path, rules, memory)


def _description(path: Path) -> str:
    return str(json.loads(path.with_suffix(".json").read_text()).get("description", "exported weights"))


def benchmark_weights() -> Path:
    """The weights that the last benchmark trained.

    Raises:
        UnknownNameError: there are none.
    """
    path = Path(LATEST.read_text().strip()) if LATEST.exists() else None
    if path is None or not path.exists():
        raise UnknownNameError("agent='trained' is not there yet: `make benchmark` trains it.")
    return path


def _make_benchmarked(rules: Rules, memory: bool) -> Policy:
    return _make(benchmark_weights(), rules, memory)


AGENTS = [
    AgentSpec(path.stem, _description(path), partial(_make, path), is_trained=True, weights=partial(Path, path))
    for path in sorted(TRAINED_FOLDER.glob("*.npz"))
]
AGENTS.append(
    AgentSpec(
        "trained",
        "MaskablePPO against a mix of scripted agents",
        _make_benchmarked,
        is_trained=True,
        weights=benchmark_weights,
    )
)
