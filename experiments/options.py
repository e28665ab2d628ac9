"""The options of `Rules` and `CasinoRules` as command-line options, made from their fields."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any

import tyro

from war_env.casino_rules import CasinoRules
from war_env.errors import ArgumentError, shown
from war_env.rules import Rules

_TYPES: dict[str, Any] = {
    "max_battles": int | None,
    "max_seconds": float | None,
    "clock": str | None,
    "reaction": str,
}


def _fields(rules: type[Any]) -> list[tuple[str, Any, Any]]:
    made = []
    for entry in dataclasses.fields(rules):
        kind = _TYPES.get(entry.name, type(entry.default))
        text = f"{entry.metadata['meaning']}; {entry.metadata['allowed']}"
        text += "; one per seat with commas: 1,0.5" if entry.name == "reaction" else ""
        made.append((entry.name, Annotated[tuple[kind, ...], tyro.conf.arg(help=text, prefix_name=False)], ()))
    return made


RuleOptions = dataclasses.make_dataclass("RuleOptions", _fields(Rules), frozen=True)
RuleOptions.__doc__ = "Options of the rules; what is not given stays as the preset has it."
CasinoOptions = dataclasses.make_dataclass("CasinoOptions", _fields(CasinoRules), frozen=True)
CasinoOptions.__doc__ = "Options of Casino War; what is not given stays as it usually is."


def given_choices(options: Any) -> dict[str, tuple[Any, ...]]:
    """The options that were given, each with its values."""
    given = {entry.name: getattr(options, entry.name) for entry in dataclasses.fields(options)}
    if "reaction" in given:
        given["reaction"] = tuple(_reaction(text) for text in given["reaction"])
    return {name: values for name, values in given.items() if values}


def command_options(options: Any) -> str:
    """The options that were given as they stand on a command line, each with a blank before it."""
    given = {entry.name: getattr(options, entry.name) for entry in dataclasses.fields(options)}
    return "".join(
        f" --{name.replace('_', '-')} {' '.join(map(str, values))}" for name, values in given.items() if values
    )


def _reaction(text: str) -> float | tuple[float, ...]:
    """Seconds for all seats, or one number per seat with commas between: `1` or `1,0.5`."""
    try:
        numbers = tuple(float(part) for part in text.split(","))
    except ValueError:
        raise ArgumentError(
            f"reaction={shown(text)} is not allowed: seconds, one for all or one per seat: 1,0.5."
        ) from None
    return numbers[0] if len(numbers) == 1 else numbers


def given_options(options: Any) -> dict[str, Any]:
    """The options that were given, one value each, ready for `get_rules`.

    Raises:
        ArgumentError: an option was given several values.
    """
    chosen: dict[str, Any] = {}
    for name, values in given_choices(options).items():
        if len(values) > 1:
            raise ArgumentError(f"{name}={shown(values)} is not allowed: one value is expected here.")
        chosen[name] = values[0]
    return chosen
