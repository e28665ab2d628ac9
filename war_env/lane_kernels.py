"""The kernels that step many games at once: seats act, the game advances, the learner's view is written.

A lane is one record with its episode's steps. Finished lanes stay finished until their reset.
"""

from __future__ import annotations

import numpy as np

from war_env._jit import count_bits, entry, inline, kernel, pointer
from war_env.engine.ends import is_in_game, num_held
from war_env.engine.piles import ONE, ZERO, octet, seat_of, set_octet
from war_env.engine.rng import next_word
from war_env.engine.turn import compare, play_slot, start_game
from war_env.engine.war import has_seat
from war_env.observation import write_mask, write_observation
from war_env.opponents import choose_slot
from war_env.plan import (
    CAPTURE,
    LAYOUT_AT,
    LAYOUT_SIZE,
    LEARNER,
    LINEUP,
    LINEUP_WORDS,
    MARGIN_AT_END,
    NEXT_STEP,
    REWARD,
    SETUP_AT,
    SIZE,
    STEP_LIMIT,
    WIN,
)
from war_env.policy_names import FIRST_EXTERNAL
from war_env.rules import CAPTURED, HAND_SIZE, NUM_CARDS, PLAYERS, WINNINGS_RULE
from war_env.state import (
    BATTLES,
    CHOICES,
    COMPARISONS,
    FIGHTERS,
    HAND,
    IN_GAME,
    MARGIN,
    NOBODY,
    NUM_REASONS,
    OVER,
    POLICY,
    REASON,
    STEPS,
    TABLE,
    WAITING,
    WARS,
    WINNER,
)

_TWO, _THREE, _FOUR = np.uint64(2), np.uint64(3), np.uint64(4)


@kernel
def draw_policies(words, octets, rules, setup, game):
    """Draw who plays each seat in this episode, by the seat's own stream where there is more than one."""
    for number in range(rules[PLAYERS]):
        place = LINEUP + np.uint64(number) * LINEUP_WORDS
        seat = seat_of(game, np.uint64(number))
        if setup[place + ONE] != ~ZERO:
            word = next_word(words, seat + CHOICES)
            while setup[place + ONE] < word:
                place += _TWO
        set_octet(octets, seat, POLICY, setup[place])


@kernel
def margin_of(words, octets, rules, game, learner):
    """Cards that the learner holds less those of the best other seat, int64."""
    own, best = np.int64(0), np.int64(0)
    for number in range(rules[PLAYERS]):
        held = np.int64(0)
        if is_in_game(words, game, number) or rules[WINNINGS_RULE] == CAPTURED:
            held = np.int64(num_held(words, octets, rules, seat_of(game, np.uint64(number))))
        if np.uint64(number) == learner:
            own = held
        else:
            best = max(best, held)
    return own - best


@kernel
def start_lane(words, octets, rules, setup, game):
    """The next game of a lane, up to its first decision."""
    start_game(words, octets, rules, game)
    draw_policies(words, octets, rules, setup, game)
    if setup[REWARD] == CAPTURE:
        words[game + MARGIN] = np.uint64(margin_of(words, octets, rules, game, setup[LEARNER]))


@kernel
def play_seats(words, octets, rules, setup, game, action, external, at):
    """Every fighter plays: the learner its action, compiled policies their choice, others what `external` says."""
    learner = setup[LEARNER]
    is_war = words[game + TABLE] != ZERO
    fighters = words[game + FIGHTERS]
    # A compiled policy sees its hand's size and `is_war`, which stay as they are while others turn up theirs.
    for number in range(rules[PLAYERS]):
        if has_seat(fighters, number):
            seat = seat_of(game, np.uint64(number))
            policy = octet(octets, seat, POLICY)
            slot = action
            if np.uint64(number) != learner:
                if policy >= FIRST_EXTERNAL:
                    slot = np.uint64(external[at + np.uint64(number)])
                else:
                    slot = choose_slot(policy, count_bits(words[seat + HAND]), is_war, next_word(words, seat + CHOICES))
            play_slot(words, octets, rules, game, seat, slot)
    compare(words, octets, rules, game)


@kernel
def is_waiting(words, octets, rules, game, learner):
    """Whether a seat that Python plays must choose while the learner has no say."""
    if words[game + REASON] != ZERO or not has_seat(words[game + IN_GAME], learner):
        return False
    fighters = words[game + FIGHTERS]
    if has_seat(fighters, learner):
        return False
    for number in range(rules[PLAYERS]):
        if has_seat(fighters, number) and octet(octets, seat_of(game, np.uint64(number)), POLICY) >= FIRST_EXTERNAL:
            return True
    return False


@kernel
def play_on(words, octets, rules, setup, game, external, at):
    """Play comparisons in which the learner has no say, until it has one, the game ends or Python must choose."""
    learner = setup[LEARNER]
    while words[game + REASON] == ZERO and has_seat(words[game + IN_GAME], learner):
        if has_seat(words[game + FIGHTERS], learner) or is_waiting(words, octets, rules, game, learner):
            return
        play_seats(words, octets, rules, setup, game, ZERO, external, at)


@kernel
def reward_of(words, octets, rules, setup, game, learner, is_over):
    """The learner's reward of this step, float64; `capture` measures from the margin in the record, and renews it."""
    if setup[REWARD] == WIN:
        if not is_over or (words[game + REASON] != ZERO and words[game + WINNER] == NOBODY):
            return 0.0
        return 1.0 if words[game + REASON] != ZERO and words[game + WINNER] == learner else -1.0
    if setup[REWARD] == MARGIN_AT_END and not is_over:
        return 0.0
    margin = margin_of(words, octets, rules, game, learner)
    gained = margin
    if setup[REWARD] == CAPTURE:
        gained = margin - np.int64(words[game + MARGIN])
        words[game + MARGIN] = np.uint64(margin)
    return np.float64(gained) / np.float64(rules[NUM_CARDS])


@inline
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


@entry
def step_rows(words, octets, plan, actions, external, obs, mask, rewards, flags, is_resumed):
    """Step all lanes by the learner's actions.

    Args:
        words, octets: the records.
        plan: rules, layout and setup, one after another.
        actions: int64, shape (n,).
        external: choices of the seats that Python plays, int64, shape (n * players,) or (1,) without any.
        obs, mask: float32 (n * d,), int8 (n * a,), written.
        rewards: float64, shape (n,), written.
        flags: uint8, shape (3 * n,), written, 0 or 1: terminated, truncated, illegal action.
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
    for lane in range(total):
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
            action = np.uint64(actions[row])
            flags[_TWO * total + row] = 1 if action >= count_bits(words[seat_of(game, learner) + HAND]) else 0
            words[game + STEPS] += ONE
            play_seats(words, octets, rules, setup, game, action, external, at)
        play_on(words, octets, rules, setup, game, external, at)
        if is_waiting(words, octets, rules, game, learner):
            words[game + WAITING] = ONE
            num_waiting += 1
            continue
        words[game + WAITING] = ZERO
        is_over = words[game + REASON] != ZERO or not has_seat(words[game + IN_GAME], learner)
        is_cut = words[game + STEPS] >= setup[STEP_LIMIT]
        rewards[row] = reward_of(words, octets, rules, setup, game, learner, is_over)
        flags[row] = 1 if is_over else 0
        flags[total + row] = 1 if is_cut else 0
        words[game + OVER] = ONE if is_over or is_cut else ZERO
        show(words, octets, rules, layout, game, learner, obs, mask, row)
    return num_waiting
