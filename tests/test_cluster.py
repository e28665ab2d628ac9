"""A real local Ray and a real local Dask cluster: the files of a run are those of one process, bit for bit.

`make test-cluster` runs these in an environment of their own; where Ray or Dask is missing they are left out.
"""

from __future__ import annotations

import importlib
import os
import re
import secrets
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from experiments import clusters
from experiments.harness import Run, Settings
from experiments.versions import versions
from tests.cluster_tasks import die, whereabouts
from tests.test_experiments import ROOT, command, run, summary_of, weights_that_prefer
from war_env.errors import ArgumentError

if os.environ.get("WAR_ENV_CLUSTER") != "required":
    pytest.importorskip("ray", reason="ray is not installed")
    pytest.importorskip("distributed", reason="dask is not installed")

import dask
import distributed
import ray

TINY = ("--steps", "4096", "--num-envs", "64", "--rollout", "16", "--batch-size", "512", "--games", "512")
SHORT = ("--steps", "2048")
EXPERIMENTS = {
    "tournament": ("--preset", "mini", "--games", "6144", "--agents", "random", "greedy", "WEIGHTS"),
    "game_length": ("--presets", "classic", "senso", "--games", "60000"),
    "casino_edge": ("--packs", "1", "--penetrations", "1", "--rounds", "100000", "--agent-episodes", "2", *SHORT),
    "exploitability": ("--quick", "--ranks", "3", "--agents", "random", "greedy", "reserve"),
    "train": ("--preset", "mini", "--seed", "3", "--seeds", "2", *TINY),
}
CLOCK = re.compile(r"seconds|steps_per_second")  # what a clock says is no result


def without_clock(value: Any) -> Any:
    """A JSON value without what a clock measured."""
    if isinstance(value, dict):
        return {key: without_clock(one) for key, one in value.items() if not CLOCK.fullmatch(key)}
    return [without_clock(one) for one in value] if isinstance(value, list) else value


@pytest.fixture(scope="module", params=["dask", "ray"])
def backend(request: pytest.FixtureRequest) -> Iterator[str]:
    """The first run starts a cluster of two workers on this machine; the others go on with it."""
    yield request.param
    if request.param == "ray":
        ray.shutdown()
    else:
        close_dask()


def close_dask() -> None:
    """Close the client that experiments have opened, and its cluster."""
    client = distributed.default_client()
    client.close()
    client.cluster.close()


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of an experiment's run in this process, made once."""
    folder = tmp_path_factory.mktemp("expected")

    def made(name: str) -> Path:
        out = folder / name / "run"
        if not out.exists():
            run(name, *arguments_of(name, folder), "--workers", "1", "--out", str(out))
        return out

    return made


def arguments_of(name: str, folder: Path) -> list[str]:
    """The experiment's settings; weights lie in the folder."""
    weights = weights_that_prefer(folder, 1) if "WEIGHTS" in EXPERIMENTS[name] else ""
    return [weights if argument == "WEIGHTS" else argument for argument in EXPERIMENTS[name]]


def assert_same(one: Path, two: Path) -> None:
    """Summaries, rows and weights of two runs are equal."""
    assert without_clock(summary_of(one)) == without_clock(summary_of(two))
    first, second = ((path / "rows.csv").read_bytes() for path in (one, two))
    assert first == second
    weights = sorted(path.name for path in one.glob("weights/*.npz"))
    assert weights == sorted(path.name for path in two.glob("weights/*.npz"))
    for name in weights:
        assert (one / "weights" / name).read_bytes() == (two / "weights" / name).read_bytes()


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_results_are_those_of_one_process(
    name: str, backend: str, expected: Callable[[str], Path], tmp_path: Path
) -> None:
    arguments = arguments_of(name, expected(name).parent.parent)
    run(name, *arguments, "--workers", "2", "--backend", backend, "--out", str(tmp_path / "run"))
    assert_same(tmp_path / "run", expected(name))


def settings(backend: str, folder: Path) -> Settings:
    return Settings(workers=2, backend=backend, out=folder)


def test_workers_are_processes_with_one_thread(backend: str, tmp_path: Path) -> None:
    tasks = {str(number): (number,) for number in range(6)}
    results = Run("threads", settings(backend, tmp_path), "x").map("tasks", whereabouts, tasks)
    assert [number for _, _, number in results.values()] == list(range(6))
    assert {threads for _, threads, _ in results.values()} == {"1"}
    processes = {process for process, _, _ in results.values()}
    assert len(processes) == 2
    assert os.getpid() not in processes


def test_lost_workers_are_replaced_or_named(backend: str, tmp_path: Path) -> None:
    """A task is tried again; one that kills every worker ends the run, and the next run goes on from what is done."""
    marker = tmp_path / "marker"
    tasks = {str(number): (str(marker), number) for number in range(4)}
    marker.write_text("once")
    assert Run("once", settings(backend, tmp_path / "a"), "x").map("tasks", die, tasks)["2"] == 2
    marker.write_text("always")
    with pytest.raises(clusters.ClusterError, match=rf"{backend}: a task was lost with its worker"):
        Run("always", settings(backend, tmp_path / "b"), "x").map("tasks", die, tasks)
    done = {path.stem for path in (tmp_path / "b" / "parts").glob("*.json")}
    assert done == {"0", "1", "3"} or done == {"0", "1"}
    marker.unlink()
    results = Run("always", settings(backend, tmp_path / "b"), "x").map("tasks", die, tasks)
    assert results == {str(number): number for number in range(4)}


def test_workers_that_differ_are_named(backend: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another version, and a module that only this machine has."""
    tasks = {"0": (0,)}
    monkeypatch.setattr(clusters, "versions", lambda: {**versions(), "numpy": "0.1"})
    with pytest.raises(clusters.ClusterError, match=rf"worker on {socket.gethostname()}: it has numpy .* \(not 0.1\)"):
        Run("versions", settings(backend, tmp_path / "a"), "x").map("tasks", whereabouts, tasks)
    monkeypatch.undo()
    (tmp_path / "only_here.py").write_text("def task(number):\n    return number\n")
    monkeypatch.syspath_prepend(tmp_path)
    task = importlib.import_module("only_here").task
    with pytest.raises(clusters.ClusterError, match=r"cannot import what it needs .*'only_here'"):
        Run("missing", settings(backend, tmp_path / "b"), "x").map("tasks", task, tasks)


def test_errors_of_a_task_stay_one_line(backend: str, tmp_path: Path) -> None:
    """The worker's machine is named, also where weights that this machine has are not there."""
    with pytest.raises(clusters.ClusterError, match=r"worker on .*: agent='nobody' is unknown"):
        Run("x", settings(backend, tmp_path), "x").map("tasks", importlib.import_module("experiments.arena").play_block,
            {"0": ("nobody", "random", "mini", {}, 0, 0, 1)})  # fmt: skip


def test_workers_with_several_threads_are_refused(tmp_path: Path) -> None:
    """Trainings in one process would share their random numbers."""
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None) as cluster,
        distributed.Client(cluster),
        pytest.raises(clusters.ClusterError, match=r"has 2 threads.*--nthreads 1"),
    ):
        Run("threads", settings("dask", tmp_path), "x").map("tasks", whereabouts, {"0": (0,)})


def test_a_scheduler_without_workers_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "WAIT", 0.5)
    with (
        distributed.LocalCluster(n_workers=0, processes=False, dashboard_address=None) as cluster,
        distributed.Client(cluster),
        pytest.raises(clusters.ClusterError, match="dask: no worker is left"),
    ):
        Run("none", settings("dask", tmp_path), "x").map("tasks", whereabouts, {"0": (0,)})


def test_a_cluster_that_does_not_answer_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "WAIT", 1)
    with (
        dask.config.set({"scheduler-address": "tcp://127.0.0.1:9"}),
        pytest.raises(clusters.ClusterError, match=r"dask: no cluster with workers answers at tcp://127.0.0.1:9"),
    ):
        Run("nowhere", settings("dask", tmp_path), "x").map("tasks", whereabouts, {"0": (0,)})


def free_port() -> int:
    with socket.socket() as opened:
        opened.bind(("127.0.0.1", 0))
        return int(opened.getsockname()[1])


@contextmanager
def started(variables: dict[str, str], *commands: list[str]) -> Iterator[None]:
    """Programs of a cluster, in the folder of the checkout."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **variables}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    running = [subprocess.Popen(one, cwd=ROOT, env=environment, **quiet) for one in commands]
    try:
        yield
    finally:
        for process in reversed(running):
            process.terminate()
            process.wait(60)


@pytest.mark.parametrize("name", ["dask", "ray"])
def test_a_cluster_is_found_by_its_address(
    name: str, expected: Callable[[str], Path], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Started by the commands of docs/cluster.md, in processes that know nothing of the run."""
    folder, address = Path(sys.executable).parent, f"127.0.0.1:{free_port()}"
    if name == "dask":
        scheduler = [str(folder / "dask"), "scheduler", "--host", f"tcp://{address}", "--no-dashboard"]
        worker = [str(folder / "dask"), "worker", f"tcp://{address}", "--nworkers", "2", "--nthreads", "1"]
        programs = [scheduler, [*worker, "--no-dashboard", "--local-directory", str(tmp_path)]]
        common, variables = {}, {"DASK_SCHEDULER_ADDRESS": f"tcp://{address}"}
    else:
        port = address.rsplit(":", 1)[1]
        place = tempfile.TemporaryDirectory(prefix="ray", ignore_cleanup_errors=True)  # a socket's path must be short
        head = [str(folder / "ray"), "start", "--head", "--port", port, "--num-cpus", "2"]
        request.addfinalizer(place.cleanup)
        programs = [[*head, "--temp-dir", place.name, "--include-dashboard", "false", "--block"]]
        common = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32), "RAY_USAGE_STATS_ENABLED": "0"}
        variables = {**common, "RAY_ADDRESS": address}
    arguments = [*arguments_of("tournament", expected("tournament").parent.parent), "--backend", name]
    with started(common, *programs):
        result = subprocess.run(
            [*command("tournament", *arguments, "--workers", "2", "--out", str(tmp_path / "run"))],
            cwd=ROOT, env={**os.environ, **variables}, capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert result.returncode == 0, result.stdout + result.stderr
    assert_same(tmp_path / "run", expected("tournament"))


def test_the_lock_pins_what_is_installed() -> None:
    from importlib import metadata

    lines = (ROOT / "requirements-cluster.lock").read_text().split()
    assert {line.split("==")[0].lower() for line in lines} >= {"ray", "dask", "distributed"}
    for line in lines:
        name, version = line.split("==")
        assert metadata.version(name) == version


def test_a_missing_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for backend, module in (("ray", "ray"), ("dask", "distributed")):
        monkeypatch.setitem(sys.modules, module, None)
        with pytest.raises(ArgumentError, match=rf"needs its extra: pip install 'war_env\[{backend}\]'"):
            Run("extra", settings(backend, tmp_path / backend), "x").map("tasks", whereabouts, {"0": (0,)})
