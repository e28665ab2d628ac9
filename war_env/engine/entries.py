"""The kernels that Python calls for one game, or for whole games without choices."""

from __future__ import annotations

import numpy as np

from war_env._jit import entry, pointer
from war_env.engine.piles import seat_of
from war_env.engine.rng import stream_start
from war_env.engine.turn import begin, clear_game, compare, deal_cards, play_slot
from war_env.engine.war import has_seat
from war_env.rules import PLAYERS
from war_env.state import FIGHTERS

GAME = np.uint64(0)  # a Game's record stands alone, at the start of its memory


@entry
def clear(words, octets, rules, key):
    """Empty a single record and set the streams of the game `key`."""
    clear_game(pointer(words), pointer(octets), pointer(rules), GAME, key)


@entry
def deal(words, octets, rules, key):
    """Deal the game `key` into a single record, up to its first decision."""
    words, octets, rules = pointer(words), pointer(octets), pointer(rules)
    clear_game(words, octets, rules, GAME, key)
    deal_cards(words, octets, rules, GAME, key)
    begin(words, octets, rules, GAME)


@entry
def open_play(words, octets, rules):
    """Start a single record's first battle with the cards as they lie."""
    begin(pointer(words), pointer(octets), pointer(rules), GAME)


@entry
def play_comparison(words, octets, rules, slots):
    """Play one comparison of a single record; `slots` is int64, shape (players,)."""
    words, octets, rules = pointer(words), pointer(octets), pointer(rules)
    for number in range(rules[PLAYERS]):
        if has_seat(words[GAME + FIGHTERS], number):
            play_slot(words, octets, rules, GAME, seat_of(GAME, np.uint64(number)), np.uint64(slots[number]))
    compare(words, octets, rules, GAME)


@entry
def _key_of(lane, number):
    return stream_start(lane, number)


def game_key(lane: np.uint64, number: int = 0) -> np.uint64:
    """The key of the `number`-th game, counted from 0, of a lane whose stream starts at `lane`."""
    return np.uint64(_key_of(lane, np.uint64(number)))
