"""The kernels for a table at which Python plays every seat: one comparison, all seats' views, the whole truth."""

from __future__ import annotations

import numpy as np

from war_env._jit import count_bits, entry, inline, kernel, pointer
from war_env.engine.piles import ONE, ZERO, octet, ring_card, seat_of, tail_of
from war_env.engine.turn import compare, play_slot
from war_env.engine.war import has_seat
from war_env.lane_kernels import show
from war_env.layout import ABSENT, OWN_SECONDS_SCALE
from war_env.plan import LAYOUT_AT, SETUP_AT
from war_env.rules import HAND_SIZE, MAX_BATTLES, MAX_NANOS, MAX_OF_RANK, NUM_RANKS, PLAYERS, RANK_OF
from war_env.seat_kernels import margin_of, reward_of
from war_env.state import (
    BATTLES,
    CAPTURED_CARDS,
    FIGHTERS,
    GAME_NANOS,
    HAND,
    HEAD,
    IN_GAME,
    LAID,
    MARGIN,
    PILE,
    REASON,
    RIVALS,
    SEAT_NANOS,
    STOCK,
    TABLE,
    UP,
)
from war_env.truth import (
    BATTLES_TO_GO,
    FIGHTING,
    HANDS,
    PILES,
    PRESENT,
    RIVALLING,
    SECONDS,
    SHOWN,
    STAKED_CARDS,
    STOCKS,
    TIME_TO_GO,
    TURNED,
)

GAME = np.uint64(0)  # a table is one record, at the start of its memory
_NANO = 1e-9


@kernel
def show_seats(words, octets, rules, layout, obs, mask):
    """Write every seat's observation and mask; a seat in the game without a say may play slot 0 alone."""
    is_played = words[GAME + REASON] == ZERO
    for seat in range(rules[PLAYERS]):
        number = np.uint64(seat)
        show(words, octets, rules, layout, GAME, number, obs, mask, number)
        if is_played and has_seat(words[GAME + IN_GAME], number) and not has_seat(words[GAME + FIGHTERS], number):
            for slot in range(rules[HAND_SIZE]):
                mask[number * rules[HAND_SIZE] + np.uint64(slot)] = 1 if slot == 0 else 0


@entry
def open_table(words, octets, plan, margins, obs, mask):
    """After a deal: note every seat's margin, int64 (players,), and write what all seats see."""
    rules, layout = pointer(plan), pointer(plan[LAYOUT_AT:])
    words, octets, obs, mask = pointer(words), pointer(octets), pointer(obs), pointer(mask)
    for number in range(rules[PLAYERS]):
        margins[number] = margin_of(words, octets, rules, GAME, np.uint64(number))
    show_seats(words, octets, rules, layout, obs, mask)


@entry
def play_table(words, octets, plan, slots, margins, obs, mask, rewards, flags):
    """One comparison, in which each seat that has a say plays its slot.

    Args:
        words, octets, plan: record and plan; the learner of the plan's setup has no meaning here.
        slots: int64, shape (players,); those of seats without a say are ignored.
        margins: int64, shape (players,), renewed: each seat's margin, from which `capture` is measured.
        obs, mask: float32 (players * d,), int8 (players * a,), written.
        rewards: float64, shape (players,), written.
        flags: uint8, shape (2 * players,), written, 0 or 1: whether the seat is out or the game over, illegal action.
    """
    rules, layout, setup = pointer(plan), pointer(plan[LAYOUT_AT:]), pointer(plan[SETUP_AT:])
    words, octets, obs, mask = pointer(words), pointer(octets), pointer(obs), pointer(mask)
    players = rules[PLAYERS]
    fighters = words[GAME + FIGHTERS]
    for seat in range(players):
        number = np.uint64(seat)
        flags[players + number] = 0
        if has_seat(fighters, number):
            place, slot = seat_of(GAME, number), np.uint64(slots[seat])
            flags[players + number] = 1 if slot >= count_bits(words[place + HAND]) else 0
            play_slot(words, octets, rules, GAME, place, slot)
    compare(words, octets, rules, GAME)
    for seat in range(players):
        number = np.uint64(seat)
        is_over = words[GAME + REASON] != ZERO or not has_seat(words[GAME + IN_GAME], number)
        words[GAME + MARGIN] = np.uint64(margins[seat])  # the record has room for one seat's
        rewards[seat] = reward_of(words, octets, rules, setup, GAME, number, is_over)
        margins[seat] = np.int64(words[GAME + MARGIN])
        flags[number] = 1 if is_over else 0
    show_seats(words, octets, rules, layout, obs, mask)


@inline
def add_card(truth, at, rules, card, scale):
    """Count a card among those of its rank."""
    truth[at + rules[RANK_OF + card]] += scale


@kernel
def add_set(truth, at, rules, cards, scale):
    """Count the cards of a set."""
    for number in range(64):
        if (cards >> np.uint64(number)) & ONE != ZERO:
            add_card(truth, at, rules, np.uint64(number), scale)


@kernel
def add_seat(words, octets, rules, places, number, truth):
    """Count the cards of one seat by where they lie, and note the card that it turned up last in this battle."""
    seat = seat_of(GAME, number)
    at = number * rules[NUM_RANKS]
    scale = np.float32(1.0) / np.float32(rules[MAX_OF_RANK])
    add_set(truth, places[HANDS] + at, rules, words[seat + HAND], scale)
    add_set(truth, places[PILES] + at, rules, words[seat + CAPTURED_CARDS], scale)
    head, stock, pile = octet(octets, seat, HEAD), octet(octets, seat, STOCK), octet(octets, seat, PILE)
    for k in range(stock + pile):
        field = places[STOCKS] if np.uint64(k) < stock else places[PILES]
        add_card(truth, field + at, rules, ring_card(octets, seat, head + np.uint64(k)), scale)
    start, laid = tail_of(octets, seat), octet(octets, seat, LAID)
    for k in range(laid):
        card = ring_card(octets, seat, start + np.uint64(k))
        field = places[SHOWN] if (words[GAME + TABLE] >> card) & ONE != ZERO else places[STAKED_CARDS]
        add_card(truth, field + at, rules, card, scale)
    if laid != ZERO:
        rank = rules[RANK_OF + octet(octets, seat, UP)]
        truth[places[TURNED] + number] = np.float32(rank + ONE) / np.float32(rules[NUM_RANKS])


@entry
def write_truth(words, octets, plan, places, truth):
    """Write the whole truth to `truth`, float32 of zeros, where `places`, uint64, says; see truth.py."""
    rules, words, octets = pointer(plan), pointer(words), pointer(octets)
    for seat in range(rules[PLAYERS]):
        number = np.uint64(seat)
        add_seat(words, octets, rules, places, number, truth)
        truth[places[FIGHTING] + number] = np.float32((words[GAME + FIGHTERS] >> number) & ONE)
        truth[places[RIVALLING] + number] = np.float32((words[GAME + RIVALS] >> number) & ONE)
        truth[places[PRESENT] + number] = np.float32((words[GAME + IN_GAME] >> number) & ONE)
        if places[SECONDS] != ABSENT:
            seconds = np.float64(words[seat_of(GAME, number) + SEAT_NANOS]) * _NANO
            truth[places[SECONDS] + number] = np.float32(seconds / (seconds + OWN_SECONDS_SCALE))
    if places[BATTLES_TO_GO] != ABSENT:
        left = rules[MAX_BATTLES] - words[GAME + BATTLES]
        truth[places[BATTLES_TO_GO]] = np.float32(left) / np.float32(rules[MAX_BATTLES])
    if places[TIME_TO_GO] != ABSENT:
        share = np.float64(words[GAME + GAME_NANOS]) / np.float64(rules[MAX_NANOS])
        truth[places[TIME_TO_GO]] = np.float32(max(0.0, 1.0 - share))
