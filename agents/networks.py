"""Trained agents: those in agents/trained, `champion` for each of its rules, and `trained` of `make benchmark`."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from agents.base import AgentSpec
from war_env.errors import NotationError, UnknownNameError
from war_env.files import read_json, read_text
from war_env.policy import Policy
from war_env.rules import Rules
from war_env.weights import get_policy

TRAINED_FOLDER = Path(__file__).parent / "trained"
# One pair of files for each preset that has a champion.
CHAMPIONS = TRAINED_FOLDER / "champion"
# Written by the benchmark: the path of the weights that `trained` stands for.
LATEST = TRAINED_FOLDER / "latest_benchmark.txt"


def _make(path: Path, rules: Rules, memory: bool) -> Policy:
    return get_policy("agent", path, rules, memory)


def _description(path: Path) -> str:
    try:
        card = read_json(path.with_suffix(".json"), f"weights={str(path)!r}")
    except NotationError:  # told when the weights are loaded
        card = None
    return str(card.get("description", "exported weights")) if isinstance(card, dict) else "exported weights"


def champion_weights(rules: Rules) -> Path:
    """The champion's weights for some rules.

    Raises:
        UnknownNameError: there is no champion for them; the message lists the presets that have one.
    """
    paths = sorted(CHAMPIONS.glob("*.json"))
    for path in paths:
        card = read_json(path, f"weights={str(path)!r}")
        if isinstance(card, dict) and card.get("rules") == rules.to_dict():
            return path.with_suffix(".npz")
    known = ", ".join(path.stem for path in paths) or "none yet"
    raise UnknownNameError(
        f"agent='champion' does not know these rules. Known: {known}; `python -m experiments.champion` makes others."
    )


def _make_champion(rules: Rules, memory: bool) -> Policy:
    return _make(champion_weights(rules), rules, memory)


def benchmark_weights(rules: Rules) -> Path:
    """The weights that the last benchmark trained, whatever the rules.

    Raises:
        UnknownNameError: there are none.
    """
    path = Path(read_text(LATEST, f"latest={str(LATEST)!r}").strip()) if LATEST.exists() else None
    if path is None or not path.exists():
        raise UnknownNameError("agent='trained' is not there yet: `make benchmark` trains it.")
    return path


def _make_benchmarked(rules: Rules, memory: bool) -> Policy:
    return _make(benchmark_weights(rules), rules, memory)


def _always(path: Path, rules: Rules) -> Path:
    return path


AGENTS = [
    AgentSpec(path.stem, _description(path), partial(_make, path), is_trained=True, weights=partial(_always, path))
    for path in sorted(TRAINED_FOLDER.glob("*.npz"))
]
AGENTS += [
    AgentSpec(
        "champion",
        "the strongest for War-v0 and WarOnePass-v0, see docs/champion.md",
        _make_champion,
        is_trained=True,
        weights=champion_weights,
    ),
    AgentSpec(
        "trained",
        "MaskablePPO against a mix of scripted agents",
        _make_benchmarked,
        is_trained=True,
        weights=benchmark_weights,
    ),
]
