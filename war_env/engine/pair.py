"""The plain battle of two seats that choose, in registers: one card is higher, both seats draw one, the game goes on.

Eleven comparisons in twelve are of this kind. Everything else (ties and wars, a seat that runs short, the last battle,
clocks, piles, fixed orders) is left to the general engine, before anything has changed. Every quantity is loaded once
and stored once, and nothing branches on who wins, which nobody can guess.
"""

from __future__ import annotations

import numpy as np

from war_env._jit import inline
from war_env.engine.duel import lay_pair, odd_pair, picked
from war_env.engine.piles import ONE, TWO, ZERO, octet, ring_card, set_octet
from war_env.engine.rng import next_coin
from war_env.rules import CAPTURED, LOOP_LIMIT, MAX_BATTLES, RANK_OF, WINNINGS_RULE
from war_env.state import (
    BATTLES,
    CAPTURED_CARDS,
    COMPARISONS,
    FRONT,
    HAND,
    HEAD,
    KNOWN,
    LOOSE,
    PLAYS,
    RING,
    RING_MASK,
    SEEN,
    STARTS,
    STOCK,
    UNLOCATED,
    UP,
)

_THREE = np.uint64(3)


@inline
def is_plain_pair(words, octets, rules, game, first, second, card_0, card_1):
    """Whether the cards that the two seats have chosen for a new battle make it a plain one."""
    rank_0, rank_1 = rules[RANK_OF + card_0], rules[RANK_OF + card_1]
    has_stocks = (octet(octets, first, STOCK) != ZERO) & (octet(octets, second, STOCK) != ZERO)
    goes_on = words[game + BATTLES] + ONE < min(rules[MAX_BATTLES], rules[LOOP_LIMIT])
    return has_stocks & goes_on & (rank_0 != rank_1) & (rank_0 ^ rank_1 != odd_pair(rules))


@inline
def after_battle(words, octets, seat, card, won, pot, tail_bit, gained):
    """Store what a battle leaves a seat with, and draw one card.

    Args:
        words, octets, seat: the seat.
        card: what it turned up.
        won: all ones for the winner, else 0.
        pot: both cards, as a mask.
        tail_bit: the pot's place in the winner's stock, where a block begins; 0 where it does not go there.
        gained: cards that come to the winner's stock.
    """
    left = ~(ONE << card)
    head, stock = octet(octets, seat, HEAD), octet(octets, seat, STOCK)
    drawn = ONE << ring_card(octets, seat, head)
    starts = words[seat + STARTS] | (tail_bit & won)
    is_new_block = (starts >> head) & ONE
    words[seat + STARTS] = starts & ~(ONE << head)
    words[seat + FRONT] = (words[seat + FRONT] & left & (is_new_block - ONE)) | drawn
    words[seat + HAND] = (words[seat + HAND] & left) | drawn
    words[seat + KNOWN] = (words[seat + KNOWN] & left) | (pot & won)
    words[seat + LOOSE] = words[seat + LOOSE] & left
    set_octet(octets, seat, HEAD, (head + ONE) & RING_MASK)
    set_octet(octets, seat, STOCK, stock - ONE + (gained & won))
    set_octet(octets, seat, UP, card)


@inline
def play_plain_pair(words, octets, rules, game, first, second, card_0, card_1):
    """Play a battle that `is_plain_pair`, up to the next one's choices."""
    mask = ZERO - np.uint64(card_0 < card_1)  # of different ranks
    pot = (ONE << card_0) | (ONE << card_1)
    words[game + BATTLES] += ONE
    words[game + COMPARISONS] += ONE
    words[game + PLAYS] += TWO
    words[game + SEEN] |= pot
    words[game + UNLOCATED] &= ~pot
    winner = picked(first, second, mask)
    tail = octet(octets, winner, HEAD) + octet(octets, winner, STOCK)
    tail_bit, gained = ZERO, ZERO
    if rules[WINNINGS_RULE] == CAPTURED:
        words[winner + CAPTURED_CARDS] |= pot
    else:
        own = picked(card_0, card_1, mask)
        lay_pair(octets, (winner << _THREE) + RING, tail, next_coin(words, winner), own, card_0 ^ card_1 ^ own)
        tail_bit, gained = ONE << (tail & RING_MASK), TWO
    after_battle(words, octets, first, card_0, ~mask, pot, tail_bit, gained)
    after_battle(words, octets, second, card_1, mask, pot, tail_bit, gained)
