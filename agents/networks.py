"""Trained agents: every pair of `.npz` and `.json` in agents/trained, and `trained`, the one `make benchmark` trains."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

from agents.base import AgentSpec
from war_env.errors import UnknownNameError
from war_env.policy import Policy, get_policy
from war_env.rules import Rules

TRAINED_FOLDER = Path(__file__).parent / "trained"
BENCHMARK_WEIGHTS = Path(__file__).parent.parent / "results" / "benchmark" / "trained.npz"


def _make(path: Path, rules: Rules, memory: bool) -> Policy:
    if not path.exists():
        raise UnknownNameError(f"agent='trained': {path.name} is not there yet; `make benchmark` trains it.")
    return get_policy("agent", path, rules, memory)


def _description(path: Path) -> str:
    return str(json.loads(path.with_suffix(".json").read_text()).get("description", "exported weights"))


AGENTS = [
    AgentSpec(path.stem, _description(path), partial(_make, path), is_trained=True)
    for path in sorted(TRAINED_FOLDER.glob("*.npz"))
]
AGENTS.append(
    AgentSpec(
        "trained", "MaskablePPO against a mix of scripted agents", partial(_make, BENCHMARK_WEIGHTS), is_trained=True
    )
)
