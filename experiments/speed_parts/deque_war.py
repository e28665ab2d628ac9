"""Classic War in plain Python, tuned as far as that goes: deques of ranks, bound methods, no objects for cards."""

from __future__ import annotations

import random
from collections import deque

_DECK = [card >> 2 for card in range(52)]
_PRICE = 4  # three cards face-down and one to turn up


def play_game(rng: random.Random) -> int:
    """Play one game, a seat that cannot pay for a war loses, winnings shuffled; returns the battles."""
    deck = _DECK[:]
    rng.shuffle(deck)
    first, second = deque(deck[0::2]), deque(deck[1::2])
    draw_first, draw_second, flip, shuffle = first.popleft, second.popleft, rng.random, rng.shuffle
    battles = 0
    while first and second:
        a, b = draw_first(), draw_second()
        battles += 1
        if a == b:
            pot = [a, b]
            while a == b:
                if len(first) < _PRICE or len(second) < _PRICE:
                    return battles
                pot += (draw_first(), draw_first(), draw_first(), draw_second(), draw_second(), draw_second())
                a, b = draw_first(), draw_second()
                pot += (a, b)
            shuffle(pot)
            (first if a > b else second).extend(pot)
        elif a > b:
            first.extend((a, b) if flip() < 0.5 else (b, a))
        else:
            second.extend((a, b) if flip() < 0.5 else (b, a))
    return battles
