"""Random sequences of calls, and the same games from kernels that were compiled, checked and not compiled."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from experiments.reliability_parts.children import environment, last_line, run, told

MODES = {"compiled": {}, "index checks": {"NUMBA_BOUNDSCHECK": "1"}, "not compiled": {"NUMBA_DISABLE_JIT": "1"}}


def fuzz(seconds: float, seed: int) -> dict[str, Any]:
    """Play random sequences of calls of the machines in tests/ for so long."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tried.json"
        result = run(["-m", "tests.fuzz", "--seconds", str(seconds), "--seed", str(seed), "--out", str(path)])
        if not path.exists():
            return told(1, "rounds", [last_line(result)], "it could not run")
        report = json.loads(path.read_text())
    tried = Counter(report["tried"])
    calls = tried["comparisons"] + tried["steps"] + tried["vector rows stepped"]
    wrong = tried["wrong choices"] + tried["wrong actions"] + tried["wrong vector calls"]
    happened = (
        "no card lost; {twins:,} games equal the slow twin's; {wrong:,} wrong calls refused, nothing changed by them; "
        "{runs:,} runs repeated to the last bit"
    )
    counts = {"twins": tried["twin games"], "wrong": wrong, "runs": tried["equal runs"]}
    return told(calls, "comparisons and steps", report["failures"], happened, **counts)


def modes(count: int, seed: int) -> dict[str, Any]:
    """The same games by kernels of each kind."""
    found, failures = {}, []
    for name, variables in MODES.items():
        arguments = ["-m", "tests.game_digest", "--seed", str(seed), "--count", str(count)]
        result = run(arguments, env=environment(**variables))
        if result.returncode:
            failures.append(f"{name}: {last_line(result)}")
        else:
            found[name] = json.loads(result.stdout)
    for name, digests in found.items():
        differing = [kind for kind in digests if digests[kind] != found.get("compiled", digests)[kind]]
        failures += [f"{name}: other {kind}" for kind in differing]
    kinds = len(found.get("compiled", {}))
    return told(count * kinds * len(MODES), "settings", failures, "the same to the last bit, no index out of bounds")
