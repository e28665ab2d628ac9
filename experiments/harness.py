"""What all experiments share: settings and command line, the run's folder, files written whole, resuming, progress."""

from __future__ import annotations

import hashlib
import io
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, Literal

import pandas as pd
import tyro
from joblib import Parallel, delayed, parallel_config
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

import agents
from experiments.orphans import follow
from war_env.errors import ArgumentError, WarEnvError, checked_int
from war_env.files import partial_name, written_whole

RESULTS = Path("results")
_PACKAGES = ("gymnasium", "numpy", "numba", "stable-baselines3", "sb3-contrib", "torch")
# Settings that say how a run is carried out, not what it computes.
_HOW = ("out", "fresh", "workers", "backend")
# All that runs write into their folder; --fresh removes these and no other files.
_WRITTEN = (
    *("config.json", "summary.json", "training.json", "rows.csv", "report.html"),
    *("win_bars.png", "win_rates.png", "ratings.png", "learning_curve.png", "lengths.png"),
    *("casino_edges.png", "casino_counting.png", "speed.png", "growth.png", "exploitability.png"),
    *("parts/*.json", "weights/*.npz", "weights/*.json", "checkpoints/*/checkpoint.pt", "checkpoints/*/curve.json"),
    *("checkpoints/*/league/member_*.npz", "checkpoints/*/league/member_*.json", "checkpoints/*/trials_*.npz"),
)
MAX_SEED = 2**32 - 1
_ABANDONED = 60  # seconds after which nobody writes a half-written file any more

console = Console(highlight=False)


@dataclass
class Settings:
    """Settings that every experiment takes."""

    seed: int = 0
    """Seed of all randomness of the run."""
    out: Path | None = None
    """The run's folder; by default one in results/<experiment>/ that is named after the settings."""
    quick: bool = False
    """The same work, small: under 30 seconds."""
    fresh: bool = False
    """Start over where an earlier run with the same settings left files."""
    workers: int = os.cpu_count() or 1
    """Processes that work side by side; the results do not depend on it."""
    backend: Literal["loky", "ray", "dask"] = "loky"
    """Where they run: loky is this machine; ray and dask need their extras."""


def _read_config(path: Path) -> dict[str, Any]:
    """The config of an earlier run; ArgumentError if the file is none of ours."""
    try:
        config = json.loads(path.read_text())
    except (OSError, ValueError):
        config = None
    if not isinstance(config, dict) or not {"experiment", "settings", "versions"} <= set(config):
        raise ArgumentError(f"out={str(path.parent)!r} is not allowed: its config.json is not that of a run.")
    return config


def source_digest() -> str:
    """Digest of the sources that decide results: war_env, agents and experiments."""
    root = Path(__file__).parent.parent
    digest = hashlib.sha256()
    for folder in ("war_env", "agents", "experiments"):
        for path in sorted((root / folder).rglob("*.py")):
            digest.update(str(path.relative_to(root)).encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def versions() -> dict[str, str]:
    """Versions of Python, of this project's sources and of the packages that matter."""
    found = {"python": platform.python_version(), "sources": source_digest()}
    for name in ("war_env", *_PACKAGES):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "not installed"
    return found


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    with written_whole(path) as partial:
        partial.write_text(text)


def write_json(path: Path, value: Any) -> None:
    """Write a JSON file whole or not at all."""
    write_text(path, json.dumps(value, indent=2, default=_plain) + "\n")


def _plain(value: Any) -> Any:
    if isinstance(value, Path):
        return str(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} has no JSON form")


class Run:
    """One run of an experiment: its folder, and the parts of it that are done already.

    Make it when everything that the user gave has been checked: it writes config.json.

    Args:
        experiment: the experiment's name.
        settings: its settings, as they take effect.
        label: start of the folder's name.
        entries: identities of agents that take part, by title; a run with others is another run.
    """

    def __init__(
        self, experiment: str, settings: Settings, label: str, entries: Mapping[str, str] | None = None
    ) -> None:
        self.experiment, self.settings = experiment, settings
        what = {name: value for name, value in asdict(settings).items() if name not in _HOW}
        self.config: dict[str, Any] = {
            "experiment": experiment,
            "settings": json.loads(json.dumps(what, default=_plain)),
            "seed": settings.seed,
            "entries": dict(entries or {}),
            "versions": versions(),
        }
        digest = hashlib.sha256(json.dumps(self.config, sort_keys=True).encode()).hexdigest()[:8]
        name = f"{label}{'-quick' if settings.quick else ''}-{digest}"
        self.folder = settings.out or RESULTS / experiment / name
        self._open()

    def _open(self) -> None:
        path = self.folder / "config.json"
        if self.folder.exists() and not self.folder.is_dir():
            raise ArgumentError(f"out={str(self.folder)!r} is not allowed: it is not a folder.")
        if path.exists():
            earlier = _read_config(path)
            is_same = all(earlier.get(key) == value for key, value in self.config.items())
            if not is_same and not self.settings.fresh:
                raise ArgumentError(
                    f"out={str(self.folder)!r} holds a run with other settings, agents or versions: "
                    "name another folder, or start over in this one with --fresh."
                )
            if self.settings.fresh:
                self._clear()
            elif (self.folder / "summary.json").exists():
                console.print(
                    f"{self.folder} is complete already; showing it (--fresh computes it again).", soft_wrap=True
                )
            else:
                console.print(f"Going on with {self.folder}.", soft_wrap=True)
        self._remove_partials()
        write_json(path, {**self.config, "command": " ".join([Path(sys.argv[0]).stem, *sys.argv[1:]])})

    def _clear(self) -> None:
        """Remove what runs write, nothing else."""
        for pattern in _WRITTEN:
            for path in self.folder.glob(pattern):
                if path.is_file():
                    path.unlink()

    def _remove_partials(self) -> None:
        """Remove what a killed run had begun to write; a younger file may be another run's that works here now."""
        for pattern in _WRITTEN:
            folder, _, name = pattern.rpartition("/")
            for path in self.folder.glob(f"{folder}/{partial_name(name, '*')}".lstrip("/")):
                if time.time() - path.stat().st_mtime > _ABANDONED:
                    path.unlink(missing_ok=True)

    def part(self, name: str, compute: Callable[[], Any]) -> Any:
        """A JSON value that is computed once and kept in the run's folder."""
        path = self.folder / "parts" / f"{name}.json"
        if not path.exists():
            write_json(path, compute())
        return json.loads(path.read_text())

    def map(self, title: str, function: Callable[..., Any], tasks: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
        """`function(*arguments)` for each named task, side by side, with a progress bar.

        Results are JSON values, kept as they come in; those of an earlier run are taken over.
        """
        folder = self.folder / "parts"
        missing = {name: arguments for name, arguments in tasks.items() if not (folder / f"{name}.json").exists()}
        with progress_bar(title, len(tasks)) as advance:
            advance(len(tasks) - len(missing))
            for name, result in _run_all(function, missing, self.settings):
                write_json(folder / f"{name}.json", result)
                advance(1)
        return {name: json.loads((folder / f"{name}.json").read_text()) for name in tasks}

    @property
    def weights_folder(self) -> Path:
        """Where trained weights go."""
        return self.folder / "weights"

    def checkpoint_folder(self, name: str) -> Path:
        """Where one training keeps its checkpoint."""
        return self.folder / "checkpoints" / name

    def forget(self, name: str) -> None:
        """Let a part be computed again."""
        (self.folder / "parts" / f"{name}.json").unlink(missing_ok=True)

    def finish(self, summary: Mapping[str, Any], rows: Iterable[Mapping[str, Any]]) -> None:
        """Write rows.csv and summary.json."""
        write_text(self.folder / "rows.csv", pd.DataFrame(list(rows)).to_csv(index=False))
        head = {"experiment": self.experiment, "config": self.config["settings"], "versions": self.config["versions"]}
        write_json(self.folder / "summary.json", {**head, **summary})


def _named(name: str, function: Callable[..., Any], arguments: Sequence[Any], parent: int) -> tuple[str, Any]:
    follow(parent)
    return name, function(*arguments)


def _run_all(
    function: Callable[..., Any], tasks: Mapping[str, Sequence[Any]], settings: Settings
) -> Iterable[tuple[str, Any]]:
    if settings.workers == 1 and settings.backend == "loky":
        return ((name, function(*arguments)) for name, arguments in tasks.items())
    _connect(settings.backend)
    with parallel_config(backend=settings.backend, n_jobs=settings.workers):
        parallel = Parallel(return_as="generator_unordered")
        results: Iterable[tuple[str, Any]] = parallel(
            delayed(_named)(name, function, arguments, os.getpid()) for name, arguments in tasks.items()
        )
        return results


def _connect(backend: str) -> None:
    """Make a cluster backend known to joblib."""
    try:
        if backend == "ray":
            from ray.util.joblib import register_ray

            register_ray()
        elif backend == "dask":
            import distributed  # noqa: F401
    except ImportError as error:
        raise ArgumentError(
            f"backend={backend!r} needs its extra: pip install 'war_env[{backend}]' ({error})."
        ) from error


@contextmanager
def progress_bar(title: str, total: int) -> Any:
    """A progress bar; gives a function that advances it by so many steps."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console) as progress:
        task = progress.add_task(title, total=total)
        yield lambda steps: progress.advance(task, steps)


def check_agents_package() -> None:
    """Another package called `agents` can be installed; say so instead of failing in the middle."""
    if not getattr(agents, "IS_WAR_ENV_AGENTS", False):
        raise ArgumentError(
            f"the package 'agents' in {agents.__file__} is not this project's: run from the checkout's folder, "
            "without the other package."
        )


def main(settings_type: type[Any], run: Callable[[Any], None]) -> None:
    """The command line of an experiment: read the settings, run it, and tell errors in one line."""
    name = Path(sys.argv[0]).stem
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal or file without ♥ gets a question mark, not a traceback
    settings = tyro.cli(settings_type, prog=f"python -m experiments.{name}")
    try:
        check_agents_package()
        if isinstance(settings, Settings):
            checked_int("seed", settings.seed, 0, MAX_SEED)
            checked_int("workers", settings.workers, 1)
        run(settings)
    except WarEnvError as error:
        console.print(f"error: {error}", style="red", markup=False)
        raise SystemExit(2) from None
    except OSError as error:
        console.print(f"error: {error}", style="red", markup=False)
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        console.print("Stopped; the same command goes on from here.")
        raise SystemExit(130) from None
