"""The reliability experiment in small: runs killed at each file they write, limits, packages that are missing."""

from __future__ import annotations

import json
import os
import resource
import time
from pathlib import Path
from typing import Any

import pytest

from experiments.harness import Run, Settings, write_json
from experiments.reliability import PARTS, ReliabilitySettings, item, items, row_of, run_reliability
from experiments.reliability_parts import killing, limits, processes, soak
from experiments.reliability_parts.children import killed_after, told
from war_env import ArgumentError, UnknownNameError, get_rules

EXPERIMENTS = [case for case in processes.MISSING if "run_module" in case[2]]


def squares(number: int) -> int:
    return number * number


def small_run(folder: Path) -> None:
    """A run of three parts that shows nothing."""
    settings = Settings(out=folder, workers=1)
    run = Run("tournament", settings, "x")
    results = run.map("squares", squares, {f"part-{k}": (k,) for k in range(3)})
    run.finish({"sum": sum(results.values())}, [{"result": result} for result in results.values()])


def test_a_run_killed_before_or_after_each_file_it_writes_goes_on(tmp_path: Path) -> None:
    """Six files: config.json, three parts, rows.csv, summary.json; the rerun's summary is that of a run in peace."""
    kills, failures = killing.kill_at_each_write(small_run, tmp_path)
    assert (kills, failures) == (12, [])


def test_a_half_written_file_is_noticed(tmp_path: Path) -> None:
    """What looks for damage is able to say so, and a run that does not go on is a failure."""

    def careless(folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        if (folder / "part.json").exists():
            json.loads((folder / "part.json").read_text())
        (folder / "part.json").write_text("[1, 2")
        write_json(folder / "summary.json", len(list(folder.iterdir())))
        (folder / "part.json").write_text("[1, 2]")

    kills, failures = killing.kill_at_each_write(careless, tmp_path)
    assert kills == 2
    assert sum("half-written" in text for text in failures) == 2
    assert sum("the rerun failed" in text for text in failures) == 2


def test_what_a_killed_run_had_begun_to_write_is_removed(tmp_path: Path) -> None:
    small_run(tmp_path)
    begun = [tmp_path / ".summary.json.99.tmp", tmp_path / "parts" / ".part-1.json.99.tmp"]
    young, foreign = tmp_path / ".rows.csv.98.tmp", tmp_path / ".mine.99.tmp"
    for path in (*begun, young, foreign):
        path.write_text("{")
    for path in (*begun, foreign):
        os.utime(path, (time.time() - 3600,) * 2)
    small_run(tmp_path)
    assert not any(path.exists() for path in begun)
    assert young.exists()
    assert foreign.exists()


def test_a_file_that_may_not_grow_leaves_the_earlier_one(tmp_path: Path) -> None:
    """As on a full disk: an OSError, and neither half a file nor the loss of the old one."""
    path = tmp_path / "value.json"
    write_json(path, {"a": 1})
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        with pytest.raises(OSError, match="File too large"):
            write_json(path, {"a": "b" * 5000})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert json.loads(path.read_text()) == {"a": 1}
    assert os.listdir(tmp_path) == ["value.json"]


@pytest.mark.parametrize(
    "case", [case for case in processes.MISSING if "run_module" in case[2]], ids=lambda case: case[0]
)
def test_an_experiment_without_its_packages_names_the_extra(
    case: tuple[str, list[str], str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "MISSING", [case])
    report = processes.missing(is_quick=False)
    assert report["tries"] == 1
    assert report["failures"] == []


def test_the_largest_games_in_small() -> None:
    """Ten seats; a deck of each size from 4 to 64 cards; rows beside single environments."""
    assert {len(rules.cards) for rules in limits.decks()} == set(range(4, 65))
    assert limits.play_rows(get_rules("classic", players=10, hand_size=2, max_battles=30), 16, 20, 0) == []
    report = limits.every_deck(steps=5, every=60)
    assert report["tries"] > 20
    assert report["failures"] == []


def test_a_short_soak_reports_its_curves() -> None:
    found = soak.soak("one_pass", 20 * soak.ROWS)
    assert found["steps"] == 20 * soak.ROWS
    assert len(found["memory"]) == len(found["episodes"]) == soak.POINTS
    assert found["failures"] == []
    assert soak.unsteady([200.0, 201.0, 202.0], [1, 100, 102]) == set()
    assert len(soak.unsteady([200.0, 250.0, 300.0], [1, 100, 110])) == 2


def test_every_part_has_items_and_a_failure_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One item that fails: a row, exit code 1, and the item is tried again; nothing else is."""
    found = items(ReliabilitySettings())
    assert {one.part for one in found.values()} == set(PARTS)
    tries: list[str] = []

    def tried(name: str, failures: list[str]) -> dict[str, Any]:
        tries.append(name)
        return told(3, "things", failures, "all is well")

    good = item("limits", "good", tried, ("good", []))
    bad = item("limits", "bad", tried, ("bad", ["lost"]))
    monkeypatch.setattr("experiments.reliability.items", lambda settings: {"good": good, "bad": bad})
    for _ in range(2):
        with pytest.raises(SystemExit):
            run_reliability(ReliabilitySettings(out=tmp_path))
    assert tries == ["good", "bad", "bad"]
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert summary["failed"] == 1
    assert [row["happened"] for row in summary["rows"]] == ["all is well", "lost"]
    assert row_of(good, told(2, "things", [], "well"))["failed"] == 0


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"parts": ("limits", "limit")}, UnknownNameError, "parts='limit' is unknown"),
        ({"parts": ()}, ArgumentError, "name at least one"),
        ({"kills": 0}, ArgumentError, "kills=0 is not allowed"),
        ({"soak_steps": 10}, ArgumentError, "soak_steps=10 is not allowed"),
        ({"fuzz_seconds": float("nan")}, ArgumentError, "fuzz_seconds=nan is not allowed"),
    ],
)
def test_wrong_settings_are_named(options: dict[str, Any], error: type[Exception], words: str, tmp_path: Path) -> None:
    with pytest.raises(error, match=words):
        run_reliability(ReliabilitySettings(out=tmp_path / "x", **options))
    assert not (tmp_path / "x").exists()


CHILD = "import os, time; from experiments import orphans; {} time.sleep(60)"
PARENT = "import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', {!r}]); time.sleep(60)"


@pytest.mark.parametrize(
    ("call", "patience", "remained"), [("orphans.follow(os.getppid());", 30.0, False), ("", 3.0, True)]
)
def test_workers_end_with_a_killed_run(call: str, patience: float, remained: bool) -> None:
    """loky's own would wait for five minutes; whatever follows nobody is left behind, and noticed."""
    assert killed_after(["-c", PARENT.format(CHILD.format(call))], 1.5, patience) == (True, remained)
