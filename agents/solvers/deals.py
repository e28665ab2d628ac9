"""Every distinct deal of a small deck, by rank: hands as sorted multisets, stocks in their order."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from war_env.rules import Rules

FEW_DEALS = 1_000  # deals with sorted hands that are walked through at once


def seat_sizes(rules: Rules) -> tuple[int, int]:
    """Cards dealt to each of two seats, one at a time from seat 0."""
    total = len(rules.cards)
    return total - total // 2, total // 2


def rank_counts(rules: Rules) -> tuple[int, ...]:
    """Cards in play of each rank."""
    ranks = [rules.deck.rank(card) for card in rules.cards]
    return tuple(ranks.count(rank) for rank in range(len(rules.deck.rank_names)))


def num_deals(rules: Rules) -> int:
    """Deals that differ by rank, the order within a hand included; all are equally likely."""
    counts = rank_counts(rules)
    return math.factorial(sum(counts)) // math.prod(math.factorial(count) for count in counts)


def sorted_deals(rules: Rules) -> int:
    """Deals with sorted first hands of two seats, at least."""
    return num_deals(rules) // math.factorial(min(rules.hand_size, seat_sizes(rules)[0])) ** 2


def _is_free(rules: Rules) -> list[bool]:
    """For each place of a deal whether its card may be lower than the one before: first hands are sorted."""
    hand = rules.hand_size
    return [not 0 < place < hand for size in seat_sizes(rules) for place in range(size)]


def list_deals(
    rules: Rules, start: Sequence[int] | np.ndarray = (), places: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """All deals with sorted first hands.

    Args:
        rules: the rules; two seats.
        start: ranks that the deal begins with; all deals by default.
        places: how many cards of the deal; all by default.

    Returns:
        ranks, uint8, shape (n, cards): seat 0's cards from the top, then seat 1's; and how many of `num_deals` each
        stands for, int64, shape (n,).
    """
    counts = np.array(rank_counts(rules), np.int8)
    left = counts[None] - np.bincount(np.array(start, np.int64), minlength=len(counts)).astype(np.int8)[None]
    deals = np.array(start, np.uint8).reshape(1, -1)
    for is_free in _is_free(rules)[len(start) : places]:
        may = left > 0
        if not is_free:
            may &= np.arange(len(counts)) >= deals[:, -1:]
        rows, ranks = np.nonzero(may)
        deals = np.concatenate([deals[rows], ranks[:, None].astype(np.uint8)], axis=1)
        left = left[rows]
        left[np.arange(len(rows)), ranks] -= 1
    return deals, hand_orders(deals, rules)


def hand_orders(deals: np.ndarray, rules: Rules) -> np.ndarray:
    """In how many orders the first hands of each deal can lie: int64, shape (n,)."""
    orders = np.ones(len(deals), np.int64)
    start = 0
    for size in seat_sizes(rules):
        hand = deals[:, start : start + min(rules.hand_size, size)]
        orders *= math.factorial(hand.shape[1])
        for rank in range(len(rules.deck.rank_names)):
            repeats = np.array([math.factorial(count) for count in range(hand.shape[1] + 1)])
            orders //= repeats[(hand == rank).sum(axis=1)]
        start += size
    return orders


def as_cards(deals: np.ndarray, rules: Rules) -> np.ndarray:
    """The same deals as card numbers, the suits of a rank in the order in which they lie: uint8, shape (n, cards)."""
    cards = np.zeros_like(deals)
    for rank in range(len(rules.deck.rank_names)):
        of_rank = np.array([card for card in rules.cards if rules.deck.rank(card) == rank], np.uint8)
        if of_rank.size:
            is_rank = deals == rank
            order = np.maximum(np.cumsum(is_rank, axis=1) - 1, 0)
            cards = np.where(is_rank, of_rank[np.minimum(order, len(of_rank) - 1)], cards)
    return cards.astype(np.uint8)
