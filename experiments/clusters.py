"""Where the tasks of a run are computed: in this process, by processes of this machine, on a Ray or a Dask cluster.

Processes of this machine come from joblib. Its bridges to the clusters are not used: the one to Dask waits for ever
for a task whose workers die, the one to Ray cannot hand over results as they come in. docs/cluster.md is the manual.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import logging
import os
import pickle
import socket
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from joblib import Parallel, delayed
from joblib.externals.loky import BrokenProcessPool

from experiments.orphans import follow
from experiments.versions import versions
from war_env.errors import ArgumentError, WarEnvError

RETRIES = 3  # a task whose worker was lost is tried again so often
WAIT = 60  # seconds until a cluster must have answered
_LOST = "was lost with its worker (killed? out of memory?). The same command goes on from what is done."
_INSTALL = "install the same on all machines, and start their workers again."

Function = Callable[..., Any]
Tasks = Mapping[str, Sequence[Any]]


class Result(NamedTuple):
    """A task's name, its value, and the CPU seconds that it took."""

    name: str
    value: Any
    seconds: float


Results = Iterator[Result]


class ClusterError(WarEnvError):
    """A cluster cannot be reached, or its workers are lost or differ from this machine."""


@dataclass(frozen=True)
class Surroundings:
    """What a worker must have in common with the machine that gives out the tasks.

    Attributes:
        versions: see `versions`.
        folder: the current folder, for relative paths.
        files: SHA-256 of files, by path.
    """

    versions: dict[str, str]
    folder: str
    files: dict[str, str]

    def check(self) -> None:
        """Compare with this process.

        Raises:
            ClusterError: something differs.
        """
        found = versions()
        differing = [f"{name} {found.get(name)} (not {value})" for name, value in self.versions.items()
                     if found.get(name) != value]  # fmt: skip
        if differing:
            raise ClusterError(f"it has {', '.join(differing)}; {_INSTALL}")
        for path, digest in self.files.items():
            if _digest(path) != digest:
                raise ClusterError(f"it does not see the same {path}: all machines must share that folder.")


def _digest(path: str | Path) -> str | None:
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError:
        return None


def surroundings_of(arguments: Sequence[Any], config: Path) -> Surroundings:
    """What a task needs: weights are read, and where a path is given the run's folder is written to.

    Args:
        arguments: the task's.
        config: the run's config.json.
    """
    files = [name for name in arguments if isinstance(name, str) and name.endswith((".npz", ".json"))]
    files += [str(config)] if any(isinstance(argument, Path) for argument in arguments) else []
    digests = {path: _digest(path) for path in files}
    return Surroundings(versions(), os.getcwd(), {path: digest for path, digest in digests.items() if digest})


def compute(name: str, function: Function, arguments: Sequence[Any]) -> Result:
    """One task."""
    start = time.process_time()
    value = function(*arguments)
    return Result(name, value, time.process_time() - start)


def compute_elsewhere(needed: Surroundings, packed: bytes) -> Result:
    """One task on a worker of a cluster.

    Args:
        needed: compared first.
        packed: the pickled arguments of `compute`; unpacked here, since Dask would lose a worker that cannot.

    Raises:
        ClusterError: it names the worker's machine.
    """
    folder = contextlib.chdir(needed.folder) if os.path.isdir(needed.folder) else contextlib.nullcontext()
    host = f"worker on {socket.gethostname()}"
    try:
        with folder:
            needed.check()
            return compute(*pickle.loads(packed))
    except ImportError as error:
        raise ClusterError(f"{host}: it cannot import what it needs ({error}); {_INSTALL}") from error
    except WarEnvError as error:
        raise ClusterError(f"{host}: {error}") from error


def compute_in_dask(needed: Surroundings, packed: bytes) -> Result:
    """`compute_elsewhere` on a worker of Dask."""
    from distributed import get_worker

    if get_worker().state.nthreads != 1:
        raise ClusterError(
            f"worker on {socket.gethostname()} has {get_worker().state.nthreads} threads, and trainings in one process "
            "would share their random numbers: start it with --nworkers N --nthreads 1."
        )
    return compute_elsewhere(needed, packed)


def run_all(function: Function, tasks: Tasks, workers: int, backend: str, config: Path) -> Results:
    """All tasks, in the order in which they finish.

    Args:
        function: a function of a module.
        tasks: its arguments, by name.
        workers: how many are computed at the same time.
        backend: loky, ray or dask.
        config: the run's config.json.

    Raises:
        ArgumentError: the backend's extra is missing.
        ClusterError: see there.
    """
    if workers == 1 and backend == "loky":
        return (compute(name, function, arguments) for name, arguments in tasks.items())
    function = _importable(function)
    if backend == "loky":
        return _on_loky(function, tasks, workers)
    packed = (
        (surroundings_of(arguments, config), pickle.dumps((name, function, arguments)))
        for name, arguments in tasks.items()
    )
    try:
        return _on_ray(packed, workers) if backend == "ray" else _on_dask(packed, workers)
    except ImportError as error:
        raise ArgumentError(
            f"backend={backend!r} needs its extra: pip install 'war_env[{backend}]' ({error})."
        ) from error


def _importable(function: Function) -> Function:
    """The same function under the name by which other processes import it, also if it is of the module being run."""
    if function.__module__ != "__main__":
        return function
    return getattr(importlib.import_module(sys.modules["__main__"].__spec__.name), function.__name__)


def _on_loky(function: Function, tasks: Tasks, workers: int) -> Results:
    ending: dict[str, Any] = {"initializer": follow, "initargs": (os.getpid(),)}
    parallel = Parallel(n_jobs=workers, return_as="generator_unordered", **ending)
    try:
        yield from parallel(delayed(compute)(name, function, arguments) for name, arguments in tasks.items())
    except BrokenProcessPool as error:
        raise ClusterError(f"loky: a task {_LOST}") from error


def _on_ray(tasks: Iterator[Any], workers: int) -> Results:
    import ray

    _connect_ray(workers)
    remote = ray.remote(num_cpus=1, max_retries=RETRIES)(compute_elsewhere)

    def results() -> Results:
        running = [remote.remote(*task) for task in islice(tasks, workers)]
        while running:
            done, running = ray.wait(running)
            try:
                yield ray.get(done[0])
            except ray.exceptions.RayTaskError as error:
                raise error.cause from error
            except ray.exceptions.RayError as error:
                raise ClusterError(f"ray: a task {_LOST} {type(error).__name__}.") from error
            running += [remote.remote(*task) for task in islice(tasks, 1)]

    return results()


def _connect_ray(workers: int) -> None:
    """Connect to the cluster of RAY_ADDRESS, else start one on this machine; once in a process."""
    import ray

    if ray.is_initialized():
        return
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    if "RAY_ADDRESS" not in os.environ:
        ray.init("local", num_cpus=workers, include_dashboard=False, logging_level=logging.WARNING)
        return
    try:
        ray.init(logging_level=logging.WARNING)
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise ClusterError(f"ray: no cluster answers at RAY_ADDRESS={os.environ['RAY_ADDRESS']!r}: {error}") from error


def _on_dask(tasks: Iterator[Any], workers: int) -> Results:
    import distributed

    client = _dask_client(workers)

    def submit(count: int) -> list[Any]:
        return [client.submit(compute_in_dask, *task, pure=False) for task in islice(tasks, count)]

    def results() -> Results:
        running = submit(workers)
        while running:
            done = _first_done(client, running)
            running.remove(done)
            try:
                yield done.result()
            except (distributed.KilledWorker, distributed.comm.CommClosedError) as error:
                raise ClusterError(f"dask: a task {_LOST} {type(error).__name__}.") from error
            running += submit(1)

    return results()


def _first_done(client: Any, running: list[Any]) -> Any:
    """The first future that is done; without any worker the scheduler would wait for ever."""
    import distributed

    while True:
        try:
            return distributed.wait(running, timeout=WAIT, return_when="FIRST_COMPLETED").done.pop()
        except TimeoutError:
            if not client.nthreads():
                raise ClusterError(f"dask: no worker is left (have all this checkout?); a task {_LOST}") from None


def _dask_client(workers: int) -> Any:
    """A client of the cluster of DASK_SCHEDULER_ADDRESS, else of one on this machine; one in a process."""
    import dask
    import distributed

    with contextlib.suppress(ValueError):
        return distributed.default_client()
    address = dask.config.get("scheduler-address", None)
    if address is None:
        cluster = distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            silence_logs=logging.CRITICAL,  # errors come back with the results
        )
        return distributed.Client(cluster)
    try:
        client = distributed.Client(address, timeout=WAIT)
        client.wait_for_workers(1, timeout=WAIT)
    except (OSError, TimeoutError) as error:
        raise ClusterError(f"dask: no cluster with workers answers at {address} within {WAIT} s: {error}") from error
    return client
