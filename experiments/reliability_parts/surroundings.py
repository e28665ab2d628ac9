"""Full disks, files that may not grow, and folders that cannot be written to."""

from __future__ import annotations

import json
import resource
import tempfile
from pathlib import Path
from typing import Any

from experiments.reliability_parts.children import last_line, mounted, remount, run, told
from experiments.reliability_parts.killing import RUNS, damaged

# What each run computes here.
SMALL = {
    "tournament": ["--games", "2048", "--agents", "greedy", "lowest", "reserve", "--workers", "1"],
    "game_length": ["--games", "60000", "--workers", "1"],
    "train": ["--steps", "32768", "--preset", "WarMini-v0", "--opponent", "random"],
}


def _is_told(result: Any) -> bool:
    """Whether a run ended by an error in words."""
    return result.returncode == 2 and "error: " in result.stdout and "Traceback" not in result.stdout + result.stderr


def _parts(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(folder.glob("parts/*.json"))}


def full_disk(name: str, size: int) -> dict[str, Any]:
    """A run on a disk that is full after so many bytes, and again when there is room."""
    command = ["-m", f"experiments.{name}", *SMALL[name]]
    with tempfile.TemporaryDirectory() as base:
        disk, calm = Path(base) / "disk", Path(base) / "calm"
        disk.mkdir()
        with mounted(disk, "-t", "tmpfs", "-o", f"size={size}", "tmpfs") as is_mounted:
            if not is_mounted:
                return told(0, "runs", [], "not tried: it needs the right to mount")
            run([*command, "--out", str(calm)])
            failures = _fill(name, [*command, "--out", str(disk / "run")], disk, calm)
    return told(1, "runs", failures, "one line says that no space is left; finished parts stay; the rerun ends")


def _fill(name: str, command: list[str], disk: Path, calm: Path) -> list[str]:
    folder = disk / "run"
    result = run(command)
    if result.returncode == 0:
        return [f"{name}: the disk was never full"]
    failures = [] if _is_told(result) else [f"{name}: {last_line(result)}"]
    failures += [f"{name}: half-written {path}" for path in damaged(folder)]
    before = _parts(folder)
    remount(disk, "size=50m")
    result = run(command)
    if result.returncode:
        return [*failures, f"{name}, rerun: {last_line(result)}"]
    if not before.items() <= _parts(folder).items():
        failures.append(f"{name}: finished parts were lost")
    first, second = (json.loads((path / "summary.json").read_text()) for path in (folder, calm))
    return failures + [f"{name}: other {key}" for key in RUNS[name][1] if first[key] != second[key]]


def small_files(limit: int) -> dict[str, Any]:
    """A run whose files may not grow beyond so many bytes, then one without that limit; needs no rights."""
    with tempfile.TemporaryDirectory() as base:
        folder = Path(base) / "run"
        command = ["-m", "experiments.tournament", *SMALL["tournament"], "--out", str(folder)]
        result = run(command, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        failures = [] if _is_told(result) else [last_line(result) or "accepted"]
        failures += [f"half-written: {path}" for path in damaged(folder)]
        before = _parts(folder)
        result = run(command)
        if result.returncode or not before or before != _parts(folder):
            failures.append(f"rerun: {last_line(result)}")
    return told(1, "runs", failures, "one line says that the file is too large; the rerun ends")


def no_folder() -> dict[str, Any]:
    """Results that are to go into a file, below a file, and onto a disk that cannot be written to."""
    failures, tries = [], 0
    with tempfile.TemporaryDirectory() as base:
        blocker, disk = Path(base) / "file", Path(base) / "disk"
        blocker.write_text("mine")
        disk.mkdir()
        with mounted(disk, "-t", "tmpfs", "-o", "ro", "tmpfs") as is_mounted:
            for folder in (blocker, blocker / "below", *([disk / "run"] if is_mounted else [])):
                tries += 1
                result = run(["-m", "experiments.tournament", *SMALL["tournament"], "--out", str(folder)])
                if not _is_told(result) or blocker.read_text() != "mine":
                    failures.append(f"{folder.name}: {last_line(result)}")
    return told(tries, "runs", failures, "one line says which folder; nothing is changed")
