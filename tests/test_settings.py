"""Every setting of every experiment out of range or of the wrong kind: refused by name before a folder is made."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import math
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from experiments import harness
from war_env.errors import WarEnvError

FOLDER = Path(harness.__file__).parent
NUMBERS = {"minus": -1, "zero": 0, "huge": 10**30}
FLOATS = {**NUMBERS, "nan": math.nan, "infinite": math.inf}
TEXTS = {"empty": "", "nonsense": "nonsense", "nul": "a\0b", "long": "x" * 10_000}
SHARED = {entry.name for entry in dataclasses.fields(harness.Settings)}  # checked by `main`, or anything goes
FINE = {
    ("leaderboard", "presets", "none"),  # all
    ("leaderboard", "agents", "none"),  # all
    ("reliability", "fuzz_seconds", "zero"),  # none is fuzzed
    ("casino_edge", "bonus", "zero"),
    ("casino_edge", "penetrations", "zero"),
    ("train", "learning_rate", "zero"),
    ("train", "entropy", "zero"),
    ("train", "hidden", "none"),  # linear
    ("train", "weights", "none"),  # all alike
}


class _ReachedError(Exception):
    """All was checked: the run would begin."""


def _experiments() -> dict[str, tuple[Any, Callable[[Any], None]]]:
    """Settings and function of each experiment, as its last line hands them to `main`."""
    found = {}
    for path in sorted(FOLDER.glob("*.py")):
        calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
        for call in calls:
            if isinstance(call.func, ast.Name) and call.func.id == "main" and len(call.args) == 2:
                module = importlib.import_module(f"experiments.{path.stem}")
                settings, run = (getattr(module, arg.id) for arg in call.args)  # type: ignore[attr-defined]
                if issubclass(settings, harness.Settings):
                    found[path.stem] = settings, run
    return found


EXPERIMENTS = _experiments()


def _wrong(kind: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    if "int" in kind:
        values = dict(NUMBERS)
    elif "float" in kind:
        values = dict(FLOATS)
    elif "str" in kind:
        values = dict(TEXTS)
    if "tuple" in kind:
        return {**{title: (value,) for title, value in values.items()}, "none": ()}
    return values


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_wrong_settings_are_refused_by_name(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    settings, run = EXPERIMENTS[name]

    def reach(*args: Any, **kwargs: Any) -> None:
        raise _ReachedError

    monkeypatch.setattr(harness.Run, "__init__", reach)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(_ReachedError):
        run(settings())
    kinds, found = typing.get_type_hints(settings), []
    for entry in dataclasses.fields(settings):
        if entry.name in SHARED or entry.name == "rules":
            continue
        for title, value in _wrong(str(kinds[entry.name])).items():
            if (name, entry.name, title) in FINE:
                continue
            try:
                run(settings(**{entry.name: value}))
                found.append(f"{entry.name}={title}: ran")
            except _ReachedError:
                found.append(f"{entry.name}={title}: accepted")
            except WarEnvError as error:
                if entry.name.removesuffix("s") not in str(error) or len(str(error)) > 1_000:
                    found.append(f"{entry.name}={title}: {str(error)[:100]!r}")
            except Exception as error:
                found.append(f"{entry.name}={title}: {type(error).__name__}: {str(error)[:100]!r}")
    assert not found, "\n".join(found)
    assert list(tmp_path.iterdir()) == []
