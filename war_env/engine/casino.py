"""Casino War: the shoe, the bet, the tie. A lane is one record of words; amounts are half units, int64 in uint64."""

from __future__ import annotations

import numpy as np

from war_env._jit import entry, inline, kernel, pointer
from war_env.casino_rules import (
    BONUS,
    BURNED,
    CARDS_OF_A_RANK,
    LOSE,
    NUM_RANKS,
    RESERVE,
    SURRENDER,
    TIE_BET_LOST,
    TIE_BET_WON,
    WAR_LOST,
    WAR_TIED,
    WAR_WON,
    WIN,
)
from war_env.casino_state import (
    ACTIONS,
    BET_LEVELS,
    BONUS_ANTES,
    CARDS,
    CUT,
    DEALER,
    DEALT,
    DRAWS,
    HALF_UNITS,
    LANE,
    LAST_DEALER,
    LAST_PLAYER,
    LAST_WON,
    LEFT,
    LIMIT,
    MAY_SURRENDER,
    NEXT_STEP,
    OBSERVATION_SIZE,
    OVER,
    PACKS,
    PHASE,
    PLAYER,
    RECORD_WORDS,
    ROUND,
    ROUND_WON,
    ROUNDS,
    SHOE,
    STAKE,
    STEPS,
    TIE_PAYS,
    TIES,
    UNSEEN,
)
from war_env.engine.rng import next_below, next_word

ZERO, ONE, TWO, THREE = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)
RANKS = np.uint64(NUM_RANKS)
_OF_A_RANK = np.uint64(CARDS_OF_A_RANK)
_RESERVE, _BURNED = np.uint64(RESERVE), np.uint64(BURNED)
BETTING, TIED = ZERO, ONE


@kernel
def new_shoe(words, plan, lane):
    """All cards back in the shoe, nothing seen."""
    count = _OF_A_RANK * plan[PACKS]
    for rank in range(RANKS):
        words[lane + SHOE + np.uint64(rank)] = count
        words[lane + UNSEEN + np.uint64(rank)] = count
    words[lane + LEFT] = plan[CARDS]
    words[lane + DEALT] = ZERO


@kernel
def draw(words, lane):
    """A card from the shoe, uniformly; returns its rank."""
    place = next_below(words, lane + DRAWS, words[lane + LEFT])
    rank = ZERO
    while place >= words[lane + SHOE + rank]:
        place -= words[lane + SHOE + rank]
        rank += ONE
    words[lane + SHOE + rank] -= ONE
    words[lane + LEFT] -= ONE
    words[lane + DEALT] += ONE
    return rank


@inline
def draw_open(words, lane):
    """A card that everybody sees."""
    rank = draw(words, lane)
    words[lane + UNSEEN + rank] -= ONE
    return rank


@inline
def needs_new_shoe(words, plan, lane):
    """Whether the cut is passed or too few cards are left for another round."""
    return words[lane + DEALT] >= plan[CUT] or words[lane + LEFT] <= _RESERVE


@kernel
def end_round(words, plan, lane):
    """Note what the round won, clear the table, and reshuffle before the next one where the shoe needs it."""
    words[lane + LAST_WON] = words[lane + ROUND_WON]
    words[lane + ROUND_WON] = ZERO
    words[lane + STAKE] = ZERO
    words[lane + PLAYER] = ZERO
    words[lane + DEALER] = ZERO
    words[lane + ROUND] += ONE
    if words[lane + ROUND] < plan[ROUNDS] and needs_new_shoe(words, plan, lane):
        new_shoe(words, plan, lane)


@kernel
def start_episode(words, plan, lane):
    """A fresh shoe and no rounds played; the next key of the lane starts the stream of draws."""
    key = next_word(words, lane + LANE)
    for k in range(STEPS, RECORD_WORDS):
        words[lane + np.uint64(k)] = ZERO
    words[lane + DRAWS] = key
    new_shoe(words, plan, lane)


@inline
def deal_open(words, lane):
    """One open card each, player first; returns both ranks."""
    player = draw_open(words, lane)
    dealer = draw_open(words, lane)
    words[lane + LAST_PLAYER] = player + ONE
    words[lane + LAST_DEALER] = dealer + ONE
    return player, dealer


@inline
def tie_bet_half_units(plan, is_tie):
    """Half units that a tie bet of one unit wins."""
    return np.int64(TIE_BET_WON) * np.int64(plan[TIE_PAYS]) if is_tie else np.int64(TIE_BET_LOST)


@kernel
def bet(words, plan, lane, level, with_tie_bet):
    """Ante `level` units, maybe as much on a tie, and deal; returns the half units won at once."""
    player, dealer = deal_open(words, lane)
    won = np.int64(0)
    if player == dealer:
        words[lane + STAKE] = level
        words[lane + PLAYER] = player + ONE
        words[lane + DEALER] = dealer + ONE
        words[lane + PHASE] = TIED
        words[lane + TIES] += ONE
    else:
        won += np.int64(WIN) if player > dealer else np.int64(LOSE)
    if with_tie_bet:
        won += tie_bet_half_units(plan, player == dealer)
    return won * np.int64(level)


@kernel
def settle_tie(words, plan, lane, goes_to_war):
    """Surrender, or burn three cards and deal one more each; returns the half units won."""
    stake = np.int64(words[lane + STAKE])
    if not goes_to_war:
        return np.int64(SURRENDER) * stake
    for _ in range(_BURNED):
        draw(words, lane)
    player, dealer = deal_open(words, lane)
    if player > dealer:
        return np.int64(WAR_WON) * stake
    if player < dealer:
        return np.int64(WAR_LOST) * stake
    return (np.int64(WAR_TIED) + np.int64(BONUS) * np.int64(plan[BONUS_ANTES])) * stake


@kernel
def act(words, plan, lane, action):
    """Carry out an action; returns the half units won and whether the action did not apply.

    An action that does not apply antes one unit, or goes to war on a tie.
    """
    levels = plan[BET_LEVELS]
    is_bet = action < TWO * levels
    if words[lane + PHASE] == BETTING:
        choice = action if is_bet else ZERO
        won = bet(words, plan, lane, choice % levels + ONE, choice >= levels)
        is_illegal = not is_bet
    else:
        is_surrender = action == TWO * levels and plan[MAY_SURRENDER] != ZERO
        is_illegal = is_bet or (action == TWO * levels and not is_surrender)
        won = settle_tie(words, plan, lane, not is_surrender)
        words[lane + PHASE] = BETTING
    words[lane + HALF_UNITS] += np.uint64(won)
    words[lane + ROUND_WON] += np.uint64(won)
    if words[lane + PHASE] == BETTING:
        end_round(words, plan, lane)
    return won, is_illegal


@kernel
def show(words, plan, lane, obs, at, mask, mask_at):
    """Write what the player knows, in the order of CASINO_FIELDS, and the mask."""
    obs[at] = np.float32(words[lane + PHASE])
    obs[at + ONE] = np.float32(words[lane + PLAYER]) / np.float32(RANKS)
    obs[at + TWO] = np.float32(words[lane + DEALER]) / np.float32(RANKS)
    obs[at + THREE] = np.float32(words[lane + STAKE]) / np.float32(plan[BET_LEVELS])
    obs[at + np.uint64(4)] = np.float32(plan[ROUNDS] - words[lane + ROUND]) / np.float32(plan[ROUNDS])
    obs[at + np.uint64(5)] = np.float32(words[lane + LEFT]) / np.float32(plan[CARDS])
    scale = np.float32(1.0) / np.float32(_OF_A_RANK * plan[PACKS])
    for rank in range(RANKS):
        obs[at + np.uint64(6) + np.uint64(rank)] = np.float32(words[lane + UNSEEN + np.uint64(rank)]) * scale
    is_over = words[lane + ROUND] >= plan[ROUNDS]
    is_betting = words[lane + PHASE] == BETTING
    bets = TWO * plan[BET_LEVELS]
    for k in range(plan[ACTIONS]):
        action = np.uint64(k)
        is_allowed = is_betting if action < bets else not is_betting
        if action == bets and plan[MAY_SURRENDER] == ZERO:
            is_allowed = False
        mask[mask_at + action] = 1 if is_over or is_allowed else 0


@entry
def reset_shoes(words, plan, rows):
    """Start the next episode of the lanes `rows`, int64."""
    words, plan = pointer(words), pointer(plan)
    for row in rows:
        start_episode(words, plan, np.uint64(row) * RECORD_WORDS)


@entry
def show_shoes(words, plan, rows, obs, mask):
    """Write observations, float32 (k * d,), and masks, int8 (k * a,), of the lanes `rows`."""
    words, plan, obs, mask = pointer(words), pointer(plan), pointer(obs), pointer(mask)
    for k in range(rows.size):
        number = np.uint64(k)
        lane = np.uint64(rows[k]) * RECORD_WORDS
        show(words, plan, lane, obs, number * OBSERVATION_SIZE, mask, number * plan[ACTIONS])


@entry
def step_shoes(words, plan, actions, obs, mask, rewards, flags):
    """Step all lanes; arrays as for `BaseLanes.step_into`."""
    total = np.uint64(actions.size)
    words, plan, actions = pointer(words), pointer(plan), pointer(actions)
    obs, mask, rewards, flags = pointer(obs), pointer(mask), pointer(rewards), pointer(flags)
    for k in range(total):
        row = np.uint64(k)
        lane = row * RECORD_WORDS
        won, is_illegal, is_over, is_cut = np.int64(0), False, False, False
        if words[lane + OVER] != ZERO:
            if plan[NEXT_STEP] == ZERO:
                continue
            start_episode(words, plan, lane)
        else:
            words[lane + STEPS] += ONE
            won, is_illegal = act(words, plan, lane, np.uint64(actions[row]))
            is_over = words[lane + ROUND] >= plan[ROUNDS]
            is_cut = words[lane + STEPS] >= plan[LIMIT]
            words[lane + OVER] = ONE if is_over or is_cut else ZERO
        rewards[row] = np.float64(won) / 2.0
        flags[row] = 1 if is_over else 0
        flags[total + row] = 1 if is_cut else 0
        flags[TWO * total + row] = 1 if is_illegal else 0
        show(words, plan, lane, obs, row * OBSERVATION_SIZE, mask, row * plan[ACTIONS])
