"""The kernel that plays whole games without choices."""

from __future__ import annotations

import numpy as np

from war_env._jit import entry, kernel, pointer
from war_env.engine.duel import play_plain_battles, put_back_hands
from war_env.engine.ends import num_held
from war_env.engine.piles import ONE, ZERO, octet, seat_of, set_octet, set_ring_card
from war_env.engine.rng import stream_start
from war_env.engine.turn import begin, clear_game, compare, deal_cards, play_slot, start_battle
from war_env.engine.war import has_seat
from war_env.rules import ACE, IS_DUEL, PLAYERS, RANK_CARDS, RANK_SHIFT, SHUFFLED, WINNINGS_RULE
from war_env.state import (
    BATTLES,
    COMPARISONS,
    FIGHTERS,
    GAME_NANOS,
    PERIOD,
    PLAYS,
    REASON,
    RING,
    STARTS,
    STOCK,
    TABLE,
    WARS,
    WINNER,
)

GAME = np.uint64(0)
_THREE = np.uint64(3)
# Columns of a result: these, then each seat's held cards, then the aces dealt to each seat.
RESULT_FIELDS = ("winner", "reason", "battles", "comparisons", "wars", "plays", "period", "nanos")
NUM_FIELDS = np.uint64(len(RESULT_FIELDS))


@kernel
def lay_stocks(words, octets, rules, stocks, at, length):
    """Put chosen stocks in their places; `stocks[at:]` has `length` cards per seat, 255 behind the last."""
    for number in range(rules[PLAYERS]):
        seat = seat_of(GAME, np.uint64(number))
        count = ZERO
        for k in range(length):
            card = np.uint64(stocks[at + np.uint64(number) * length + np.uint64(k)])
            if card < np.uint64(255):
                set_ring_card(octets, seat, count, card)
                count += ONE
        set_octet(octets, seat, STOCK, count)
        words[seat + STARTS] = ONE


@kernel
def count_aces(octets, rules, seat):
    """Cards of the highest rank below the joker in the stock that the seat was dealt."""
    cards, aces = rules[RANK_CARDS + rules[ACE]], ZERO
    ring = (seat << _THREE) + RING  # dealt from its first place on
    for k in range(octet(octets, seat, STOCK)):
        aces += (cards >> np.uint64(octets[ring + np.uint64(k)])) & ONE
    return aces


@kernel
def play_comparison(words, octets, rules):
    """Every fighter turns up its card, and they are compared."""
    for number in range(rules[PLAYERS]):
        if has_seat(words[GAME + FIGHTERS], number):
            play_slot(words, octets, rules, GAME, seat_of(GAME, np.uint64(number)), ZERO)
    compare(words, octets, rules, GAME)


@kernel
def play_whole(words, octets, rules):
    """Play a game whose cards are dealt to its end."""
    is_plain = rules[IS_DUEL] != ZERO and rules[WINNINGS_RULE] == SHUFFLED and rules[RANK_SHIFT] != ~ZERO
    if is_plain:
        play_plain_battles(words, octets, rules, GAME)
        if words[GAME + REASON] != ZERO:
            return
    begin(words, octets, rules, GAME)
    while words[GAME + REASON] == ZERO:
        play_comparison(words, octets, rules)
        if is_plain and words[GAME + REASON] == ZERO and words[GAME + TABLE] == ZERO:
            put_back_hands(words, octets, GAME)
            play_plain_battles(words, octets, rules, GAME)
            if words[GAME + REASON] == ZERO:
                start_battle(words, octets, rules, GAME)


@kernel
def note_result(words, octets, rules, results, at):
    """Write one row of results, but for the aces."""
    results[at] = words[GAME + WINNER]
    results[at + np.uint64(1)] = words[GAME + REASON]
    results[at + np.uint64(2)] = words[GAME + BATTLES]
    results[at + np.uint64(3)] = words[GAME + COMPARISONS]
    results[at + np.uint64(4)] = words[GAME + WARS]
    results[at + np.uint64(5)] = words[GAME + PLAYS]
    results[at + np.uint64(6)] = words[GAME + PERIOD]
    results[at + np.uint64(7)] = words[GAME + GAME_NANOS]
    for number in range(rules[PLAYERS]):
        seat = seat_of(GAME, np.uint64(number))
        results[at + NUM_FIELDS + np.uint64(number)] = num_held(words, octets, rules, seat)


@entry
def simulate_games(words, octets, rules, lane, first, stocks, length, results):
    """Play games number first, first + 1, … of a seed.

    Args:
        words, octets: room for one record.
        rules: the rules' table.
        lane: where the seed's keys come from, uint64.
        first: number of the first game, uint64.
        stocks: chosen stocks, uint8, shape (games * players * length,), or (1,) to deal.
        length: cards per seat in `stocks`, uint64; 0 to deal.
        results: int64, shape (games, fields), flat, written.
    """
    words, octets, rules, stocks = pointer(words), pointer(octets), pointer(rules), pointer(stocks)
    players = rules[PLAYERS]
    width = NUM_FIELDS + players + players
    games = np.uint64(results.size) // width
    results = pointer(results)
    for k in range(games):
        at = np.uint64(k) * width
        key = stream_start(lane, first + np.uint64(k))
        clear_game(words, octets, rules, GAME, key)
        if length == ZERO:
            deal_cards(words, octets, rules, GAME, key)
        else:
            lay_stocks(words, octets, rules, stocks, np.uint64(k) * players * length, length)
        for number in range(players):
            seat = seat_of(GAME, np.uint64(number))
            results[at + NUM_FIELDS + players + np.uint64(number)] = count_aces(octets, rules, seat)
        play_whole(words, octets, rules)
        note_result(words, octets, rules, results, at)
