"""The record of a game: one JSON object (rules, deal, choices, seed, version) that gives the same game again."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from war_env.errors import NotationError, WarEnvError
from war_env.rules import Rules, check_options

RECORD_FORMAT = 1
MAX_LENGTH = 64_000_000  # characters
MAX_COMPARISONS = 100_000_000  # of a game without choices, whose record holds their number alone
Choices = list[list[int | None]] | int
_KEYS = ("format", "version", "rules", "seed", "deal", "choices")
_PLACES = ("stocks", "piles", "hands")


@dataclass(frozen=True)
class Deal:
    """How a game started: each seat's cards as text with suits, and the seed of its shuffles."""

    stocks: tuple[str, ...]
    piles: tuple[str, ...]
    hands: tuple[str, ...]
    seed: int


def record_of(rules: Rules, deal: Deal, choices: Choices, version: str) -> dict[str, Any]:
    """The record as plain JSON values; `choices` is the number of comparisons where there is nothing to choose."""
    places = {name: list(getattr(deal, name)) for name in _PLACES}
    parts = {"format": RECORD_FORMAT, "version": version, "rules": rules.to_dict(), "seed": deal.seed}
    return {**parts, "deal": places, "choices": choices}


def read_record(record: Any) -> tuple[Rules, Deal, Choices, str]:
    """Rules, deal, choices and version of a record, given as JSON text or as the object it describes.

    Raises:
        NotationError: it is not a record, or one of another format; the message says where.
        RulesError: its rules are not allowed.
    """
    if isinstance(record, str):
        record = _parsed(record)
    if not isinstance(record, dict) or set(record) != set(_KEYS):
        raise NotationError(f"record is not allowed: it must be a JSON object with {', '.join(_KEYS)}.")
    if record["format"] != RECORD_FORMAT:
        raise NotationError(f"record: format={record['format']!r} is not allowed: this version reads {RECORD_FORMAT}.")
    if not isinstance(record["version"], str):
        raise NotationError(f"record: version={record['version']!r} is not allowed: it must be a text such as '0.1.0'.")
    rules = _rules_of(record["rules"])
    return rules, _deal_of(record["deal"], record["seed"]), _choices_of(record["choices"], rules), record["version"]


def _parsed(text: str) -> Any:
    if len(text) > MAX_LENGTH:
        raise NotationError(f"record has {len(text)} characters: at most {MAX_LENGTH} are read.")
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise NotationError(f"record is not JSON: {type(error).__name__}: {error}.") from None


def _rules_of(options: Any) -> Rules:
    if not isinstance(options, dict):
        raise NotationError(f"record: rules={options!r} is not allowed: it must be an object of options.")
    try:
        check_options(options)
        return Rules(**options)
    except WarEnvError:
        raise
    except TypeError as error:
        raise NotationError(f"record: rules={options!r} is not allowed: {error}.") from None


def _deal_of(places: Any, seed: Any) -> Deal:
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise NotationError(f"record: seed={seed!r} is not allowed: it must be an integer >= 0.")
    if not isinstance(places, dict) or set(places) != set(_PLACES):
        raise NotationError(f"record: deal={places!r} is not allowed: it must be an object with {', '.join(_PLACES)}.")
    for name in _PLACES:
        if not isinstance(places[name], list) or not all(isinstance(text, str) for text in places[name]):
            raise NotationError(f"record: deal[{name!r}]={places[name]!r} is not allowed: it must be a list of texts.")
    return Deal(**{name: tuple(places[name]) for name in _PLACES}, seed=seed)


def _choices_of(choices: Any, rules: Rules) -> Choices:
    if not rules.has_choices:
        is_count = isinstance(choices, int) and not isinstance(choices, bool)
        if not is_count or not 0 <= choices <= MAX_COMPARISONS:
            raise NotationError(
                f"record: choices={choices!r} is not allowed: with hand_size=1 it must be the number of comparisons, "
                f"0..{MAX_COMPARISONS}."
            )
        return int(choices)
    if not isinstance(choices, list):
        raise NotationError("record: choices is not allowed: it must be a list with one entry per comparison.")
    for k, entry in enumerate(choices):
        if not isinstance(entry, list):
            raise NotationError(
                f"record: choices[{k}]={entry!r} is not allowed: it must be a list with one entry per seat."
            )
    return choices
