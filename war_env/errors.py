"""The errors that war_env raises: each names the field, the value and what is allowed.

All of them are also `ValueError`, so that code which knows nothing of this package can still catch them.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class WarEnvError(ValueError):
    """Base of every error that this package raises on purpose."""


class RulesError(WarEnvError):
    """An option of `Rules` has a value it cannot have, or two options contradict each other."""


class IllegalActionError(WarEnvError):
    """An action that is outside the action space, of the wrong type or shape, or masked under strict rules."""


class NotationError(WarEnvError):
    """A text does not describe cards, stocks or a record of this game."""


class UnknownNameError(WarEnvError):
    """A preset, agent, opponent or option has a name that does not exist."""


class ArgumentError(WarEnvError):
    """An argument of a function or environment has the wrong type, shape or range."""


class FinishedError(WarEnvError):
    """A game that has ended, or was never started, was asked to go on; `reset()` starts a new one."""


def unknown_name(field: str, name: object, known: Iterable[str]) -> UnknownNameError:
    """The error for a name that does not exist, with the known names and the nearest of them."""
    names = sorted(known)
    near = get_close_matches(str(name), names, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return UnknownNameError(f"{field}={name!r} is unknown.{hint} Known: {', '.join(names)}.")


def checked_int(field: str, value: object, low: int, high: int | None = None) -> int:
    """`value` as an int in low..high; anything else, bools included, is an ArgumentError that names `field`."""
    from numbers import Integral

    allowed = f"an integer >= {low}" if high is None else f"an integer from {low} to {high}"
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise ArgumentError(f"{field}={value!r} is not allowed: it must be {allowed}.")
    number = int(value)
    if number < low or (high is not None and number > high):
        raise ArgumentError(f"{field}={value!r} is not allowed: it must be {allowed}.")
    return number


def checked_number(field: str, value: object, low: float, high: float) -> float:
    """`value` as a float in low..high; anything else, bools included, is an ArgumentError that names `field`."""
    from numbers import Real

    if isinstance(value, bool) or not isinstance(value, Real) or not low <= float(value) <= high:
        raise ArgumentError(f"{field}={value!r} is not allowed: it must be a number from {low:g} to {high:g}.")
    return float(value)
