"""The record of one lane of Casino War, its plan and the fields of its observation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from war_env.cards import RANK_NAMES
from war_env.casino_rules import CARDS_OF_A_RANK, NUM_RANKS, CasinoRules, checked_casino_rules
from war_env.errors import checked_array, checked_bool
from war_env.layout import checked_observation
from war_env.rules import NO_LIMIT

CASINO = "casino"
RECORD = np.dtype(
    [
        ("lane", "u8"),  # state of the stream from which the keys of this lane's episodes come
        ("steps", "u8"),  # steps of the episode
        ("over", "u8"),  # 1 when the episode is over, so that the lane waits for its reset
        ("draws", "u8"),  # stream: cards drawn
        ("round", "u8"),  # rounds finished
        ("phase", "u8"),  # 0 the player bets, 1 the player decides on a tie
        ("stake", "u8"),  # ante of the round in units, 0 before it
        ("player", "u8"),  # player's card in a tie, rank + 1, else 0
        ("dealer", "u8"),  # dealer's
        ("last_player", "u8"),  # last open cards of the round that ended last, rank + 1, 0 before the first
        ("last_dealer", "u8"),
        ("last_won", "i8"),  # half units that round won
        ("round_won", "i8"),  # half units the round at hand has won so far
        ("ties", "u8"),  # ties of the episode
        ("half_units", "i8"),  # half units won in the episode
        ("left", "u8"),  # cards in the shoe
        ("dealt", "u8"),  # cards that left it since it was shuffled, burned ones too
        ("shoe", "u8", (NUM_RANKS,)),  # cards in the shoe by rank
        ("unseen", "u8", (NUM_RANKS,)),  # cards by rank that the player has not seen: in the shoe or burned
    ]
)
_FIELDS: Any = RECORD.fields
(
    LANE,
    STEPS,
    OVER,
    DRAWS,
    ROUND,
    PHASE,
    STAKE,
    PLAYER,
    DEALER,
    LAST_PLAYER,
    LAST_DEALER,
    LAST_WON,
    ROUND_WON,
    TIES,
    HALF_UNITS,
    LEFT,
    DEALT,
    SHOE,
    UNSEEN,
) = (np.uint64(_FIELDS[name][1] // 8) for name in _FIELDS)
RECORD_WORDS = np.uint64(RECORD.itemsize // 8)

# Places in the plan.
(PACKS, CARDS, BONUS_ANTES, TIE_PAYS, ROUNDS, CUT, MAY_SURRENDER, BET_LEVELS, ACTIONS, LIMIT, NEXT_STEP) = (
    np.uint64(k) for k in range(11)
)


def make_plan(rules: CasinoRules, step_limit: int | None = None, next_step: bool = False) -> np.ndarray:
    """The rules for the kernels, uint64."""
    values = {
        PACKS: rules.packs,
        CARDS: rules.num_cards,
        BONUS_ANTES: rules.bonus,
        TIE_PAYS: rules.tie_pays,
        ROUNDS: rules.rounds,
        CUT: math.ceil(rules.penetration * rules.num_cards),
        MAY_SURRENDER: rules.surrender,
        BET_LEVELS: rules.bet_levels,
        ACTIONS: rules.num_actions,
        LIMIT: NO_LIMIT if step_limit is None else step_limit,
        NEXT_STEP: next_step,
    }
    plan = np.zeros(len(values), np.uint64)
    for place, value in values.items():
        plan[place] = value
    return plan


# Name, size and meaning of each field of the observation, in order; all in [0, 1].
CASINO_FIELDS = (
    ("phase", 1, "0 the player bets, 1 the player decides on a tie"),
    ("player_card", 1, "the player's card in a tie, (rank + 1) / 13; 0 before the deal"),
    ("dealer_card", 1, "the dealer's card in a tie, (rank + 1) / 13; 0 before the deal"),
    ("stake", 1, "ante of the round / bet_levels; 0 before it"),
    ("rounds_left", 1, "rounds left / rounds, this one included"),
    ("cards_left", 1, "cards in the shoe / cards of a full one"),
    ("unseen", NUM_RANKS, "cards of each rank that were not seen (in the shoe or burned) / cards of a rank"),
)
OBSERVATION_SIZE = np.uint64(sum(size for _, size, _ in CASINO_FIELDS))


@dataclass(frozen=True)
class CasinoLayout:
    """Places of all fields in the observation of Casino War."""

    rules: CasinoRules
    memory: bool = True  # the unseen cards are always part of it

    def __post_init__(self) -> None:
        checked_casino_rules(self.rules)
        checked_bool("memory", self.memory)

    @property
    def game(self) -> str:
        """Whose observations these are, as weights name it."""
        return CASINO

    @property
    def num_actions(self) -> int:
        """Size of the action space."""
        return self.rules.num_actions

    @property
    def size(self) -> int:
        """Length of the vector."""
        return int(OBSERVATION_SIZE)

    @cached_property
    def slices(self) -> dict[str, slice]:
        """Name of each field -> its place."""
        places, start = {}, 0
        for name, size, _ in CASINO_FIELDS:
            places[name] = slice(start, start + size)
            start += size
        return places

    def unseen(self, observation: np.ndarray) -> np.ndarray:
        """Counts of unseen cards by rank of a batch of observations: int64, shape (n, 13)."""
        array = checked_array("observation", observation, (..., self.size), "f", f"floats, the last axis {self.size}")
        shares = array[..., self.slices["unseen"]]
        return np.asarray(np.rint(shares * (CARDS_OF_A_RANK * self.rules.packs)), np.int64)

    def describe(self, observation: np.ndarray) -> str:
        """One observation, shape (size,), as readable text: a line per field."""
        array = checked_observation(observation, self.size)
        lines = []
        for name, _, meaning in CASINO_FIELDS:
            values = array[self.slices[name]]
            text = " ".join(f"{value:.4g}" for value in values)
            if name in ("player_card", "dealer_card"):
                text = RANK_NAMES[round(float(values[0]) * NUM_RANKS) - 1] if values[0] else "-"
            elif name == "unseen":
                counts = zip(RANK_NAMES, self.unseen(array), strict=True)
                text = " ".join(f"{rank}x{count}" for rank, count in counts)
            lines.append(f"{name:<12} {text:<24} {meaning}")
        return "\n".join(lines)
