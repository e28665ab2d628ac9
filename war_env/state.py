"""The record of one game, and room for N of them.

A game is one contiguous run of 64-bit words: a header, one block per seat, and, where loops are looked for, a
snapshot of an earlier position. Every quantity is an unsigned integer; sets of cards and of seats are bit masks.
N games lie one after another in a flat array, which kernels read both as words and as octets (bytes).

A seat's *ring* holds, one after another from `head`, its stock (top card first), its pile (oldest first) and the
cards that it has laid in the battle at hand. So a pile becomes the stock, and a winner's own cards come back, by
changing a count. The ring never overflows: the three together are at most the 64 cards of the deck.
"""

from __future__ import annotations

import numpy as np

from war_env.cards import MAX_CARDS
from war_env.rules import Rules

HEADER = np.dtype(
    [
        ("lane", "u8"),  # state of the stream from which the keys of this lane's games come
        ("steps", "u8"),  # steps of this lane's episode
        ("over", "u8"),  # 1 when the lane's episode is over, so that the lane waits for its reset
        ("waiting", "u8"),  # 1 when the lane waits for a choice of a seat that Python plays
        ("key", "u8"),  # key of this game: every other stream of it derives from this number
        ("battles", "u8"),  # battles finished
        ("comparisons", "u8"),  # sets of cards turned up
        ("wars", "u8"),  # ties among the best face-up cards
        ("plays", "u8"),  # cards laid by all seats together in the battles finished
        ("nanos", "u8"),  # time on the game's clock, nanoseconds
        ("table", "u8"),  # cards that lie face-up on the table
        ("unlocated", "u8"),  # cards that were seen but may be with more than one seat
        ("seen", "u8"),  # cards that were ever turned up
        ("fighters", "u8"),  # seats that choose a card for the comparison to come
        ("rivals", "u8"),  # seats whose face-up card takes part in it: fighters and standing last cards
        ("in_game", "u8"),  # seats that are not out of the game
        ("dropped", "u8"),  # seats that could not pay for a war of this battle
        ("reason", "u8"),  # why the game ended, index into REASONS; 0 while it is played
        ("winner", "u8"),  # winning seat, NOBODY without one
        ("period", "u8"),  # least period of a loop in battles
        ("margin", "i8"),  # learner's margin in cards when it was last asked, for the reward `capture`
    ]
)
SEAT = np.dtype(
    [
        ("ring", "u1", (MAX_CARDS,)),  # stock, pile and laid cards, see above
        ("hand", "u8"),  # cards the seat may choose from
        ("known", "u8"),  # cards that everybody knows to be with this seat
        ("starts", "u8"),  # ring places of the stock where a block begins whose inner order nobody knows
        ("front", "u8"),  # cards drawn so far from the block on top of the stock
        ("risk", "u8"),  # known cards that may be among the stakes of this battle
        ("loose", "u8"),  # known cards that were at risk and came back: nobody knows in which block they are
        ("captured", "u8"),  # cards won and never played again
        ("shuffles", "u8"),  # stream: shuffles of this seat's winnings
        ("coins", "u8"),  # coin flips left over from that stream, below a sentinel bit
        ("choices", "u8"),  # stream: decisions of a compiled opponent
        ("clock", "u8"),  # stream: reaction times
        ("nanos", "u8"),  # this seat's reaction times so far, nanoseconds
        ("head", "u1"),  # ring place of the top card
        ("stock", "u1"),  # cards in the stock
        ("pile", "u1"),  # cards in the pile
        ("laid", "u1"),  # cards laid in this battle
        ("up", "u1"),  # the card turned up last
        ("staked", "u1"),  # cards staked for the comparison to come
        ("policy", "u1"),  # code of the policy that plays this seat, see opponents.py
        ("spare", "u1"),
    ]
)
SNAPSHOT = np.dtype([("battle", "u8"), ("span", "u8")])  # Brent's algorithm: when it was taken, when the next is due
SNAPSHOT_SEAT = np.dtype([("stock", "u8"), ("pile", "u8"), ("ranks", "u1", (MAX_CARDS,))])

REASONS = (
    "playing",
    "all_cards",
    "run_out",
    "stock_out",
    "first_empty",
    "max_battles",
    "max_seconds",
    "loop",
    "unfinished",
    "draw",
)
(
    PLAYING,
    WON_ALL,
    RAN_OUT,
    STOCK_ENDED,
    SEAT_EMPTY,
    BATTLE_LIMIT,
    TIME_LIMIT,
    LOOP,
    UNFINISHED,
    DRAWN,
) = (np.uint64(code) for code in range(len(REASONS)))
NUM_REASONS = np.uint64(len(REASONS))
NOBODY = np.uint64(255)
RING_MASK = np.uint64(MAX_CARDS - 1)


def _word(dtype: np.dtype, name: str) -> np.uint64:
    return np.uint64(_offset(dtype, name) // 8)


def _octet(dtype: np.dtype, name: str) -> np.uint64:
    return np.uint64(_offset(dtype, name))


def _offset(dtype: np.dtype, name: str) -> int:
    assert dtype.fields is not None
    return int(dtype.fields[name][1])


HEADER_WORDS = np.uint64(HEADER.itemsize // 8)
SEAT_WORDS = np.uint64(SEAT.itemsize // 8)
SNAPSHOT_WORDS = np.uint64(SNAPSHOT.itemsize // 8)
SNAPSHOT_SEAT_WORDS = np.uint64(SNAPSHOT_SEAT.itemsize // 8)

# Word offsets in the header, in its order.
(
    LANE,
    STEPS,
    OVER,
    WAITING,
    KEY,
    BATTLES,
    COMPARISONS,
    WARS,
    PLAYS,
    GAME_NANOS,
    TABLE,
    UNLOCATED,
    SEEN,
    FIGHTERS,
    RIVALS,
    IN_GAME,
    DROPPED,
    REASON,
    WINNER,
    PERIOD,
    MARGIN,
) = (_word(HEADER, name) for name in HEADER.names or ())
# Word offsets in a seat's block, in its order.
HAND, KNOWN, STARTS, FRONT, RISK, LOOSE, CAPTURED_CARDS, SHUFFLES, COINS, CHOICES, REACTIONS, SEAT_NANOS = (
    _word(SEAT, name) for name in (SEAT.names or ())[1:13]
)
# Octet offsets in a seat's block.
RING = _octet(SEAT, "ring")
HEAD, STOCK, PILE, LAID, UP, STAKED, POLICY = (_octet(SEAT, name) for name in (SEAT.names or ())[13:20])


def record_dtype(rules: Rules) -> np.dtype:
    """The record of one game under these rules as a structured dtype, for reading fields by name."""
    parts: list[tuple] = [("game", HEADER), ("seats", SEAT, (rules.players,))]
    if rules.can_loop:
        parts += [("snapshot", SNAPSHOT), ("earlier", SNAPSHOT_SEAT, (rules.players,))]
    return np.dtype(parts)


class Records:
    """N games in one block of memory, readable as words, as octets and as named fields.

    Args:
        rules: the rules, which give the record's size.
        count: number of games.

    Attributes:
        words: uint64, shape (count * size // 8,).
        octets: the same memory as uint8.
        fields: the same memory as structured records, shape (count,): `fields["game"]["battles"]`.
    """

    def __init__(self, rules: Rules, count: int) -> None:
        self.dtype = record_dtype(rules)
        self._bind(np.zeros(count * self.dtype.itemsize // 8, np.uint64))

    def _bind(self, words: np.ndarray) -> None:
        self.words = words
        self.octets = words.view(np.uint8)
        self.fields = words.view(self.dtype)

    @property
    def size(self) -> np.uint64:
        """Words per game."""
        return np.uint64(self.dtype.itemsize // 8)

    def __getstate__(self) -> dict:
        return {"dtype": self.dtype, "words": self.words}

    def __setstate__(self, state: dict) -> None:
        self.dtype = state["dtype"]
        self._bind(state["words"])
