"""The kernels that step many games at once: seats act, the game advances, the learner's view is written.

A lane is one record with its episode's steps. Finished lanes stay finished until their reset.
"""

from __future__ import annotations

import numpy as np

from war_env._jit import count_bits, entry, inline, kernel, octets_of, pointer
from war_env.engine.ends import is_in_game, num_held
from war_env.engine.piles import ONE, ZERO, seat_of
from war_env.engine.war import has_seat
from war_env.observation import num_slots, write_mask, write_observation
from war_env.plan import LAYOUT_AT, LAYOUT_SIZE, LEARNER, NEXT_STEP, SETUP_AT, SIZE, STEP_LIMIT
from war_env.rules import CAPTURED, HAND_SIZE, PLAYERS, WINNINGS_RULE
from war_env.seat_kernels import is_bystander, is_waiting, play_on, play_seats, reward_of, start_lane
from war_env.state import (
    BATTLES,
    COMPARISONS,
    HAND,
    IN_GAME,
    NOBODY,
    NUM_REASONS,
    OVER,
    REASON,
    STEPS,
    WAITING,
    WARS,
    WINNER,
)

_TWO, _THREE, _FOUR = np.uint64(2), np.uint64(3), np.uint64(4)


@kernel
def show(words, octets, rules, layout, game, observer, obs, mask, row):
    """Write one row of observations and masks."""
    write_observation(words, octets, rules, layout, game, observer, obs, row * layout[LAYOUT_SIZE])
    write_mask(words, rules, game, observer, mask, row * rules[HAND_SIZE])


@entry
def reset_rows(words, octets, plan, rows):
    """Start the next game of the lanes `rows`, int64."""
    rules, setup = pointer(plan), pointer(plan[SETUP_AT:])
    words, octets = pointer(words), pointer(octets)
    for row in rows:
        start_lane(words, octets, rules, setup, np.uint64(row) * setup[SIZE])


@entry
def show_rows(words, octets, plan, rows, observer, obs, mask):
    """Write what `observer` may know in each of the lanes `rows`: obs float32 (n, d), mask int8 (n, a), both flat."""
    rules, layout, setup = pointer(plan), pointer(plan[LAYOUT_AT:]), pointer(plan[SETUP_AT:])
    words, octets, obs, mask = pointer(words), pointer(octets), pointer(obs), pointer(mask)
    for k in range(rows.size):
        game = np.uint64(rows[k]) * setup[SIZE]
        show(words, octets, rules, layout, game, observer, obs, mask, np.uint64(k))


@entry
def note_endings(words, octets, plan, rows, counts, held):
    """Write how the episodes of the lanes `rows`, int64 (k,), ended.

    Args:
        words, octets, plan: as for `step_rows`.
        rows: int64, shape (k,).
        counts: int64, shape (5 * n,), written at the rows: winner or -1, reason, battles, comparisons, wars. The
            reason of a learner who is out of a game that goes on is the one behind the last.
        held: int64, shape (n * players,), written: cards that count for each seat.
    """
    rules, setup = pointer(plan), pointer(plan[SETUP_AT:])
    words, octets = pointer(words), pointer(octets)
    total = np.uint64(counts.size) // np.uint64(5)
    players = rules[PLAYERS]
    for lane in rows:
        row = np.uint64(lane)
        game = row * setup[SIZE]
        winner, reason = words[game + WINNER], words[game + REASON]
        counts[row] = np.int64(-1) if winner == NOBODY else np.int64(winner)
        counts[total + row] = np.int64(reason if reason != ZERO else NUM_REASONS)
        counts[_TWO * total + row] = np.int64(words[game + BATTLES])
        counts[_THREE * total + row] = np.int64(words[game + COMPARISONS])
        counts[_FOUR * total + row] = np.int64(words[game + WARS])
        for number in range(players):
            count = np.int64(0)
            if is_in_game(words, game, number) or rules[WINNINGS_RULE] == CAPTURED:
                count = np.int64(num_held(words, octets, rules, seat_of(game, np.uint64(number))))
            held[row * players + np.uint64(number)] = count


@inline
def act(words, octets, rules, setup, game, action, external, at):
    """The learner's action and what follows up to its next one; returns whether it was an illegal one, uint8."""
    is_illegal = action >= count_bits(words[seat_of(game, setup[LEARNER]) + HAND])
    words[game + STEPS] += ONE
    play_seats(words, octets, rules, setup, game, action, external, at)
    return is_illegal


@inline
def settle(words, octets, rules, setup, game):
    """Note whether a lane's episode is over; returns the reward, and whether it is terminated and truncated."""
    is_over = words[game + REASON] != ZERO or not has_seat(words[game + IN_GAME], setup[LEARNER])
    is_cut = words[game + STEPS] >= setup[STEP_LIMIT]
    words[game + OVER] = ONE if is_over or is_cut else ZERO
    return reward_of(words, octets, rules, setup, game, setup[LEARNER], is_over), is_over, is_cut


@entry
def step_row(words, plan, obs, action):
    """Step a single lane that is not over, with no seat that Python plays: `step_rows` with less to hand over.

    Args:
        words, plan: as for `step_rows`.
        obs: float32, shape (d,), written.
        action: int64.

    Returns:
        (reward, ends): a float64, and an integer of these bits: 1 terminated, 2 truncated, 4 illegal action, and from
        8 on the number of slots that the mask allows, which are the lowest ones.
    """
    rules, layout, setup = pointer(plan), pointer(plan[LAYOUT_AT:]), pointer(plan[SETUP_AT:])
    words, obs = pointer(words), pointer(obs)
    octets = octets_of(words)
    learner = setup[LEARNER]
    is_illegal = act(words, octets, rules, setup, ZERO, np.uint64(action), words, ZERO)
    play_on(words, octets, rules, setup, ZERO, words, ZERO)
    reward, is_over, is_cut = settle(words, octets, rules, setup, ZERO)
    write_observation(words, octets, rules, layout, ZERO, learner, obs, ZERO)
    slots = num_slots(words, rules, ZERO, learner)
    return reward, (slots << _THREE) | (np.uint64(is_illegal) << _TWO) | (np.uint64(is_cut) << ONE) | np.uint64(is_over)


@entry
def step_rows(words, octets, plan, actions, external, obs, mask, rewards, flags, first, last, is_resumed):
    """Step the lanes first..last-1, of n in all, by the learner's actions.

    Args:
        words, octets: the records.
        plan: rules, layout and setup, one after another.
        actions: int64, shape (n,).
        external: choices of the seats that Python plays, int64, shape (n * players,) or (1,) without any.
        obs, mask: float32 (n * d,), int8 (n * a,), written.
        rewards: float64, shape (n,), written.
        flags: uint8, shape (3 * n,), written, 0 or 1: terminated, truncated, illegal action.
        first, last: int64.
        is_resumed: only go on with lanes that wait for `external`.

    Returns:
        Number of lanes that wait for a choice of a seat that Python plays; their rows are not written yet.
        A lane that is over is started anew with NEXT_STEP in the setup, otherwise left alone.
    """
    rules, layout, setup = pointer(plan), pointer(plan[LAYOUT_AT:]), pointer(plan[SETUP_AT:])
    words, octets, external = pointer(words), pointer(octets), pointer(external)
    obs, mask, rewards, flags = pointer(obs), pointer(mask), pointer(rewards), pointer(flags)
    size, learner, players = setup[SIZE], setup[LEARNER], rules[PLAYERS]
    total = np.uint64(actions.size)
    num_waiting = 0
    for lane in range(first, last):
        row = np.uint64(lane)
        game = row * size
        at = row * players
        if is_resumed:
            if words[game + WAITING] == ZERO:
                continue
            play_seats(words, octets, rules, setup, game, ZERO, external, at)
        elif words[game + OVER] != ZERO:
            if setup[NEXT_STEP] == ZERO:
                continue
            start_lane(words, octets, rules, setup, game)
            rewards[row] = 0.0
            flags[row] = 0
            flags[total + row] = 0
            flags[_TWO * total + row] = 0
            show(words, octets, rules, layout, game, learner, obs, mask, row)
            continue
        else:
            is_illegal = act(words, octets, rules, setup, game, np.uint64(actions[row]), external, at)
            flags[_TWO * total + row] = 1 if is_illegal else 0
        if is_bystander(words, game, learner):
            play_on(words, octets, rules, setup, game, external, at)
            if is_waiting(words, octets, rules, game, learner):
                words[game + WAITING] = ONE
                num_waiting += 1
                continue
        words[game + WAITING] = ZERO
        rewards[row], is_over, is_cut = settle(words, octets, rules, setup, game)
        flags[row] = 1 if is_over else 0
        flags[total + row] = 1 if is_cut else 0
        show(words, octets, rules, layout, game, learner, obs, mask, row)
    return num_waiting
