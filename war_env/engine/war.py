"""A tie: who must fight, who cannot pay and what follows, stakes. The run-out rules of docs/rules.md."""

from __future__ import annotations

import numpy as np

from war_env._jit import count_bits, inline, kernel
from war_env.engine.piles import ONE, ZERO, num_left, octet, refill, seat_of, stake
from war_env.rules import (
    ACE,
    DRAW,
    EQUAL_FORCE,
    EVERYONE,
    FACE_DOWN,
    LAST_CARD_STANDS,
    LOSE,
    PLAYERS,
    RANK_OF,
    RUN_OUT_RULE,
    TAKE_BACK,
    TWO_BEATS_ACE,
    WAR_PARTY,
)
from war_env.state import DROPPED, FIGHTERS, HAND, IN_GAME, LAID, PILE, RIVALS, STOCK, UP, WARS

# What a comparison or a tie leads to.
GO_ON, WON, UNDONE, NO_ONE = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)
_NOTHING = np.uint64(0)


@inline
def has_seat(seats, number):
    """Whether a set of seats holds a seat."""
    return (seats >> np.uint64(number)) & ONE != ZERO


@inline
def best_seats(octets, rules, game, rivals):
    """The seats, of some, whose face-up card is best; several are a tie."""
    top, best = ZERO, _NOTHING
    for number in range(rules[PLAYERS]):
        if has_seat(rivals, number):
            top = max(top, rules[RANK_OF + octet(octets, seat_of(game, np.uint64(number)), UP)])
    for number in range(rules[PLAYERS]):
        if has_seat(rivals, number):
            is_best = rules[RANK_OF + octet(octets, seat_of(game, np.uint64(number)), UP)] == top
            best |= np.uint64(is_best) << np.uint64(number)
    if rules[TWO_BEATS_ACE] != ZERO and top == rules[ACE]:
        twos = seats_with_twos(octets, rules, game, rivals)
        return twos if twos != ZERO else best
    return best


@kernel
def seats_with_twos(octets, rules, game, rivals):
    """The seats, of some, whose face-up card is a 2, the lowest rank."""
    twos = _NOTHING
    for number in range(rules[PLAYERS]):
        if has_seat(rivals, number) and rules[RANK_OF + octet(octets, seat_of(game, np.uint64(number)), UP)] == ZERO:
            twos |= ONE << np.uint64(number)
    return twos


@kernel
def payers_of(words, octets, rules, game, seats):
    """Those of some seats that can pay for a war."""
    run_out = rules[RUN_OUT_RULE]
    price = rules[FACE_DOWN] + ONE if run_out == LOSE or run_out == DRAW else ONE
    able = _NOTHING
    for number in range(rules[PLAYERS]):
        if has_seat(seats, number) and num_left(words, octets, seat_of(game, np.uint64(number))) >= price:
            able |= ONE << np.uint64(number)
    return able


@kernel
def richest_of(words, octets, rules, game, seats):
    """Those of some seats that have most cards left."""
    most, richest = ZERO, _NOTHING
    for number in range(rules[PLAYERS]):
        if has_seat(seats, number):
            left = num_left(words, octets, seat_of(game, np.uint64(number)))
            if richest == ZERO or left > most:
                most, richest = left, ONE << np.uint64(number)
            elif left == most:
                richest |= ONE << np.uint64(number)
    return richest


@kernel
def seats_with_laid_cards(octets, rules, game):
    """Seats that have laid a card in this battle."""
    seats = _NOTHING
    for number in range(rules[PLAYERS]):
        if octet(octets, seat_of(game, np.uint64(number)), LAID) != ZERO:
            seats |= ONE << np.uint64(number)
    return seats


@kernel
def drop(words, rules, game, seats):
    """Seats that cannot pay leave this war; under `lose` they leave the game."""
    words[game + DROPPED] |= seats
    if rules[RUN_OUT_RULE] == LOSE:
        words[game + IN_GAME] &= ~seats


@inline
def num_stakes(words, octets, rules, seat):
    """Cards that a seat stakes: never its hand, and a card to turn up is kept."""
    left = octet(octets, seat, STOCK) + octet(octets, seat, PILE)
    if words[seat + HAND] == ZERO:
        left -= ONE
    return min(rules[FACE_DOWN], left)


@kernel
def lay_stakes(words, octets, rules, game, fighters):
    """Every fighter stakes face-down and refills its hand; under `equal_force` all stake the same number."""
    least = rules[FACE_DOWN]
    if rules[RUN_OUT_RULE] == EQUAL_FORCE:
        for number in range(rules[PLAYERS]):
            if has_seat(fighters, number):
                least = min(least, num_stakes(words, octets, rules, seat_of(game, np.uint64(number))))
    for number in range(rules[PLAYERS]):
        if has_seat(fighters, number):
            seat = seat_of(game, np.uint64(number))
            stake(words, octets, rules, seat, min(least, num_stakes(words, octets, rules, seat)))
            refill(words, octets, rules, seat)


@kernel
def go_to_war(words, octets, rules, game, tied, payers):
    """At least one tied seat can pay: the others drop out or stand, the fighters stake.

    Returns:
        (GO_ON, 0), or (WON, seats) when one alone is left.
    """
    unable = tied & ~payers
    standing = _NOTHING
    if rules[RUN_OUT_RULE] == LAST_CARD_STANDS:
        standing = unable
    elif unable != ZERO:
        drop(words, rules, game, unable)
    fighters = payers
    if rules[WAR_PARTY] == EVERYONE:
        others = seats_with_laid_cards(octets, rules, game) & words[game + IN_GAME] & ~words[game + DROPPED] & ~tied
        fighters |= payers_of(words, octets, rules, game, others)
    if count_bits(fighters | standing) == ONE:
        return WON, fighters | standing
    words[game + FIGHTERS] = fighters
    words[game + RIVALS] = fighters | standing
    lay_stakes(words, octets, rules, game, fighters)
    return GO_ON, _NOTHING


@kernel
def resolve_tie(words, octets, rules, game, tied):
    """What follows when the best face-up cards are equal.

    Returns:
        (GO_ON, 0): the fighters have staked and choose their next card; (WON, the seat's bit): it takes the pot;
        (UNDONE, 0): everybody takes back what it laid, the game goes on; (NO_ONE, 0): the game is a draw.
    """
    run_out = rules[RUN_OUT_RULE]
    while True:
        words[game + WARS] += ONE
        payers = payers_of(words, octets, rules, game, tied)
        if run_out == DRAW and payers != tied:
            return NO_ONE, _NOTHING
        if payers != ZERO:
            return go_to_war(words, octets, rules, game, tied, payers)
        if run_out == TAKE_BACK:
            return UNDONE, _NOTHING
        if run_out == LOSE:
            richest = richest_of(words, octets, rules, game, tied)
            if count_bits(richest) == ONE:
                drop(words, rules, game, tied & ~richest)
                return WON, richest
        drop(words, rules, game, tied)
        remaining = seats_with_laid_cards(octets, rules, game) & words[game + IN_GAME] & ~words[game + DROPPED]
        if remaining == ZERO:
            return NO_ONE, _NOTHING
        tied = best_seats(octets, rules, game, remaining)
        if count_bits(tied) == ONE:
            return WON, tied
