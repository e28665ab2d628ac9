"""What all experiments share: settings and command line, the run's folder, files written whole, resuming, progress."""

from __future__ import annotations

import hashlib
import io
import json
import os
import shlex
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import pandas as pd
import tyro
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

import agents
from experiments.clusters import run_all
from experiments.versions import versions
from war_env.errors import ArgumentError, NotationError, WarEnvError, checked_int
from war_env.files import partial_name, read_json, written_whole
from war_env.output import tidy_output

RESULTS = Path("results")
# Settings that say how a run is carried out, not what it computes.
_HOW = ("out", "fresh", "workers", "backend", "keep")
# Names of the plots that runs draw.
PLOTS = (
    *("win_bars", "learning_curve", "memory", "ratings", "ratings_*", "exploitability", "lengths"),
    *("casino_edges", "casino_counting", "speed", "growth"),
)
# All that runs write into their folder; --fresh removes these and no other files.
_WRITTEN = (
    *("config.json", "summary.json", "training.json", "rows.csv", "report.html", "leaderboard.html"),
    *(f"{name}.{kind}" for name in PLOTS for kind in ("png", "svg")),
    *("parts/*.json", "weights/*.npz", "weights/*.json", "checkpoints/*/checkpoint.npz", "checkpoints/*/curve.json"),
    *("checkpoints/*/league/member_*.npz", "checkpoints/*/league/member_*.json", "checkpoints/*/trials_*.npz"),
)
MAX_SEED = 2**32 - 1
_ABANDONED = 60  # seconds after which nobody writes a half-written file any more

console = Console(highlight=False)


def following_seeds(first: int, count: int) -> list[int]:
    """`first`, `first` + 1, ...; after the largest seed comes 0.

    Raises:
        ArgumentError: the setting `seeds`, their number, is not from 1 to 1000.
    """
    return [(first + k) % (MAX_SEED + 1) for k in range(checked_int("seeds", count, 1, 1000))]


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
    """Tasks that are computed side by side; the results do not depend on it."""
    backend: Literal["loky", "ray", "dask"] = "loky"
    """Where: loky is this machine; ray and dask are clusters (RAY_ADDRESS, DASK_SCHEDULER_ADDRESS), docs/cluster.md."""


def _read_config(path: Path) -> dict[str, Any]:
    """The config of an earlier run; ArgumentError if the file is none of ours."""
    try:
        config = read_json(path, "config.json")
    except NotationError:
        config = None
    if not isinstance(config, dict) or not {"experiment", "settings", "versions"} <= set(config):
        raise ArgumentError(f"out={str(path.parent)!r} is not allowed: its config.json is not that of a run.")
    return config


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    with written_whole(path) as partial:
        partial.write_text(text)


def write_json(path: Path, value: Any) -> None:
    """Write a JSON file whole or not at all."""
    write_text(path, json.dumps(value, indent=2, default=_plain) + "\n")


def _digest(result: Any) -> str:
    return hashlib.sha256(json.dumps(result).encode()).hexdigest()


def write_part(path: Path, result: Any) -> None:
    """Write a result of a run with its digest."""
    plain = json.loads(json.dumps(result, default=_plain))
    write_json(path, {"sha256": _digest(plain), "result": plain})


def read_part(path: Path) -> Any:
    """A result that `write_part` wrote.

    Raises:
        NotationError: the file is damaged.
    """
    what = f"part={str(path)!r}"
    hint = "Remove this file, and the same command computes it anew."
    try:
        part = read_json(path, what, is_strict=False)
    except NotationError as error:
        raise NotationError(f"{error} {hint}") from None
    if not isinstance(part, dict) or set(part) != {"sha256", "result"} or part["sha256"] != _digest(part["result"]):
        raise NotationError(f"{what} is damaged: its result does not match its sha256. {hint}")
    return part["result"]


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
        write_json(path, {**self.config, "command": shlex.join([Path(sys.argv[0]).stem, *sys.argv[1:]])})

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
            write_part(path, compute())
        return read_part(path)

    def map(self, title: str, function: Callable[..., Any], tasks: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
        """`function(*arguments)` for each named task, side by side, with a progress bar.

        Results are JSON values, kept as they come in; those of an earlier run are taken over.
        """
        folder = self.folder / "parts"
        missing = {name: arguments for name, arguments in tasks.items() if not (folder / f"{name}.json").exists()}
        settings, seconds = self.settings, 0.0
        with progress_bar(title, len(tasks)) as advance:
            advance(len(tasks) - len(missing))
            config = self.folder / "config.json"
            for result in run_all(function, missing, settings.workers, settings.backend, config):
                write_part(folder / f"{result.name}.json", result.value)
                seconds += result.seconds
                advance(1)
        if missing:
            console.print(f"{title}: {len(missing):,} tasks took {seconds:.2f} CPU seconds.", markup=False)
        return {name: read_part(folder / f"{name}.json") for name in tasks}

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
        names = {"config": "settings", "entries": "entries", "versions": "versions"}
        head = {"experiment": self.experiment, **{name: self.config[key] for name, key in names.items()}}
        write_json(self.folder / "summary.json", {**head, **summary})


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
    with tidy_output():
        _run_command(settings_type, run, name)


def _run_command(settings_type: type[Any], run: Callable[[Any], None], name: str) -> None:
    settings = tyro.cli(settings_type, prog=f"python -m experiments.{name}")
    try:
        check_agents_package()
        if isinstance(settings, Settings):
            checked_int("seed", settings.seed, 0, MAX_SEED)
            checked_int("workers", settings.workers, 1)
        run(settings)
    except BrokenPipeError:
        raise
    except (WarEnvError, OSError) as error:
        console.print(f"error: {error}", style="red", markup=False)
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        console.print("Stopped; the same command goes on from here.")
        raise SystemExit(130) from None
