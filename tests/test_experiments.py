"""The experiments as a user runs them: files, resuming, errors, and the report in a browser's eyes."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import runpy
import signal
import subprocess
import sys
import time
import warnings
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from experiments import game_length, published
from experiments.game_length import GameLengthSettings
from experiments.harness import Run, Settings, write_json
from experiments.statistics import card_shares
from tests.browsing import check_page
from war_env import Game, Rules, get_rules, simulate
from war_env.errors import ArgumentError
from war_env.layout import Layout
from war_env.policy import NetworkPolicy
from war_env.policy_names import SCRIPTED
from war_env.weights import save_network

ROOT = Path(__file__).parent.parent


def command(name: str, *arguments: str) -> list[str]:
    return [sys.executable, "-m", f"experiments.{name}", *arguments]


def run(name: str, *arguments: str, code: int = 0) -> str:
    """Run an experiment's command line in this process, which has loaded everything already; returns its output."""
    output, ended = io.StringIO(), 0
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*found in sys.modules")
        patch.setattr(sys, "argv", [name, *arguments])
        patch.chdir(ROOT)
        with redirect_stdout(output), redirect_stderr(output):
            try:
                runpy.run_module(f"experiments.{name}", run_name="__main__", alter_sys=True)
            except SystemExit as stopped:
                ended = stopped.code or 0
    assert ended == code, output.getvalue()
    return output.getvalue()


def run_alone(name: str, *arguments: str) -> str:
    """Run an experiment in a process of its own; returns its output."""
    result = subprocess.run(command(name, *arguments), capture_output=True, text=True, cwd=ROOT, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
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
        self.pictures += tag == "svg"


def test_benchmark_quick_writes_everything_and_runs_again(tmp_path: Path) -> None:
    """The main job, small: training, tournament, table, report; a second run shows the same."""
    out = tmp_path / "run"
    text = run_alone("benchmark", "--quick", "--out", str(out))
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
    assert page.pictures == 4
    words = (
        "Benchmark",
        "Learning curve",
        "every agent against every other",
        "Ratings",
        "Which card is played",
        "Length of games",
    )
    check_page(out / "report.html", (*words, "python -m experiments.benchmark --quick --out", "Settings", "Versions"))
    assert (out / "weights" / "trained.npz").exists()
    again = run("benchmark", "--quick", "--out", str(out))
    assert "complete already" in again
    assert summary_of(out)["pairs"] == summary["pairs"]
    rates = {row["b"]: row["win_rate"] for row in summary["pairs"] if row["a"] == "trained"}
    assert rates["lowest"] > 0.6


def test_a_killed_tournament_goes_on_with_the_same_numbers(tmp_path: Path) -> None:
    """Killed in the middle, run again: the files equal those of an undisturbed run, whatever the number of workers."""
    arguments = ("--preset", "one_pass", "--games", "20480", "--agents", "greedy", "lowest", "reserve")
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
    one, other = summary_of(tmp_path / "a"), summary_of(tmp_path / "b")
    assert one["pairs"] == other["pairs"]
    assert one["usage"] == other["usage"]


def test_rule_options_reach_the_games(tmp_path: Path) -> None:
    """Which cards are played too, as a table and on the page."""
    text = run(
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
    assert summary["config"]["rules"]["hand_size"] == [3]
    assert summary["config"]["rules"]["two_beats_ace"] == [True]
    assert "which card is played" in text
    assert set(summary["usage"]) == {"random", "greedy"}
    assert card_shares(summary["usage"]["greedy"])["battle_highest"] == 1
    page = (tmp_path / "report.html").read_text()
    assert all(words in page for words in ("Which card is played", "battle lowest, %", "war highest, %"))


def test_game_length_tabulates_rules_the_same_for_any_number_of_workers(tmp_path: Path) -> None:
    """Every combination of presets and values, the keys that others read, known numbers beside ours."""
    arguments = ("--games", "60000", "--presets", "classic", "senso", "--face-down", "0", "3")
    text = run("game_length", *arguments, "--workers", "1", "--out", str(tmp_path / "a"))
    assert "known numbers" in text
    summary = summary_of(tmp_path / "a")
    assert [row["rules"] for row in summary["rows"]] == [
        "classic face_down=0", "classic face_down=3", "senso face_down=0", "senso face_down=3",
    ]  # fmt: skip
    keys = "rules games unit mean sd median p95 p99 min max wars_per_game"
    keys += " loop_share unfinished_share draw_share standard_error"
    for row in summary["rows"]:
        assert set(keys.split()) == set(row)
        assert row["unit"] == "battles"
        assert row["games"] == 60_000
    assert {row["statistic"] for row in summary["known"]} >= {"mean", "sd", "median", "wars", "plays", "draws"}
    assert all(row["agrees"] and row["source"] for row in summary["known"])
    stats = simulate(get_rules("classic"), 60_000, 0)
    assert summary["rows"][1]["mean"] == stats.battles.mean()
    assert summary["rows"][1]["wars_per_game"] == stats.wars.mean()
    run("game_length", *arguments, "--workers", "2", "--out", str(tmp_path / "b"))
    assert summary_of(tmp_path / "b")["rows"] == summary["rows"]
    assert (tmp_path / "a" / "lengths.png").exists()


def test_game_length_takes_the_clock(tmp_path: Path) -> None:
    arguments = ("--quick", "--presets", "speed", "--unit", "seconds", "--reaction", "1,0.5", "2")
    run("game_length", *arguments, "--out", str(tmp_path / "r"))
    rows = summary_of(tmp_path / "r")["rows"]
    assert [row["rules"] for row in rows] == ["speed reaction=(1.0, 0.5)", "speed reaction=2.0"]
    assert all(200 < row["mean"] < 310 for row in rows)


def test_a_number_that_does_not_agree_fails_the_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two references, one of them falsified: the check names it and exits with 1."""
    right = next(r for r in published.REFERENCES if r.deal == "2 x 2, all")
    wrong = replace(right, value=0.3)
    for module in (published, game_length):
        monkeypatch.setattr(module, "REFERENCES", [right, wrong])
    settings = GameLengthSettings(check=True, quick=True, out=tmp_path / "r", workers=1)
    with pytest.raises(SystemExit) as stopped:
        game_length.run_game_length(settings)
    assert stopped.value.code == 1
    checks = summary_of(tmp_path / "r")["checks"]
    assert [row["agrees"] for row in checks] == [True, False]


def test_a_recorded_game_is_shown_step_by_step(tmp_path: Path) -> None:
    game = Game.from_stocks(["7 2 3 4 10 5", "7 5 6 8 9 6"], Rules(winnings="winner_first"))
    game.play_out()
    path = tmp_path / "game.json"
    path.write_text(json.dumps(game.record()))
    text = run("play", "--replay", str(path))
    assert "battle   1      7[0] v 7[0]              tie: war      held" in text
    assert "battle   1 war  10[0] v 9[0]             seat 0 takes  held 11 1" in text
    assert "held 12 0" in text
    hidden = run("play", "--replay", str(path), "--seat", "1")
    assert "▒" in hidden
    assert "▒" not in text
    path.write_text(json.dumps({**game.record(), "version": "9.9.9"}))
    assert "The record is of version 9.9.9" in run("play", "--replay", str(path))


def test_train_quick_exports_an_agent_that_can_be_entered(tmp_path: Path) -> None:
    arguments = ("--quick", "--steps", "32768", "--preset", "WarMini-v0", "--opponent", "random")
    run("train", *arguments, "--out", str(tmp_path / "t"))
    weights = tmp_path / "t" / "weights" / "t-0.npz"
    summary = summary_of(tmp_path / "t")
    assert 0.4 < summary["curves"]["t-0"][-1]["random"] < 0.8
    assert {row["against"]: row["games"] for row in summary["rows"]} == dict.fromkeys(SCRIPTED, 2_048)
    run("tournament", "--quick", "--preset", "mini", "--agents", str(weights), "random", "--out", str(tmp_path / "u"))
    pair = summary_of(tmp_path / "u")["pairs"][0]
    assert pair["a"] == "t-0"
    assert pair["win_rate"] == summary["rows"][0]["win_rate"]


def test_several_seeds_are_trained_by_one_command(tmp_path: Path) -> None:
    """The spread is shown; a seed among others gives the agent that it gives alone.

    araffin/rl-baselines-zoo#38: rows.csv has a row for each seed and opponent.
    """
    arguments = ("--preset", "mini", "--steps", "4096", "--num-envs", "64", "--rollout", "16", "--batch-size", "512")
    arguments += ("--games", "512", "--workers", "1")
    text = run("train", *arguments, "--seed", "3", "--seeds", "2", "--out", str(tmp_path / "a"))
    assert "mean (least to" in text
    summary = summary_of(tmp_path / "a")
    assert [row["seed"] for row in summary["training"]] == [3, 4]
    written = [
        (row["seed"], row["against"], float(row["win_rate"]))
        for row in csv.DictReader((tmp_path / "a" / "rows.csv").open())
    ]
    assert [row[:2] for row in written] == [(seed, name) for seed in "34" for name in SCRIPTED]
    assert [row[2] for row in written] == [row["win_rate"] for row in summary["rows"]]
    run("train", *arguments, "--seed", "4", "--out", str(tmp_path / "b"))
    one, two = ((tmp_path / out / "weights" / f"{out}-4.npz").read_bytes() for out in "ab")
    assert one == two != (tmp_path / "a" / "weights" / "a-3.npz").read_bytes()


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
        (("--preset", "../../evil"), "preset='../../evil' is unknown"),
        (("--seed", "-1"), "seed=-1 is not allowed"),
        (("--max-battles", "None"), "two hoarders never finish"),
        (("--hand-size", "3", "4"), "one value is expected here"),
    ],
)
def test_errors_are_one_line_and_name_the_field(arguments: tuple[str, ...], words: str, tmp_path: Path) -> None:
    text = run("tournament", *arguments, "--quick", "--out", str(tmp_path / "x"), code=2)
    assert words in re.sub(r"\s+", " ", text)
    assert "Traceback" not in text
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("train", ("--rollout", "0"), "rollout=0 is not allowed"),
        ("train", ("--batch-size", "0"), "batch_size=0 is not allowed"),
        ("train", ("--steps", "0"), "steps=0 is not allowed"),
        ("train", ("--hidden", "0"), "hidden=0 is not allowed"),
        ("train", ("--seed", "5000000000"), "seed=5000000000 is not allowed"),
        ("train", ("--opponent", "random", "random"), "name each once"),
        ("train", ("--opponent", "rndom"), "opponent='rndom' is unknown"),
        ("train", ("--seeds", "0"), "seeds=0 is not allowed"),
        ("train", ("--games", "3"), "games=3 is not allowed"),
        ("benchmark", ("--games", "3"), "games=3 is not allowed"),
        ("ablation", ("--blocks", "0"), "blocks=0 is not allowed"),
        ("game_length", ("--presets", "strategic"), "lengths are those of games without choices"),
        ("game_length", ("--games", "0"), "games=0 is not allowed"),
        ("game_length", ("--unit", "seconds"), "unit='seconds' needs a clock"),
        ("game_length", ("--presets",), "presets=() is not allowed"),
        ("game_length", ("--check", "--players", "3"), "is not allowed with --check"),
        ("game_length", ("--check", "--presets", "senso"), "is not allowed with --check"),
        ("game_length", ("--reaction", "fast"), "reaction='fast' is not allowed"),
        ("play", ("--replay", "nowhere.json"), "cannot be read"),
    ],
)
def test_wrong_settings_cost_nothing(name: str, arguments: tuple[str, ...], words: str, tmp_path: Path) -> None:
    """Everything is checked before a folder is made or a step is trained."""
    out = () if name == "play" else ("--out", str(tmp_path / "x"))
    text = run(name, *arguments, *out, code=2)
    assert words in re.sub(r"\s+", " ", text)
    assert "Traceback" not in text
    assert not (tmp_path / "x").exists()


def weights_that_prefer(folder: Path, slot: int) -> str:
    """Weights for WarMini-v0 that always take one slot, in a file called agent.npz."""
    layout = Layout(get_rules("mini"))
    bias = np.zeros(2, np.float32)
    bias[slot] = 1.0
    network = NetworkPolicy([(np.zeros((layout.size, 2), np.float32), bias)], False, {})
    save_network(folder / "agent.npz", network, layout)
    return str(folder / "agent.npz")


def test_agents_are_told_apart_by_their_weights_not_their_names(tmp_path: Path) -> None:
    """Two files of one name are two agents, and overwritten weights are another run."""
    low, high = weights_that_prefer(tmp_path / "A", 0), weights_that_prefer(tmp_path / "B", 1)
    arguments = ("--preset", "mini", "--quick", "--workers", "1", "--out", str(tmp_path / "r"))
    run("tournament", "--agents", low, high, "lowest", "greedy", *arguments)
    rows = {(row["a"], row["b"]): row["win_rate"] for row in summary_of(tmp_path / "r")["pairs"]}
    assert rows["A/agent", "lowest"] == 0.5
    assert rows["B/agent", "greedy"] == 0.5
    assert rows["B/agent", "lowest"] == pytest.approx(1 - rows["lowest", "greedy"])
    weights_that_prefer(tmp_path / "A", 1)
    text = run("tournament", "--agents", low, high, "lowest", "greedy", *arguments, code=2)
    assert "other settings, agents or versions" in re.sub(r"\s+", " ", text)


def test_starting_over_removes_nothing_but_what_runs_write(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"mine": 1}')
    (tmp_path / "thesis.tex").write_text("years of work")
    text = run("tournament", "--quick", "--fresh", "--out", str(tmp_path), code=2)
    assert "its config.json is not that of a run" in re.sub(r"\s+", " ", text)
    (tmp_path / "config.json").unlink()
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "notes.txt").write_text("mine")
    run("tournament", "--quick", "--agents", "random", "greedy", "--out", str(tmp_path))
    run("tournament", "--quick", "--agents", "random", "lowest", "--fresh", "--out", str(tmp_path))
    assert (tmp_path / "thesis.tex").read_text() == "years of work"
    assert (tmp_path / "parts" / "notes.txt").exists()
    (tmp_path / "file").write_text("")
    assert "is not a folder" in run("tournament", "--quick", "--out", str(tmp_path / "file"), code=2)


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
        for option in ("--seed", "--out", "--quick"):
            assert option in text
        for option in ("--workers", "--backend"):  # speed and reliability do one thing after another, on this machine
            assert (option in text) == (path.stem not in ("speed", "reliability"))
