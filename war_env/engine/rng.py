"""Random streams: SplitMix64 counters, one 64-bit word each, kept in the records.

A game has one *key*. Its streams start at `stream_start(key, i)`: i = 0 deals, i = 1 + 4 * seat + k belongs to a seat
(k = 0 shuffles of its winnings, 1 its compiled opponent's choices, 2 its reaction times). A lane's keys are the outputs
of its own stream. So a game depends on its key and the choices made in it, on nothing else.

SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
Bounded integers: Lemire, "Fast random integer generation in an interval", ACM TOMACS 29 (2019), without bias.
"""

from __future__ import annotations

import math

import numpy as np

from war_env._jit import inline, kernel
from war_env.rules import EXPONENTIAL, REACTION
from war_env.state import COINS, REACTIONS, SHUFFLES

GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S32, _S11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32), np.uint64(11)
_LOW_32 = np.uint64(0xFFFFFFFF)
_ZERO, _ONE = np.uint64(0), np.uint64(1)
_TOP_BIT = np.uint64(1 << 63)
_UNIT = 1.0 / (1 << 53)
LOGNORMAL_SIGMA = 0.5

DEAL_STREAM = np.uint64(0)
SEAT_STREAMS = np.uint64(4)  # streams set aside for a seat
SHUFFLE_STREAM, CHOICE_STREAM, CLOCK_STREAM = np.uint64(1), np.uint64(2), np.uint64(3)
NO_COINS = np.uint64(1)


@inline
def mix(value):
    """SplitMix64's finaliser."""
    value = (value ^ (value >> _S30)) * _MIX_1
    value = (value ^ (value >> _S27)) * _MIX_2
    return value ^ (value >> _S31)


@inline
def stream_start(key, index):
    """The state in which stream `index` of the game with this key starts."""
    return mix(key + (index + _ONE) * GAMMA)


@inline
def next_word(words, at):
    """The next 64 random bits of the stream kept in `words[at]`."""
    words[at] = words[at] + GAMMA
    return mix(words[at])


@inline
def drawn_below(state, bound):
    """A uniform integer in 0..bound-1, without bias, and the state of the stream behind it; bound is at least 1."""
    state = state + GAMMA
    product = (mix(state) >> _S32) * bound
    if (product & _LOW_32) < bound:
        least = ((_LOW_32 - bound) + _ONE) % bound
        while (product & _LOW_32) < least:
            state = state + GAMMA
            product = (mix(state) >> _S32) * bound
    return product >> _S32, state


@kernel
def next_below(words, at, bound):
    """A uniform integer in 0..bound-1 from the stream kept in `words[at]`."""
    drawn, words[at] = drawn_below(words[at], bound)
    return drawn


@inline
def next_unit(words, at):
    """A uniform float64 in (0, 1]."""
    return (np.float64(next_word(words, at) >> _S11) + 1.0) * _UNIT


@inline
def refilled(words, seat):
    """A word of fair bits from the seat's shuffle stream, below a bit that ends them."""
    return (next_word(words, seat + SHUFFLES) >> _ONE) | _TOP_BIT


@inline
def next_coin(words, seat):
    """A fair bit from the seat's shuffle stream; one word serves 63 times."""
    if words[seat + COINS] == NO_COINS:
        words[seat + COINS] = refilled(words, seat)
    coin = words[seat + COINS] & _ONE
    words[seat + COINS] = words[seat + COINS] >> _ONE
    return coin


@kernel
def next_reaction(words, rules, seat, number, clock):
    """Nanoseconds that a seat takes to flip one card, by its own stream; both distributions have the seat's mean."""
    mean = np.float64(rules[REACTION + number])
    unit = next_unit(words, seat + REACTIONS)
    if clock == EXPONENTIAL:
        return np.uint64(-math.log(unit) * mean)
    angle = 2.0 * math.pi * next_unit(words, seat + REACTIONS)
    normal = math.sqrt(-2.0 * math.log(unit)) * math.cos(angle)
    return np.uint64(mean * math.exp(LOGNORMAL_SIGMA * normal - LOGNORMAL_SIGMA * LOGNORMAL_SIGMA / 2.0))
