"""What lies on the table as one seat may see it, as data: pictures and text are both made from it.

A scene holds the observer's own hand, counts of everything hidden, what lies face-up, and what happened last.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from war_env.cards import JOKER, SUIT_LETTERS, Deck, cards_in
from war_env.holdings import held_cards, pot_taker
from war_env.rules import Rules
from war_env.state import NOBODY, REASONS

SUIT_SYMBOLS = dict(zip(SUIT_LETTERS, "♣♦♥♠", strict=True))
TIED, WON, LOST = "tied", "won", "lost"


class Face(NamedTuple):
    """An open card.

    Attributes:
        rank: as the deck names it, the joker `X`.
        suit: a letter of `SUIT_LETTERS`, `#5` and so on where a deck has more, or nothing where suits are not told.
    """

    rank: str
    suit: str = ""

    def __str__(self) -> str:
        return self.rank + SUIT_SYMBOLS.get(self.suit, self.suit)


Card = Face | None  # None is a card that lies face-down or in another's hand


class Position(NamedTuple):
    """One game's record: its header and its seats' blocks, structured, as `state.py` describes them."""

    state: Any
    seats: Any


@dataclass(frozen=True)
class SeatScene:
    """One seat.

    Attributes:
        name: how it is called.
        is_own: whether it is the observer's.
        hand: cards in hand, lowest first; None for each of another's.
        stock, pile: cards face-down to draw from; cards won and kept apart.
        held: cards that count for the seat.
        laid: cards laid in the battle at hand, or in the one that ended last, in that order.
        mark: `tied`, `won` or `lost`: what its last face-up card did; "" for nothing.
        is_out: whether it has left the game.
        has_say: whether it chooses now.
    """

    name: str
    is_own: bool
    hand: tuple[Card, ...]
    stock: int
    pile: int
    held: int
    laid: tuple[Card, ...]
    mark: str
    is_out: bool
    has_say: bool


@dataclass(frozen=True)
class Scene:
    """The table of a game of War.

    Attributes:
        title: battle and limits.
        progress: share of the nearest limit that is used up, 0..1; None without one.
        seats: all seats, in their order.
        has_piles: whether these rules keep won cards apart.
        pot: cards on the table in the battle at hand.
        wars: wars of the battle at hand, or of the one that ended last.
        is_war: whether a war goes on.
        happened: what the last comparison did; "" at the start.
        outcome, reason: how the game ended, for the observer; "" while it is played.
        is_won: whether the observer won.
        number: comparisons played.
    """

    title: str
    progress: float | None
    seats: tuple[SeatScene, ...]
    has_piles: bool
    pot: int
    wars: int
    is_war: bool
    happened: str
    outcome: str
    reason: str
    is_won: bool
    number: int

    @property
    def own(self) -> SeatScene:
        """The observer's seat."""
        return next(seat for seat in self.seats if seat.is_own)

    @property
    def others(self) -> list[SeatScene]:
        """The other seats, from the observer's left on."""
        own = self.seats.index(self.own)
        return [*self.seats[own + 1 :], *self.seats[:own]]

    def text(self) -> str:
        """The scene as text."""
        from war_env.render.text import scene_text

        return scene_text(self)


def face_of(deck: Deck, card: int) -> Face:
    """A card by number as an open one."""
    rank = deck.rank_names[deck.rank(card)]
    return Face(rank, "" if rank == JOKER else deck.name(card)[len(rank) :])


def war_scene(position: Position, rules: Rules, observer: int, before: Position | None = None) -> Scene:
    """The scene of a game.

    Args:
        position: the game now.
        rules: its rules.
        observer: whose view it is.
        before: the same game before its last comparison, from which follows what happened; None at the start.
    """
    state = position.state
    if before is not None and (before.state["key"] != state["key"] or before.state["reason"]):
        before = None  # another game: this one was dealt since
    laid = [_laid(position, rules, number) for number in range(rules.players)]
    pot = sum(map(len, laid))
    has_ended = before is not None and before.state["battles"] < state["battles"]
    if before is not None and has_ended:
        laid = [_last_laid(before, position, rules, number) for number in range(rules.players)]
    marks = _marks(before if has_ended else None, position, rules)
    names = ["you" if number == observer else f"seat {number}" for number in range(rules.players)]
    held = held_cards(*position, rules)
    seats = tuple(
        _seat(position, rules, number, number == observer, held[number], laid[number], marks[number])
        for number in range(rules.players)
    )
    outcome, reason, is_won = _outcome(position, rules, observer, names)
    return Scene(
        title=_title(state, rules),
        progress=_progress(position, rules),
        seats=seats,
        has_piles=rules.winnings == "captured" or rules.winnings.startswith("pile_"),
        pot=pot,
        wars=_wars(laid, has_ended),
        is_war=bool(state["table"]) and not state["reason"],
        happened=_happened(before, position, marks, names),
        outcome=outcome,
        reason=reason,
        is_won=is_won,
        number=int(state["comparisons"]),
    )


def _seat(
    position: Position, rules: Rules, number: int, is_own: bool, held: int, laid: tuple[Card, ...], mark: str
) -> SeatScene:
    seat, state = position.seats[number], position.state
    cards = cards_in(seat["hand"])
    return SeatScene(
        name=f"seat {number}",
        is_own=is_own,
        hand=tuple(face_of(rules.deck, card) if is_own else None for card in cards),
        stock=int(seat["stock"]),
        pile=int(seat["pile"]) + int(seat["captured"]).bit_count(),
        held=held,
        laid=laid,
        mark=mark,
        is_out=not _has(state["in_game"], number),
        has_say=_has(state["fighters"], number),
    )


def _has(seats: Any, number: int) -> bool:
    return bool(int(seats) >> number & 1)


def _laid(position: Position, rules: Rules, number: int) -> tuple[Card, ...]:
    seat, shown = position.seats[number], int(position.state["table"])
    start, size = int(seat["head"]) + int(seat["stock"]) + int(seat["pile"]), len(seat["ring"])
    cards = [int(seat["ring"][(start + k) % size]) for k in range(int(seat["laid"]))]
    return tuple(face_of(rules.deck, card) if shown >> card & 1 else None for card in cards)


def _last_laid(before: Position, after: Position, rules: Rules, number: int) -> tuple[Card, ...]:
    """What a seat laid in the battle that has just ended, its last open card included."""
    laid = _laid(before, rules, number)
    if _has(before.state["fighters"], number):
        return (*laid, face_of(rules.deck, int(after.seats[number]["up"])))
    return laid


def _wars(laid: list[tuple[Card, ...]], has_ended: bool) -> int:
    open_cards = max(sum(card is not None for card in cards) for cards in laid)
    return max(open_cards - has_ended, 0)


def _marks(before: Position | None, position: Position, rules: Rules) -> list[str]:
    """What each seat's last face-up card did, in the war at hand or in the battle that ended after `before`."""
    players = range(rules.players)
    if before is None:
        rivals = position.state["rivals"] if position.state["table"] else 0
        return [TIED if _has(rivals, number) else "" for number in players]
    winner = pot_taker(held_cards(*before, rules), held_cards(*position, rules))
    took_part = [bool(_last_laid(before, position, rules, number)) for number in players]
    if winner is None:
        return [TIED if part else "" for part in took_part]
    return [WON if number == winner else LOST if took_part[number] else "" for number in players]


def _happened(before: Position | None, after: Position, marks: list[str], names: list[str]) -> str:
    if before is None:
        return ""
    if before.state["battles"] == after.state["battles"]:
        return "a tie: war"
    count = int(after.state["plays"]) - int(before.state["plays"])
    if WON not in marks:
        return "all take back their cards"
    name = names[marks.index(WON)]
    return f"{name} {'take' if name == 'you' else 'takes'} {count} cards"


def _title(state: Any, rules: Rules) -> str:
    battles = int(state["battles"]) + (0 if state["reason"] else 1)
    limit = "" if rules.max_battles is None else f" of {rules.max_battles}"
    title = f"battle {battles}{limit}"
    if rules.clock is not None:
        end = "" if rules.max_seconds is None else f" of {rules.max_seconds:g}"
        title += f", {int(state['nanos']) / 1e9:.0f}{end} s"
    return title


def _progress(position: Position, rules: Rules) -> float | None:
    """How much of the nearest limit is used up: battles, seconds, or cards of the shortest stock in one pass."""
    state, shares = position.state, []
    if rules.max_battles is not None:
        shares.append(int(state["battles"]) / rules.max_battles)
    if rules.max_seconds is not None:
        shares.append(int(state["nanos"]) / 1e9 / rules.max_seconds)
    if rules.goal == "stock_out":
        left = min(int(seat["stock"]) + int(seat["hand"]).bit_count() for seat in position.seats)
        shares.append(1 - left / (len(rules.cards) // rules.players))
    return min(max(*shares, 0.0), 1.0) if shares else None


REASON_TEXTS = {
    "all_cards": "all cards won",
    "run_out": "out of cards in a war",
    "stock_out": "the stock is played",
    "first_empty": "a seat has no cards left",
    "max_battles": "the agreed battles are played",
    "max_seconds": "time is up",
    "loop": "the game repeats itself",
    "unfinished": "no end in sight",
    "draw": "nobody can go on",
}


def _outcome(position: Position, rules: Rules, observer: int, names: list[str]) -> tuple[str, str, bool]:
    """Outcome and reason as text, and whether the observer won."""
    state = position.state
    if not state["reason"]:
        return ("", "", False) if _has(state["in_game"], observer) else ("you are out", "the others go on", False)
    reason = REASON_TEXTS[REASONS[int(state["reason"])]]
    if state["winner"] == NOBODY:
        return "draw", reason, False
    winner = int(state["winner"])
    return ("you win" if winner == observer else f"{names[winner]} wins"), reason, winner == observer
