"""What `opponent=` may be, read into who plays each other seat with which weight."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

from war_env.errors import ArgumentError, checked_bool, refused, shown
from war_env.plan import MAX_MIX
from war_env.policy import Policy
from war_env.policy_names import SCRIPTED, policy_code
from war_env.rules import Rules, checked_rules
from war_env.weights import get_policy

MAX_WEIGHT = 1e9


@dataclass(frozen=True)
class Share:
    """One entry of a mix: a compiled policy by its code, or a policy that Python plays, and its weight."""

    code: int | None
    policy: Policy | None
    weight: float


def read_opponents(spec: Any, rules: Rules, memory: bool = True, field: str = "opponent") -> list[list[Share]]:
    """Who plays the other seats.

    Args:
        spec: a scripted name; `{name: weight}`, drawn per episode; a path to exported weights; a policy object; or a
            list with one of these for each other seat, in the order of the seats.
        rules: the rules.
        memory: whether observations hold the memory fields.
        field: what the argument is called, for errors.

    Returns:
        For each of the `players - 1` other seats its mix.

    Raises:
        UnknownNameError, ArgumentError, RulesError: the message names the entry, its value and what is allowed.
    """
    others = checked_rules(rules).players - 1
    checked_bool("memory", memory)
    if isinstance(spec, Sequence) and not isinstance(spec, str | bytes | os.PathLike):
        if len(spec) != others:
            raise ArgumentError(f"{field}={shown(spec)} has {len(spec)} entries: there are {others} other seats.")
        return [_read_mix(f"{field}[{k}]", entry, rules, memory) for k, entry in enumerate(spec)]
    return [_read_mix(field, spec, rules, memory)] * others


def _read_mix(field: str, spec: Any, rules: Rules, memory: bool) -> list[Share]:
    if not isinstance(spec, Mapping):
        return [_read_one(field, spec, 1.0, rules, memory)]
    if not 1 <= len(spec) <= MAX_MIX:
        raise ArgumentError(f"{field}={shown(spec)} is not allowed: a mix must have 1 to {MAX_MIX} entries.")
    for name, weight in spec.items():
        is_number = isinstance(weight, Real) and not isinstance(weight, bool)
        if not is_number or not 0 < weight <= MAX_WEIGHT:
            raise refused(f"{field}[{shown(name)}]", weight, f"a weight, a number > 0 and at most {MAX_WEIGHT:g}")
    return [_read_one(field, name, float(weight), rules, memory) for name, weight in spec.items()]


def _read_one(field: str, spec: Any, weight: float, rules: Rules, memory: bool) -> Share:
    if isinstance(spec, str) and spec in SCRIPTED:
        return Share(policy_code(spec), None, weight)
    return Share(None, get_policy(field, spec, rules, memory), weight)
