"""Deals that are not drawn at random: complete enumerations of small decks, four aces, Spivey's cycle."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations

import numpy as np


def _all_deals(ranks: int, suits: int) -> np.ndarray:
    """Every order of a small deck, dealt to two seats: int64, shape (games, 2, cards)."""
    orders = np.array(list(permutations(range(ranks * suits))))
    return orders.reshape(len(orders), 2, -1)


def _aces_against_the_rest(games: int, seed: int) -> np.ndarray:
    """The four aces in seat 0, shuffled, against all other cards: int64, shape (games, 2, 48)."""
    rng = np.random.default_rng(seed)
    deals = np.full((games, 2, 48), -1)
    deals[:, 0, :4] = rng.permuted(np.tile(np.arange(48, 52), (games, 1)), axis=1)
    deals[:, 1] = rng.permuted(np.tile(np.arange(48), (games, 1)), axis=1)
    return deals


# Chosen deals: from the number of games and the seed to stocks; those of complete enumerations ignore both.
DEALS: dict[str, Callable[[int, int], np.ndarray]] = {
    "4 strict ranks, all": lambda games, seed: _all_deals(4, 1),
    "6 strict ranks, all": lambda games, seed: _all_deals(6, 1),
    "8 strict ranks, all": lambda games, seed: _all_deals(8, 1),
    "10 strict ranks, all": lambda games, seed: _all_deals(10, 1),
    "3 x 2, all": lambda games, seed: _all_deals(3, 2),
    "2 x 2, all": lambda games, seed: _all_deals(2, 2),
    "aces against the rest": _aces_against_the_rest,
    "Spivey's deal": lambda games, seed: np.array([[[int(c) - 1 for c in s.split()] for s in spivey_stocks()]]),
}
ENUMERATED = (*(name for name in DEALS if name.endswith(", all")), "Spivey's deal")

SPIVEY_A = "26 46 1 7 8 27 9 28 29 47 2 10 11 30 12 31 32 48 3 13 14 33 15 34 35 49"
SPIVEY_B = "16 36 17 37 38 50 4 18 19 39 20 40 41 51 5 21 22 42 23 43 44 52 6 24 25 45"


def spivey_stocks() -> list[str]:
    """Spivey's 52-card deal that comes back after 31,920 battles; there the lower number wins, here the higher."""
    return [" ".join(str(53 - int(card)) for card in stock.split()) for stock in (SPIVEY_A, SPIVEY_B)]
