"""What one seat may know, as a vector: the table of its fields, their places and their meaning.

`FIELDS` is the one place that says what an observation holds: the space, the named slices, `describe` and the
documentation come from it, and the kernel in observation.py writes to the places that `Layout.encode` gives it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from war_env.errors import checked_array, checked_bool, refused
from war_env.rules import Rules, checked_rules

WAR = "war"
OWN_SECONDS_SCALE = 60.0  # seconds at which `own_seconds` is one half
ABSENT = np.uint64(2**32)


@dataclass(frozen=True)
class Field:
    """A named run of numbers in an observation, all in [0, 1].

    Attributes:
        name: its name.
        size: how many numbers, as a function of (players, ranks with the joker, hand size).
        meaning: what they say, with their unit.
        needs: which rules have the field.
        is_memory: whether it is left out with `memory=False`.
    """

    name: str
    size: Callable[[int, int, int], int]
    meaning: str
    needs: Callable[[Rules], bool] = lambda rules: True
    is_memory: bool = False


def _one(players: int, ranks: int, hand: int) -> int:
    return 1


def _seats(players: int, ranks: int, hand: int) -> int:
    return players


def _ranks(players: int, ranks: int, hand: int) -> int:
    return ranks


FIELDS = (
    Field("hand_slots", lambda p, r, h: h, "rank of the k-th lowest card in hand, (rank + 1) / ranks; 0 = no card"),
    Field("hand_counts", _ranks, "cards in hand of each rank / cards of a rank"),
    Field("table", _ranks, "cards face-up on the table, by rank / cards of a rank"),
    Field(
        "known",
        lambda p, r, h: p * r,
        "cards known to be with each seat, own seat first (own hand included), by rank / cards of a rank",
        is_memory=True,
    ),
    Field("unlocated", _ranks, "cards seen whose whereabouts are unknown, by rank / cards of a rank", is_memory=True),
    Field("unseen", _ranks, "cards never seen, by rank / cards of a rank", is_memory=True),
    Field("stock_sizes", _seats, "cards in each stock, own seat first / cards of the deck"),
    Field("hand_sizes", _seats, "cards in each hand, own seat first / hand size"),
    Field(
        "pile_sizes",
        _seats,
        "cards in each pile or captured, own seat first / cards of the deck",
        needs=lambda rules: rules.winnings == "captured" or rules.winnings.startswith("pile_"),
    ),
    Field("pot_size", _one, "cards on the table / cards of the deck"),
    Field("is_war", _one, "1 in a war, 0 at the start of a battle"),
    Field(
        "fighters", _seats, "1 for each seat that must play now, own seat first", needs=lambda rules: rules.players > 2
    ),
    Field("battles_left", _one, "battles left / max_battles", needs=lambda rules: rules.max_battles is not None),
    Field("time_left", _one, "seconds left / max_seconds", needs=lambda rules: rules.max_seconds is not None),
    Field(
        "own_seconds",
        _one,
        f"own reaction times so far, s / (s + {OWN_SECONDS_SCALE:.0f})",
        needs=lambda rules: rules.clock is not None,
    ),
)
(
    HAND_SLOTS,
    HAND_COUNTS,
    TABLE_COUNTS,
    KNOWN_COUNTS,
    UNLOCATED_COUNTS,
    UNSEEN_COUNTS,
    STOCK_SIZES,
    HAND_SIZES,
    PILE_SIZES,
    POT_SIZE,
    IS_WAR,
    FIGHTER_FLAGS,
    BATTLES_LEFT,
    TIME_LEFT,
    OWN_SECONDS,
) = (np.uint64(place) for place in range(len(FIELDS)))
NUM_FIELDS = len(FIELDS)


def checked_observation(observation: Any, size: int) -> np.ndarray:
    """One observation of so many numbers; ArgumentError if it is anything else."""
    allowed = f"floats in 0..1 of shape ({size},)"
    array = checked_array("observation", observation, (size,), "f", allowed)
    if not ((array >= 0) & (array <= 1)).all():
        raise refused("observation", array, allowed)
    return array


@dataclass(frozen=True)
class Layout:
    """Places of all fields in the observation under some rules.

    Args:
        rules: the rules.
        memory: whether the fields of what an attentive player remembers are part of it.
    """

    rules: Rules
    memory: bool = True

    def __post_init__(self) -> None:
        checked_rules(self.rules)
        checked_bool("memory", self.memory)

    @property
    def game(self) -> str:
        """Whose observations these are, as weights name it."""
        return WAR

    @property
    def num_actions(self) -> int:
        """Size of the action space."""
        return self.rules.hand_size

    @cached_property
    def slices(self) -> dict[str, slice]:
        """Name of each field -> its place in the vector."""
        places, start = {}, 0
        for field in FIELDS:
            if field.needs(self.rules) and (self.memory or not field.is_memory):
                size = field.size(self.rules.players, len(self.rules.deck.rank_names), self.rules.hand_size)
                places[field.name] = slice(start, start + size)
                start += size
        return places

    @cached_property
    def size(self) -> int:
        """Length of the vector."""
        return max(int(place.stop) for place in self.slices.values())

    def encode(self) -> np.ndarray:
        """Start of each field for the kernel, ABSENT for one that is left out, then the size: uint64."""
        starts = [self.slices[field.name].start if field.name in self.slices else ABSENT for field in FIELDS]
        return np.array([*starts, self.size], np.uint64)

    def named(self, observation: np.ndarray) -> dict[str, np.ndarray]:
        """The fields of one observation or of a batch (last axis) by name."""
        array = checked_array(
            "observation", observation, (..., self.size), "fiub", f"numbers, the last axis {self.size}"
        )
        return {name: array[..., place] for name, place in self.slices.items()}

    def describe(self, observation: np.ndarray) -> str:
        """One observation, shape (size,), as readable text: a line per field."""
        lines = []
        for name, values in self.named(checked_observation(observation, self.size)).items():
            meaning = next(field.meaning for field in FIELDS if field.name == name)
            lines.append(f"{name:<13} {self._readable(name, values):<40} {meaning}")
        return "\n".join(lines)

    def _readable(self, name: str, values: np.ndarray) -> str:
        ranks = self.rules.deck.rank_names
        if name == "hand_slots":
            slots = np.rint(values * len(ranks)).astype(int)
            return " ".join(ranks[slot - 1] if slot else "-" for slot in slots)
        if name in ("hand_counts", "table", "known", "unlocated", "unseen"):
            counts = np.rint(values * self.rules.deck.most_of_a_rank).astype(int).reshape(-1, len(ranks))
            return " | ".join(_counted(ranks, row) for row in counts)
        scale = {"battles_left": self.rules.max_battles, "time_left": self.rules.max_seconds}.get(name)
        if name in ("stock_sizes", "pile_sizes", "pot_size"):
            scale = len(self.rules.cards)
        elif name == "hand_sizes":
            scale = self.rules.hand_size
        elif name == "own_seconds":
            return f"{OWN_SECONDS_SCALE * float(values[0]) / max(1 - float(values[0]), 1e-9):.1f}"
        return " ".join(f"{value * (scale or 1):.4g}" for value in values)


def _counted(ranks: tuple[str, ...], counts: np.ndarray) -> str:
    """Counts by rank as text: `2 7x3 A`."""
    parts = [name if count == 1 else f"{name}x{count}" for name, count in zip(ranks, counts, strict=True) if count]
    return " ".join(parts) or "-"
