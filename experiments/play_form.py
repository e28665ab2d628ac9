"""The page's new-game dialog: what it offers, made from the rules' own fields, and how its answers become a game."""

from __future__ import annotations

import dataclasses
import secrets
from typing import Any

from agents.registry import agent_names, agent_specs, fitting_agents, strongest_agent
from experiments.harness import MAX_SEED
from experiments.play_casino import CasinoSession
from experiments.play_session import PlaySession, seated_agents
from war_env.casino_env import get_casino_rules
from war_env.casino_rules import CASINO_ID, CASINO_NAME, CASINO_SUMMARY, CasinoRules
from war_env.errors import ArgumentError, WarEnvError, checked_int, refused, shown, unknown_name
from war_env.presets import PRESETS, get_rules
from war_env.rules import Rules

FIRST_PRESET = "one_pass"  # short enough for a first game
MOST_SEATS = 6  # that the table on the page is drawn for
# The sensō players' local rule "play on until all cards are won", as options.
PLAY_ON = {"goal": "all_cards", "run_out": "last_card", "winnings": "shuffled"}
_MAIN = ("players", "hand_size", "face_down", "jokers", "max_battles", "two_beats_ace")
_LABELS = {
    "players": "Seats",
    "hand_size": "Cards in hand",
    "face_down": "Face-down cards in a war",
    "jokers": "Jokers",
    "two_beats_ace": "The 2 beats the ace",
    "max_battles": "Battles at most",
    "uneven": "Cards that do not divide",
    "run_out": "Running out in a war",
    "winnings": "Where winnings go",
    "goal": "What ends the game",
    "max_seconds": "Seconds at most",
    "war_party": "Who fights a war",
    "clock": "Clock (Speed War)",
    "tie_pays": "The tie bet pays",
    "bonus": "Bonus for a tie after a tie",
    "penetration": "Share of the shoe dealt",
    "surrender": "Surrender is allowed",
    "bet_levels": "Units one may ante",
}
_NEW_KEYS = {"preset", "options", "play_on", "opponents", "seat", "seed"}
_TYPES: dict[str, type | tuple[type, ...]] = {"preset": str, "options": dict, "play_on": bool, "opponents": list}


def form_data() -> dict[str, Any]:
    """All that the dialog offers, as plain JSON values."""
    presets = [
        {
            "name": preset.name,
            "title": preset.id,
            "game": "war",
            "summary": preset.summary,
            "rules": preset.rules.to_dict(),
        }
        for preset in PRESETS
    ]
    casino = {"name": CASINO_NAME, "title": CASINO_ID, "game": "casino", "summary": CASINO_SUMMARY}
    presets.append({**casino, "rules": CasinoRules().to_dict()})
    return {
        "presets": presets,
        "options": {"war": _controls(Rules), "casino": _controls(CasinoRules)},
        "first_preset": FIRST_PRESET,
        "max_seed": MAX_SEED,
    }


def _controls(rules: type[Any]) -> list[dict[str, Any]]:
    return [
        {**_control(entry), "is_main": rules is CasinoRules or entry.name in _MAIN}
        for entry in dataclasses.fields(rules)
        if entry.name not in ("reaction", "loop_limit")
    ]


def _control(entry: Any) -> dict[str, Any]:
    """One option as a control: a select, a checkbox, or a number with its bounds."""
    label = _LABELS.get(entry.name, entry.name.capitalize())
    data = {"name": entry.name, "label": label, "meaning": entry.metadata["meaning"]}
    allowed = entry.metadata["allowed"]
    if isinstance(entry.default, bool):
        return {**data, "kind": "checkbox"}
    if ".." not in allowed:
        return {**data, "kind": "select", "choices": [_value(name) for name in allowed.split(", ")]}
    low, _, high = allowed.removeprefix("None, ").partition("..")
    bounds = {"min": float(low), "max": float(MOST_SEATS if entry.name == "players" else _value(high))}
    is_whole = entry.name not in ("max_seconds", "penetration")
    return {**data, "kind": "number", **bounds, "is_whole": is_whole, "may_be_empty": "None" in allowed}


def _value(text: str) -> Any:
    """A value as the rules' fields describe it in words."""
    if text in ("None", "2^31-1"):
        return None if text == "None" else 2**31 - 1
    try:
        return int(text)
    except ValueError:
        return text


def read_rules(body: dict[str, Any]) -> Rules | CasinoRules:
    """The rules that the dialog describes.

    Raises:
        ArgumentError, UnknownNameError, RulesError: the message names the field, its value and what is allowed.
    """
    preset, options = _field(body, "preset", ""), _field(body, "options", {})
    play_on = _field(body, "play_on", False)
    if preset in (CASINO_NAME, CASINO_ID):
        if play_on:
            raise ArgumentError("play_on=True is not allowed: Casino War has no such rule.")
        return get_casino_rules(preset).replace(**options)
    if play_on:
        options = {**options, **PLAY_ON}
    return get_rules(preset).replace(**options)


def _field(body: dict[str, Any], name: str, default: Any) -> Any:
    value, kind = body.get(name, default), _TYPES[name]
    if not isinstance(value, kind):
        raise refused(name, value, f"a JSON {_JSON_NAMES[kind]}")
    return value


_JSON_NAMES = {str: "string", dict: "object", bool: "boolean", list: "array"}


def check_form(body: dict[str, Any]) -> dict[str, Any]:
    """Whether the rules can be played, and by whom, for the dialog while it is filled in.

    Returns:
        Keys problem (None, or what is wrong in words), seats, has_choices, agents (name, description), strongest.
    """
    _check_keys(body, {"preset", "options", "play_on"})
    try:
        rules = read_rules(body)
    except WarEnvError as error:
        return {"problem": str(error), "seats": 0, "has_choices": False, "agents": [], "strongest": None}
    if isinstance(rules, CasinoRules):
        return {"problem": None, "seats": 1, "has_choices": True, "agents": [], "strongest": None}
    found = [{"name": agent.name, "description": agent.description} for agent in fitting_agents(rules)]
    who = {"agents": found, "strongest": strongest_agent(rules).name}
    return {"problem": None, "seats": rules.players, "has_choices": rules.has_choices, **who}


def _check_keys(body: dict[str, Any], known: set[str]) -> None:
    for name in body:
        if name not in known:
            raise unknown_name("field", name, known)


def new_session(body: dict[str, Any]) -> PlaySession | CasinoSession:
    """The game that the dialog asks for.

    Raises:
        ArgumentError, UnknownNameError, RulesError: the message names the field, its value and what is allowed.
    """
    _check_keys(body, _NEW_KEYS)
    rules = read_rules(body)
    given = body.get("seed")
    seed = secrets.randbelow(MAX_SEED) if given is None else checked_int("seed", given, 0, MAX_SEED)
    if isinstance(rules, CasinoRules):
        for name in ("opponents", "seat"):
            if body.get(name):
                raise ArgumentError(
                    f"{name}={shown(body[name])} is not allowed: Casino War is played against the house."
                )
        return CasinoSession(rules, seed)
    names = _field(body, "opponents", ["reserve"])
    for name in names:
        if name not in agent_names():  # never a path: the page is not to open files
            raise unknown_name("opponent", name, agent_names())
        if not agent_specs()[name].is_quick(rules):
            raise ArgumentError(
                f"opponent={shown(name)} is not allowed: under these rules it takes too long to get ready."
            )
    if rules.players > MOST_SEATS:
        raise ArgumentError(f"players={rules.players} is not allowed: the table here has at most {MOST_SEATS} seats.")
    return PlaySession(rules, seated_agents(rules, names, body.get("seat", 0)), seed)
