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
BENCHMARKS = Path(__file__).parent.parent / "results" / "benchmark"


def _make(path: Path, rules: Rules, memory: bool) -> Policy:
    return get_policy("agent", path, rules, memory)


def _make_benchmarked(rules: Rules, memory: bool) -> Policy:
    """The weights of the latest benchmark, one that was not `--quick` if there is any."""
    found = sorted(
        BENCHMARKS.glob("*/trained.npz"), key=lambda path: ("-quick" not in path.parent.name, path.stat().st_mtime)
    )
    if not found:
        raise UnknownNameError(
            f"agent='trained' is not there yet: no {BENCHMARKS}/*/trained.npz; `make benchmark` trains it."
        )
    return _make(found[-1], rules, memory)


def _description(path: Path) -> str:
    return str(json.loads(path.with_suffix(".json").read_text()).get("description", "exported weights"))


AGENTS = [
    AgentSpec(path.stem, _description(path), partial(_make, path), is_trained=True)
    for path in sorted(TRAINED_FOLDER.glob("*.npz"))
]
AGENTS.append(AgentSpec("trained", "MaskablePPO against a mix of scripted agents", _make_benchmarked, is_trained=True))
