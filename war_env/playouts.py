"""`Playouts`: what each card leads to in games that a seat could be in, drawn from its observation and played out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from war_env.errors import ArgumentError, RulesError, checked_array, checked_int, checked_number, shown
from war_env.layout import Layout
from war_env.opponent_spec import read_opponents
from war_env.plan import make_plan, set_lineup
from war_env.playout_kernels import try_slots
from war_env.policy import checked_layout
from war_env.state import Records
from war_env.view_kernels import SCRATCH_OCTETS, SCRATCH_WORDS

MAX_SAMPLES = 2**31 - 1


@dataclass
class SlotScores:
    """Sums over the games in which every slot of some views was tried.

    Attributes:
        games: how many games for each view.
        scores: sum of each slot's scores, 1 won, 1/2 drawn, 0 lost: float64, shape (n, a); 0 where there is no card.
        squares: sum of the squared differences to the slot that the observer's own policy plays, same shape.
    """

    games: int
    scores: np.ndarray
    squares: np.ndarray


class Playouts:
    """Draws hidden cards from what a seat observes, and plays on with compiled policies after each of its cards.

    Hidden cards fit all that the observation says: sizes, the cards known with each seat, those seen and unseen. In
    its first pass through its stock a seat is not given back what it won. Every slot is tried in the same games, with
    the same shuffles and the same choices of the other's policy.

    Args:
        layout: how observations are laid out; two seats.
        own: scripted name of how the observer goes on after the first card.
        other: how the other plays, then and now: a scripted name, or `{name: weight}`, drawn per game.
        hoard: share of the ranks below which the other keeps no card but one, late in the game; 0 for a hand like any
            other, 1 for all that can be kept by playing the lowest card of each battle.

    Raises:
        RulesError: not two seats, or games that need not end.
        ArgumentError, UnknownNameError: a policy that is not a compiled one, a number out of range.
    """

    def __init__(self, layout: Layout, own: str = "reserve", other: Any = "reserve", hoard: float = 0.0) -> None:
        checked_layout(layout)
        if layout.rules.players != 2:
            raise RulesError(f"players={layout.rules.players} is not allowed: playouts are for two seats.")
        layout.rules.require_ending()
        self.layout = layout
        self._hoard = checked_number("hoard", hoard, 0.0, 1.0)
        self._plan = make_plan(layout)
        for seat, (field, spec) in enumerate((("own", own), ("other", other))):
            mix = read_opponents(spec, layout.rules, layout.memory, field)[0]
            lineup = [(share.code, share.weight) for share in mix if share.code is not None]
            if len(lineup) < len(mix):
                raise ArgumentError(f"{field}={shown(spec)} is not allowed: playouts are played by scripted policies.")
            set_lineup(self._plan, seat, lineup)
        self._records = Records(layout.rules, 2)
        self._scratch = np.zeros(SCRATCH_WORDS, np.uint64), np.zeros(SCRATCH_OCTETS, np.uint8)
        self._values = np.zeros(layout.num_actions)

    def try_slots(self, observations: np.ndarray, keys: np.ndarray, samples: int) -> SlotScores:
        """Try every slot.

        Args:
            observations: float32, shape (n, d).
            keys: where the games of each view come from, uint64, shape (n,); the same key gives the same games.
            samples: games per view.
        """
        samples = checked_int("samples", samples, 1, MAX_SAMPLES)
        size = self.layout.size
        observations = checked_array("observations", observations, (None, size), "f", f"floats of shape (n, {size})")
        count = len(observations)
        keys = checked_array("keys", keys, (count,), "u", f"unsigned integers of shape ({count},)")
        # Copies: an array that may not be written to is another type for numba, and would be compiled for anew.
        seen, keys = np.array(observations, np.float32).reshape(-1), np.array(keys, np.uint64)
        scores, squares = np.zeros((2, count, self.layout.num_actions))
        try_slots(
            self._records.words,
            self._records.octets,
            self._plan,
            *self._scratch,
            seen,
            keys,
            np.uint64(samples),
            self._hoard,
            self._values,
            scores.reshape(-1),
            squares.reshape(-1),
        )
        return SlotScores(samples, scores, squares)
