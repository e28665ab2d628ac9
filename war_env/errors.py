"""The errors that war_env raises, each with the field, the value and what is allowed, and the checks that raise them.

All of them are also `ValueError`, so that code which knows nothing of this package can still catch them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from numbers import Integral, Real
from typing import Any, TypeVar

import numpy as np

_MOST_SHOWN = 200  # characters of a value in a message


class WarEnvError(ValueError):
    """Base of every error that this package raises on purpose."""


Kind = TypeVar("Kind")
Fault = TypeVar("Fault", bound=WarEnvError)


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


def shown(value: object) -> str:
    """A value as messages quote it: its repr, cut in the middle where it is long, whatever it is made of."""
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 10_000:
        return f"an integer of {value.bit_length()} bits"  # Python refuses to write very long ones
    if isinstance(value, str | bytes) and len(value) > _MOST_SHOWN:
        return f"{value[: _MOST_SHOWN // 2]!r}... ({len(value)} characters)"
    try:
        text = repr(value)
    except Exception:
        return f"an object of {type(value).__name__} that cannot be shown"
    if len(text) <= _MOST_SHOWN:
        return text
    return f"{text[: _MOST_SHOWN - 50]}...{text[-40:]}"


def refused(field: str, value: object, allowed: str, kind: type[Fault] = ArgumentError) -> Fault:  # type: ignore[assignment]
    """The error for a value that a field cannot have: it names both, and what is allowed."""
    return kind(f"{field}={shown(value)} is not allowed: it must be {allowed}.")


def unknown_name(field: str, name: object, known: Iterable[str]) -> UnknownNameError:
    """The error for a name that does not exist, with the known names and the nearest of them."""
    names = sorted(known)
    near = get_close_matches(name, names, n=1) if isinstance(name, str) and len(name) <= _MOST_SHOWN else []
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return UnknownNameError(f"{field}={shown(name)} is unknown.{hint} Known: {', '.join(names)}.")


def checked_int(field: str, value: object, low: int, high: int | None = None) -> int:
    """`value` as an int in low..high; anything else, bools included, is an ArgumentError that names `field`."""
    if isinstance(value, Integral) and not isinstance(value, bool):
        number = int(value)
        if number >= low and (high is None or number <= high):
            return number
    raise refused(field, value, f"an integer >= {low}" if high is None else f"an integer from {low} to {high}")


def checked_number(field: str, value: object, low: float, high: float) -> float:
    """`value` as a float in low..high; anything else, bools included, is an ArgumentError that names `field`."""
    if isinstance(value, Real) and not isinstance(value, bool):
        number: Any = value  # compared before it is turned: very large integers are no floats
        try:
            if low <= number <= high:
                return float(number)
        except OverflowError:  # an integer, with no upper limit
            pass
    raise refused(field, value, f"a number from {low:g} to {high:g}")


def checked_bool(field: str, value: object) -> bool:
    """`value` as a bool; anything but True and False is an ArgumentError that names `field`."""
    if not isinstance(value, bool | np.bool_):
        raise refused(field, value, "True or False")
    return bool(value)


def checked_choice(field: str, value: object, choices: Iterable[str]) -> str:
    """`value` if it is one of some texts; anything else is an ArgumentError that names `field`."""
    if not isinstance(value, str) or value not in choices:
        raise refused(field, value, f"one of {', '.join(choices)}")
    return value


def checked_kind(field: str, value: object, kind: type[Kind], allowed: str) -> Kind:
    """`value` if it is an instance of `kind`; anything else is an ArgumentError that names `field`."""
    if not isinstance(value, kind):
        raise refused(field, value, allowed)
    return value


def checked_entries(field: str, value: Any, count: int, kind: type[WarEnvError] = ArgumentError) -> list[Any]:
    """A list, tuple or array with one entry per seat as a list; anything else, texts included, is an error."""
    is_list = isinstance(value, np.ndarray) and value.ndim > 0
    is_list = is_list or (isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray | memoryview))
    if not is_list or len(value) != count:
        raise refused(field, value, f"a list with one entry per seat, {count}", kind)
    return list(value)


def checked_array(field: str, value: Any, shape: Sequence[Any], kinds: str, allowed: str) -> np.ndarray:
    """`value` as an array; ArgumentError that names `field` where its shape or dtype is another.

    Args:
        field: what it is called.
        value: an array, or what NumPy makes one of.
        shape: its shape, None where any length goes; an ellipsis at the start stands for any axes before.
        kinds: the kinds of dtype that are allowed, as NumPy's one-letter codes.
        allowed: what is allowed, in words.
    """
    try:
        array = np.asarray(value)
    except (ValueError, TypeError):
        raise refused(field, value, f"{allowed}; it is ragged") from None
    own, wanted = array.shape, tuple(shape)
    if wanted[:1] == (...,):
        wanted = wanted[1:]
        own = own[-len(wanted) :]
    is_shape = len(own) == len(wanted) and all(n in (None, m) for n, m in zip(wanted, own, strict=True))
    if not is_shape or array.dtype.kind not in kinds:
        raise ArgumentError(
            f"{field} of shape {array.shape}, dtype {array.dtype} is not allowed: it must be {allowed}."
        )
    return array
