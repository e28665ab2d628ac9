"""The record of a game: one JSON object (rules, deal, choices, seed, version) that gives the same game again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from war_env.errors import NotationError, WarEnvError, refused, shown
from war_env.files import parsed_json
from war_env.rules import Rules, check_options

RECORD_FORMAT = 1
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
        record = parsed_json(record, "record")
    if not isinstance(record, dict) or set(record) != set(_KEYS):
        raise NotationError(f"record is not allowed: it must be a JSON object with {', '.join(_KEYS)}.")
    if record["format"] != RECORD_FORMAT:
        raise NotationError(
            f"record: format={shown(record['format'])} is not allowed: this version reads {RECORD_FORMAT}."
        )
    if not isinstance(record["version"], str):
        raise refused("record: version", record["version"], "a text such as '0.1.0'", NotationError)
    rules = _rules_of(record["rules"])
    return rules, _deal_of(record["deal"], record["seed"]), _choices_of(record["choices"], rules), record["version"]


def _rules_of(options: Any) -> Rules:
    if not isinstance(options, dict):
        raise refused("record: rules", options, "an object of options", NotationError)
    try:
        check_options(options)
        return Rules(**options)
    except WarEnvError:
        raise
    except TypeError as error:
        raise NotationError(f"record: rules={shown(options)} is not allowed: {error}.") from None


def _deal_of(places: Any, seed: Any) -> Deal:
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise refused("record: seed", seed, "an integer >= 0", NotationError)
    if not isinstance(places, dict) or set(places) != set(_PLACES):
        raise refused("record: deal", places, f"an object with {', '.join(_PLACES)}", NotationError)
    for name in _PLACES:
        if not isinstance(places[name], list) or not all(isinstance(text, str) for text in places[name]):
            raise refused(f"record: deal[{shown(name)}]", places[name], "a list of texts", NotationError)
    return Deal(**{name: tuple(places[name]) for name in _PLACES}, seed=seed)


def _choices_of(choices: Any, rules: Rules) -> Choices:
    if not rules.has_choices:
        is_count = isinstance(choices, int) and not isinstance(choices, bool)
        if not is_count or not 0 <= choices <= MAX_COMPARISONS:
            allowed = f"the number of comparisons, 0..{MAX_COMPARISONS}, with hand_size=1"
            raise refused("record: choices", choices, allowed, NotationError)
        return int(choices)
    if not isinstance(choices, list):
        raise NotationError("record: choices is not allowed: it must be a list with one entry per comparison.")
    for k, entry in enumerate(choices):
        if not isinstance(entry, list):
            raise refused(f"record: choices[{k}]", entry, "a list with one entry per seat", NotationError)
    return choices
