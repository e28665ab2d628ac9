"""What only a fresh process shows: the cost of importing, and of the first game with a cold and a warm cache."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

_IMPORT = "import time; t = time.process_time(); import {}; print(time.process_time() - t)"
_FIRST_GAME = """
import sys, time
import gymnasium, war_env
assert "numba" not in sys.modules
import numba
t = time.process_time()
env = gymnasium.make("War-v0")
env.reset(seed=0)
env.step(0)
print(time.process_time() - t)
"""


def _seconds(code: str, **environment: str) -> float:
    root = str(Path(__file__).parent.parent.parent)
    result = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": root, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return float(result.stdout.split()[-1])


def import_seconds(module: str) -> float:
    """CPU seconds of one import in a fresh process."""
    return _seconds(_IMPORT.format(module))


def first_game_seconds() -> tuple[float, float]:
    """CPU seconds of the first make, reset and step, beyond imports: with an empty cache, then with a full one."""
    with tempfile.TemporaryDirectory() as folder:
        return _seconds(_FIRST_GAME, NUMBA_CACHE_DIR=folder), _seconds(_FIRST_GAME, NUMBA_CACHE_DIR=folder)
