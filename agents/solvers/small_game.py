"""A two-seat game of War written out in sequence form: information sets with perfect recall, and what games pay.

All of it comes from the engine's own play of every distinct deal (walk.py); no rule stands here. A seat's information
set is all it has seen so far: its hands, the face-up cards of both seats, in order, by rank. Cards of one rank are one
action. Payoffs are seat 0's: win 1, draw 1/2, loss 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from agents.solvers.deals import as_cards, num_deals, seat_sizes
from agents.solvers.size import GameSize, GameTooLargeError
from agents.solvers.walk import (
    ACTIONS,
    DEALS,
    DONE,
    FIRST,
    HAND_CODE,
    HISTORIES,
    IS_FULL,
    LEVEL,
    NO_SLOT,
    NUM_COUNTS,
    OBSERVATION,
    OBSERVATIONS,
    PAIR_FIELDS,
    PAIRS,
    PARENT,
    PATH_FIELDS,
    SEATS,
    SEQUENCES,
    VIEW_FIELDS,
    VIEWS,
    WEIGHT,
    WIDTH,
    WINS,
    place_again,
    walk_deals,
)
from war_env.layout import Layout
from war_env.rules import Rules
from war_env.state import Records

MAX_DEPTH = 256  # comparisons in a game
_FIRST_ROOM = 1 << 15
_LOW = (1 << 32) - 1


@dataclass(frozen=True)
class SeatForm:
    """One seat's information sets, in an order in which earlier ones come first.

    Attributes:
        parent: the sequence of own choices that leads to each, int64, shape (i,); 0 is the empty one.
        first: its first action's sequence, int64, shape (i,); the others follow.
        actions: how many it has, one for each rank in hand, lowest first, int64, shape (i,).
        slots: rank + 1 of each card in hand, lowest first, 0 for none: uint8, shape (i, hand size).
        observation: which row of `SmallGame.observations` is seen there, int64, shape (i,).
    """

    parent: np.ndarray
    first: np.ndarray
    actions: np.ndarray
    slots: np.ndarray
    observation: np.ndarray

    @property
    def num_information_sets(self) -> int:
        """Number of information sets."""
        return len(self.parent)

    @property
    def num_sequences(self) -> int:
        """Number of sequences, the empty one included."""
        return 1 + int(self.actions.sum())

    @cached_property
    def information_set(self) -> np.ndarray:
        """The information set of each sequence's last action: int64, shape (sequences,); -1 for the empty one."""
        return np.concatenate([[-1], np.repeat(np.arange(len(self.first)), self.actions)])


@dataclass(frozen=True)
class SmallGame:
    """A whole game in sequence form.

    Attributes:
        rules: its rules.
        seats: the information sets of both.
        observations: every observation that occurs, float32, shape (m, d).
        rows, columns: last sequences of both seats, int32, shape (pairs,): one pair for all games that end with them.
        weights: deals, of `deals`, in which a pair's choices end the game so, int32, shape (pairs,).
        wins: twice what seat 0 scores, summed over those deals, int32, shape (pairs,).
        deals: number of equally likely deals.
        histories: number of games, the order within first hands included.
    """

    rules: Rules
    seats: tuple[SeatForm, SeatForm]
    observations: np.ndarray
    rows: np.ndarray
    columns: np.ndarray
    weights: np.ndarray
    wins: np.ndarray
    deals: int
    histories: int

    @cached_property
    def action_masks(self) -> np.ndarray:
        """The mask seen with each observation: int8, shape (m, hand size)."""
        slots = Layout(self.rules).slices["hand_slots"]
        return (self.observations[:, slots] > 0).astype(np.int8)

    @property
    def num_pairs(self) -> int:
        """Number of terminal pairs."""
        return len(self.rows)

    def size(self) -> GameSize:
        """The size of this game, exactly."""
        return GameSize(
            deals=self.deals,
            histories=self.histories,
            information_sets=self.seats[0].num_information_sets,
            sequences=self.seats[0].num_sequences,
            terminal_pairs=self.num_pairs,
            is_exact=True,
        )


class Tables:
    """What a walk fills, and how it grows; see `walk_deals`.

    Args:
        width: numbers in an observation.
        max_bytes: memory that may be used.
        views, pairs: room to begin with.
    """

    def __init__(self, width: int, max_bytes: int, views: int = _FIRST_ROOM, pairs: int = _FIRST_ROOM) -> None:
        self.max_bytes = max_bytes
        self.counts = np.zeros(NUM_COUNTS, np.int64)
        self.counts[LEVEL] = -1
        self.views = np.zeros((SEATS, views, len(VIEW_FIELDS)), np.int64)
        self.pairs = np.zeros((pairs, len(PAIR_FIELDS)), np.int64)
        self.store = np.zeros((_FIRST_ROOM, width), np.uint32)
        self._make_slots()

    def _make_slots(self) -> None:
        """Slots for all that there is room for, filled for what there is."""
        self.view_slots = np.full((SEATS, _num_slots(self.views.shape[1])), NO_SLOT, np.int64)
        self.pair_slots = np.full(_num_slots(len(self.pairs)), NO_SLOT, np.int64)
        self.obs_slots = np.full(_num_slots(len(self.store)), NO_SLOT, np.int64)
        place_again(self.views, self.pairs, self.store, self.counts, self.view_slots, self.pair_slots, self.obs_slots)

    def grow(self) -> None:
        """More room, by one half, where there is none.

        Raises:
            GameTooLargeError: the tables would need more than `max_bytes`.
        """
        views = _enough(self.views.shape[1], int(self.counts[VIEWS : VIEWS + SEATS].max()) + 1)
        pairs = _enough(len(self.pairs), int(self.counts[PAIRS]) + 1)
        store = _enough(len(self.store), int(self.counts[OBSERVATIONS]) + SEATS)
        self.view_slots = self.pair_slots = self.obs_slots = np.zeros(0, np.int64)
        fields = SEATS * views * len(VIEW_FIELDS) + pairs * len(PAIR_FIELDS)
        places = SEATS * _num_slots(views) + _num_slots(pairs) + _num_slots(store)
        size = 8 * (fields + places) + 4 * store * self.store.shape[1]
        if size > self.max_bytes:
            raise GameTooLargeError(
                f"max_bytes={self.max_bytes:,} is too little: after {int(self.counts[DEALS]):,} deals the tables "
                f"already need {size:,} bytes."
            )
        self.views = _grown(self.views, 1, views)
        self.pairs = _grown(self.pairs, 0, pairs)
        self.store = _grown(self.store, 0, store)
        self._make_slots()


def _enough(room: int, needed: int) -> int:
    return room + room // 2 if room < needed else room


def _num_slots(entries: int) -> int:
    """The least power of two that leaves a quarter of the slots free."""
    return 1 << (4 * entries // 3).bit_length()


def _grown(array: np.ndarray, axis: int, size: int) -> np.ndarray:
    """The array with more room along one axis; itself where it has the size already."""
    if array.shape[axis] == size:
        return array
    shape = list(array.shape)
    shape[axis] = size
    larger = np.zeros(shape, array.dtype)
    larger[tuple(slice(length) for length in array.shape)] = array
    return larger


def walk(rules: Rules, ranks: np.ndarray, weights: np.ndarray, tables: Tables) -> Tables:
    """Walk through all games of some deals.

    Args:
        rules: the rules.
        ranks, weights: the deals, as `list_deals` gives them.
        tables: filled, and returned.

    Raises:
        GameTooLargeError: the tables outgrow their memory, or a game lasts too long.
    """
    layout = Layout(rules)
    records = Records(rules, MAX_DEPTH)
    scratch = np.zeros(layout.size, np.float32)
    room = np.zeros(MAX_DEPTH * SEATS * WIDTH, np.int64), np.zeros((MAX_DEPTH, len(PATH_FIELDS)), np.int64)
    own, _ = seat_sizes(rules)
    cards = as_cards(ranks, rules)
    result = IS_FULL
    while result == IS_FULL:
        result = walk_deals(
            records.words, records.octets, rules.encode(), layout.encode(), records.size,
            cards, weights, own, *room, scratch, scratch.view(np.uint32),
            tables.view_slots, tables.views, tables.pair_slots, tables.pairs, tables.obs_slots, tables.store,
            tables.counts,
        )  # fmt: skip
        if result == IS_FULL:
            tables.grow()
    if result != DONE:
        raise GameTooLargeError(f"a game of these rules can take more than {MAX_DEPTH} comparisons.")
    return tables


def game_of(rules: Rules, tables: Tables) -> SmallGame:
    """The game that a walk through all deals has written out."""
    counts = tables.counts
    pairs = tables.pairs[: counts[PAIRS]]
    return SmallGame(
        rules=rules,
        seats=(_seat_form(rules, tables, 0), _seat_form(rules, tables, 1)),
        observations=tables.store[: counts[OBSERVATIONS]].copy().view(np.float32),
        rows=(pairs[:, SEQUENCES] >> 32).astype(np.int32),
        columns=(pairs[:, SEQUENCES] & _LOW).astype(np.int32),
        weights=pairs[:, WEIGHT].astype(np.int32),
        wins=pairs[:, WINS].astype(np.int32),
        deals=num_deals(rules),
        histories=int(counts[HISTORIES]),
    )


def _seat_form(rules: Rules, tables: Tables, seat: int) -> SeatForm:
    """The views with a say, in the order in which they were found."""
    views = tables.views[seat, : tables.counts[VIEWS + seat]]
    views = views[views[:, ACTIONS] > 0]
    shifts = 7 * np.arange(rules.hand_size)
    return SeatForm(
        parent=views[:, PARENT].copy(),
        first=views[:, FIRST].copy(),
        actions=views[:, ACTIONS].copy(),
        slots=(views[:, HAND_CODE, None] >> shifts & 127).astype(np.uint8),
        observation=views[:, OBSERVATION].copy(),
    )
