"""Moving cards of one seat: draw, refill, lay, stake, and what everybody knows of where they are."""

from __future__ import annotations

import numpy as np

from war_env._jit import count_bits, inline, kernel, lowest_bit
from war_env.engine.rng import drawn_below, next_coin
from war_env.rules import HAND_SIZE, HAS_ORDER, MAX_HAND, PILE_SHUFFLED, WINNINGS_RULE
from war_env.state import (
    FRONT,
    HAND,
    HEAD,
    HEADER_WORDS,
    KNOWN,
    LAID,
    LOOSE,
    PILE,
    RING,
    RING_MASK,
    RISK,
    SEAT_WORDS,
    SEEN,
    SHUFFLES,
    STAKED,
    STARTS,
    STOCK,
    TABLE,
    UNLOCATED,
    UP,
)

_LAST_SLOT = MAX_HAND - 1
ZERO, ONE, TWO, THREE = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)


@inline
def seat_of(game, number):
    """Index of the first word of a seat's block."""
    return game + HEADER_WORDS + number * SEAT_WORDS


@inline
def octet(octets, seat, field):
    """A one-byte field of a seat, as uint64."""
    return np.uint64(octets[(seat << THREE) + field])


@inline
def set_octet(octets, seat, field, value):
    """Store a one-byte field of a seat."""
    octets[(seat << THREE) + field] = value


@inline
def nth_card(cards, slot):
    """The slot-th lowest card of a set of at most MAX_HAND; the highest where the set has fewer."""
    slot = min(slot, count_bits(cards) - ONE)
    for k in range(_LAST_SLOT):  # a fixed number of selects: no branch for the processor to guess
        cards = cards & (cards - ONE) if np.uint64(k) < slot else cards
    return lowest_bit(cards)


@inline
def ring_card(octets, seat, place):
    """The card at a place of the seat's ring, which is taken modulo its length."""
    return np.uint64(octets[(seat << THREE) + RING + (place & RING_MASK)])


@inline
def set_ring_card(octets, seat, place, card):
    """Put a card at a place of the seat's ring."""
    octets[(seat << THREE) + RING + (place & RING_MASK)] = card


@inline
def tail_of(octets, seat):
    """Ring place behind the seat's stock and pile, where its laid cards begin."""
    return octet(octets, seat, HEAD) + octet(octets, seat, STOCK) + octet(octets, seat, PILE)


@inline
def num_left(words, octets, seat):
    """Cards that the seat can still play: hand, stock and pile."""
    return count_bits(words[seat + HAND]) + octet(octets, seat, STOCK) + octet(octets, seat, PILE)


@kernel
def shuffle_ring(words, octets, seat, start, count):
    """Shuffle `count` cards of the ring by the seat's own stream: two by a coin, more by Fisher and Yates."""
    if count == TWO:
        coin = next_coin(words, seat)
        first, second = ring_card(octets, seat, start), ring_card(octets, seat, start + ONE)
        set_ring_card(octets, seat, start + coin, first)
        set_ring_card(octets, seat, start + (coin ^ ONE), second)
        return
    state = words[seat + SHUFFLES]
    while count > ONE:
        drawn, state = drawn_below(state, count)
        other = start + drawn
        count = count - ONE
        card = ring_card(octets, seat, start + count)
        set_ring_card(octets, seat, start + count, ring_card(octets, seat, other))
        set_ring_card(octets, seat, other, card)
    words[seat + SHUFFLES] = state


@inline
def mark_blocks(words, rules, seat, start, count):
    """Note that `count` cards come into the stock: their order is known under a fixed order, else that of the block."""
    words[seat + STARTS] |= ONE << (start & RING_MASK)
    if rules[HAS_ORDER] != ZERO:
        for k in range(count):
            words[seat + STARTS] |= ONE << ((start + np.uint64(k)) & RING_MASK)


@kernel
def turn_pile(words, octets, rules, seat):
    """The pile becomes the stock, which is empty: shuffled or as it lies."""
    count = octet(octets, seat, PILE)
    start = octet(octets, seat, HEAD)
    if rules[WINNINGS_RULE] == PILE_SHUFFLED:
        shuffle_ring(words, octets, seat, start, count)
    mark_blocks(words, rules, seat, start, count)
    set_octet(octets, seat, STOCK, count)
    set_octet(octets, seat, PILE, ZERO)


@inline
def draw_card(words, octets, rules, seat):
    """Take the top card of the stock, made from the pile if it is empty; there must be one."""
    if octet(octets, seat, STOCK) == ZERO:
        turn_pile(words, octets, rules, seat)
    head = octet(octets, seat, HEAD)
    card = ring_card(octets, seat, head)
    set_octet(octets, seat, HEAD, (head + ONE) & RING_MASK)
    set_octet(octets, seat, STOCK, octet(octets, seat, STOCK) - ONE)
    place = ONE << head
    if words[seat + STARTS] & place:
        words[seat + STARTS] ^= place
        words[seat + FRONT] = ZERO
    words[seat + FRONT] |= ONE << card
    return card


@inline
def refill(words, octets, rules, seat):
    """Draw into the hand until it is full or nothing is left."""
    missing = rules[HAND_SIZE] - count_bits(words[seat + HAND])
    there = octet(octets, seat, STOCK) + octet(octets, seat, PILE)
    for _ in range(min(missing, there)):
        words[seat + HAND] |= ONE << draw_card(words, octets, rules, seat)


@inline
def lay(octets, seat, card):
    """Put a card behind those that the seat has laid in this battle."""
    laid = octet(octets, seat, LAID)
    set_ring_card(octets, seat, tail_of(octets, seat) + laid, card)
    set_octet(octets, seat, LAID, laid + ONE)


@inline
def turn_up(words, octets, game, seat, card):
    """Lay a card of the hand face-up."""
    bit = ONE << card
    words[seat + HAND] &= ~bit
    lay(octets, seat, card)
    set_octet(octets, seat, UP, card)
    words[game + TABLE] |= bit
    words[game + SEEN] |= bit
    words[game + UNLOCATED] &= ~bit
    words[seat + KNOWN] &= ~bit
    words[seat + FRONT] &= ~bit
    words[seat + LOOSE] &= ~bit


@kernel
def stake(words, octets, rules, seat, count):
    """Lay `count` cards face-down from the stock, and note which known cards may be among them.

    A known card is at risk if its block of the stock was staked from: it is then among the stakes, still in the
    stock, or was drawn into the hand before, and nobody else can tell which. A loose one is at risk in any stake.
    """
    set_octet(octets, seat, STAKED, count)
    if count == ZERO:
        return
    touched = ZERO
    for _ in range(count):
        card = draw_card(words, octets, rules, seat)
        lay(octets, seat, card)
        touched |= words[seat + FRONT]
        words[seat + FRONT] ^= ONE << card
    if words[seat + KNOWN] == ZERO:
        return
    place = octet(octets, seat, HEAD)
    for k in range(octet(octets, seat, STOCK)):
        at = (place + np.uint64(k)) & RING_MASK
        if words[seat + STARTS] & (ONE << at):
            break
        touched |= ONE << ring_card(octets, seat, at)
    words[seat + RISK] |= (touched | words[seat + LOOSE]) & words[seat + KNOWN]
