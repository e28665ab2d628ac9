"""Child processes of the reliability experiment, and what an item of it reports."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent
TIMEOUT = 1_800  # seconds


def told(tries: int, unit: str, failures: Sequence[str], happened: str, **counts: float) -> dict[str, Any]:
    """What one piece of an item reports.

    Args:
        tries: how often it was tried.
        unit: what is counted.
        failures: what went wrong, one text each.
        happened: what happened otherwise, in a few words; `{name:,}` stands for a count.
        **counts: counts that add up over the pieces.
    """
    return {"tries": tries, "unit": unit, "failures": list(failures), "happened": happened, "counts": counts}


def together(pieces: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Several pieces of an item as one."""
    names = dict.fromkeys(name for piece in pieces for name in piece["counts"])
    counts = {name: sum(piece["counts"].get(name, 0) for piece in pieces) for name in names}
    failures = [failure for piece in pieces for failure in piece["failures"]]
    tries = sum(piece["tries"] for piece in pieces)
    happened = pieces[-1]["happened"].format_map(counts)
    return told(tries, pieces[-1]["unit"], failures, happened, **counts)


def environment(**changes: str | None) -> dict[str, str]:
    """This process's environment with the checkout on the path; None removes a variable."""
    kept = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200"}
    for name, value in changes.items():
        kept.pop(name, None)
        if value is not None:
            kept[name] = value
    return kept


def run(arguments: Sequence[str], cwd: Path = ROOT, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run this Python with arguments until it ends; text in and out."""
    options.setdefault("env", environment())
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, timeout=TIMEOUT, **options)


@contextmanager
def mounted(folder: Path, *options: str) -> Iterator[bool]:
    """`mount *options FOLDER` while the block runs; gives whether this process may do that."""
    is_mounted = _says_yes(["mount", *options, str(folder)])
    try:
        yield is_mounted
    finally:
        if is_mounted:
            subprocess.run(["umount", str(folder)], check=True, capture_output=True)


def remount(folder: Path, options: str) -> bool:
    """Change how a folder is mounted; returns whether that worked."""
    return _says_yes(["mount", "-o", f"remount,{options}", str(folder)])


def _says_yes(command: list[str]) -> bool:
    try:
        return subprocess.run(command, check=False, capture_output=True).returncode == 0
    except OSError:
        return False


def last_line(result: subprocess.CompletedProcess[str]) -> str:
    """The last line that a process wrote, of its errors if there are any."""
    lines = (result.stderr.strip() or result.stdout.strip()).splitlines()
    return lines[-1] if lines else ""


def killed_after(arguments: Sequence[str], seconds: float, patience: float = 60.0) -> tuple[bool, bool]:
    """Start this Python in a session of its own, silently, and kill it (-9), and it alone, after so long.

    Args:
        arguments: what it is started with.
        seconds: when it is killed.
        patience: seconds in which all that it had started must end by itself; then it is killed as well.

    Returns:
        Whether it was still at work, and whether something was left behind.
    """
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(
        [sys.executable, *arguments], cwd=ROOT, env=environment(), start_new_session=True, **quiet
    )
    try:
        time.sleep(seconds)
        was_alive = process.poll() is None
        process.kill()
        process.wait()
        until = time.monotonic() + patience
        while time.monotonic() < until and _is_group(process.pid):
            time.sleep(0.1)
    finally:
        remained = _is_group(process.pid)
        if remained:
            os.killpg(process.pid, signal.SIGKILL)
    return was_alive, remained


def _is_group(number: int) -> bool:
    try:
        os.killpg(number, 0)
    except ProcessLookupError:
        return False
    return True
