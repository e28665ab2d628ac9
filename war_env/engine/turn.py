"""One comparison, from the choices to the next decision; and the start of a game."""

from __future__ import annotations

import numpy as np

from war_env._jit import count_bits, inline, kernel, lowest_bit
from war_env.engine.ends import check_ends, finish, start_looking
from war_env.engine.piles import (
    ONE,
    ZERO,
    nth_card,
    octet,
    refill,
    ring_card,
    seat_of,
    set_octet,
    set_ring_card,
    turn_up,
)
from war_env.engine.pot import collect, take_back
from war_env.engine.rng import (
    CHOICE_STREAM,
    CLOCK_STREAM,
    DEAL_STREAM,
    NO_COINS,
    SEAT_STREAMS,
    SHUFFLE_STREAM,
    drawn_below,
    next_reaction,
    next_word,
    stream_start,
)
from war_env.engine.war import GO_ON, NO_ONE, WON, best_seats, has_seat, resolve_tie
from war_env.rules import CARD_LIST, CLOCK, HAND_SIZE, NO_CLOCK, NUM_CARDS, PLAYERS, RANK_CARDS, RANK_OF
from war_env.state import (
    BATTLES,
    CHOICES,
    COINS,
    COMPARISONS,
    DRAWN,
    DROPPED,
    FIGHTERS,
    FRONT,
    GAME_NANOS,
    HAND,
    HEADER_WORDS,
    IN_GAME,
    KEY,
    KNOWN,
    LANE,
    LOOSE,
    NOBODY,
    POLICY,
    REACTIONS,
    REASON,
    RISK,
    RIVALS,
    SEAT_NANOS,
    SEAT_WORDS,
    SHUFFLES,
    STAKED,
    STARTS,
    STOCK,
    UNLOCATED,
    WINNER,
)


@inline
def start_battle(words, octets, rules, game):
    """Everybody in the game refills and is asked for a card."""
    seats = words[game + IN_GAME]
    words[game + FIGHTERS] = seats
    words[game + RIVALS] = seats
    words[game + DROPPED] = ZERO
    for number in range(rules[PLAYERS]):
        if has_seat(seats, number):
            refill(words, octets, rules, seat_of(game, np.uint64(number)))


@kernel
def clear_game(words, octets, rules, game, key):
    """Empty a record but for its lane's stream and its seats' policies, and set the streams of the game `key`."""
    players = rules[PLAYERS]
    for k in range(ONE, HEADER_WORDS):
        words[game + np.uint64(k)] = ZERO
    words[game + KEY] = key
    words[game + WINNER] = NOBODY
    words[game + IN_GAME] = (ONE << players) - ONE
    for number in range(players):
        seat = seat_of(game, np.uint64(number))
        policy = octet(octets, seat, POLICY)
        for k in range(SEAT_WORDS):
            words[seat + np.uint64(k)] = ZERO
        set_octet(octets, seat, POLICY, policy)
        first = SEAT_STREAMS * np.uint64(number)
        words[seat + SHUFFLES] = stream_start(key, first + SHUFFLE_STREAM)
        words[seat + CHOICES] = stream_start(key, first + CHOICE_STREAM)
        words[seat + REACTIONS] = stream_start(key, first + CLOCK_STREAM)
        words[seat + COINS] = NO_COINS


@kernel
def deal_cards(words, octets, rules, game, key):
    """Shuffle the deck and deal it one card at a time from seat 0.

    Fisher and Yates: the k-th card dealt is drawn from those that are left, which lie from place k on in the ring of
    the last seat; that seat's own cards come to lie before them.
    """
    players, total = rules[PLAYERS], rules[NUM_CARDS]
    state = stream_start(key, DEAL_STREAM)
    deck = seat_of(game, players - ONE)
    for k in range(total):
        set_ring_card(octets, deck, np.uint64(k), rules[CARD_LIST + np.uint64(k)])
    number, place = ZERO, ZERO
    for k in range(total):
        dealt = np.uint64(k)
        drawn, state = drawn_below(state, total - dealt)
        other = dealt + drawn
        card = ring_card(octets, deck, other)
        set_ring_card(octets, deck, other, ring_card(octets, deck, dealt))
        seat = seat_of(game, number)
        set_ring_card(octets, seat, place, card)
        number += ONE
        if number == players:
            number = ZERO
            place += ONE
    for k in range(players):
        seat = seat_of(game, np.uint64(k))
        set_octet(octets, seat, STOCK, place + np.uint64(np.uint64(k) < number))
        words[seat + STARTS] = ONE


@inline
def begin(words, octets, rules, game):
    """Start the first battle of a game whose cards lie in their stocks."""
    start_looking(words, octets, rules, game)
    start_battle(words, octets, rules, game)


@kernel
def start_game(words, octets, rules, game):
    """Draw the next key of this lane, deal, and go to the first decision."""
    key = next_word(words, game + LANE)
    clear_game(words, octets, rules, game, key)
    deal_cards(words, octets, rules, game, key)
    begin(words, octets, rules, game)


_MOST_NANOS = np.uint64(2**63 - 1)  # 292 years; one war takes far less, so that a sum never wraps around


@kernel
def run_clock(words, octets, rules, game):
    """Speed War: a comparison takes the longest sum, over its fighters, of one reaction per card laid."""
    clock = rules[CLOCK]
    longest = ZERO
    for number in range(rules[PLAYERS]):
        if has_seat(words[game + FIGHTERS], number):
            seat = seat_of(game, np.uint64(number))
            spent = ZERO
            for _ in range(octet(octets, seat, STAKED) + ONE):
                spent += next_reaction(words, rules, seat, np.uint64(number), clock)
            words[seat + SEAT_NANOS] = min(words[seat + SEAT_NANOS] + spent, _MOST_NANOS)
            longest = max(longest, spent)
    words[game + GAME_NANOS] = min(words[game + GAME_NANOS] + longest, _MOST_NANOS)


@inline
def among(cards, preferred):
    """Those of some cards that are preferred, or all of them if none is."""
    both = cards & preferred
    return both if both != ZERO else cards


@inline
def card_of_slot(words, rules, game, seat, slot):
    """The slot-th lowest card of a seat's hand, or its highest where that slot is empty; of its rank the least telling.

    Which of them it is must not depend on suits, which never decide anything, so it is chosen by what everybody knows:
    first a card known to be with the seat, of those one at risk, loose or of the block on top, then one that was seen.
    """
    card = nth_card(words[seat + HAND], slot)
    if rules[HAND_SIZE] == ONE:
        return card
    cards = words[seat + HAND] & rules[RANK_CARDS + rules[RANK_OF + card]]
    cards = among(cards, words[seat + KNOWN])
    cards = among(cards, words[seat + RISK])
    cards = among(cards, words[seat + LOOSE])
    cards = among(cards, words[seat + FRONT])
    return lowest_bit(among(cards, words[game + UNLOCATED]))


@inline
def play_slot(words, octets, rules, game, seat, slot):
    """A seat turns up the card of a slot."""
    turn_up(words, octets, game, seat, card_of_slot(words, rules, game, seat, slot))


@kernel
def compare(words, octets, rules, game):
    """All fighters have turned up a card: compare, settle what follows, and go on to the next decision or the end."""
    words[game + COMPARISONS] += ONE
    if rules[CLOCK] != NO_CLOCK:
        run_clock(words, octets, rules, game)
    best = best_seats(octets, rules, game, words[game + RIVALS])
    outcome = WON
    if count_bits(best) != ONE:
        outcome, best = resolve_tie(words, octets, rules, game, best)
    if outcome == GO_ON:
        return
    if outcome == WON:
        collect(words, octets, rules, game, lowest_bit(best))
    else:
        take_back(words, octets, rules, game)
    words[game + BATTLES] += ONE
    if outcome == NO_ONE:
        words[game + IN_GAME] |= words[game + DROPPED]  # a draw knocks nobody out
        finish(words, game, DRAWN, NOBODY)
    else:
        check_ends(words, octets, rules, game)
        if words[game + REASON] == ZERO:
            start_battle(words, octets, rules, game)
