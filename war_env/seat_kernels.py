"""The kernels of the seats in a lane: who plays each, which card it chooses, one comparison, what it earns."""

from __future__ import annotations

import numpy as np

from war_env._jit import count_bits, inline, kernel
from war_env.engine.ends import is_in_game, num_held
from war_env.engine.pair import is_plain_pair, play_plain_pair
from war_env.engine.piles import ONE, ZERO, octet, seat_of, set_octet, turn_up
from war_env.engine.rng import next_word
from war_env.engine.turn import card_of_slot, compare, start_game
from war_env.engine.war import has_seat
from war_env.opponents import choose_slot
from war_env.plan import CAPTURE, LEARNER, LINEUP, LINEUP_WORDS, REWARD, WIN
from war_env.policy_names import FIRST_EXTERNAL
from war_env.rules import CAPTURED, IS_DUEL, NUM_CARDS, PLAYERS, WINNINGS_RULE
from war_env.state import CHOICES, FIGHTERS, HAND, IN_GAME, MARGIN, NOBODY, POLICY, REASON, TABLE, UP, WINNER

_TWO = np.uint64(2)


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


@inline
def chosen_card(words, octets, rules, setup, game, number, action, external, at):
    """The card that a seat plays: the learner by its action, a compiled policy by its choice, others by `external`."""
    seat = seat_of(game, number)
    policy = octet(octets, seat, POLICY)
    slot = action
    if number != setup[LEARNER]:
        if policy >= FIRST_EXTERNAL:
            slot = np.uint64(external[at + number])
        else:
            is_war = words[game + TABLE] != ZERO
            slot = choose_slot(policy, count_bits(words[seat + HAND]), is_war, next_word(words, seat + CHOICES))
    return card_of_slot(words, rules, game, seat, slot)


@kernel
def play_fighters(words, octets, rules, setup, game, action, external, at):
    """Every fighter turns up a card, and they are compared."""
    fighters = words[game + FIGHTERS]
    # What a policy is asked by does not change while others turn up theirs, but for the table: it is laid afterwards.
    for number in range(rules[PLAYERS]):
        if has_seat(fighters, number):
            card = chosen_card(words, octets, rules, setup, game, np.uint64(number), action, external, at)
            set_octet(octets, seat_of(game, np.uint64(number)), UP, card)
    for number in range(rules[PLAYERS]):
        if has_seat(fighters, number):
            seat = seat_of(game, np.uint64(number))
            turn_up(words, octets, game, seat, octet(octets, seat, UP))
    compare(words, octets, rules, game)


@kernel
def play_seats(words, octets, rules, setup, game, action, external, at):
    """One comparison: the plain battle of two by the short way, anything else by the general engine."""
    if rules[IS_DUEL] == ZERO or words[game + TABLE] != ZERO:
        play_fighters(words, octets, rules, setup, game, action, external, at)
        return
    first, second = seat_of(game, ZERO), seat_of(game, ONE)
    card_0 = chosen_card(words, octets, rules, setup, game, ZERO, action, external, at)
    card_1 = chosen_card(words, octets, rules, setup, game, ONE, action, external, at)
    if is_plain_pair(words, octets, rules, game, first, second, card_0, card_1):
        play_plain_pair(words, octets, rules, game, first, second, card_0, card_1)
    else:
        turn_up(words, octets, game, first, card_0)
        turn_up(words, octets, game, second, card_1)
        compare(words, octets, rules, game)


@inline
def is_bystander(words, game, learner):
    """Whether the learner is in a game that goes on without its say."""
    is_on = words[game + REASON] == ZERO and has_seat(words[game + IN_GAME], learner)
    return is_on and not has_seat(words[game + FIGHTERS], learner)


@kernel
def is_waiting(words, octets, rules, game, learner):
    """Whether a seat that Python plays must choose while the learner has no say."""
    if not is_bystander(words, game, learner):
        return False
    fighters = words[game + FIGHTERS]
    for number in range(rules[PLAYERS]):
        if has_seat(fighters, number) and octet(octets, seat_of(game, np.uint64(number)), POLICY) >= FIRST_EXTERNAL:
            return True
    return False


@kernel
def play_on(words, octets, rules, setup, game, external, at):
    """Play comparisons in which the learner has no say, until it has one, the game ends or Python must choose."""
    learner = setup[LEARNER]
    while is_bystander(words, game, learner) and not is_waiting(words, octets, rules, game, learner):
        play_seats(words, octets, rules, setup, game, ZERO, external, at)


@kernel
def earned(words, octets, rules, setup, game, learner):
    """A seat's reward at the end of its episode, and of any step with the reward `capture`, float64.

    `capture` measures from the margin in the record, and renews it.
    """
    if setup[REWARD] == WIN:
        if words[game + REASON] != ZERO and words[game + WINNER] == NOBODY:
            return 0.0
        return 1.0 if words[game + REASON] != ZERO and words[game + WINNER] == learner else -1.0
    margin = margin_of(words, octets, rules, game, learner)
    gained = margin
    if setup[REWARD] == CAPTURE:
        gained = margin - np.int64(words[game + MARGIN])
        words[game + MARGIN] = np.uint64(margin)
    return np.float64(gained) / np.float64(rules[NUM_CARDS])


@inline
def reward_of(words, octets, rules, setup, game, learner, is_over):
    """A seat's reward of this step, float64."""
    if is_over or setup[REWARD] == CAPTURE:
        return earned(words, octets, rules, setup, game, learner)
    return 0.0
