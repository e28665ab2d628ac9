"""The named rule sets: each is data, a `Rules` with a line of description and its source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from war_env.casino_rules import CASINO_ID, CASINO_NAME
from war_env.errors import RulesError, UnknownNameError, checked_kind, refused, shown, unknown_name
from war_env.rules import Rules


@dataclass(frozen=True)
class Preset:
    """One named rule set and the environment id under which it is registered."""

    name: str
    id: str
    rules: Rules
    summary: str
    source: str


PRESETS = (
    Preset(
        name="strategic",
        id="War-v0",
        rules=Rules(hand_size=5, face_down=3, run_out="last_card", winnings="shuffled", max_battles=200),
        summary="strategic War: choose one of five cards, 200 battles, most cards win",
        source="French rules of strategic War; the limit is ours, two hoarders would never finish",
    ),
    Preset(
        name="one_pass",
        id="WarOnePass-v0",
        rules=Rules(hand_size=5, face_down=3, run_out="take_back", winnings="captured", goal="stock_out"),
        summary="strategic War played once through the stock, most captured cards win",
        source="French rules of strategic War with the sensō ending",
    ),
    Preset(
        name="classic",
        id="WarClassic-v0",
        rules=Rules(),
        summary="classic War, three cards face-down, nothing to choose, played until one seat has all cards",
        source="French rules; pagat",
    ),
    Preset(
        name="senso",
        id="WarSenso-v0",
        rules=Rules(face_down=0, run_out="take_back", winnings="captured", goal="stock_out"),
        summary="sensō: nothing to choose, once through the stock, most captured cards win",
        source="Japanese rules of sensō",
    ),
    Preset(
        name="three_player",
        id="WarThreePlayer-v0",
        rules=Rules(players=3, face_down=3, run_out="last_card"),
        summary="classic War for three, without one 2, only the tied fight a war",
        source="French and Japanese rules for three; pagat",
    ),
    Preset(
        name="speed",
        id="WarSpeed-v0",
        rules=Rules(clock="exponential", max_seconds=300.0),
        summary="Speed War: classic War against the clock, 300 seconds, most cards win",
        source="French rules of Speed War",
    ),
    Preset(
        name="mini",
        id="WarMini-v0",
        rules=Rules(
            ranks=4, suits=2, hand_size=2, face_down=0, run_out="take_back", winnings="captured", goal="stock_out"
        ),
        summary="the miniature: eight cards, two in hand, small enough to be solved exactly",
        source="ours",
    ),
)


def preset_names() -> tuple[str, ...]:
    """Names of all presets, in the order of the table."""
    return tuple(preset.name for preset in PRESETS)


def get_preset(name: str) -> Preset:
    """The preset of that name or environment id.

    Raises:
        UnknownNameError: there is none; the message lists those there are. ArgumentError: it is no text.
    """
    checked_kind("preset", name, str, "a preset's name or its id")
    for preset in PRESETS:
        if name in (preset.name, preset.id):
            return preset
    if name in (CASINO_NAME, CASINO_ID):
        raise UnknownNameError(
            f"preset={shown(name)} has rules of its own: CasinoRules, CasinoWarEnv, gym.make({CASINO_ID!r}), "
            "experiments.casino_edge."
        )
    raise unknown_name("preset", name, [known for preset in PRESETS for known in (preset.name, preset.id)])


def get_rules(preset: str | Rules = "strategic", **options: Any) -> Rules:
    """The rules of a preset, named by name or id, with some options changed.

    Args:
        preset: a preset's name (`"classic"`), its id (`"WarClassic-v0"`), or a `Rules` to start from.
        **options: options of `Rules` to override.

    Raises:
        UnknownNameError: no such preset or option.
        RulesError: an option's value is not allowed.
    """
    if isinstance(preset, Rules):
        return preset.replace(**options)
    if not isinstance(preset, str):
        raise refused("preset", preset, "a Rules, a preset's name or its id", RulesError)
    return get_preset(preset).rules.replace(**options)
