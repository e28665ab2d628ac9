"""Runs that are killed, at random moments and at each file they write, and go on."""

from __future__ import annotations

import json
import os
import random
import signal
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from experiments.reliability_parts.children import killed_after, last_line, run, told
from war_env.files import read_arrays, read_json

_TWO = ("--workers", "2")
# What each run computes, small, and the keys of its summary that an undisturbed run gives too.
RUNS: dict[str, tuple[list[str], tuple[str, ...]]] = {
    "tournament": (["--games", "10240", "--agents", "greedy", "reserve", "lowest", *_TWO], ("pairs", "ratings")),
    "game_length": (["--games", "200000", "--face-down", "1", "3", *_TWO], ("rows", "known")),
    "train": (["--steps", "131072", "--preset", "WarMini-v0", "--opponent", "random"], ()),
}


def damaged(folder: Path) -> list[str]:
    """The files of a run that cannot be read; those that are still being written have other names."""
    wrong = []
    for path in sorted(folder.rglob("*")):
        try:
            if path.suffix == ".json":
                read_json(path, path.name, is_strict=False)
            elif path.suffix == ".npz":
                read_arrays(path, path.name)
            elif path.suffix in (".csv", ".png", ".html") and path.stat().st_size == 0:
                wrong.append(str(path))
        except (OSError, ValueError):
            wrong.append(str(path))
    return wrong


def _summary(folder: Path) -> dict[str, Any]:
    summary: dict[str, Any] = json.loads((folder / "summary.json").read_text())
    return summary


def random_kills(name: str, times: int, seed: int) -> dict[str, Any]:
    """Kill a run at random moments, twice before each rerun that may end; compare with a run left in peace."""
    given, keys = RUNS[name]
    command = ["-m", f"experiments.{name}", *given]
    rng, failures, kills, reruns = random.Random(seed), [], 0, 0
    with tempfile.TemporaryDirectory() as base:
        since = time.monotonic()
        calm = Path(base) / "calm"
        result = run([*command, "--out", str(calm)])
        if result.returncode:
            return told(0, "kills", [last_line(result)], "")
        lasts = time.monotonic() - since
        while kills < times:
            folder = Path(base) / f"{reruns}" / "run"
            for _ in range(min(2, times - kills)):
                died, remained = killed_after([*command, "--out", str(folder)], rng.uniform(0.2, 1.0) * lasts)
                if not died:
                    lasts *= 0.8  # it was faster than the first one, which may have compiled kernels
                    break
                kills += 1
                failures += ["processes were left behind"] * remained
                failures += [f"half-written: {path}" for path in damaged(folder)]
            result = run([*command, "--out", str(folder)])
            reruns += 1
            if result.returncode:
                failures.append(last_line(result))
                continue
            failures += [f"half-written: {path}" for path in damaged(folder)]
            failures += [f"other {key}" for key in keys if _summary(folder)[key] != _summary(calm)[key]]
            if name == "train":
                failures += _wrong_curve(_summary(folder), _summary(calm))
    same = "with the numbers of a run left in peace" if keys else "to its last step, with a whole learning curve"
    return told(kills, "kills", failures, f"{{reruns:,}} reruns, each ended {same}", reruns=reruns)


def _wrong_curve(ours: dict[str, Any], calm: dict[str, Any]) -> list[str]:
    """What is wrong with the learning curve of a training that was killed."""
    steps, expected = (
        [point["steps"] for curve in summary["curves"].values() for point in curve] for summary in (ours, calm)
    )
    is_right = steps == sorted(steps) and len(set(steps)) == len(expected) and steps[-1] == expected[-1]
    return [] if is_right else [f"curve at {steps}, not {expected}"]


def kill_at_each_write(make: Callable[[Path], Any], base: Path) -> tuple[int, list[str]]:
    """Kill a run before and after each file that it writes takes its place, and run it again each time.

    Args:
        make: the run, given its folder; it must be one that goes on where it stopped.
        base: an empty folder.

    Returns:
        How many runs were killed, and what was wrong: damaged files, a rerun that failed or gave another summary.
    """
    failures: list[str] = []
    _forked(lambda: make(base / "calm"))
    calm, kills = (base / "calm" / "summary.json").read_bytes(), 0
    for is_after in (False, True):
        for number in range(1, 1000):
            folder = base / f"{number}-{is_after}"
            if _forked(lambda folder=folder: make(folder), number, is_after) == 0:
                break
            kills += 1
            failures += [f"write {number}: half-written {path}" for path in damaged(folder)]
            if _forked(lambda folder=folder: make(folder)):
                failures.append(f"write {number}: the rerun failed")
            elif (folder / "summary.json").read_bytes() != calm:
                failures.append(f"write {number}: another summary")
    return kills, failures


def _forked(work: Callable[[], Any], number: int = 0, is_after: bool = False) -> int:
    """Work in a forked child that dies at its `number`-th write, if it has one; returns how the child ended."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            if number:
                _die_at(number, is_after)
            work()
            code = 0
        finally:
            os._exit(code)
    return os.waitpid(pid, 0)[1]


def _die_at(number: int, is_after: bool) -> None:
    replace, calls = os.replace, 0

    def counted(source: Any, target: Any) -> None:
        nonlocal calls
        calls += 1
        if calls == number and not is_after:
            os.kill(os.getpid(), signal.SIGKILL)
        replace(source, target)
        if calls == number:
            os.kill(os.getpid(), signal.SIGKILL)

    os.replace = counted
