"""A table of Casino War as its player sees it, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from war_env.cards import RANK_NAMES
from war_env.casino_rules import CasinoRules
from war_env.render.scene import LOST, TIED, WON, Face


class Choice(NamedTuple):
    """One action: the key that plays it, what it says, whether it applies now."""

    key: str
    label: str
    applies: bool


@dataclass(frozen=True)
class CasinoScene:
    """The table.

    Attributes:
        title: which round of how many.
        progress: share of the rounds that is played, 0..1.
        player, dealer: their open cards in a tie, or the last ones of the round before; None before the first.
        mark: what the player's card did: `tied`, `won`, `lost`, or "" before the first round.
        stake: ante of the round in units, 0 before it.
        units: units won in the episode.
        cards_left, cards: cards in the shoe, and in a full one.
        is_tie, is_over: whether the player decides on a tie; whether all rounds are played.
        happened: what the last round did; "" before it and in a tie.
        won: units that round won.
        choices: every action in its order.
    """

    title: str
    progress: float
    player: Face | None
    dealer: Face | None
    mark: str
    stake: int
    units: float
    cards_left: int
    cards: int
    is_tie: bool
    is_over: bool
    happened: str
    won: float
    choices: tuple[Choice, ...]

    def text(self) -> str:
        """The scene as text."""
        from war_env.render.text import casino_text

        return casino_text(self)


def casino_keys(rules: CasinoRules) -> list[str]:
    """The key of each action: 1 to 9 and 0 ante, the letters of the row below the tie bet, s and w decide a tie."""
    antes = "1234567890"[: rules.bet_levels]
    return [*antes, *"qertyuiopa"[: rules.bet_levels], "s", "w"]


def casino_scene(table: Any, rules: CasinoRules) -> CasinoScene:
    """The scene of one lane's record, structured as `casino_state.RECORD`."""
    is_over = int(table["round"]) >= rules.rounds
    is_tie = bool(table["phase"])
    places = ("player", "dealer") if is_tie else ("last_player", "last_dealer")
    player, dealer = (_face(int(table[place])) for place in places)
    won = int(table["last_won"]) / 2
    happened = "" if player is None or is_tie else f"{player} v {dealer}, {won:+.1f}"
    return CasinoScene(
        title=f"{rules.rounds} rounds played" if is_over else f"round {int(table['round']) + 1} of {rules.rounds}",
        progress=int(table["round"]) / rules.rounds,
        player=player,
        dealer=dealer,
        mark=TIED if is_tie else _mark(int(table["last_player"]) - int(table["last_dealer"]), won) if player else "",
        stake=int(table["stake"]),
        units=int(table["half_units"]) / 2,
        cards_left=int(table["left"]),
        cards=rules.num_cards,
        is_tie=is_tie,
        is_over=is_over,
        happened=happened,
        won=won,
        choices=_choices(rules, is_tie, is_over),
    )


def _face(number: int) -> Face | None:
    """A card by rank + 1; this table keeps no suits."""
    return Face(RANK_NAMES[number - 1]) if number else None


def _mark(lead: int, won: float) -> str:
    """What the player's last card did; a tie of a war is won, a surrendered one lost."""
    return WON if lead > 0 or (lead == 0 and won > 0) else LOST


def _choices(rules: CasinoRules, is_tie: bool, is_over: bool) -> tuple[Choice, ...]:
    levels = range(1, rules.bet_levels + 1)
    labels = [*(f"ante {k}" for k in levels), *(f"ante {k} + tie" for k in levels), "surrender", "go to war"]
    applies = [not is_tie] * (2 * rules.bet_levels) + [is_tie and rules.surrender, is_tie]
    keys = casino_keys(rules)
    return tuple(Choice(key, label, now and not is_over) for key, label, now in zip(keys, labels, applies, strict=True))
