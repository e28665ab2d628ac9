"""The generated parts on experiments, from their settings, and on versions, from pyproject.toml and the locks."""

from __future__ import annotations

import dataclasses
import importlib
import pkgutil
import re
import tomllib
from enum import Enum
from pathlib import Path
from typing import Any

from docstring_parser import parse_from_object

import experiments
from experiments.harness import Settings
from experiments.options import CasinoOptions, RuleOptions
from tests.measured_docs import table

ROOT = Path(__file__).parent.parent
GROUPS = {RuleOptions: "rules.md#options", CasinoOptions: "casino.md#options"}


def experiment_settings() -> dict[str, type]:
    """The settings of every experiment, by the name of its module, in the order of the alphabet."""
    found = {}
    for info in sorted(pkgutil.iter_modules(experiments.__path__), key=lambda info: info.name):
        module = importlib.import_module(f"experiments.{info.name}")
        for value in vars(module).values():
            is_own = isinstance(value, type) and value.__module__ == module.__name__
            if is_own and dataclasses.is_dataclass(value) and value.__name__.endswith("Settings"):
                found[info.name] = value
    return {name: settings for name, settings in found.items() if settings is not Settings}


def shown(value: Any, no: str = "`False`") -> str:
    """A default as the documentation shows it: nothing for None, `no` for False."""
    if value is None or value == ():
        return ""
    if value is False:
        return no
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, tuple):
        return f"`{' '.join(str(entry) for entry in value)}`"
    return f"`{value}`"


def settings_table(settings: type) -> str:
    """The options of one settings class that are its own, with defaults and meanings."""
    texts = {
        entry.arg_name: " ".join((entry.description or "").split()).replace("<", "&lt;")
        for entry in parse_from_object(settings).params
    }
    rows = []
    for entry in dataclasses.fields(settings):
        if entry.name not in texts:
            continue  # one of those that all experiments share
        if entry.default_factory in GROUPS:
            rows.append(("`--OPTION`", "", f"Any of [these]({GROUPS[entry.default_factory]}): {texts[entry.name]}"))
        else:
            default = "the machine's cores" if entry.name == "workers" else shown(entry.default, "off")
            rows.append((f"`--{entry.name.replace('_', '-')}`", default, texts[entry.name]))
    return table(("option", "default", "meaning"), rows)


def shared_settings() -> str:
    """What every experiment takes."""
    return settings_table(Settings)


def experiments_list() -> str:
    """Every experiment: what it does, how it is called, its options."""
    parts = []
    for name, settings in experiment_settings().items():
        module = importlib.import_module(f"experiments.{name}")
        calls = [line.strip() for line in (module.__doc__ or "").splitlines() if line.startswith("python -m ")]
        text = " ".join((settings.__doc__ or "").split())
        block = "\n".join(calls or [f"python -m experiments.{name}"])
        parts.append(f"## {name}\n\n{text}\n\n```\n{block}\n```\n\n{settings_table(settings)}")
    return "\n\n".join(parts)


def versions() -> str:
    """Every package that war_env asks for, with the version that the tests run with."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    text = "".join(path.read_text() for path in sorted(ROOT.glob("requirements*.lock")))
    lines = re.findall(r"^([\w.-]+)==(\S+)$", text, re.MULTILINE)
    pinned = {canonical(name): version for name, version in lines}
    rows = []
    groups = {"": project["dependencies"], **project["optional-dependencies"]}
    for extra, packages in groups.items():
        for package in packages:
            name, asked = re.fullmatch(r"([\w.-]+(?:\[\w+\])?)(.*)", package).groups()  # type: ignore[union-attr]
            tested = pinned[canonical(name)]
            rows.append((f"`{extra}`" if extra else "always", name, f"`{asked}`", tested))
    return table(("extra", "package", "asked for", "tested with"), rows)


def canonical(name: str) -> str:
    """A package's name as indexes compare it, without extras."""
    return re.sub(r"[-_.]+", "-", name.split("[")[0]).lower()


def pythons() -> str:
    """The versions of Python that are promised and classified."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = [text.rsplit(" ", 1)[1] for text in project["classifiers"] if re.search(r":: 3\.\d+$", text)]
    return f"Python {project['requires-python']} is asked for; {', '.join(named)} have been checked with `make wheel`."


PARTS = {
    "shared_settings": shared_settings,
    "experiments": experiments_list,
    "versions": versions,
    "pythons": pythons,
}
