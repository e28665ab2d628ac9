"""Casino War by the ten million: rounds played by fixed policies and by the counter, summed up in the kernel."""

from __future__ import annotations

import numpy as np

from war_env._jit import entry, inline, kernel, pointer
from war_env.casino_state import DRAWS, PHASE, RECORD_WORDS, TIE_PAYS, UNSEEN
from war_env.engine.casino import (
    BETTING,
    ONE,
    RANKS,
    TIED,
    ZERO,
    bet,
    needs_new_shoe,
    new_shoe,
    settle_tie,
    tie_bet_half_units,
)

# What a simulation sums up: over rounds, then over shoes.
SUMS = (
    *("rounds", "won", "won_squares", "ties", "tie_bets", "side"),  # side: half units of the tie bets alone
    *("shoes", "rounds_squares", "shoe_won_squares", "rounds_won", "shoe_side_squares", "rounds_side"),
)
# Policies of the simulation.
ALWAYS_WAR, ALWAYS_SURRENDER, TIE_BETTOR, COUNTER = (np.uint64(k) for k in range(4))


@inline
def tie_bet_pays(words, plan, lane):
    """Whether a tie bet has a positive expectation, for the cards that the player has not seen; exact, in integers.

    Sum of c (c - 1) over ranks, over n (n - 1), is the probability of a tie; the bet pays if that times tie_pays + 1
    is above 1.
    """
    pairs, total = ZERO, ZERO
    for rank in range(RANKS):
        count = words[lane + UNSEEN + np.uint64(rank)]
        pairs += count * (count - ONE) if count > ZERO else ZERO
        total += count
    return pairs * (plan[TIE_PAYS] + ONE) > total * (total - ONE)


@kernel
def add_shoe(sums, rounds, won, side):
    """Add one shoe to the sums that intervals by shoe need."""
    sums[6] += 1
    sums[7] += rounds * rounds
    sums[8] += won * won
    sums[9] += rounds * won
    sums[10] += side * side
    sums[11] += rounds * side


@entry
def simulate_rounds(words, plan, policy, rounds, is_fresh, key, sums):
    """Play rounds of one unit by a fixed policy.

    Args:
        words: room for one record.
        plan: the rules.
        policy: one of the codes above, uint64.
        rounds: how many, uint64.
        is_fresh: whether each round is dealt from a full shoe; otherwise shoes are played to their cut.
        key: where the draws start, uint64.
        sums: int64, shape (12,), written, see SUMS.
    """
    words, plan = pointer(words), pointer(plan)
    lane = ZERO
    for k in range(RECORD_WORDS):
        words[np.uint64(k)] = ZERO
    words[lane + DRAWS] = key
    new_shoe(words, plan, lane)
    for k in range(12):
        sums[k] = 0
    shoe_rounds, shoe_won, shoe_side = np.int64(0), np.int64(0), np.int64(0)
    for _ in range(rounds):
        if is_fresh or needs_new_shoe(words, plan, lane):
            if shoe_rounds > 0:
                add_shoe(sums, shoe_rounds, shoe_won, shoe_side)
            shoe_rounds, shoe_won, shoe_side = np.int64(0), np.int64(0), np.int64(0)
            new_shoe(words, plan, lane)
        with_tie_bet = policy == TIE_BETTOR or (policy == COUNTER and tie_bet_pays(words, plan, lane))
        words[lane + PHASE] = BETTING
        won = bet(words, plan, lane, ONE, with_tie_bet)
        is_tie = words[lane + PHASE] == TIED
        if is_tie:
            won += settle_tie(words, plan, lane, policy != ALWAYS_SURRENDER)
        side = tie_bet_half_units(plan, is_tie) if with_tie_bet else np.int64(0)
        sums[0] += 1
        sums[1] += won
        sums[2] += won * won
        sums[3] += 1 if is_tie else 0
        sums[4] += 1 if with_tie_bet else 0
        sums[5] += side
        shoe_rounds += 1
        shoe_won += won
        shoe_side += side
    add_shoe(sums, shoe_rounds, shoe_won, shoe_side)
