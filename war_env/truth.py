"""The whole truth of a game as a vector, for critics that see all seats: which fields it has, and where.

It says where every card is, hidden ones too, but not in which order a stock or a pile lies. Seats stand in their own
order, 0 first. The kernel in table_kernels.py writes it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from war_env.layout import ABSENT, OWN_SECONDS_SCALE, Field
from war_env.rules import Rules, checked_rules


def _by_rank(players: int, ranks: int, hand: int) -> int:
    return players * ranks


def _by_seat(players: int, ranks: int, hand: int) -> int:
    return players


def _single(players: int, ranks: int, hand: int) -> int:
    return 1


TRUTH_FIELDS = (
    Field("hands", _by_rank, "cards in each hand, by rank / cards of a rank"),
    Field("stocks", _by_rank, "cards in each stock, by rank / cards of a rank"),
    Field("piles", _by_rank, "cards in each pile or captured, by rank / cards of a rank"),
    Field("shown", _by_rank, "cards that each seat has face-up on the table, by rank / cards of a rank"),
    Field("staked", _by_rank, "cards that each seat has face-down on the table, by rank / cards of a rank"),
    Field("turned", _by_seat, "rank of the card that each seat turned up last in this battle, (rank + 1) / ranks"),
    Field("fighters", _by_seat, "1 for each seat that must play now"),
    Field("rivals", _by_seat, "1 for each seat whose face-up card takes part in the comparison to come"),
    Field("in_game", _by_seat, "1 for each seat that is not out"),
    Field("battles_left", _single, "battles left / max_battles", needs=lambda rules: rules.max_battles is not None),
    Field("time_left", _single, "seconds left / max_seconds", needs=lambda rules: rules.max_seconds is not None),
    Field(
        "seconds",
        _by_seat,
        f"reaction times of each seat so far, s / (s + {OWN_SECONDS_SCALE:.0f})",
        needs=lambda rules: rules.clock is not None,
    ),
)
(
    HANDS,
    STOCKS,
    PILES,
    SHOWN,
    STAKED_CARDS,
    TURNED,
    FIGHTING,
    RIVALLING,
    PRESENT,
    BATTLES_TO_GO,
    TIME_TO_GO,
    SECONDS,
) = (np.uint64(place) for place in range(len(TRUTH_FIELDS)))


@dataclass(frozen=True)
class TruthLayout:
    """Places of all fields of the truth under some rules."""

    rules: Rules

    def __post_init__(self) -> None:
        checked_rules(self.rules)

    @cached_property
    def slices(self) -> dict[str, slice]:
        """Name of each field -> its place in the vector."""
        places, start = {}, 0
        for field in TRUTH_FIELDS:
            if field.needs(self.rules):
                size = field.size(self.rules.players, len(self.rules.deck.rank_names), self.rules.hand_size)
                places[field.name] = slice(start, start + size)
                start += size
        return places

    @property
    def size(self) -> int:
        """Length of the vector."""
        return max(int(place.stop) for place in self.slices.values())

    def encode(self) -> np.ndarray:
        """Start of each field for the kernel, ABSENT for one that these rules do not have: uint64."""
        names = [field.name for field in TRUTH_FIELDS]
        return np.array([self.slices[name].start if name in self.slices else ABSENT for name in names], np.uint64)
