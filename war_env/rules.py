"""`Rules`: every option of the game, checked once, and its encoding for the compiled engine.

Sources named below: *pagat* is https://www.pagat.com/war/war.html; *Bicycle* is
https://bicyclecards.com/how-to-play/war; *Hoyle* are the books of that name; "sensō" is the Japanese one-pass game.
docs/rules.md explains each option with an example.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Integral, Real
from typing import Any

import numpy as np

from war_env.cards import MAX_CARDS, RANK_NAMES, Deck, mask_of
from war_env.errors import RulesError, refused, shown, unknown_name

MAX_PLAYERS = 10
MAX_HAND = 8
MIN_SECONDS, MAX_SECONDS, MAX_REACTION = 1e-6, 1e9, 1e6
NO_LIMIT = 2**64 - 1
MAX_COUNT = 2**31 - 1

UNEVEN = ("remove_lowest", "extra_card")
RUN_OUT = ("lose", "last_card", "last_card_stands", "equal_force", "take_back", "draw")
WINNINGS = (
    "shuffled",
    "winner_first",
    "loser_first",
    "seat_order",
    "interleaved",
    "pile_shuffled",
    "pile_ordered",
    "captured",
)
GOALS = ("all_cards", "stock_out", "first_empty")
WAR_PARTIES = ("tied", "everyone")
CLOCKS = ("exponential", "lognormal")


def _codes(names: tuple[str, ...]) -> tuple[np.uint64, ...]:
    return tuple(np.uint64(code) for code in range(len(names)))


# The same names as numbers, for the kernels.
LOSE, LAST_CARD, LAST_CARD_STANDS, EQUAL_FORCE, TAKE_BACK, DRAW = _codes(RUN_OUT)
SHUFFLED, WINNER_FIRST, LOSER_FIRST, SEAT_ORDER, INTERLEAVED, PILE_SHUFFLED, PILE_ORDERED, CAPTURED = _codes(WINNINGS)
ALL_CARDS, STOCK_OUT, FIRST_EMPTY = _codes(GOALS)
TIED, EVERYONE = _codes(WAR_PARTIES)
NO_CLOCK, EXPONENTIAL, LOGNORMAL = _codes(("none", *CLOCKS))

_INTEGERS = (
    ("players", 2, MAX_PLAYERS),
    ("ranks", 1, MAX_CARDS),
    ("suits", 1, MAX_CARDS),
    ("jokers", 0, 4),
    ("hand_size", 1, MAX_HAND),
    ("face_down", 0, 4),
    ("loop_limit", 1, MAX_COUNT),
    ("max_battles", 1, MAX_COUNT),
)
FIXED_ORDERS = ("winner_first", "loser_first", "seat_order", "interleaved", "pile_ordered")


def option(default: Any, meaning: str, source: str, choices: tuple[str, ...] = (), allowed: str = "") -> Any:
    """A field of `Rules` with what the documentation and the checks need to know of it."""
    allowed = allowed or ", ".join(choices)
    return field(
        default=default, metadata={"meaning": meaning, "source": source, "choices": choices, "allowed": allowed}
    )


@dataclass(frozen=True, kw_only=True)
class Rules:
    """All options of one game of War; the defaults are classic War for two.

    Every field's meaning, range and source stand in its metadata and in docs/rules.md.

    Raises:
        RulesError: a value is outside its range, or two options contradict each other; the message names them.
    """

    players: int = option(2, "seats at the table", "pagat; ten is ours", allowed="2..10")
    ranks: int = option(
        13, "ranks of the deck: up to 13 are the top ones of 2..A, more are the numbers 1..n", "ours", allowed="1..64"
    )
    suits: int = option(4, "suits of the deck; at most 64 cards with the jokers", "ours", allowed="1..64")
    jokers: int = option(0, "jokers, above every card and equal to each other", "sensō", allowed="0..4")
    uneven: str = option(
        "remove_lowest",
        "cards that do not divide: lowest cards leave the deck, or the first seats get one more",
        "pagat",
        UNEVEN,
    )
    hand_size: int = option(
        1,
        "cards a seat chooses from; with 1 there is nothing to choose",
        "French rules of strategic War",
        allowed="1..8",
    )
    face_down: int = option(
        3, "cards each seat stakes face-down in a war", "Bicycle (1), pagat (1 or 3)", allowed="0..4"
    )
    run_out: str = option("lose", "what happens when a seat that must fight runs out of cards", "pagat; sensō", RUN_OUT)
    winnings: str = option("shuffled", "where the pot goes, and in which order", "pagat; sensō", WINNINGS)
    goal: str = option("all_cards", "what ends the game", "pagat; sensō (stock_out)", GOALS)
    max_battles: int | None = option(
        None,
        "after so many battles the seat holding most cards wins; equal is a draw",
        "sensō",
        allowed="None, 1..2^31-1",
    )
    max_seconds: float | None = option(
        None,
        "the same after so many seconds; the battle in which they pass is finished",
        "Speed War",
        allowed="None, 1e-6..1e9",
    )
    two_beats_ace: bool = option(
        False, "a 2 beats an Ace and nothing else; needs 13 ranks", "sensō", allowed="True, False"
    )
    war_party: str = option(
        "tied",
        "three or more seats: who fights a war, the tied or every seat of this battle",
        "pagat, Hoyle",
        WAR_PARTIES,
    )
    clock: str | None = option(
        None,
        "Speed War: distribution of the seats' reaction times",
        "Speed War",
        allowed="None, exponential, lognormal",
    )
    reaction: float | tuple[float, ...] = option(
        1.0, "mean seconds a seat needs to flip a card, one for all or one per seat", "Speed War", allowed="1e-6..1e6"
    )
    loop_limit: int = option(
        100_000, "battles after which a game without a verdict ends, unfinished", "ours", allowed="1..2^31-1"
    )

    def __post_init__(self) -> None:
        for name, low, high in _INTEGERS:
            self._check_int(name, low, high)
        for entry in dataclasses.fields(self):
            value = getattr(self, entry.name)
            if entry.metadata["choices"] and not (isinstance(value, str) and value in entry.metadata["choices"]):
                self._refuse(entry.name)
        if not isinstance(self.two_beats_ace, bool | np.bool_):
            self._refuse("two_beats_ace")
        object.__setattr__(self, "two_beats_ace", bool(self.two_beats_ace))
        if self.clock is not None and not (isinstance(self.clock, str) and self.clock in CLOCKS):
            self._refuse("clock")
        if self.max_seconds is not None:
            object.__setattr__(self, "max_seconds", self._seconds("max_seconds", self.max_seconds))
        self._check_reaction()
        self._check_combinations()

    def _check_int(self, name: str, low: int, high: int) -> None:
        value = getattr(self, name)
        if value is None and name == "max_battles":
            return
        if isinstance(value, bool | np.bool_) or not isinstance(value, Integral) or not low <= int(value) <= high:
            self._refuse(name)
        object.__setattr__(self, name, int(value))

    def _seconds(self, name: str, value: Any) -> float:
        most = MAX_REACTION if name == "reaction" else MAX_SECONDS
        is_number = isinstance(value, Real) and not isinstance(value, bool | np.bool_)
        if not is_number or not _is_time(value, most):
            self._refuse(name)
        return float(value)

    def _check_reaction(self) -> None:
        given = self.reaction
        if not isinstance(given, list | tuple):
            object.__setattr__(self, "reaction", self._seconds("reaction", given))
            return
        if len(given) != self.players:
            raise RulesError(f"reaction={shown(given)} has {len(given)} values for players={self.players}.")
        object.__setattr__(self, "reaction", tuple(self._seconds("reaction", value) for value in given))

    def _refuse(self, name: str) -> None:
        entry = next(entry for entry in dataclasses.fields(self) if entry.name == name)
        allowed = ("one of " if entry.metadata["choices"] else "") + entry.metadata["allowed"]
        raise refused(name, getattr(self, name), allowed, RulesError)

    def _check_combinations(self) -> None:
        def clash(first: str, second: str, why: str) -> None:
            raise RulesError(
                f"{first}={shown(getattr(self, first))} and {second}={shown(getattr(self, second))}: {why}."
            )

        cards = self.deck.size
        if cards > MAX_CARDS:
            clash(
                "ranks",
                "suits",
                f"the deck has {cards} cards with jokers={self.jokers}, at most {MAX_CARDS} are allowed",
            )
        if len(self.cards) < self.players:
            clash("players", "ranks", f"there are more seats than cards ({len(self.cards)})")
        if self.uneven == "remove_lowest" and len(self.cards) % self.players:
            clash("players", "jokers", f"{len(self.cards)} cards are left that do not divide, and jokers never leave")
        if (self.goal == "stock_out") != (self.winnings == "captured"):
            clash("goal", "winnings", "goal 'stock_out' and winnings 'captured' belong together")
        if self.run_out == "take_back" and self.goal != "stock_out":
            clash("run_out", "goal", "'take_back' needs goal 'stock_out'")
        if self.clock is None and self.max_seconds is not None:
            clash("max_seconds", "clock", "a limit in seconds needs a clock")
        if self.clock is None and self.reaction != 1.0:
            clash("reaction", "clock", "reaction times need a clock")
        if self.war_party == "everyone" and self.players == 2:
            clash("war_party", "players", "with two seats the tied are everyone; 'everyone' needs three or more")
        if self.two_beats_ace and self.ranks != len(RANK_NAMES):
            clash("two_beats_ace", "ranks", "it needs 13 ranks")
        if self.two_beats_ace and self.deck.rank(self.cards[0]) != 0:
            clash("two_beats_ace", "players", "no 2 is left in a deck that divides; uneven='extra_card' keeps them")

    def require_ending(self) -> None:
        """Refuse rules under which two hoarding players never finish, as environments and tournaments must.

        Raises:
            RulesError: `goal="all_cards"` with a choice of cards and no `max_battles`.
        """
        if self.goal == "all_cards" and self.hand_size > 1 and self.max_battles is None and self.max_seconds is None:
            raise RulesError(
                f"goal='all_cards' and hand_size={self.hand_size} with max_battles=None: two hoarders never finish;"
                " set max_battles (Game may be played without)."
            )

    @cached_property
    def deck(self) -> Deck:
        """The whole pack, before `uneven` removes cards."""
        return Deck(self.ranks, self.suits, self.jokers)

    @cached_property
    def cards(self) -> tuple[int, ...]:
        """The cards in play, lowest first: the deck less those that `uneven="remove_lowest"` takes out."""
        extra = self.deck.size % self.players if self.uneven == "remove_lowest" else 0
        return tuple(range(min(extra, self.ranks * self.suits), self.deck.size))

    @property
    def has_choices(self) -> bool:
        """Whether a seat ever has anything to choose."""
        return self.hand_size > 1

    @property
    def can_loop(self) -> bool:
        """Whether positions can return for ever, so that loops are looked for: no choices and a fixed order."""
        return not self.has_choices and self.winnings in FIXED_ORDERS

    @property
    def is_duel(self) -> bool:
        """Whether the engine's short ways for plain battles may be taken: two seats, no fixed order, pile or clock."""
        return self.players == 2 and self.winnings in ("shuffled", "captured") and self.clock is None

    def replace(self, /, **options: Any) -> Rules:
        """The same rules with some options changed; an unknown option is an UnknownNameError."""
        check_options(options)
        return dataclasses.replace(self, **options)

    def to_dict(self) -> dict[str, Any]:
        """All options as plain JSON values."""
        values = dataclasses.asdict(self)
        values["reaction"] = list(self.reaction) if isinstance(self.reaction, tuple) else self.reaction
        return values

    def encode(self) -> np.ndarray:
        """The options and the deck as the table that every kernel reads: uint64, shape (TABLE_WORDS,)."""
        deck = self.deck
        table = np.zeros(TABLE_WORDS, np.uint64)
        values = {
            PLAYERS: self.players,
            HAND_SIZE: self.hand_size,
            FACE_DOWN: self.face_down,
            RUN_OUT_RULE: RUN_OUT.index(self.run_out),
            WINNINGS_RULE: WINNINGS.index(self.winnings),
            GOAL: GOALS.index(self.goal),
            MAX_BATTLES: self.max_battles or NO_LIMIT,
            MAX_NANOS: NO_LIMIT if self.max_seconds is None else round(self.max_seconds * 1e9),
            TWO_BEATS_ACE: bool(self.two_beats_ace),
            WAR_PARTY: WAR_PARTIES.index(self.war_party),
            CLOCK: 0 if self.clock is None else 1 + CLOCKS.index(self.clock),
            LOOP_LIMIT: max(self.loop_limit, self.max_battles or 0),  # an agreed number of battles is played
            CAN_LOOP: self.can_loop,
            NUM_CARDS: len(self.cards),
            NUM_RANKS: len(deck.rank_names),
            ACE: self.ranks - 1,
            MAX_OF_RANK: deck.most_of_a_rank,
            DECK: mask_of(self.cards),
            HAS_ORDER: self.winnings in FIXED_ORDERS,
            HAS_PILE: self.winnings.startswith("pile_"),
            IS_DUEL: self.is_duel,
            RANK_SHIFT: NO_LIMIT if deck.rank_shift is None else deck.rank_shift,
            BY_FOURS: self.suits == 4,  # jokers, at most four, come after the last rank
        }
        for index, value in values.items():
            table[index] = value
        for card in range(deck.size):
            table[int(RANK_OF) + card] = deck.rank(card)
        for rank in range(len(deck.rank_names)):
            table[int(RANK_CARDS) + rank] = mask_of(deck.cards_of(rank))
        for place, card in enumerate(self.cards):
            table[int(CARD_LIST) + place] = card
        rates = self.reaction if isinstance(self.reaction, tuple) else (self.reaction,) * self.players
        table[int(REACTION) : int(REACTION) + self.players] = [round(rate * 1e9) for rate in rates]
        return table


# Places in the encoded table.
(
    PLAYERS,
    HAND_SIZE,
    FACE_DOWN,
    RUN_OUT_RULE,
    WINNINGS_RULE,
    GOAL,
    MAX_BATTLES,
    MAX_NANOS,
    TWO_BEATS_ACE,
    WAR_PARTY,
    CLOCK,
    LOOP_LIMIT,
    CAN_LOOP,
    NUM_CARDS,
    NUM_RANKS,
    ACE,
    MAX_OF_RANK,
    DECK,
    HAS_ORDER,
    HAS_PILE,
    IS_DUEL,
    BY_FOURS,
    RANK_SHIFT,
) = _codes(tuple("." * 23))
REACTION = np.uint64(32)  # mean reaction time of each seat in nanoseconds, MAX_PLAYERS words
RANK_OF = np.uint64(48)  # rank of each card, MAX_CARDS words
RANK_CARDS = RANK_OF + np.uint64(MAX_CARDS)  # mask of the cards of each rank, MAX_CARDS + 1 words
CARD_LIST = RANK_CARDS + np.uint64(MAX_CARDS + 8)  # the cards in play, lowest first, MAX_CARDS words
TABLE_WORDS = int(CARD_LIST) + MAX_CARDS


def _is_time(value: Any, most: float) -> bool:
    return bool(MIN_SECONDS <= value <= most)


def checked_rules(rules: Any) -> Rules:
    """`rules` if they are a `Rules`, else a RulesError."""
    if not isinstance(rules, Rules):
        raise refused("rules", rules, "a Rules, e.g. get_rules('classic')", RulesError)
    return rules


def check_options(options: Mapping[str, Any]) -> None:
    """Refuse names that are no option of `Rules` with an UnknownNameError."""
    known = [entry.name for entry in dataclasses.fields(Rules)]
    for name in options:
        if name not in known:
            raise unknown_name("option", name, known)
