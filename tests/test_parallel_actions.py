"""The PettingZoo environment's actions and arguments: what is ignored, what is tolerated, what is refused."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from tests.test_parallel_env import has_say, plain
from war_env import FinishedError, IllegalActionError, WarEnvError
from war_env.parallel_env import WarParallelEnv, parallel_env


def at_a_war_of_others() -> WarParallelEnv:
    """Three seats with hands, at a war in which one has no say."""
    env = parallel_env("strategic", players=3)
    rng = np.random.default_rng(0)
    env.reset(seed=0)
    while all(has_say(env, seat) for seat in range(3)):
        env.step({name: int(rng.integers(5)) for name in env.agents})
    return env


def test_the_action_of_a_seat_without_a_say_is_ignored_and_may_be_left_out() -> None:
    env = at_a_war_of_others()
    idle = next(seat for seat in range(3) if not has_say(env, seat))
    results = []
    for actions in ({f"seat_{idle}": 4}, {f"seat_{idle}": 0}, {}):
        twin = copy.deepcopy(env)
        playing = {f"seat_{seat}": 1 for seat in range(3) if seat != idle}
        results.append(plain(twin.step({**playing, **actions})))
    assert results[0] == results[1] == results[2]
    assert results[0][4][f"seat_{idle}"]["illegal_action"] is False


def test_masked_actions_play_the_highest_card_or_raise() -> None:
    tolerant, strict = parallel_env("mini"), parallel_env("mini", illegal_action="raise")
    for env in (tolerant, strict):
        env.reset(seed=0)
        while env._masks.all():
            env.step(dict.fromkeys(env.agents, 0))
            assert env.agents
    highest, masked = copy.deepcopy(tolerant), copy.deepcopy(tolerant)
    expected, result = highest.step({"seat_0": 0, "seat_1": 0}), masked.step({"seat_0": 1, "seat_1": 0})
    assert plain(expected[0]) == plain(result[0])
    assert result[4]["seat_0"]["illegal_action"] is True
    assert result[4]["seat_1"]["illegal_action"] is False
    before = pickle.dumps(strict._lanes.records)
    with pytest.raises(IllegalActionError, match=r"seat_1: action=1 .* one of \[0\]"):
        strict.step({"seat_0": 0, "seat_1": 1})
    assert pickle.dumps(strict._lanes.records) == before


@pytest.mark.parametrize(
    ("actions", "words"),
    [
        ({"seat_0": 0}, "seat_1: an action is missing"),
        ({"seat_0": 0, "seat_1": 5}, "seat_1: action=5 is not allowed: it must be an integer from 0 to 4"),
        ({"seat_0": -1, "seat_1": 0}, "seat_0: action=-1"),
        ({"seat_0": True, "seat_1": 0}, "seat_0: action=True"),
        ({"seat_0": 1.0, "seat_1": 0}, "seat_0: action=1.0"),
        ({"seat_0": None, "seat_1": 0}, "seat_0: action=None"),
        ({"seat_0": 0, "seat_1": 0, "seat_2": 0}, "an action for each of seat_0, seat_1"),
        ([0, 0], "must be a dict"),
    ],
)
def test_wrong_actions_change_nothing(actions: object, words: str) -> None:
    env = parallel_env()
    env.reset(seed=0)
    before = pickle.dumps(env._lanes.records)
    with pytest.raises(IllegalActionError, match=words):
        env.step(actions)
    assert pickle.dumps(env._lanes.records) == before


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"preset": "poker"}, "preset='poker' is unknown"),
        ({"player": 3}, "argument='player' is unknown. Did you mean 'players'"),
        ({"opponent": "greedy"}, "argument='opponent' is unknown"),
        ({"players": 11}, "players=11 is not allowed"),
        ({"reward": "score"}, "reward='score'"),
        ({"illegal_action": "ignore"}, "illegal_action='ignore'"),
        ({"render_mode": "braille"}, "render_mode='braille'"),
        ({"render_seat": 2}, "render_seat=2 is not allowed: it must be an integer from 0 to 1"),
    ],
)
def test_wrong_options_are_named(options: dict, words: str) -> None:
    with pytest.raises(WarEnvError, match=words):
        parallel_env(**options)


def test_a_game_that_is_over_or_was_never_started_is_a_named_error() -> None:
    env = parallel_env("mini")
    with pytest.raises(FinishedError, match="never started"):
        env.step({})
    with pytest.raises(FinishedError, match="never started"):
        env.state()
    env.reset(seed=0)
    while env.agents:
        env.step(dict.fromkeys(env.agents, 0))
    with pytest.raises(FinishedError, match="is over: call reset"):
        env.step({})
