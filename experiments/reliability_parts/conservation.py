"""Whether every card of many games lies in exactly one place, from the records alone."""

from __future__ import annotations

import numpy as np

from war_env.cards import MAX_CARDS
from war_env.casino_rules import CARDS_OF_A_RANK, CasinoRules
from war_env.rules import Rules

_PLACES = np.arange(MAX_CARDS)


def card_counts(fields: np.ndarray) -> np.ndarray:
    """How often each card lies in a stock, pile, pot, hand or among the captured ones.

    Args:
        fields: records of games, structured, shape (n,).

    Returns:
        int64, shape (n, MAX_CARDS).
    """
    games, seats = len(fields), fields["seats"]
    counts = np.zeros(games * MAX_CARDS, np.int64)
    first = np.arange(games)[:, None] * MAX_CARDS
    for number in range(seats.shape[1]):
        seat = seats[:, number]
        in_ring = seat["stock"].astype(np.int64) + seat["pile"] + seat["laid"]
        turned = (seat["head"].astype(np.int64)[:, None] + _PLACES) % MAX_CARDS
        cards = np.take_along_axis(seat["ring"], turned, axis=1) + first
        counts += np.bincount(cards[in_ring[:, None] > _PLACES], minlength=counts.size)
        for name in ("hand", "captured"):
            counts += (seat[name][:, None] >> _PLACES.astype(np.uint64) & np.uint64(1)).astype(np.int64).reshape(-1)
    return counts.reshape(games, MAX_CARDS)


def lost_games(fields: np.ndarray, rules: Rules) -> np.ndarray:
    """The games in which a card is missing, doubled or foreign.

    Args:
        fields: records of games that were dealt, structured, shape (n,).
        rules: their rules.

    Returns:
        int64, shape (k,), their numbers; empty when all is well.
    """
    expected = np.zeros(MAX_CARDS, np.int64)
    expected[list(rules.cards)] = 1
    return np.flatnonzero((card_counts(fields) != expected).any(axis=1))


def lost_shoes(records: np.ndarray, rules: CasinoRules) -> np.ndarray:
    """The tables of Casino War whose shoe does not add up.

    Args:
        records: records of tables, structured, shape (n,).
        rules: their rules.

    Returns:
        int64, shape (k,), their numbers.
    """
    shoe, unseen = records["shoe"].astype(np.int64), records["unseen"].astype(np.int64)
    is_wrong = records["left"] + records["dealt"] != rules.num_cards
    is_wrong |= shoe.sum(axis=1) != records["left"]
    is_wrong |= (shoe < 0).any(axis=1) | (unseen < shoe).any(axis=1)
    is_wrong |= (unseen > CARDS_OF_A_RANK * rules.packs).any(axis=1)
    return np.flatnonzero(is_wrong)
