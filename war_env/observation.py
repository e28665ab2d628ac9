"""The kernel that writes what one seat may know: never the order of a stock, another's hand, a face-down card."""

from __future__ import annotations

import numpy as np

from war_env._jit import count_bits, inline, lowest_bit, store_4_digits, store_8_digits
from war_env.engine.ends import is_in_game
from war_env.engine.piles import ONE, TWO, ZERO, octet, seat_of
from war_env.layout import (
    ABSENT,
    BATTLES_LEFT,
    FIGHTER_FLAGS,
    HAND_COUNTS,
    HAND_SIZES,
    HAND_SLOTS,
    IS_WAR,
    KNOWN_COUNTS,
    OWN_SECONDS,
    OWN_SECONDS_SCALE,
    PILE_SIZES,
    POT_SIZE,
    STOCK_SIZES,
    TABLE_COUNTS,
    TIME_LEFT,
    UNLOCATED_COUNTS,
    UNSEEN_COUNTS,
)
from war_env.rules import (
    BY_FOURS,
    DECK,
    HAND_SIZE,
    MAX_BATTLES,
    MAX_NANOS,
    MAX_OF_RANK,
    NUM_CARDS,
    NUM_RANKS,
    PLAYERS,
    RANK_CARDS,
    RANK_OF,
)
from war_env.state import (
    BATTLES,
    CAPTURED_CARDS,
    FIGHTERS,
    GAME_NANOS,
    HAND,
    KNOWN,
    LAID,
    PILE,
    REASON,
    SEAT_NANOS,
    SEEN,
    STOCK,
    TABLE,
    UNLOCATED,
)

_NANO = 1e-9
_GUARD = np.uint64(1 << 63)
_FOUR, _EIGHT, _DIGIT, _BITS_OF_4, _BITS_OF_8 = np.uint64(4), np.uint64(8), np.uint64(15), np.uint64(16), np.uint64(32)
_ODD_BITS, _ODD_PAIRS = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)


@inline
def as_float(count):
    """A small count as float32; from a signed integer, which processors convert in one instruction."""
    return np.float32(np.int64(count))


@inline
def write_counts(obs, at, cards, rules, ranks, scale):
    """Number of cards of each rank in a set, times `scale`."""
    if rules[BY_FOURS] != ZERO:
        counts = cards - ((cards >> ONE) & _ODD_BITS)
        counts = (counts & _ODD_PAIRS) + ((counts >> TWO) & _ODD_PAIRS)
        end = at + ranks
        while at + _EIGHT <= end:
            store_8_digits(obs, at, counts, scale)
            counts >>= _BITS_OF_8
            at += _EIGHT
        if at + _FOUR <= end:
            store_4_digits(obs, at, counts, scale)
            counts >>= _BITS_OF_4
            at += _FOUR
        while at < end:
            obs[at] = as_float(counts & _DIGIT) * scale
            counts >>= _FOUR
            at += ONE
        return
    for rank in range(ranks):
        obs[at + np.uint64(rank)] = as_float(count_bits(cards & rules[RANK_CARDS + np.uint64(rank)])) * scale


@inline
def write_ranks(words, rules, layout, game, observer, obs, at):
    """The fields that count cards by rank."""
    ranks, players = rules[NUM_RANKS], rules[PLAYERS]
    scale = np.float32(1.0) / as_float(rules[MAX_OF_RANK])
    hand = words[seat_of(game, observer) + HAND]
    write_counts(obs, at + layout[HAND_COUNTS], hand, rules, ranks, scale)
    write_counts(obs, at + layout[TABLE_COUNTS], words[game + TABLE], rules, ranks, scale)
    if layout[KNOWN_COUNTS] == ABSENT:
        return
    number, place = observer, at + layout[KNOWN_COUNTS]
    cards = words[seat_of(game, observer) + KNOWN] | hand
    write_counts(obs, place, cards, rules, ranks, scale)
    for _ in range(players - ONE):
        number = number + ONE if number + ONE < players else ZERO
        place += ranks
        write_counts(obs, place, words[seat_of(game, number) + KNOWN], rules, ranks, scale)
    write_counts(obs, at + layout[UNLOCATED_COUNTS], words[game + UNLOCATED] & ~hand, rules, ranks, scale)
    unseen = rules[DECK] & ~(words[game + SEEN] | hand)
    write_counts(obs, at + layout[UNSEEN_COUNTS], unseen, rules, ranks, scale)


@inline
def write_sizes(words, octets, rules, layout, game, observer, obs, at):
    """The fields that count cards by place."""
    players = rules[PLAYERS]
    per_card = np.float32(1.0) / as_float(rules[NUM_CARDS])
    per_hand = np.float32(1.0) / as_float(rules[HAND_SIZE])
    has_piles = layout[PILE_SIZES] != ABSENT
    pot = ZERO
    number = observer
    for k in range(players):
        place = at + np.uint64(k)
        seat = seat_of(game, number)
        stock, pile, hand = octet(octets, seat, STOCK), octet(octets, seat, PILE), count_bits(words[seat + HAND])
        pot += octet(octets, seat, LAID)
        if not is_in_game(words, game, number):
            pot += stock + pile + hand
            stock, pile, hand = ZERO, ZERO, ZERO
        obs[place + layout[STOCK_SIZES]] = as_float(stock) * per_card
        obs[place + layout[HAND_SIZES]] = as_float(hand) * per_hand
        if has_piles:
            obs[place + layout[PILE_SIZES]] = as_float(pile + count_bits(words[seat + CAPTURED_CARDS])) * per_card
        number = number + ONE if number + ONE < players else ZERO
    obs[at + layout[POT_SIZE]] = as_float(pot) * per_card
    obs[at + layout[IS_WAR]] = np.float32(1.0) if pot != ZERO else np.float32(0.0)


@inline
def write_rest(words, rules, layout, game, observer, obs, at):
    """The fields that only some rules have."""
    if layout[FIGHTER_FLAGS] != ABSENT:
        number = observer
        for k in range(rules[PLAYERS]):
            fights = (words[game + FIGHTERS] >> number) & ONE
            obs[at + layout[FIGHTER_FLAGS] + np.uint64(k)] = as_float(fights)
            number = number + ONE if number + ONE < rules[PLAYERS] else ZERO
    if layout[BATTLES_LEFT] != ABSENT:
        left = rules[MAX_BATTLES] - words[game + BATTLES]
        obs[at + layout[BATTLES_LEFT]] = as_float(left) / as_float(rules[MAX_BATTLES])
    if layout[TIME_LEFT] != ABSENT:
        share = np.float64(words[game + GAME_NANOS]) / np.float64(rules[MAX_NANOS])
        obs[at + layout[TIME_LEFT]] = np.float32(max(0.0, 1.0 - share))
    if layout[OWN_SECONDS] != ABSENT:
        seconds = np.float64(words[seat_of(game, observer) + SEAT_NANOS]) * _NANO
        obs[at + layout[OWN_SECONDS]] = np.float32(seconds / (seconds + OWN_SECONDS_SCALE))


@inline
def write_observation(words, octets, rules, layout, game, observer, obs, at):
    """Write the observation of seat `observer` of a game to `obs[at:]`, all of it."""
    rest = words[seat_of(game, observer) + HAND]
    per_rank = np.float32(1.0) / as_float(rules[NUM_RANKS])
    for slot in range(rules[HAND_SIZE]):
        rank = rules[RANK_OF + lowest_bit(rest | _GUARD)] + ONE
        obs[at + layout[HAND_SLOTS] + np.uint64(slot)] = as_float(rank if rest != ZERO else ZERO) * per_rank
        rest &= rest - ONE
    write_ranks(words, rules, layout, game, observer, obs, at)
    write_sizes(words, octets, rules, layout, game, observer, obs, at)
    write_rest(words, rules, layout, game, observer, obs, at)


@inline
def num_slots(words, rules, game, observer):
    """Slots that the mask allows: those that hold a card; all for a seat without cards and when the game is over."""
    cards = count_bits(words[seat_of(game, observer) + HAND])
    return rules[HAND_SIZE] if cards == ZERO or words[game + REASON] != ZERO else cards


@inline
def write_mask(words, rules, game, observer, mask, at):
    """1 for each slot that the mask allows."""
    slots = (ONE << num_slots(words, rules, game, observer)) - ONE
    for slot in range(rules[HAND_SIZE]):
        mask[at + np.uint64(slot)] = slots & ONE
        slots >>= ONE
