"""The kernels that draw a game which a seat could be in from what it observes, and from nothing else.

The observer is put in seat 0, the other in seat 1.
"""

from __future__ import annotations

import numpy as np

from war_env._jit import count_bits, inline, kernel, lowest_bit
from war_env.engine.piles import ONE, THREE, TWO, ZERO, lay, seat_of, set_octet, set_ring_card
from war_env.engine.rng import next_below, stream_start
from war_env.engine.turn import clear_game
from war_env.layout import (
    ABSENT,
    BATTLES_LEFT,
    HAND_COUNTS,
    HAND_SIZES,
    KNOWN_COUNTS,
    PILE_SIZES,
    POT_SIZE,
    STOCK_SIZES,
    TABLE_COUNTS,
    TIME_LEFT,
)
from war_env.rules import (
    CAPTURED,
    DECK,
    FACE_DOWN,
    HAND_SIZE,
    HAS_PILE,
    MAX_BATTLES,
    MAX_NANOS,
    MAX_OF_RANK,
    NUM_CARDS,
    NUM_RANKS,
    RANK_CARDS,
    RANK_OF,
    WINNINGS_RULE,
)
from war_env.state import (
    BATTLES,
    CAPTURED_CARDS,
    FIGHTERS,
    GAME_NANOS,
    HAND,
    LANE,
    PILE,
    RIVALS,
    STARTS,
    STOCK,
    TABLE,
    UP,
)

GAME = ZERO  # the imagined game; the copy that is played out lies behind it
# Scratch words: sets of cards, then the places of each seat.
OWN, FACE_UP, OWN_KNOWN, OTHER_KNOWN, POOL, STOCKS, HANDS, PILES, STAKES = (np.uint64(k) for k in range(0, 18, 2))
SCRATCH_WORDS = 20
DECK_AT, SEAT_AT = ZERO, np.uint64(64)  # scratch octets: the pool in drawn order, one seat's cards
SCRATCH_OCTETS = 128
_TRIES = 16  # draws for a card that is worth keeping


@inline
def read_count(obs, at, scale):
    """The number that the observation gives as a share of `scale`."""
    return np.uint64(np.int64(obs[at] * np.float32(np.int64(scale)) + np.float32(0.5)))


@inline
def take_cards(cards, count):
    """The lowest `count` cards of a set, or all of it."""
    taken = ZERO
    while taken != cards and count_bits(taken) < count:
        taken |= ONE << lowest_bit(cards & ~taken)
    return taken


@kernel
def read_cards(rules, layout, obs, at, scratch):
    """What the observer knows of each card, as sets; suits decide nothing, so any card of a rank will do."""
    for k in range(STOCKS):
        scratch[np.uint64(k)] = ZERO
    ranks, most = rules[NUM_RANKS], rules[MAX_OF_RANK]
    for number in range(ranks):
        rank = np.uint64(number)
        left = rules[RANK_CARDS + rank] & rules[DECK]
        own = take_cards(left, read_count(obs, at + layout[HAND_COUNTS] + rank, most))
        left &= ~own
        up = take_cards(left, read_count(obs, at + layout[TABLE_COUNTS] + rank, most))
        left &= ~up
        scratch[OWN] |= own
        scratch[FACE_UP] |= up
        if layout[KNOWN_COUNTS] != ABSENT:
            known = at + layout[KNOWN_COUNTS] + rank
            mine = take_cards(left, read_count(obs, known, most) - count_bits(own))
            left &= ~mine
            theirs = take_cards(left, read_count(obs, known + ranks, most))
            left &= ~theirs
            scratch[OWN_KNOWN] |= mine
            scratch[OTHER_KNOWN] |= theirs
        scratch[POOL] |= left


@kernel
def read_places(rules, layout, obs, at, scratch):
    """How many hidden cards lie where; returns whether there is a card for each place.

    Who staked how many is not observed: a seat whose stock has cards left staked in full, the other the rest.
    """
    total = rules[NUM_CARDS]
    for number in range(TWO):
        seat = np.uint64(number)
        scratch[STOCKS + seat] = read_count(obs, at + layout[STOCK_SIZES] + seat, total)
        scratch[HANDS + seat] = read_count(obs, at + layout[HAND_SIZES] + seat, rules[HAND_SIZE])
        has_piles = layout[PILE_SIZES] != ABSENT
        scratch[PILES + seat] = read_count(obs, at + layout[PILE_SIZES] + seat, total) if has_piles else ZERO
    face_up = count_bits(scratch[FACE_UP])
    staked = read_count(obs, at + layout[POT_SIZE], total) - face_up
    full = min(rules[FACE_DOWN] * (face_up >> ONE), staked)
    first = staked >> ONE
    if scratch[STOCKS] != scratch[STOCKS + ONE]:
        first = full if scratch[STOCKS] > scratch[STOCKS + ONE] else staked - full
    scratch[STAKES], scratch[STAKES + ONE] = first, staked - first
    own = scratch[STOCKS] + scratch[PILES] + scratch[STAKES]
    other = scratch[STOCKS + ONE] + scratch[HANDS + ONE] + scratch[PILES + ONE] + scratch[STAKES + ONE]
    own_known, other_known = count_bits(scratch[OWN_KNOWN]), count_bits(scratch[OTHER_KNOWN])
    is_whole = own + other == own_known + other_known + count_bits(scratch[POOL])
    return is_whole and own >= own_known and other >= other_known and count_bits(scratch[OWN]) == scratch[HANDS]


@kernel
def shuffle_octets(words, cards, start, stop):
    """Shuffle cards[start:stop] by the stream of the imagined game."""
    while stop > start + ONE:
        other = start + next_below(words, GAME + LANE, stop - start)
        stop -= ONE
        card = cards[stop]
        cards[stop] = cards[other]
        cards[other] = card


@kernel
def list_cards(cards, at, chosen):
    """Write the cards of a set from `at` on; returns the place behind them."""
    while chosen != ZERO:
        cards[at] = lowest_bit(chosen)
        chosen &= chosen - ONE
        at += ONE
    return at


@kernel
def num_fresh(words, rules, layout, scratch, seat):
    """Places of a seat, stakes and hand first, that still hold cards of its deal, so that no card it won is there.

    In its first pass through the stock what it won lies below what it was dealt. How many cards it has drawn follows
    from the battles, with a quarter card each for the stakes of wars, which are not observed.
    """
    if layout[BATTLES_LEFT] == ABSENT or rules[HAS_PILE] != ZERO:
        return ZERO
    battles = words[GAME + BATTLES]
    drawn = battles + (battles >> TWO) + (count_bits(scratch[FACE_UP]) >> ONE)
    dealt = rules[NUM_CARDS] >> ONE
    if dealt <= drawn + rules[HAND_SIZE]:
        return ZERO
    hidden_hand = scratch[HANDS + ONE] if seat != ZERO else ZERO
    return dealt - drawn - rules[HAND_SIZE] + hidden_hand


@kernel
def num_battles(words, rules, layout, scratch, number):
    """Battles so far: counted where they are limited, else told from what a seat has drawn from its stock."""
    if layout[BATTLES_LEFT] != ABSENT:
        return words[GAME + BATTLES]
    left = scratch[STOCKS + number] + scratch[HANDS + number]
    dealt = rules[NUM_CARDS] >> ONE
    return dealt - left if dealt > left else ZERO


@kernel
def hoard_cards(words, rules, cards, start, count, stop, least):
    """Exchange the cards of a hand, but for one, that are below the rank `least` for others from before `stop`."""
    if stop <= start + count:
        return
    for k in range(ONE, count):
        place = start + np.uint64(k)
        for _ in range(_TRIES):
            rank = rules[RANK_OF + np.uint64(cards[place])]
            other = start + count + next_below(words, GAME + LANE, stop - start - count)
            if rank >= least:
                break
            if rules[RANK_OF + np.uint64(cards[other])] > rank:
                card = cards[place]
                cards[place] = cards[other]
                cards[other] = card


@inline
def least_kept(words, rules, layout, scratch, number, hoard):
    """The rank from which the other keeps cards: it rises with the battles up to a share `hoard` of the ranks.

    Who always plays the lowest of h cards holds, after b battles, about the best h of h + b.
    """
    battles = np.float64(np.int64(num_battles(words, rules, layout, scratch, number)))
    share = min(hoard, battles / (battles + np.float64(np.int64(rules[HAND_SIZE])) + 2.0))
    return np.uint64(np.int64(share * np.float64(np.int64(rules[NUM_RANKS]))))


@kernel
def place_seat(words, octets, rules, layout, scratch, cards, number, drawn, hoard):
    """Put one seat's hidden cards in their places, from the pool from `drawn` on; returns how many were used up."""
    seat = seat_of(GAME, number)
    stock, pile, staked = scratch[STOCKS + number], scratch[PILES + number], scratch[STAKES + number]
    hand = scratch[HANDS + number] if number != ZERO else ZERO
    known = scratch[OWN_KNOWN + number * (OTHER_KNOWN - OWN_KNOWN)]
    at = SEAT_AT
    is_captured = rules[WINNINGS_RULE] == CAPTURED
    if is_captured:  # what is known with a seat was captured, and never comes back
        words[seat + CAPTURED_CARDS] = known
        pile = pile - count_bits(known) if pile > count_bits(known) else ZERO
    total = hand + stock + pile + staked
    unknown = total if is_captured else total - count_bits(known)
    for k in range(unknown):
        cards[at + np.uint64(k)] = cards[DECK_AT + drawn + np.uint64(k)]
    reach = staked + hand + stock
    if not is_captured:
        list_cards(cards, at + unknown, known)
        fresh = min(num_fresh(words, rules, layout, scratch, number) + staked, unknown)
        shuffle_octets(words, cards, at + fresh, at + total)
        reach = fresh if fresh > staked + hand else reach
    if hand != ZERO:
        least = least_kept(words, rules, layout, scratch, number, hoard)
        hoard_cards(words, rules, cards, at + staked, hand, at + reach, least)
    stakes = at
    at += staked
    if number == ZERO:
        words[seat + HAND] = scratch[OWN]
    for _ in range(hand):
        words[seat + HAND] |= ONE << np.uint64(cards[at])
        at += ONE
    rest = stock if is_captured else stock + pile
    for k in range(rest):
        set_ring_card(octets, seat, np.uint64(k), np.uint64(cards[at]))
        at += ONE
    if is_captured:
        for _ in range(pile):
            words[seat + CAPTURED_CARDS] |= ONE << np.uint64(cards[at])
            at += ONE
    set_octet(octets, seat, STOCK, stock)
    set_octet(octets, seat, PILE, rest - stock)
    words[seat + STARTS] = ONE
    for k in range(staked):
        lay(octets, seat, np.uint64(cards[stakes + np.uint64(k)]))
    return drawn + unknown


@kernel
def lay_face_up(words, octets, scratch):
    """Lay the cards on the table: ties, one of each for either seat."""
    left, number = scratch[FACE_UP], ZERO
    words[GAME + TABLE] = left
    while left != ZERO:
        card = lowest_bit(left)
        seat = seat_of(GAME, number)
        lay(octets, seat, card)
        set_octet(octets, seat, UP, card)
        left &= left - ONE
        number ^= ONE


@kernel
def imagine(words, octets, rules, layout, obs, at, scratch, cards, key, hoard):
    """Draw a game that the observer could be in; `scratch` holds what it knows."""
    clear_game(words, octets, rules, GAME, key)
    words[GAME + LANE] = stream_start(key, ZERO)
    if layout[BATTLES_LEFT] != ABSENT:
        limit = rules[MAX_BATTLES]
        words[GAME + BATTLES] = limit - min(read_count(obs, at + layout[BATTLES_LEFT], limit), limit)
    if layout[TIME_LEFT] != ABSENT:
        share = 1.0 - np.float64(obs[at + layout[TIME_LEFT]])
        words[GAME + GAME_NANOS] = np.uint64(np.int64(share * np.float64(rules[MAX_NANOS])))
    stop = list_cards(cards, DECK_AT, scratch[POOL])
    shuffle_octets(words, cards, DECK_AT, stop)
    drawn = place_seat(words, octets, rules, layout, scratch, cards, ZERO, ZERO, hoard)
    place_seat(words, octets, rules, layout, scratch, cards, ONE, drawn, hoard)
    lay_face_up(words, octets, scratch)
    for number in range(TWO):
        if words[seat_of(GAME, np.uint64(number)) + HAND] != ZERO:
            words[GAME + FIGHTERS] |= ONE << np.uint64(number)
    words[GAME + RIVALS] = THREE
