"""The end of a battle: who is out, whether the game is over and why, loops."""

from __future__ import annotations

import numpy as np

from war_env._jit import count_bits, inline, kernel, lowest_bit
from war_env.engine.piles import ONE, ZERO, num_left, octet, ring_card, seat_of
from war_env.rules import (
    ALL_CARDS,
    CAN_LOOP,
    CAPTURED,
    FIRST_EMPTY,
    GOAL,
    LOOP_LIMIT,
    LOSE,
    MAX_BATTLES,
    MAX_NANOS,
    PLAYERS,
    RANK_OF,
    RUN_OUT_RULE,
    STOCK_OUT,
    WINNINGS_RULE,
)
from war_env.state import (
    BATTLE_LIMIT,
    BATTLES,
    CAPTURED_CARDS,
    DROPPED,
    FIGHTERS,
    GAME_NANOS,
    HEAD,
    HEADER_WORDS,
    IN_GAME,
    LOOP,
    NOBODY,
    PERIOD,
    PILE,
    RAN_OUT,
    REASON,
    RIVALS,
    SEAT_EMPTY,
    SEAT_WORDS,
    SNAPSHOT_SEAT_WORDS,
    SNAPSHOT_WORDS,
    STOCK,
    STOCK_ENDED,
    TIME_LIMIT,
    UNFINISHED,
    WINNER,
    WON_ALL,
)

_SPAN = ONE  # place of the snapshot's span, behind its battle
_EIGHT, _SIXTEEN = np.uint64(8), np.uint64(16)


@inline
def num_held(words, octets, rules, seat):
    """Cards that count for a seat: hand, stock and pile, or its captured cards where those are kept apart."""
    if rules[WINNINGS_RULE] == CAPTURED:
        return count_bits(words[seat + CAPTURED_CARDS])
    return num_left(words, octets, seat)


@inline
def is_in_game(words, game, number):
    """Whether a seat is still in the game; what one that is out has left belongs to the pot."""
    return (words[game + IN_GAME] >> np.uint64(number)) & ONE != ZERO


@kernel
def finish(words, game, reason, winner):
    """End the game."""
    words[game + REASON] = reason
    words[game + WINNER] = winner
    words[game + FIGHTERS] = ZERO
    words[game + RIVALS] = ZERO


@kernel
def finish_by_count(words, octets, rules, game, reason):
    """End the game: of the seats still in it the one that holds most wins; equal is a draw."""
    most, winner = ZERO, NOBODY
    first = True
    for number in range(rules[PLAYERS]):
        if is_in_game(words, game, number):
            held = num_held(words, octets, rules, seat_of(game, np.uint64(number)))
            if first or held > most:
                most, winner = held, np.uint64(number)
            elif held == most:
                winner = NOBODY
            first = False
    finish(words, game, reason, winner)


@inline
def empty_seats(words, octets, rules, game):
    """Seats with nothing left to play."""
    seats = ZERO
    for number in range(rules[PLAYERS]):
        if num_left(words, octets, seat_of(game, np.uint64(number))) == ZERO:
            seats |= ONE << np.uint64(number)
    return seats


@kernel
def seats_without_cards(words, rules, game, empty):
    """Those of the seats with nothing to play that have no captured cards either."""
    seats = ZERO
    for number in range(rules[PLAYERS]):
        has_captured = words[seat_of(game, np.uint64(number)) + CAPTURED_CARDS] != ZERO
        seats |= (empty & (ONE << np.uint64(number))) if not has_captured else ZERO
    return seats


@inline
def check_goal(words, octets, rules, game):
    """Whether the goal ends the game, after a battle."""
    empty = empty_seats(words, octets, rules, game)
    if empty == ZERO:
        return
    in_game = words[game + IN_GAME] & ~seats_without_cards(words, rules, game, empty)
    knocked_out = words[game + DROPPED] & ~in_game
    words[game + IN_GAME] = in_game
    goal = rules[GOAL]
    is_run_out = knocked_out != ZERO and (goal == ALL_CARDS or rules[RUN_OUT_RULE] == LOSE)
    if count_bits(in_game) == ONE and (goal == ALL_CARDS or is_run_out):
        finish(words, game, RAN_OUT if is_run_out else WON_ALL, lowest_bit(in_game))
    elif goal == STOCK_OUT:
        finish_by_count(words, octets, rules, game, STOCK_ENDED)
    elif goal == FIRST_EMPTY:
        finish_by_count(words, octets, rules, game, SEAT_EMPTY)


@inline
def snapshot_of(rules, game):
    """Index of the first word of the snapshot, behind the seats."""
    return game + HEADER_WORDS + rules[PLAYERS] * SEAT_WORDS


@inline
def snapshot_seat(rules, game, number):
    """Index of the first word of a seat's part of the snapshot."""
    return snapshot_of(rules, game) + SNAPSHOT_WORDS + number * SNAPSHOT_SEAT_WORDS


@kernel
def take_snapshot(words, octets, rules, game):
    """Note the position: counts and ranks of every stock and pile, in order."""
    snapshot = snapshot_of(rules, game)
    words[snapshot] = words[game + BATTLES]
    for number in range(rules[PLAYERS]):
        seat = seat_of(game, np.uint64(number))
        noted = snapshot_seat(rules, game, np.uint64(number))
        words[noted] = octet(octets, seat, STOCK)
        words[noted + ONE] = octet(octets, seat, PILE)
        head = octet(octets, seat, HEAD)
        for k in range(octet(octets, seat, STOCK) + octet(octets, seat, PILE)):
            rank = rules[RANK_OF + ring_card(octets, seat, head + np.uint64(k))]
            octets[noted * _EIGHT + _SIXTEEN + np.uint64(k)] = rank


@kernel
def is_at_snapshot(words, octets, rules, game):
    """Whether the position is the one that was noted."""
    for number in range(rules[PLAYERS]):
        seat = seat_of(game, np.uint64(number))
        noted = snapshot_seat(rules, game, np.uint64(number))
        if words[noted] != octet(octets, seat, STOCK) or words[noted + ONE] != octet(octets, seat, PILE):
            return False
        head = octet(octets, seat, HEAD)
        for k in range(octet(octets, seat, STOCK) + octet(octets, seat, PILE)):
            rank = rules[RANK_OF + ring_card(octets, seat, head + np.uint64(k))]
            if rank != np.uint64(octets[noted * _EIGHT + _SIXTEEN + np.uint64(k)]):
                return False
    return True


@kernel
def check_loop(words, octets, rules, game):
    """Whether an earlier position has returned.

    Brent's algorithm ("An improved Monte Carlo factorization algorithm", BIT 20, 1980): a position is compared with
    every one after it until one noted 1, 2, 4, 8, … battles later replaces it. The first return gives the least period.
    """
    snapshot = snapshot_of(rules, game)
    if is_at_snapshot(words, octets, rules, game):
        words[game + PERIOD] = words[game + BATTLES] - words[snapshot]
        finish(words, game, LOOP, NOBODY)
    elif words[game + BATTLES] - words[snapshot] == words[snapshot + _SPAN]:
        take_snapshot(words, octets, rules, game)
        words[snapshot + _SPAN] <<= ONE


@kernel
def start_looking(words, octets, rules, game):
    """Note the first position of a game that can loop."""
    if rules[CAN_LOOP] != ZERO:
        take_snapshot(words, octets, rules, game)
        words[snapshot_of(rules, game) + _SPAN] = ONE


@inline
def check_ends(words, octets, rules, game):
    """After a battle, ask for the ends in this order: goal, max_battles, max_seconds, loop, loop_limit."""
    check_goal(words, octets, rules, game)
    if words[game + REASON] != ZERO:
        return
    if words[game + BATTLES] >= rules[MAX_BATTLES]:
        finish_by_count(words, octets, rules, game, BATTLE_LIMIT)
    elif words[game + GAME_NANOS] >= rules[MAX_NANOS]:
        finish_by_count(words, octets, rules, game, TIME_LIMIT)
    elif rules[CAN_LOOP] != ZERO:
        check_loop(words, octets, rules, game)
    if words[game + REASON] == ZERO and words[game + BATTLES] >= rules[LOOP_LIMIT]:
        finish(words, game, UNFINISHED, NOBODY)
