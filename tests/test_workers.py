"""What a task needs on another process or machine, without a cluster; test_cluster.py has real ones."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import pytest

from experiments.arena import BLOCK, block_sizes, play_block
from experiments.clusters import ClusterError, compute_elsewhere, surroundings_of
from experiments.harness import Run, Settings, following_seeds
from experiments.statistics import PairSums
from tests.cluster_tasks import die
from war_env.errors import ArgumentError

TASK = pickle.dumps(("task", len, ("four",)))


def test_a_lost_process_is_told_in_one_line(tmp_path: Path) -> None:
    run = Run("x", Settings(workers=2, out=tmp_path), "x")
    (tmp_path / "marker").write_text("always")
    with pytest.raises(ClusterError, match="loky: a task was lost with its worker"):
        run.map("tasks", die, {str(number): (str(tmp_path / "marker"), number) for number in range(3)})


def test_files_that_a_worker_does_not_see_are_named(tmp_path: Path) -> None:
    """Weights by their content; the run's folder only where a task writes, which its paths tell."""
    weights, config = tmp_path / "agent.npz", tmp_path / "config.json"
    for path in (weights, config):
        path.write_text("here")
    reads, writes, neither = (str(weights), "random"), (tmp_path / "new.npz", 3), ("greedy", "random")
    for arguments, changed in ((reads, weights), (writes, config)):
        needed = surroundings_of(arguments, config)
        assert compute_elsewhere(needed, TASK).value == 4
        changed.write_text("elsewhere")
        with pytest.raises(ClusterError, match=rf"it does not see the same {changed}: all machines must share"):
            compute_elsewhere(needed, TASK)
        changed.unlink()
        with pytest.raises(ClusterError, match=f"{changed}"):
            compute_elsewhere(needed, TASK)
    assert surroundings_of(neither, config).files == {}


def test_relative_paths_are_those_of_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("agent.npz").write_text("here")
    needed = surroundings_of(("agent.npz",), tmp_path / "config.json")
    monkeypatch.chdir("/")
    assert compute_elsewhere(needed, pickle.dumps(("task", os.getcwd, ()))).value == str(tmp_path)
    assert os.getcwd() == "/"


def test_blocks_in_one_task_are_the_blocks_in_several() -> None:
    """To the last bit, so that the number of tasks does not matter."""
    arguments = ("random", "reserve", "mini", {}, 4)
    together = play_block(*arguments, 2, 2 * BLOCK + 100)
    single = (PairSums(**play_block(*arguments, 2 + k, pairs)) for k, pairs in enumerate((BLOCK, BLOCK, 100)))
    assert PairSums(**together) == sum(single, PairSums())
    assert together["draws"] > 0
    assert sum(together["first_cards"].values()) > 0
    assert block_sizes(2 * (2 * BLOCK + 100), blocks=2) == [2 * BLOCK, 100]


def test_seeds_follow_each_other() -> None:
    assert following_seeds(2**32 - 2, 3) == [2**32 - 2, 2**32 - 1, 0]
    with pytest.raises(ArgumentError, match="seeds=0 is not allowed"):
        following_seeds(0, 0)
