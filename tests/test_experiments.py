"""The experiments as a user runs them: files, resuming, errors, and the report in a browser's eyes."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
from html.parser import HTMLParser
from pathlib import Path

import pytest

from experiments.harness import Run, Settings, write_json
from war_env.errors import ArgumentError

ROOT = Path(__file__).parent.parent


def command(name: str, *arguments: str) -> list[str]:
    return [sys.executable, "-m", f"experiments.{name}", *arguments]


def run(name: str, *arguments: str, code: int = 0) -> str:
    """Run an experiment; returns its output."""
    result = subprocess.run(command(name, *arguments), capture_output=True, text=True, cwd=ROOT, check=False)
    assert result.returncode == code, result.stdout + result.stderr
    return result.stdout + result.stderr


def summary_of(folder: Path) -> dict:
    return json.loads((folder / "summary.json").read_text())


class Page(HTMLParser):
    """Collects what a page loads from outside and its pictures."""

    def __init__(self) -> None:
        super().__init__()
        self.outside: list[str] = []
        self.pictures = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("src", "href") and not (value or "").startswith("data:"):
                self.outside.append(value or "")
        self.pictures += tag == "img"


def test_benchmark_quick_writes_everything_and_runs_again(tmp_path: Path) -> None:
    """The main job, small: training, tournament, table, report; a second run shows the same."""
    out = tmp_path / "run"
    text = run("benchmark", "--quick", "--out", str(out))
    assert "win rate of the row" in text
    summary = summary_of(out)
    assert {"experiment", "config", "versions", "pairs", "training"} <= set(summary)
    assert summary["training"]["steps"] >= 131_072
    assert len(summary["pairs"]) == 15
    for row in summary["pairs"]:
        assert {"a", "b", "games", "win_rate", "low", "high", "draw_rate"} <= set(row)
        assert row["low"] <= row["win_rate"] <= row["high"]
        assert row["illegal"] == 0
    assert {row["a"] for row in summary["pairs"]} | {summary["pairs"][-1]["b"]} == {
        "trained",
        "random",
        "greedy",
        "lowest",
        "median",
        "reserve",
    }
    assert len(list(csv.DictReader((out / "rows.csv").open()))) == 15
    page = Page()
    page.feed((out / "report.html").read_text())
    assert page.outside == []
    assert page.pictures == 3
    assert (out / "trained.npz").exists()
    again = run("benchmark", "--quick", "--out", str(out))
    assert "complete already" in again
    assert summary_of(out)["pairs"] == summary["pairs"]
    rates = {row["b"]: row["win_rate"] for row in summary["pairs"] if row["a"] == "trained"}
    assert rates["lowest"] > 0.6


def test_a_killed_tournament_goes_on_with_the_same_numbers(tmp_path: Path) -> None:
    """Killed in the middle, run again: the files equal those of an undisturbed run, whatever the number of workers."""
    arguments = ("--games", "20480", "--agents", "greedy", "lowest", "reserve")
    process = subprocess.Popen(
        command("tournament", *arguments, "--out", str(tmp_path / "a"), "--workers", "1"),
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
    )
    parts = tmp_path / "a" / "parts"
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and len(list(parts.glob("*.json"))) < 3:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    done = len(list(parts.glob("*.json")))
    assert 3 <= done < 30
    assert not (tmp_path / "a" / "summary.json").exists()
    assert "Going on with" in run("tournament", *arguments, "--out", str(tmp_path / "a"))
    run("tournament", *arguments, "--out", str(tmp_path / "b"), "--workers", "1")
    assert summary_of(tmp_path / "a")["pairs"] == summary_of(tmp_path / "b")["pairs"]


def test_rule_options_reach_the_games(tmp_path: Path) -> None:
    run(
        "tournament",
        "--quick",
        "--agents",
        "random",
        "greedy",
        "--hand-size",
        "3",
        "--two-beats-ace",
        "True",
        "--out",
        str(tmp_path),
    )
    summary = summary_of(tmp_path)
    assert summary["config"]["rules"]["hand_size"] == 3
    assert summary["config"]["rules"]["two_beats_ace"] is True


def test_train_quick_exports_an_agent_that_can_be_entered(tmp_path: Path) -> None:
    run("train", "--quick", "--preset", "WarMini-v0", "--opponent", "random", "--out", str(tmp_path / "t"))
    weights = tmp_path / "t" / "agent.npz"
    curve = summary_of(tmp_path / "t")["curve"]
    assert 0.4 < curve[-1]["random"] < 0.8
    run("tournament", "--quick", "--preset", "mini", "--agents", str(weights), "random", "--out", str(tmp_path / "u"))
    assert summary_of(tmp_path / "u")["pairs"][0]["a"] == "agent"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--agents", "random", "gredy"), "agent='gredy' is unknown. Did you mean 'greedy'"),
        (("--agents", "random"), "name at least two, each once"),
        (("--agents", "random", "random"), "name at least two, each once"),
        (("--preset", "Chess-v0"), "preset='Chess-v0' is unknown"),
        (("--games", "3"), "games=3 is not allowed: it must be an even number"),
        (("--hand-size", "99"), "hand_size=99 is not allowed"),
        (("--workers", "0"), "workers=0 is not allowed"),
        (("--players", "3"), "agents are compared over two seats"),
    ],
)
def test_errors_are_one_line_and_name_the_field(arguments: tuple[str, ...], words: str, tmp_path: Path) -> None:
    text = run("tournament", *arguments, "--quick", "--out", str(tmp_path / "x"), code=2)
    assert words in re.sub(r"\s+", " ", text)
    assert "Traceback" not in text


def test_a_folder_of_another_run_is_refused_unless_started_over(tmp_path: Path) -> None:
    Run("tournament", Settings(seed=1, out=tmp_path), "x").finish({"pairs": []}, [])
    with pytest.raises(ArgumentError, match="holds a run with other settings"):
        Run("tournament", Settings(seed=2, out=tmp_path), "x")
    assert summary_of(tmp_path)["config"]["seed"] == 1
    Run("tournament", Settings(seed=2, out=tmp_path, fresh=True), "x")
    assert not (tmp_path / "summary.json").exists()


def test_files_are_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "value.json"
    write_json(path, {"a": 1})
    with pytest.raises(TypeError):
        write_json(path, {"a": object()})
    assert json.loads(path.read_text()) == {"a": 1}
    assert os.listdir(tmp_path) == ["value.json"]


@pytest.mark.parametrize("path", sorted(ROOT.glob("experiments/*.py")), ids=lambda path: path.stem)
def test_every_experiment_explains_itself(path: Path) -> None:
    if "(Settings):" in path.read_text():
        text = run(path.stem, "--help")
        for option in ("--seed", "--out", "--quick", "--workers", "--backend"):
            assert option in text
