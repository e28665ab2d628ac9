"""A small game from its rules: its size first, then the whole of it."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from agents.solvers.deals import FEW_DEALS, as_cards, list_deals, num_deals, rank_counts, seat_sizes, sorted_deals
from agents.solvers.size import DEFAULT_BYTES, GameSize, GameTooLargeError, check_rules
from agents.solvers.small_game import SmallGame, Tables, game_of, walk
from agents.solvers.walk import ACTIONS, HISTORIES, PAIRS, SEEN, VIEWS
from war_env.errors import checked_int
from war_env.layout import Layout
from war_env.rules import Rules

SAMPLES = 32
_MANY_DEALS = 10**8
_SPARE = 1.05  # room beyond an estimate


def measure_game(rules: Rules, samples: int = SAMPLES, seed: int = 0) -> GameSize:
    """The size of a game without building it.

    Small games are counted. Of larger ones `samples` of seat 0's own deals are walked through against every deal of
    the other seat; an information set found there counts one over the number of own deals that share it, which gives
    estimates without bias.

    Args:
        rules: the rules.
        samples: how many own deals.
        seed: which ones.

    Raises:
        RulesError: the rules have no such form.
        GameTooLargeError: there are so many deals that they cannot even be sampled.
    """
    check_rules(rules)
    checked_int("samples", samples, 1)
    deals = num_deals(rules)
    least = sorted_deals(rules)
    if least > _MANY_DEALS:
        raise GameTooLargeError(
            f"ranks={rules.ranks}, suits={rules.suits}: there are {deals:,} deals, at least {least:,} with sorted "
            f"hands; games of up to {_MANY_DEALS:,} can be solved."
        )
    if least <= FEW_DEALS:
        return _whole(rules, DEFAULT_BYTES).size()
    own = _own_deals(rules)
    chosen = np.random.default_rng(seed).choice(len(own), min(samples, len(own)), replace=False)
    found = np.array([_shares_of(rules, own[k]) for k in chosen]).mean(axis=0) * len(own)
    histories, sets, sequences, pairs = (round(float(value)) for value in found)
    return GameSize(deals, histories, sets, sequences + 1, pairs, is_exact=len(chosen) == len(own))


def build_game(rules: Rules, max_bytes: int = DEFAULT_BYTES) -> SmallGame:
    """Write out a whole game; its size is judged first.

    Args:
        rules: the rules; two seats, no shuffles after the deal, games that end.
        max_bytes: memory that may be used.

    Raises:
        RulesError: the rules have no such form. GameTooLargeError: it would take more memory.
    """
    size = measure_game(rules)
    if size.num_bytes > checked_int("max_bytes", max_bytes, 1):
        raise GameTooLargeError(f"max_bytes={max_bytes:,} is too little for {size}.")
    if size.is_exact:
        return _whole(rules, max_bytes)
    return _whole(rules, max_bytes, size)


def _whole(rules: Rules, max_bytes: int, size: GameSize | None = None) -> SmallGame:
    room = (size.information_sets, size.terminal_pairs) if size else ()
    tables = Tables(Layout(rules).size, max_bytes, *(int(_SPARE * entries) for entries in room))
    return game_of(rules, walk(rules, *list_deals(rules), tables))


def _own_deals(rules: Rules) -> np.ndarray:
    """Every deal of seat 0 alone, ranks with a sorted first hand: uint8, shape (n, cards)."""
    return list_deals(rules, places=seat_sizes(rules)[0])[0]


def _shares_of(rules: Rules, own: np.ndarray) -> tuple[float, float, float, float]:
    """What one own deal adds to histories, seat 0's information sets and sequences, and terminal pairs."""
    tables = walk(rules, *list_deals(rules, own), Tables(Layout(rules).size, DEFAULT_BYTES))
    views = tables.views[0, : tables.counts[VIEWS]]
    views = views[views[:, ACTIONS] > 0]
    own_cards = int(sum(1 << int(card) for card in as_cards(own[None], rules)[0]))
    shares = np.array([1 / _num_sharing(rules, int(seen), own_cards) for seen in views[:, SEEN].view(np.uint64)])
    return (
        float(tables.counts[HISTORIES]),
        float(shares.sum()),
        float((shares * views[:, ACTIONS]).sum()),
        float(tables.counts[PAIRS]),
    )


def _num_sharing(rules: Rules, seen: int, own: int) -> int:
    """Own deals that agree with a view: arrangements of the unseen cards over its unseen places."""
    unseen = [count - found for count, found in zip(rank_counts(rules), _by_rank(rules, seen), strict=True)]
    return num_arrangements(unseen, (own & ~seen).bit_count())


def _by_rank(rules: Rules, cards: int) -> list[int]:
    suits = rules.suits
    whole = [(cards >> (rank * suits) & ((1 << suits) - 1)).bit_count() for rank in range(rules.ranks)]
    return whole + ([(cards >> (rules.ranks * suits)).bit_count()] if rules.jokers else [])


def num_arrangements(counts: Iterable[int], length: int) -> int:
    """Sequences of `length` cards that differ by rank, from so many cards of each rank."""
    ways = [1] + [0] * length  # ways[k]: sequences of k cards of the ranks so far
    for count in counts:
        ways = [
            sum(math.comb(total, taken) * ways[total - taken] for taken in range(min(count, total) + 1))
            for total in range(length + 1)
        ]
    return ways[length]
