"""Whole battles of two seats without choices, in registers: the plain case of the rules, and nothing else.

It plays on from between two battles for as long as every tie can be paid in full by both seats, which all run-out
rules treat alike. Any other battle, and every end, is left to the general engine, so that no rule stands here: what
is here are the higher card, the full stake and the shuffled pot. Without branches on who wins, which nobody can
guess. What everybody knows of the cards is not kept, since nobody chooses.
"""

from __future__ import annotations

import numpy as np

from war_env._jit import inline, kernel
from war_env.engine.ends import check_ends
from war_env.engine.piles import ONE, TWO, ZERO, octet, seat_of, set_octet, shuffle_ring
from war_env.engine.rng import refilled
from war_env.rules import ACE, FACE_DOWN, LOOP_LIMIT, MAX_BATTLES, RANK_SHIFT, TWO_BEATS_ACE
from war_env.state import (
    BATTLES,
    COINS,
    COMPARISONS,
    HAND,
    HEAD,
    PLAYS,
    RING,
    RING_MASK,
    SEAT_WORDS,
    STOCK,
    WARS,
)

_THREE = np.uint64(3)
_SEAT_OCTETS = SEAT_WORDS << _THREE
_NEVER = ~ZERO


@inline
def picked(first, second, mask):
    """The first of two words where the mask is 0, the second where it is all ones."""
    return first ^ ((first ^ second) & mask)


@inline
def lay_pair(octets, ring, tail, coin, own, other):
    """Put two cards behind a stock, the winner's own first unless the coin says otherwise."""
    octets[ring + ((tail + coin) & RING_MASK)] = own
    octets[ring + ((tail + (coin ^ ONE)) & RING_MASK)] = other


@inline
def odd_pair(rules):
    """What the exclusive or of two ranks is where the general engine must judge them: a 2 and an Ace, if that counts.

    Other pairs can give the same number; they are judged there as well, with the same result.
    """
    return rules[ACE] if rules[TWO_BEATS_ACE] != ZERO else _NEVER


@inline
def depth_of_war(octets, rules, rings, heads, counts):
    """How many cards each seat lays in a battle that starts with a tie, and by how many ties.

    Args:
        rings: place of each seat's ring in the octets.
        heads, counts: head and length of each stock.

    Returns:
        (cards, ties, whether the second seat wins); no cards where the general engine must play the battle.
    """
    first_ring, second_ring = rings
    first_head, second_head = heads
    poorer = min(counts[0], counts[1])
    price = rules[FACE_DOWN] + ONE
    odd, shift = odd_pair(rules), rules[RANK_SHIFT]
    laid, ties = ONE, ZERO
    first, second = ZERO, ZERO
    while first == second:
        ties += ONE
        laid += price
        if laid > poorer:
            return ZERO, ties, ZERO
        first = np.uint64(octets[first_ring + ((first_head + laid - ONE) & RING_MASK)]) >> shift
        second = np.uint64(octets[second_ring + ((second_head + laid - ONE) & RING_MASK)]) >> shift
    if first ^ second == odd:
        return ZERO, ties, ZERO
    return laid, ties, np.uint64(first < second)


@inline
def move_pot(octets, winner_ring, loser_ring, winner_head, loser_head, tail, laid):
    """Put what both seats laid behind the winner's stock, its own cards first."""
    for k in range(laid):
        own = octets[winner_ring + ((winner_head + np.uint64(k)) & RING_MASK)]
        octets[winner_ring + ((tail + np.uint64(k)) & RING_MASK)] = own
    for k in range(laid):
        other = octets[loser_ring + ((loser_head + np.uint64(k)) & RING_MASK)]
        octets[winner_ring + ((tail + laid + np.uint64(k)) & RING_MASK)] = other


@kernel
def play_plain_battles(words, octets, rules, game):
    """Play battles from between two of them until one needs the general engine, or the game is over.

    Two seats with all their cards in their stocks, shuffled winnings, no clock, ranks by RANK_SHIFT.
    """
    first_seat, second_seat = seat_of(game, ZERO), seat_of(game, ONE)
    first_ring = (first_seat << _THREE) + RING
    second_ring = first_ring + _SEAT_OCTETS
    head_0, head_1 = octet(octets, first_seat, HEAD), octet(octets, second_seat, HEAD)
    count_0, count_1 = octet(octets, first_seat, STOCK), octet(octets, second_seat, STOCK)
    coins_0, coins_1 = words[first_seat + COINS], words[second_seat + COINS]
    total = count_0 + count_1
    limit = min(rules[MAX_BATTLES], rules[LOOP_LIMIT])
    battles, ties, staked = words[game + BATTLES], ZERO, ZERO
    before = battles
    odd, shift = odd_pair(rules), rules[RANK_SHIFT]
    while True:
        rank_0, rank_1 = ZERO, ONE
        while count_0 - ONE < total - ONE and battles < limit:  # each has a card: 0 < count_0 < total
            card_0 = np.uint64(octets[first_ring + head_0])
            card_1 = np.uint64(octets[second_ring + head_1])
            rank_0, rank_1 = card_0 >> shift, card_1 >> shift
            if rank_0 == rank_1 or rank_0 ^ rank_1 == odd:
                break
            mask = ZERO - np.uint64(card_0 < card_1)  # of different ranks
            coins = picked(coins_0, coins_1, mask)
            if coins == ONE:
                coins = refilled(words, picked(first_seat, second_seat, mask))
            own = picked(card_0, card_1, mask)
            tail = picked(head_0, head_1, mask) + picked(count_0, total - count_0, mask)
            lay_pair(octets, picked(first_ring, second_ring, mask), tail, coins & ONE, own, card_0 ^ card_1 ^ own)
            coins = coins >> ONE
            coins_0, coins_1 = picked(coins, coins_0, mask), picked(coins_1, coins, mask)
            head_0, head_1 = (head_0 + ONE) & RING_MASK, (head_1 + ONE) & RING_MASK
            count_0 += ONE + mask + mask
            battles += ONE
        if rank_0 != rank_1:  # over, or an odd pair
            break
        rings, heads = (first_ring, second_ring), (head_0, head_1)
        laid, more, second_wins = depth_of_war(octets, rules, rings, heads, (count_0, total - count_0))
        if laid == ZERO:
            break
        mask = ZERO - second_wins
        seat, ring = picked(first_seat, second_seat, mask), picked(first_ring, second_ring, mask)
        start = picked(head_0, head_1, mask)
        tail = start + picked(count_0, total - count_0, mask)
        move_pot(octets, ring, first_ring ^ second_ring ^ ring, start, head_0 ^ head_1 ^ start, tail, laid)
        shuffle_ring(words, octets, seat, tail, laid + laid)
        head_0, head_1 = (head_0 + laid) & RING_MASK, (head_1 + laid) & RING_MASK
        count_0 += picked(laid, ZERO - laid, mask)
        battles += ONE
        ties += more
        staked += laid - ONE
    count_1 = total - count_0
    words[game + BATTLES] = battles
    words[game + WARS] += ties
    words[game + COMPARISONS] += battles - before + ties
    words[game + PLAYS] += TWO * (battles - before + staked)
    words[first_seat + COINS], words[second_seat + COINS] = coins_0, coins_1
    set_octet(octets, first_seat, HEAD, head_0)
    set_octet(octets, second_seat, HEAD, head_1)
    set_octet(octets, first_seat, STOCK, count_0)
    set_octet(octets, second_seat, STOCK, count_1)
    if count_0 == ZERO or count_1 == ZERO or battles >= limit:
        check_ends(words, octets, rules, game)


@kernel
def put_back_hands(words, octets, game):
    """Put the one card in each of two hands back on top of its stock, from where it was drawn."""
    for number in range(TWO):
        seat = seat_of(game, np.uint64(number))
        if words[seat + HAND] != ZERO:
            words[seat + HAND] = ZERO
            set_octet(octets, seat, HEAD, (octet(octets, seat, HEAD) - ONE) & RING_MASK)
            set_octet(octets, seat, STOCK, octet(octets, seat, STOCK) + ONE)
