"""The options of `Rules` as command-line options, made from its fields."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any

import tyro

from war_env.rules import Rules

_TYPES = {
    "max_battles": int,
    "max_seconds": float,
    "clock": str,
    "reaction": tuple[float, ...],
}


def _fields() -> list[tuple[str, Any, Any]]:
    made = []
    for entry in dataclasses.fields(Rules):
        kind = _TYPES.get(entry.name, type(entry.default))
        text = f"{entry.metadata['meaning']}; {entry.metadata['allowed']}"
        made.append((entry.name, Annotated[kind | None, tyro.conf.arg(help=text, prefix_name=False)], None))
    return made


RuleOptions = dataclasses.make_dataclass("RuleOptions", _fields(), frozen=True)
RuleOptions.__doc__ = "Options of the rules; what is not given stays as the preset has it."


def given_options(options: Any) -> dict[str, Any]:
    """The options that were given, ready for `get_rules`."""
    given = {entry.name: getattr(options, entry.name) for entry in dataclasses.fields(options)}
    given = {name: value for name, value in given.items() if value is not None}
    if "reaction" in given and len(given["reaction"]) == 1:
        given["reaction"] = given["reaction"][0]
    return given
