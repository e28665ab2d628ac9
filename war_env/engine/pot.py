"""Where the cards on the table go: to the winner, in the order the rules say, or back to who laid them."""

from __future__ import annotations

import numpy as np

from war_env._jit import inline, kernel, lowest_bit
from war_env.engine.piles import (
    ONE,
    ZERO,
    mark_blocks,
    octet,
    ring_card,
    seat_of,
    set_octet,
    set_ring_card,
    shuffle_ring,
    tail_of,
)
from war_env.rules import (
    CAPTURED,
    HAS_ORDER,
    HAS_PILE,
    INTERLEAVED,
    LOSER_FIRST,
    PLAYERS,
    SEAT_ORDER,
    SHUFFLED,
    WINNINGS_RULE,
)
from war_env.state import (
    CAPTURED_CARDS,
    HAND,
    HEAD,
    IN_GAME,
    KNOWN,
    LAID,
    LOOSE,
    PILE,
    PLAYS,
    RISK,
    STAKED,
    STOCK,
    TABLE,
    UNLOCATED,
)


@kernel
def laid_cards(octets, seat):
    """The cards that a seat has laid in this battle, as a mask."""
    start = tail_of(octets, seat)
    cards = ZERO
    for k in range(octet(octets, seat, LAID)):
        cards |= ONE << ring_card(octets, seat, start + np.uint64(k))
    return cards


@inline
def append_laid(octets, game, winner, number, at):
    """Copy what seat `number` laid into the winner's ring from place `at`; returns the place behind it."""
    seat = seat_of(game, number)
    start = tail_of(octets, seat)
    for k in range(octet(octets, seat, LAID)):
        set_ring_card(octets, winner, at, ring_card(octets, seat, start + np.uint64(k)))
        at += ONE
    return at


@kernel
def shift_own(octets, winner, tail, distance):
    """Move the winner's laid cards up its ring, last first, so that others fit before them."""
    k = octet(octets, winner, LAID)
    while k > ZERO:
        k -= ONE
        set_ring_card(octets, winner, tail + distance + k, ring_card(octets, winner, tail + k))


@kernel
def append_interleaved(octets, rules, game, winner_number, tail, others):
    """First card of each seat from seat 0, then the second cards, and so on; returns the place behind them.

    The winner's own cards have been shifted up its ring by the number of the others'.
    """
    winner = seat_of(game, winner_number)
    total = others + octet(octets, winner, LAID)
    at = tail
    depth = ZERO
    while at < tail + total:
        for number in range(rules[PLAYERS]):
            seat = seat_of(game, np.uint64(number))
            if depth < octet(octets, seat, LAID):
                start = tail + others if np.uint64(number) == winner_number else tail_of(octets, seat)
                set_ring_card(octets, winner, at, ring_card(octets, seat, start + depth))
                at += ONE
        depth += ONE
    return at


@inline
def append_others(octets, rules, game, winner_number, at):
    """Put what the seats after the winner laid, in turn, into its ring from place `at`; returns the place behind."""
    winner = seat_of(game, winner_number)
    number = winner_number
    for _ in range(rules[PLAYERS] - ONE):
        number = number + ONE if number + ONE < rules[PLAYERS] else ZERO
        at = append_laid(octets, game, winner, number, at)
    return at


@kernel
def count_laid(octets, game, first, last):
    """Cards laid in this battle by the seats first..last-1."""
    count = ZERO
    for number in range(first, last):
        count += octet(octets, seat_of(game, np.uint64(number)), LAID)
    return count


@inline
def append_pot(octets, rules, game, winner_number):
    """Put all laid cards behind the winner's stock and pile, in the order of `winnings`; returns the end."""
    winner = seat_of(game, winner_number)
    order = rules[WINNINGS_RULE]
    tail = tail_of(octets, winner)
    own = octet(octets, winner, LAID)
    if order == SEAT_ORDER:
        before = count_laid(octets, game, ZERO, winner_number)
        shift_own(octets, winner, tail, before)
        at = tail
        for number in range(winner_number):
            at = append_laid(octets, game, winner, np.uint64(number), at)
        at += own
        for number in range(winner_number + ONE, rules[PLAYERS]):
            at = append_laid(octets, game, winner, np.uint64(number), at)
        return at
    if order == LOSER_FIRST or order == INTERLEAVED:
        others = count_laid(octets, game, ZERO, rules[PLAYERS]) - own
        shift_own(octets, winner, tail, others)
        if order == INTERLEAVED:
            return append_interleaved(octets, rules, game, winner_number, tail, others)
        return append_others(octets, rules, game, winner_number, tail) + own
    return append_others(octets, rules, game, winner_number, tail + own)


@kernel
def append_leftovers(words, octets, winner, loser, at):
    """Move what a seat that is out still holds to the winner's ring: hand, stock, pile; returns the end."""
    while words[loser + HAND] != ZERO:
        set_ring_card(octets, winner, at, lowest_bit(words[loser + HAND]))
        words[loser + HAND] &= words[loser + HAND] - ONE
        at += ONE
    count = octet(octets, loser, STOCK) + octet(octets, loser, PILE)
    head = octet(octets, loser, HEAD)
    for k in range(count):
        set_ring_card(octets, winner, at, ring_card(octets, loser, head + np.uint64(k)))
        at += ONE
    set_octet(octets, loser, STOCK, ZERO)
    set_octet(octets, loser, PILE, ZERO)
    words[winner + KNOWN] |= words[loser + KNOWN]
    words[loser + KNOWN] = ZERO
    words[loser + LOOSE] = ZERO
    return at


@inline
def clear_battle(words, octets, seat):
    """Forget a battle's laid cards and its risks."""
    set_octet(octets, seat, LAID, ZERO)
    set_octet(octets, seat, STAKED, ZERO)
    words[seat + RISK] = ZERO


@inline
def settle_knowledge(words, rules, game, winner_number):
    """After a battle: what lay face-up is known with the winner; what a loser may have staked is nowhere certain."""
    winner = seat_of(game, winner_number)
    words[winner + KNOWN] |= words[game + TABLE]
    for number in range(rules[PLAYERS]):
        seat = seat_of(game, np.uint64(number))
        if words[seat + RISK] != ZERO:
            doubtful = words[seat + RISK] & words[seat + KNOWN]
            if np.uint64(number) != winner_number:
                words[seat + KNOWN] ^= doubtful
                words[seat + LOOSE] &= ~doubtful
                words[game + UNLOCATED] |= doubtful
            elif rules[HAS_ORDER] == ZERO:
                words[seat + LOOSE] |= doubtful


@kernel
def collect_leftovers(words, octets, rules, game, winner, end):
    """Put what seats that are out still hold behind the pot; returns the end."""
    for number in range(rules[PLAYERS]):
        if (words[game + IN_GAME] >> np.uint64(number)) & ONE == ZERO:
            end = append_leftovers(words, octets, winner, seat_of(game, np.uint64(number)), end)
    return end


@inline
def collect(words, octets, rules, game, winner_number):
    """Give the pot to a seat, with what seats that are out still hold behind it."""
    winner = seat_of(game, winner_number)
    settle_knowledge(words, rules, game, winner_number)
    tail = tail_of(octets, winner)
    end = append_pot(octets, rules, game, winner_number)
    for number in range(rules[PLAYERS]):
        clear_battle(words, octets, seat_of(game, np.uint64(number)))
    words[game + TABLE] = ZERO
    words[game + PLAYS] += end - tail
    if words[game + IN_GAME] + ONE != ONE << rules[PLAYERS]:
        end = collect_leftovers(words, octets, rules, game, winner, end)
    rule = rules[WINNINGS_RULE]
    if rule == CAPTURED:
        for place in range(tail, end):
            words[winner + CAPTURED_CARDS] |= ONE << ring_card(octets, winner, np.uint64(place))
    elif rules[HAS_PILE] != ZERO:
        set_octet(octets, winner, PILE, octet(octets, winner, PILE) + end - tail)
    else:
        if rule == SHUFFLED:
            shuffle_ring(words, octets, winner, tail, end - tail)
        mark_blocks(words, rules, winner, tail, end - tail)
        set_octet(octets, winner, STOCK, octet(octets, winner, STOCK) + end - tail)


@kernel
def take_back(words, octets, rules, game):
    """Undo the pot: every seat gets back what it laid, into its captured cards, its pile or its stock."""
    for number in range(rules[PLAYERS]):
        seat = seat_of(game, np.uint64(number))
        cards = laid_cards(octets, seat)
        words[seat + KNOWN] |= cards & words[game + TABLE]
        laid = octet(octets, seat, LAID)
        words[game + PLAYS] += laid
        if rules[WINNINGS_RULE] == CAPTURED:
            words[seat + CAPTURED_CARDS] |= cards
        elif rules[HAS_PILE] != ZERO:
            set_octet(octets, seat, PILE, octet(octets, seat, PILE) + laid)
        else:
            mark_blocks(words, rules, seat, tail_of(octets, seat), laid)
            set_octet(octets, seat, STOCK, octet(octets, seat, STOCK) + laid)
        clear_battle(words, octets, seat)
    words[game + TABLE] = ZERO
