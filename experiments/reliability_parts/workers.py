"""Environments in many processes or threads beside the same ones in this process.

python -m experiments.reliability_parts.workers async spawn 8
"""

from __future__ import annotations

import hashlib
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv

from war_env import WarVectorEnv

ID = "war_env:War-v0"
STEPS = 40


def _digest(parts: list[Any]) -> str:
    return hashlib.sha256(b"".join(np.asarray(part, np.float64).tobytes() for part in parts)).hexdigest()


def _stepped(envs: Any, rows: int, *, has_seed: bool) -> str:
    """Play some steps; what all of them gave."""
    if not has_seed:
        envs.seed(3)
    parts = [envs.reset(seed=3)[0] if has_seed else envs.reset()]
    rng = np.random.default_rng(0)
    for _ in range(STEPS):
        parts += envs.step(rng.integers(0, 5, rows))[:3]
    envs.close()
    return _digest(parts)


def by_gymnasium(context: str, rows: int) -> bool:
    """Whether Gymnasium's processes play as this one does."""
    make = partial(gym.make, ID)
    there = _stepped(AsyncVectorEnv([make] * rows, context=context), rows, has_seed=True)
    return there == _stepped(SyncVectorEnv([make] * rows), rows, has_seed=True)


def by_sb3(context: str, rows: int) -> bool:
    """Whether stable-baselines3's processes play as this one does."""
    from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv

    make = partial(gym.make, ID)
    there = _stepped(SubprocVecEnv([make] * rows, start_method=context), rows, has_seed=False)
    return there == _stepped(DummyVecEnv([make] * rows), rows, has_seed=False)


def _vector_steps(seed: int, rows: int = 64, num_threads: int = 1) -> str:
    return _stepped(WarVectorEnv("strategic", rows, num_threads=num_threads), rows, has_seed=True) + str(seed)


def by_threads(_: str, threads: int) -> bool:
    """Whether threads that step vectors of their own play as one thread does."""
    with ThreadPoolExecutor(threads) as pool:
        found = list(pool.map(_vector_steps, range(threads)))
    return found == [_vector_steps(seed) for seed in range(threads)]


def by_forked_threads(_: str, children: int) -> bool:
    """Whether forked children of a process whose vector has threads at work go on as it does itself."""
    envs = WarVectorEnv("strategic", 4096, num_threads=2)
    envs.reset(seed=0)
    actions = np.zeros(4096, np.int64)
    envs.step(actions)
    pipes = [os.pipe() for _ in range(children)]
    pids = []
    for _, target in pipes:
        pid = os.fork()
        if pid == 0:
            os.write(target, _digest(list(envs.step(actions)[:3])).encode())
            os._exit(0)
        pids.append(pid)
    own = _digest(list(envs.step(actions)[:3]))
    for pid in pids:
        os.waitpid(pid, 0)
    return [os.read(source, 64).decode() for source, _ in pipes] == [own] * children


KINDS = {"async": by_gymnasium, "subproc": by_sb3, "threads": by_threads, "forked": by_forked_threads}

if __name__ == "__main__":
    kind, context, count = sys.argv[1:]
    print(KINDS[kind](context, int(count)))
