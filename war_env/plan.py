"""The plan: all that the lane kernels need to know beside the records, in one array of uint64.

It is the rules' table, the places of the observation's fields, and the *setup*: learner, reward, who plays.
"""

from __future__ import annotations

import numpy as np

from war_env.layout import NUM_FIELDS, Layout
from war_env.rules import MAX_PLAYERS, NO_LIMIT, TABLE_WORDS
from war_env.state import record_dtype

REWARDS = ("win", "margin", "capture")
WIN, MARGIN_AT_END, CAPTURE = (np.uint64(k) for k in range(len(REWARDS)))

LAYOUT_AT = TABLE_WORDS
SETUP_AT = TABLE_WORDS + NUM_FIELDS + 1
LAYOUT_SIZE = np.uint64(NUM_FIELDS)  # place of the observation's size in the layout

# Places in the setup.
SIZE, LEARNER, REWARD, STEP_LIMIT, NEXT_STEP = (np.uint64(k) for k in range(5))
LINEUP = np.uint64(8)  # per seat MAX_MIX pairs: code of a policy, share of the draws up to and with it
MAX_MIX = 32
LINEUP_WORDS = np.uint64(2 * MAX_MIX)
ALL_DRAWS = 2**64 - 1


def make_plan(
    layout: Layout, learner: int = 0, reward: str = "win", step_limit: int | None = None, next_step: bool = False
) -> np.ndarray:
    """The plan for lanes under `layout.rules`; all seats are played by policy 0 until `set_lineup`."""
    setup = np.zeros(int(LINEUP) + MAX_PLAYERS * int(LINEUP_WORDS), np.uint64)
    setup[SIZE] = record_dtype(layout.rules).itemsize // 8
    setup[LEARNER] = learner
    setup[REWARD] = REWARDS.index(reward)
    setup[STEP_LIMIT] = NO_LIMIT if step_limit is None else step_limit
    setup[NEXT_STEP] = next_step
    plan = np.concatenate([layout.rules.encode(), layout.encode(), setup])
    for seat in range(layout.rules.players):
        set_lineup(plan, seat, [(0, 1.0)])
    return plan


def set_lineup(plan: np.ndarray, seat: int, mix: list[tuple[int, float]]) -> None:
    """Who plays a seat: pairs of a policy's code and its weight, drawn per episode."""
    start = SETUP_AT + int(LINEUP) + seat * int(LINEUP_WORDS)
    total = sum(weight for _, weight in mix)
    drawn = 0.0
    for k, (code, weight) in enumerate(mix):
        drawn += weight
        plan[start + 2 * k] = code
        plan[start + 2 * k + 1] = min(int(drawn / total * 2.0**64), ALL_DRAWS)
    plan[start + 2 * len(mix) - 1] = ALL_DRAWS
