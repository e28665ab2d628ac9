"""Stepping rows by several threads: the kernels release Python's lock, so that plain threads run side by side.

Numba's own parallel loops are not used: after the first one a forked child dies ("fork() called from a process
already using GNU OpenMP"), which breaks AsyncVectorEnv, SubprocVecEnv and data loaders. Here the threads belong to
the process that started them, and a forked or unpickled copy starts its own.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

from war_env.errors import checked_int, refused

MIN_ROWS = 4096
MAX_THREADS = 256


class RowThreads:
    """Calls a function for blocks of rows side by side.

    Args:
        num_threads: blocks, at least 2.
        num_rows: rows in all.
    """

    def __init__(self, num_threads: int, num_rows: int) -> None:
        edges = [num_rows * k // num_threads for k in range(num_threads + 1)]
        self._blocks = list(itertools.pairwise(edges))
        self._executor: ThreadPoolExecutor | None = None
        self._process = 0

    def map(self, function: Callable[[int, int], Any]) -> list[Any]:
        """`function(first, last)` for each block; the calling thread takes the first one itself.

        No thread is at work any more when this returns or raises, so that the next call has the rows to itself.
        """
        if self._executor is None or self._process != os.getpid():
            self._executor = ThreadPoolExecutor(len(self._blocks) - 1, "war_env")
            self._process = os.getpid()
        others = [self._executor.submit(function, *block) for block in self._blocks[1:]]
        try:
            own = function(*self._blocks[0])
        finally:
            wait(others)
        return [own, *(other.result() for other in others)]

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_executor": None}


def row_threads(num_threads: Any, num_rows: int) -> RowThreads | None:
    """What steps the rows; None for the calling thread alone.

    Raises:
        ArgumentError: no such number of threads, or more than one for too few rows.
    """
    checked_int("num_threads", num_threads, 1, MAX_THREADS)
    if num_threads == 1:
        return None
    if num_rows < MIN_ROWS:
        raise refused("num_threads", num_threads, f"1 below {MIN_ROWS} rows, here num_envs={num_rows}")
    return RowThreads(int(num_threads), num_rows)
