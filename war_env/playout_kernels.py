"""The kernels of search: each card of a seat is tried in games that it could be in, and these are played out."""

from __future__ import annotations

import numpy as np

from war_env._jit import count_bits, entry, inline, kernel, lowest_bit, pointer
from war_env.engine.piles import ONE, TWO, ZERO, octet, seat_of
from war_env.engine.rng import stream_start
from war_env.opponents import choose_slot
from war_env.plan import LAYOUT_AT, LAYOUT_SIZE, LEARNER, SETUP_AT, SIZE
from war_env.rules import HAND_SIZE, RANK_OF
from war_env.seat_kernels import draw_policies, play_seats
from war_env.state import NOBODY, POLICY, REASON, TABLE, WINNER
from war_env.view_kernels import GAME, OWN, imagine, read_cards, read_places


@kernel
def play_out(words, octets, rules, setup, slot):
    """Play a copy of the imagined game to its end, seat 0 starting with a slot; returns its score, 1, 1/2 or 0."""
    size = setup[SIZE]
    game = GAME + size
    for k in range(size):
        words[game + np.uint64(k)] = words[GAME + np.uint64(k)]
    setup[LEARNER] = ZERO
    play_seats(words, octets, rules, setup, game, slot, words, ZERO)
    setup[LEARNER] = NOBODY  # from here on both seats are played by their policies
    while words[game + REASON] == ZERO:
        play_seats(words, octets, rules, setup, game, ZERO, words, ZERO)
    if words[game + WINNER] == NOBODY:
        return 0.5
    return 1.0 if words[game + WINNER] == ZERO else 0.0


@inline
def nth_rank(rules, cards, slot):
    """Rank of the slot-th lowest card of a hand."""
    for _ in range(slot):
        cards &= cards - ONE
    return rules[RANK_OF + lowest_bit(cards)]


@kernel
def try_hand(words, octets, rules, setup, hand, values):
    """Score of each slot in the imagined game; cards of one rank are one card."""
    for k in range(count_bits(hand)):
        slot = np.uint64(k)
        if slot != ZERO and nth_rank(rules, hand, slot) == nth_rank(rules, hand, slot - ONE):
            values[slot] = values[slot - ONE]
        else:
            values[slot] = play_out(words, octets, rules, setup, slot)


@entry
def try_slots(words, octets, plan, scratch, cards, obs, keys, samples, hoard, values, scores, squares):
    """Try every slot of many views in the same imagined games, and play each of them out.

    Args:
        words, octets: room for two records.
        plan: rules, layout and setup; the lineup of seat 0 is how the observer goes on, of seat 1 how the other plays.
        scratch: uint64, shape (SCRATCH_WORDS,).
        cards: uint8, shape (SCRATCH_OCTETS,).
        obs: float32, shape (n * d,).
        keys: where the games of each view come from, uint64, shape (n,).
        samples: games per view, uint64.
        hoard: see `least_kept`, float64, 0..1.
        values: float64, shape (a,), scratch.
        scores: float64, shape (n * a,); each slot's scores are added.
        squares: float64, shape (n * a,); squares of each slot's score less that of the slot which the observer's own
            policy plays are added.
    """
    rules, layout, setup = pointer(plan), pointer(plan[LAYOUT_AT:]), pointer(plan[SETUP_AT:])
    words, octets, scratch, cards = pointer(words), pointer(octets), pointer(scratch), pointer(cards)
    obs, values = pointer(obs), pointer(values)
    slots = rules[HAND_SIZE]
    width = layout[LAYOUT_SIZE]
    for k in range(keys.size):
        row = np.uint64(k)
        at, place = row * width, row * slots
        read_cards(rules, layout, obs, at, scratch)
        hand = scratch[OWN]
        if not read_places(rules, layout, obs, at, scratch) or count_bits(hand) < TWO:
            continue
        for number in range(samples):
            key = stream_start(keys[row], np.uint64(number))
            imagine(words, octets, rules, layout, obs, at, scratch, cards, key, hoard)
            draw_policies(words, octets, rules, setup, GAME)
            try_hand(words, octets, rules, setup, hand, values)
            own = octet(octets, seat_of(GAME, ZERO), POLICY)
            reference = choose_slot(own, count_bits(hand), words[GAME + TABLE] != ZERO, ZERO)
            for slot in range(count_bits(hand)):
                difference = values[slot] - values[reference]
                scores[place + np.uint64(slot)] += values[slot]
                squares[place + np.uint64(slot)] += difference * difference
