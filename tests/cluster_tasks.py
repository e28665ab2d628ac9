"""Tasks for workers of clusters; it imports nothing that would take a worker time."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any


def whereabouts(number: int) -> list[Any]:
    """The process, its threads for linear algebra, and the number."""
    time.sleep(0.2)
    return [os.getpid(), os.environ["OMP_NUM_THREADS"], number]


def die(marker: str, number: int) -> int:
    """Number 2 kills its worker while there is a file `marker`; if it says `once`, it is removed before."""
    path = Path(marker)
    if number == 2 and path.exists():
        if path.read_text() == "once":
            path.unlink()
        time.sleep(0.5)
        os.kill(os.getpid(), signal.SIGKILL)
    return number
