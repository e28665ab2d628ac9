"""The record of a game: one JSON object (rules, deal, choices, seed, version) that gives the same game again."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from war_env.errors import NotationError, WarEnvError
from war_env.rules import Rules, check_options

RECORD_FORMAT = 1
MAX_LENGTH = 8_000_000  # characters; a game of 100,000 battles stays far below
_KEYS = ("format", "version", "rules", "seed", "deal", "choices")
_PLACES = ("stocks", "piles", "hands")


@dataclass(frozen=True)
class Deal:
    """How a game started: each seat's cards as text with suits, and the seed of its shuffles."""

    stocks: tuple[str, ...]
    piles: tuple[str, ...]
    hands: tuple[str, ...]
    seed: int


def record_of(rules: Rules, deal: Deal, choices: list[list[int | None]], version: str) -> dict[str, Any]:
    """The record as plain JSON values."""
    places = {name: list(getattr(deal, name)) for name in _PLACES}
    parts = {"format": RECORD_FORMAT, "version": version, "rules": rules.to_dict(), "seed": deal.seed}
    return {**parts, "deal": places, "choices": [list(entry) for entry in choices]}


def read_record(record: Any) -> tuple[Rules, Deal, list[list[int | None]]]:
    """Rules, deal and choices of a record, given as JSON text or as the object it describes.

    Raises:
        NotationError: it is not a record, or one of another format; the message says where.
        RulesError: its rules are not allowed.
    """
    if isinstance(record, str):
        record = _parsed(record)
    if not isinstance(record, dict) or sorted(record) != sorted(_KEYS):
        raise NotationError(f"record is not allowed: it must be a JSON object with {', '.join(_KEYS)}.")
    if record["format"] != RECORD_FORMAT:
        raise NotationError(f"record: format={record['format']!r} is not allowed: this version reads {RECORD_FORMAT}.")
    return _rules_of(record["rules"]), _deal_of(record["deal"], record["seed"]), _choices_of(record["choices"])


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
    if not isinstance(places, dict) or sorted(places) != sorted(_PLACES):
        raise NotationError(f"record: deal={places!r} is not allowed: it must be an object with {', '.join(_PLACES)}.")
    for name in _PLACES:
        if not isinstance(places[name], list) or not all(isinstance(text, str) for text in places[name]):
            raise NotationError(f"record: deal[{name!r}]={places[name]!r} is not allowed: it must be a list of texts.")
    return Deal(**{name: tuple(places[name]) for name in _PLACES}, seed=seed)


def _choices_of(choices: Any) -> list[list[int | None]]:
    if not isinstance(choices, list):
        raise NotationError("record: choices is not allowed: it must be a list with one entry per comparison.")
    for k, entry in enumerate(choices):
        if not isinstance(entry, list):
            raise NotationError(
                f"record: choices[{k}]={entry!r} is not allowed: it must be a list with one entry per seat."
            )
    return choices
