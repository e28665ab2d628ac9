"""A long run of one vector: memory, invariants, and how often episodes end.

python -m experiments.reliability_parts.soak strategic 250000000 0
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from experiments.reliability_parts.children import last_line, run, told
from experiments.reliability_parts.conservation import lost_games
from war_env import WarVectorEnv

ROWS = 16_384
POINTS = 10  # of the curves
BANK = 64  # arrays of actions that are played again and again
GROWTH = 4.0  # megabytes between the first point and the last that are no leak yet
SETTLED = 100_000_000  # steps after which the curves are judged: rows that start together end at times of their own
DRIFT = 0.05  # share by which the episodes of a tenth may differ from those of another


def memory_now() -> float:
    """Memory of this process, megabytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) / 1024


def soak(preset: str, steps: int, seed: int = 0) -> dict[str, Any]:
    """Step one vector so often, rows counted; returns the curves and what was wrong."""
    envs = WarVectorEnv(preset, ROWS, opponent={"random": 1, "reserve": 1})
    rng = np.random.default_rng(seed)
    bank = rng.integers(0, envs.single_action_space.n, (BANK, ROWS))
    envs.reset(seed=seed)
    failures: set[str] = set()
    memory, episodes, since = [], [], time.monotonic()
    for _ in range(POINTS):
        ended = 0
        for number in range(steps // ROWS // POINTS):
            observations, _, terminated, _, _ = envs.step(bank[rng.integers(BANK)])
            ended += np.count_nonzero(terminated)
            if number % BANK == 0:
                failures |= _wrong(envs, observations)
        memory.append(round(memory_now(), 1))
        episodes.append(int(ended))
    if steps > SETTLED:
        failures |= unsteady(memory, episodes)
    done = steps // ROWS // POINTS * POINTS * ROWS
    seconds = time.monotonic() - since
    return {"steps": done, "memory": memory, "episodes": episodes, "failures": sorted(failures), "seconds": seconds}


def unsteady(memory: list[float], episodes: list[int]) -> set[str]:
    """What is wrong with the curves: memory that grows after the first point, episodes that come to be others."""
    failures = set()
    if memory[-1] - memory[0] > GROWTH:
        failures.add(f"memory grew from {memory[0]} to {memory[-1]} MB")
    if max(episodes[1:]) > (1 + DRIFT) * min(episodes[1:]):
        failures.add(f"episodes drift: {episodes}")
    return failures


def _wrong(envs: WarVectorEnv, observations: np.ndarray) -> set[str]:
    wrong = set()
    if lost_games(envs._lanes.records.fields, envs.rules).size:
        wrong.add("lost cards")
    if observations.min() < 0 or observations.max() > 1:
        wrong.add("an observation out of its space")
    if not envs.action_masks()[~envs._lanes.over].any(axis=1).all():
        wrong.add("an empty mask")
    return wrong


def soaked(preset: str, steps: int, seed: int) -> dict[str, Any]:
    """The same in a process of its own."""
    result = run(["-m", "experiments.reliability_parts.soak", preset, str(steps), str(seed)])
    if result.returncode:
        return told(0, "steps", [last_line(result)], "")
    found = json.loads(result.stdout)
    ended = sum(found["episodes"])
    curve = ", ".join(f"{megabytes:.0f}" for megabytes in found["memory"])
    text = f"no card lost, {ended:,} episodes without a drift; memory after each tenth: {curve} MB"
    return told(found["steps"], "steps", found["failures"], text)


if __name__ == "__main__":
    print(json.dumps(soak(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
