"""The documented random streams once more, in plain integers, for the slow twin."""

from __future__ import annotations

import numpy as np

MASK = 2**64 - 1
GAMMA = 0x9E3779B97F4A7C15


def mix(value: int) -> int:
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & MASK
    return value ^ (value >> 31)


def stream_start(key: int, index: int) -> int:
    return mix((key + (index + 1) * GAMMA) & MASK)


def first_key(seed: int) -> int:
    """Key of the first game of a seed."""
    lane = int(np.random.default_rng(seed).integers(0, 2**64, dtype=np.uint64))
    return stream_start(lane, 0)


class Stream:
    """A SplitMix64 counter."""

    def __init__(self, key: int, index: int) -> None:
        self.state = stream_start(key, index)

    def word(self) -> int:
        self.state = (self.state + GAMMA) & MASK
        return mix(self.state)

    def below(self, bound: int) -> int:
        """Lemire's unbiased method on 32 bits."""
        while True:
            product = (self.word() >> 32) * bound
            if product & 0xFFFFFFFF >= 2**32 % bound:
                return product >> 32


class Shuffler:
    """A seat's shuffles: pairs by a coin of a 63-coin purse, more cards by Fisher and Yates from the last."""

    def __init__(self, key: int, seat: int) -> None:
        self.stream = Stream(key, 4 * seat + 1)
        self.coins: list[int] = []

    def __call__(self, cards: list) -> list:
        cards = list(cards)
        if len(cards) == 2:
            if not self.coins:
                word = self.stream.word() >> 1
                self.coins = [word >> k & 1 for k in range(63)]
            return cards[::-1] if self.coins.pop(0) else cards
        for last in range(len(cards) - 1, 0, -1):
            other = self.stream.below(last + 1)
            cards[last], cards[other] = cards[other], cards[last]
        return cards


def deal(key: int, cards: list, players: int) -> list[list]:
    """Draw one card after another from those that are left, and deal them around the table."""
    stream, deck = Stream(key, 0), list(cards)
    stocks: list[list] = [[] for _ in range(players)]
    for k in range(len(deck)):
        other = k + stream.below(len(deck) - k)
        deck[k], deck[other] = deck[other], deck[k]
        stocks[k % players].append(deck[k])
    return stocks
