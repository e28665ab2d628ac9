"""The options of `Rules` as command-line options, made from its fields."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any

import tyro

from war_env.errors import ArgumentError
from war_env.rules import Rules

_TYPES: dict[str, Any] = {
    "max_battles": int | None,
    "max_seconds": float | None,
    "clock": str | None,
    "reaction": float,
}


def _fields() -> list[tuple[str, Any, Any]]:
    made = []
    for entry in dataclasses.fields(Rules):
        kind = _TYPES.get(entry.name, type(entry.default))
        text = f"{entry.metadata['meaning']}; {entry.metadata['allowed']}"
        made.append((entry.name, Annotated[tuple[kind, ...], tyro.conf.arg(help=text, prefix_name=False)], ()))
    return made


RuleOptions = dataclasses.make_dataclass("RuleOptions", _fields(), frozen=True)
RuleOptions.__doc__ = "Options of the rules; what is not given stays as the preset has it."


def given_choices(options: Any) -> dict[str, tuple[Any, ...]]:
    """The options that were given, each with its values."""
    given = {entry.name: getattr(options, entry.name) for entry in dataclasses.fields(options)}
    return {name: values for name, values in given.items() if values}


def given_options(options: Any) -> dict[str, Any]:
    """The options that were given, one value each, ready for `get_rules`.

    Raises:
        ArgumentError: an option was given several values; `reaction` may have one per seat.
    """
    chosen: dict[str, Any] = {}
    for name, values in given_choices(options).items():
        if len(values) > 1 and name != "reaction":
            raise ArgumentError(f"{name}={values!r} is not allowed: one value is expected here.")
        chosen[name] = values[0] if len(values) == 1 else values
    return chosen
