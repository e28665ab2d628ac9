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


def _fields(is_many: bool) -> list[tuple[str, Any, Any]]:
    made = []
    for entry in dataclasses.fields(Rules):
        kind = _TYPES.get(entry.name, type(entry.default))
        text = f"{entry.metadata['meaning']}; {entry.metadata['allowed']}"
        if is_many and entry.name == "reaction":
            kind = float
        kind = tuple[kind, ...] if is_many else kind | None  # type: ignore[valid-type]
        made.append((entry.name, Annotated[kind, tyro.conf.arg(help=text, prefix_name=False)], () if is_many else None))
    return made


RuleOptions = dataclasses.make_dataclass("RuleOptions", _fields(is_many=False), frozen=True)
RuleOptions.__doc__ = "Options of the rules; what is not given stays as the preset has it."
RuleChoices = dataclasses.make_dataclass("RuleChoices", _fields(is_many=True), frozen=True)
RuleChoices.__doc__ = "Options of the rules, one or more values each; what is not given stays as the preset has it."


def given_options(options: Any) -> dict[str, Any]:
    """The options that were given: values ready for `get_rules`, or for RuleChoices tuples of them."""
    given = {entry.name: getattr(options, entry.name) for entry in dataclasses.fields(options)}
    given = {name: value for name, value in given.items() if value not in (None, ())}
    if isinstance(options, RuleOptions) and len(given.get("reaction", ())) == 1:
        given["reaction"] = given["reaction"][0]
    return given
