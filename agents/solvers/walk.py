"""Kernels that walk through every game of a deal: the engine plays, this notes who knew what when.

A *view* is what one seat has seen so far, in order: its hands, and the face-up cards of both seats, by rank. Views
are numbered as they are found, so that a view's number is above that of the view it grew from. A view with a say is an
information set; its actions are the ranks in hand, and each of them ends a *sequence* of own choices, numbered likewise
(0 is the empty one).
"""

from __future__ import annotations

import numpy as np

from war_env._jit import entry, inline, kernel, lowest_bit, pointer
from war_env.engine.piles import ONE, ZERO, octet, seat_of, set_octet, set_ring_card
from war_env.engine.rng import mix
from war_env.engine.turn import begin, clear_game, compare, play_slot
from war_env.engine.war import has_seat
from war_env.observation import write_observation
from war_env.rules import RANK_OF
from war_env.state import FIGHTERS, HAND, NOBODY, REASON, STARTS, STOCK, UP, WINNER
from war_env.state import SEEN as TURNED_UP

SEATS = 2
WIDTH = 8  # most cards in a hand
NO_SLOT = -1

# Columns of a view.
VIEW_FIELDS = ("origin", "hand", "parent", "first", "actions", "observation", "seen")
ORIGIN, HAND_CODE, PARENT, FIRST, ACTIONS, OBSERVATION, SEEN = range(len(VIEW_FIELDS))
# Columns of a pair of last sequences.
PAIR_FIELDS = ("sequences", "weight", "wins")
SEQUENCES, WEIGHT, WINS = range(len(PAIR_FIELDS))
# Entries of `counts`.
VIEWS, LAST_SEQUENCE, PAIRS, OBSERVATIONS, HISTORIES, DEALS, LEVEL = 0, 2, 4, 5, 6, 7, 8
NUM_COUNTS = 9
# Columns of a position on the way from the deal: the option to try next, and for each seat how many actions it has,
# its sequence of choices so far, and its view.
PATH_FIELDS = ("option", "choices", "choices", "sequence", "sequence", "view", "view")
OPTION, CHOICES, SEQUENCE, VIEW = 0, 1, 3, 5
UNSEEN = -1
# What a walk ends with.
DONE, IS_FULL, TOO_DEEP = 0, 1, 2

_RANK_BITS = np.int64(7)
_PAIR_SHIFT = np.int64(32)
_POSITIVE = np.uint64(2**63 - 1)
_BASIS, _PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)


@inline
def place_of(first, second, slots):
    """Where the search for a key of two int64 starts in a table of slots whose length is a power of two."""
    word = mix(np.uint64(first) + mix(np.uint64(second) + _BASIS))
    return np.int64(word & np.uint64(slots - 1))


@kernel
def find_view(seat, origin, hand, slots, views):
    """The number of a seat's view, or -1 - the free place for it."""
    last = slots.shape[1] - 1
    at = place_of(origin, hand, slots.shape[1])
    while slots[seat, at] != NO_SLOT:
        view = slots[seat, at]
        if views[seat, view, ORIGIN] == origin and views[seat, view, HAND_CODE] == hand:
            return view
        at = (at + 1) & last
    return -1 - at


@kernel
def note_pair(sequences, weight, wins, slots, pairs, counts):
    """Add a game to those that end after the same two sequences."""
    last = slots.shape[0] - 1
    at = place_of(sequences, np.int64(0), slots.shape[0])
    while slots[at] != NO_SLOT and pairs[slots[at], SEQUENCES] != sequences:
        at = (at + 1) & last
    if slots[at] == NO_SLOT:
        slots[at] = counts[PAIRS]
        pairs[counts[PAIRS], SEQUENCES] = sequences
        counts[PAIRS] += 1
    pairs[slots[at], WEIGHT] += weight
    pairs[slots[at], WINS] += wins


@kernel
def find_observation(store, row, slots):
    """The number of the observation in a row of the store, or -1 - the free place for it."""
    code, last = _BASIS, slots.shape[0] - 1
    for k in range(store.shape[1]):
        code = (code ^ np.uint64(store[row, k])) * _PRIME
    at = place_of(np.int64(code & _POSITIVE), np.int64(0), slots.shape[0])
    while slots[at] != NO_SLOT:
        known = slots[at]
        k = 0
        while k < store.shape[1] and store[known, k] == store[row, k]:
            k += 1
        if k == store.shape[1]:
            return known
        at = (at + 1) & last
    return -1 - at


@kernel
def note_observation(bits, slots, store, counts):
    """The number of the observation in `bits`, uint32 (d,), noted if it is new."""
    number = counts[OBSERVATIONS]
    for k in range(store.shape[1]):
        store[number, k] = bits[k]
    known = find_observation(store, number, slots)
    if known >= 0:
        return known
    slots[-1 - known] = number
    counts[OBSERVATIONS] += 1
    return number


@kernel
def lay_out(words, octets, rules, deal, own, total):
    """Put a deal into the stocks, top card first, and go to the first decision."""
    clear_game(words, octets, rules, ZERO, ZERO)
    for k in range(total):
        is_second = np.int64(k >= own)
        seat = seat_of(ZERO, np.uint64(is_second))
        set_ring_card(octets, seat, np.uint64(k - own * is_second), np.uint64(deal[k]))
    set_octet(octets, seat_of(ZERO, ZERO), STOCK, np.uint64(own))
    set_octet(octets, seat_of(ZERO, ONE), STOCK, np.uint64(total - own))
    for number in range(SEATS):
        words[seat_of(ZERO, np.uint64(number)) + STARTS] = ONE
    begin(words, octets, rules, ZERO)


@kernel
def list_actions(words, rules, game, number, slots, at):
    """Write the lowest slot of each rank in a seat's hand from `slots[at]` on.

    Returns:
        How many ranks there are, and the hand's ranks + 1 in seven bits each, lowest card first.
    """
    cards = words[seat_of(game, np.uint64(number)) + HAND]
    found, slot = np.int64(0), np.int64(0)
    code, before = np.int64(0), np.int64(-1)
    while cards != ZERO:
        rank = np.int64(rules[RANK_OF + lowest_bit(cards)])
        code |= (rank + 1) << (_RANK_BITS * slot)
        if rank != before:
            slots[at + found] = slot
            found += 1
        before = rank
        slot += 1
        cards &= cards - ONE
    return found, code


@kernel
def shown_by(words, octets, rules, game, number):
    """Rank + 1 of the card that a seat turned up last."""
    return np.int64(rules[RANK_OF + octet(octets, seat_of(game, np.uint64(number)), UP)]) + 1


@kernel
def copy_game(words, source, target, size):
    """Copy one record over another."""
    for k in range(size):
        words[target + np.uint64(k)] = words[source + np.uint64(k)]


@kernel
def play_option(words, octets, rules, game, slots, level, option, seconds):
    """Play one comparison: `option` numbers the pairs of actions of both seats."""
    for number in range(SEATS):
        if has_seat(words[game + FIGHTERS], number):
            action = option // seconds if number == 0 else option % seconds
            slot = slots[(level * SEATS + number) * WIDTH + action]
            play_slot(words, octets, rules, game, seat_of(game, np.uint64(number)), np.uint64(slot))
    compare(words, octets, rules, game)


@kernel
def note_views(
    words, octets, rules, layout, game, level, slots, path, scratch, bits, view_slots, views, obs_slots, store, counts
):
    """Find or number both seats' views of the position at `level`."""
    for number in range(SEATS):
        at = (level * SEATS + number) * WIDTH
        found, hand = list_actions(words, rules, game, number, slots, at)
        has_say = has_seat(words[game + FIGHTERS], number)
        path[level, CHOICES + number] = found if has_say else 1
        origin, seen = np.int64(0), np.int64(words[seat_of(game, np.uint64(number)) + HAND])
        if level > 0:
            seen |= views[number, path[level - 1, VIEW + number], SEEN]
            seen |= np.int64(words[game + TURNED_UP])
            own = shown_by(words, octets, rules, game, number)
            other = shown_by(words, octets, rules, game, 1 - number)
            origin = ((path[level - 1, VIEW + number] + 1) << (2 * _RANK_BITS)) | (own << _RANK_BITS) | other
        view = find_view(number, origin, hand, view_slots, views)
        if view < 0:
            place, view = -1 - view, counts[VIEWS + number]
            counts[VIEWS + number] += 1
            view_slots[number, place] = view
            views[number, view, ORIGIN], views[number, view, HAND_CODE] = origin, hand
            views[number, view, PARENT], views[number, view, ACTIONS] = path[level, SEQUENCE + number], 0
            views[number, view, SEEN] = seen
            if has_say:
                views[number, view, ACTIONS] = found
                views[number, view, FIRST] = counts[LAST_SEQUENCE + number] + 1
                counts[LAST_SEQUENCE + number] += found
                write_observation(words, octets, rules, layout, game, np.uint64(number), scratch, ZERO)
                views[number, view, OBSERVATION] = note_observation(bits, obs_slots, store, counts)
        path[level, VIEW + number] = view


@kernel
def wins_of(words, game):
    """Twice what seat 0 scores: 2 for a win, 1 for a draw, 0 for a loss."""
    is_drawn, is_won = words[game + WINNER] == NOBODY, words[game + WINNER] == ZERO
    return np.int64(is_drawn) + 2 * np.int64(is_won)


@kernel
def choose(seat, level, option, path, views):
    """Note the sequence that a seat's part of `option` makes, for the level below."""
    view, sequence = path[level, VIEW + seat], path[level, SEQUENCE + seat]
    if views[seat, view, ACTIONS] > 0:
        seconds = path[level, CHOICES + 1]
        sequence = views[seat, view, FIRST] + (option // seconds if seat == 0 else option % seconds)
    path[level + 1, SEQUENCE + seat] = sequence


@inline
def is_full(views, pairs, store, counts):
    """Whether there may be too little room for what one position adds."""
    most = max(counts[VIEWS], counts[VIEWS + 1])
    return most == views.shape[1] or counts[PAIRS] == pairs.shape[0] or counts[OBSERVATIONS] + SEATS > store.shape[0]


@entry
def walk_deals(
    words, octets, rules, layout, size, deals, weights, own, slots, path, scratch, bits,
    view_slots, views, pair_slots, pairs, obs_slots, store, counts,
):  # fmt: skip
    """Walk through every game of the deals, each rank of a hand tried once, from where `counts` says on.

    Args:
        words, octets: room for as many records as `path` has rows.
        rules, layout: the encoded rules and the places of the observation's fields.
        size: words of a record, uint64.
        deals: cards, uint8, shape (n, cards): seat 0's stock from the top, then seat 1's.
        weights: how many deals each stands for, int64, shape (n,).
        own: cards of seat 0.
        slots: room, int64, flat: WIDTH for each seat and row of `path`.
        path: room, int64, shape (depth, len(PATH_FIELDS)).
        scratch, bits: room for an observation, float32, and the same memory as uint32.
        view_slots, views: int64, shapes (2, 2^k) and (2, m, len(VIEW_FIELDS)), filled up.
        pair_slots, pairs: int64, shapes (2^k,) and (m, len(PAIR_FIELDS)), filled up.
        obs_slots, store: int64 (2^k,) and uint32 (m, d), filled up.
        counts: int64, shape (NUM_COUNTS,), kept up to date.

    Returns:
        DONE; IS_FULL when a table must grow before the walk can go on; TOO_DEEP when a game outlasts `path`.
    """
    words, octets, rules, layout = pointer(words), pointer(octets), pointer(rules), pointer(layout)
    scratch, bits = pointer(scratch), pointer(bits)
    while counts[DEALS] < deals.shape[0]:
        level = counts[LEVEL]
        if level < 0:
            lay_out(words, octets, rules, deals[counts[DEALS]], own, deals.shape[1])
            level = np.int64(0)
            path[0, OPTION], path[0, SEQUENCE], path[0, SEQUENCE + 1] = UNSEEN, 0, 0
        while level >= 0:
            game = np.uint64(level) * size
            if is_full(views, pairs, store, counts):
                counts[LEVEL] = level
                return IS_FULL
            if words[game + REASON] != ZERO:
                weight = weights[counts[DEALS]]
                sequences = (path[level, SEQUENCE] << _PAIR_SHIFT) | path[level, SEQUENCE + 1]
                note_pair(sequences, weight, weight * wins_of(words, game), pair_slots, pairs, counts)
                counts[HISTORIES] += weight
                level -= 1
                continue
            if path[level, OPTION] == UNSEEN:
                path[level, OPTION] = 0
                note_views(
                    words, octets, rules, layout, game, level, slots, path, scratch, bits,
                    view_slots, views, obs_slots, store, counts,
                )  # fmt: skip
            option = path[level, OPTION]
            if option == path[level, CHOICES] * path[level, CHOICES + 1]:
                level -= 1
                continue
            if level + 1 == path.shape[0]:
                return TOO_DEEP
            path[level, OPTION] += 1
            for seat in range(SEATS):
                choose(seat, level, option, path, views)
            copy_game(words, game, game + size, size)
            play_option(words, octets, rules, game + size, slots, level, option, path[level, CHOICES + 1])
            level += 1
            path[level, OPTION] = UNSEEN
        counts[LEVEL] = -1
        counts[DEALS] += 1
    return DONE


@entry
def place_again(views, pairs, store, counts, view_slots, pair_slots, obs_slots):
    """Fill empty tables of slots for all that has been noted; for the arguments see `walk_deals`."""
    for number in range(SEATS):
        for view in range(counts[VIEWS + number]):
            free = find_view(number, views[number, view, ORIGIN], views[number, view, HAND_CODE], view_slots, views)
            view_slots[number, -1 - free] = view
    for pair in range(counts[PAIRS]):
        at = place_of(pairs[pair, SEQUENCES], np.int64(0), pair_slots.shape[0])
        while pair_slots[at] != NO_SLOT:
            at = (at + 1) & (pair_slots.shape[0] - 1)
        pair_slots[at] = pair
    for row in range(counts[OBSERVATIONS]):
        obs_slots[-1 - find_observation(store, row, obs_slots)] = row
