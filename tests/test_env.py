"""`WarEnv` over every id: the official checkers, the contract of steps, infos and errors."""

from __future__ import annotations

import copy
import json
import pickle
import warnings

import cloudpickle
import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from stable_baselines3.common.env_checker import check_env as sb3_check_env

import war_env
from war_env import FinishedError, IllegalActionError, WarEnv, WarEnvError


def roll(env: gym.Env, actions: np.random.Generator, steps: int) -> list:
    """Random steps with resets; everything they return, as plain values."""
    seen = []
    for _ in range(steps):
        observation, reward, terminated, truncated, info = env.step(int(actions.integers(env.action_space.n)))
        seen.append(
            (observation.tolist(), reward, terminated, truncated, info["action_mask"].tolist(), info.get("reason"))
        )
        if terminated or truncated:
            observation, info = env.reset()
            seen.append((observation.tolist(), info["action_mask"].tolist()))
    return seen


def test_official_checkers_pass_without_a_warning(env_id: str) -> None:
    """Gymnasium#1681, stable-baselines3#1795, Gymnasium#1341."""
    env = gym.make(env_id)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)
        sb3_check_env(env.unwrapped)


@pytest.mark.parametrize("reward", ["win", "margin", "capture"])
@pytest.mark.parametrize("memory", [True, False])
def test_steps_keep_the_contract(env_id: str, reward: str, memory: bool) -> None:
    """Types, bounds and masks at every step, ends included (stable-baselines3#932, stable-baselines3#870)."""
    env = gym.make(env_id, reward=reward, memory=memory)
    space = env.observation_space
    observation, info = env.reset(seed=3)
    total = 0.0
    for _ in range(600):
        assert space.contains(observation)
        mask = info["action_mask"]
        assert mask.dtype == np.int8
        assert mask.shape == (env.action_space.n,)
        assert mask[0] == 1  # the lowest card can always be played, in slot 0 too
        assert np.array_equal(env.get_wrapper_attr("action_masks")(), mask.astype(bool))
        action = env.action_space.sample(mask)
        before = observation.copy()
        following, value, terminated, truncated, info = env.step(action)
        assert following is not observation
        assert np.array_equal(observation, before)
        observation = following
        assert type(value) is float
        assert type(terminated) is bool
        assert truncated is False
        assert info["illegal_action"] is False
        total += value
        if terminated:
            assert {"winner", "reason", "battles", "comparisons", "wars", "held"} <= set(info)
            assert info["action_mask"].all()
            expected = expected_return(info, env.unwrapped.seat, reward, len(env.unwrapped.rules.cards))
            assert total == pytest.approx(expected)
            assert space.contains(observation)
            observation, info = env.reset()
            total = 0.0
        elif reward != "capture":
            assert value == 0.0


def expected_return(info: dict, seat: int, reward: str, cards: int) -> float:
    """What an episode's rewards must add up to."""
    if reward == "win" and info["reason"] == "eliminated":
        return -1.0
    if reward == "win":
        return 0.0 if info["winner"] == -1 else 1.0 if info["winner"] == seat else -1.0
    others = [held for number, held in enumerate(info["held"]) if number != seat]
    return float(info["held"][seat] - max(others)) / cards


def test_seeds_repeat_episodes_and_continue_them(env_id: str) -> None:
    """Gymnasium#1084, Gymnasium#1207, datamllab/rlcard#113: equal seeds repeat; no generator is shared."""
    first, second = gym.make(env_id), gym.make(env_id)
    first.reset(seed=7)
    second.reset(seed=7)
    one = roll(first, np.random.default_rng(1), 300)
    gym.make(env_id).reset(seed=1)
    np.random.default_rng(0).random()
    assert one == roll(second, np.random.default_rng(1), 300)
    first.reset(seed=8)
    assert one != roll(first, np.random.default_rng(1), 300)


@pytest.mark.parametrize("dump", [pickle, cloudpickle])
def test_a_pickled_environment_goes_on_identically(env_id: str, dump: object) -> None:
    """openai/gym#2883."""
    env = gym.make(env_id, opponent={"random": 1, "reserve": 2})
    env.reset(seed=5)
    roll(env, np.random.default_rng(2), 25)
    twin = pickle.loads(dump.dumps(env))
    other = copy.deepcopy(env)
    seen = roll(env, np.random.default_rng(3), 200)
    assert seen == roll(twin, np.random.default_rng(3), 200)
    assert seen == roll(other, np.random.default_rng(3), 200)


def test_spec_survives_json(env_id: str) -> None:
    """Names, weights of a mix and options survive the spec's JSON form."""
    env = gym.make(env_id, opponent={"greedy": 1, "reserve": 2}, reward="margin")
    again = gym.make(gym.envs.registration.EnvSpec.from_json(env.spec.to_json()))
    env.reset(seed=1)
    again.reset(seed=1)
    assert roll(env, np.random.default_rng(0), 80) == roll(again, np.random.default_rng(0), 80)
    assert json.loads(env.spec.to_json())["kwargs"]["opponent"] == {"greedy": 1, "reserve": 2}


@pytest.mark.parametrize(
    "action", [True, np.bool_(False), 1.0, np.float32(1), float("nan"), "1", None, [1], np.array([1]), -1, 5]
)
def test_actions_outside_the_space_change_nothing(action: object) -> None:
    """The error names the action and what is allowed."""
    env = WarEnv("strategic")
    env.reset(seed=0)
    before = pickle.dumps(env._lanes.records)
    with pytest.raises(IllegalActionError, match=r"action=.* is not allowed: it must be an integer from 0 to 4"):
        env.step(action)
    assert pickle.dumps(env._lanes.records) == before


@pytest.mark.parametrize("action", [2, np.int8(2), np.uint16(2), np.int64(2), np.array(2)])
def test_integer_actions_are_accepted(action: object) -> None:
    env, reference = WarEnv("strategic"), WarEnv("strategic")
    env.reset(seed=0)
    reference.reset(seed=0)
    assert np.array_equal(env.step(action)[0], reference.step(2)[0])


def at_a_masked_slot(**options: object) -> tuple[WarEnv, int, int]:
    """An environment whose hand has shrunk, a masked slot and the highest card's slot."""
    env = WarEnv("mini", **options)
    env.reset(seed=0)
    while env.action_masks().all():
        _, _, terminated, _, _ = env.step(0)
        if terminated:
            env.reset()
    return env, int(np.flatnonzero(~env.action_masks())[0]), int(np.flatnonzero(env.action_masks())[-1])


def test_a_masked_action_plays_the_highest_card_and_is_reported() -> None:
    env, masked, highest = at_a_masked_slot()
    twin = copy.deepcopy(env)
    result, expected = env.step(masked), twin.step(highest)
    assert np.array_equal(result[0], expected[0])
    assert result[1:4] == expected[1:4]
    assert result[4]["illegal_action"] is True
    assert expected[4]["illegal_action"] is False


def test_strict_environments_refuse_masked_actions() -> None:
    env, masked, _ = at_a_masked_slot(illegal_action="raise")
    before = pickle.dumps(env._lanes.records)
    with pytest.raises(IllegalActionError, match="one that the mask allows, one of"):
        env.step(masked)
    assert pickle.dumps(env._lanes.records) == before


def test_stepping_a_finished_or_unstarted_episode_is_a_named_error() -> None:
    """openai/gym#3115."""
    env = WarEnv("mini")
    with pytest.raises(FinishedError, match="never started"):
        env.step(0)
    env.reset(seed=0)
    while not env.step(0)[2]:
        pass
    with pytest.raises(FinishedError, match="is over: call reset"):
        env.step(0)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"preset": "poker"}, "preset='poker' is unknown"),
        ({"preset": "clasic"}, "Did you mean 'classic'"),
        ({"preset": 3}, "preset=3 is not allowed"),
        ({"hand_sise": 3}, "argument='hand_sise' is unknown. Did you mean 'hand_size'"),
        ({"oponent": "greedy"}, "argument='oponent' is unknown. Did you mean 'opponent'"),
        ({"opponent": {"greedy": 10**400}}, "must be a weight, a number > 0 and at most"),
        ({"render_mode": np.zeros(2)}, "render_mode=.* is not allowed"),
        ({"hand_size": 9}, "hand_size=9 is not allowed"),
        ({"hand_size": True}, "hand_size=True is not allowed"),
        ({"hand_size": 3.0}, "hand_size=3.0 is not allowed"),
        ({"run_out": "die"}, "run_out='die' is not allowed"),
        ({"max_battles": None}, "two hoarders never finish"),
        ({"opponent": "greedi"}, "opponent='greedi' is unknown. Did you mean 'greedy'"),
        ({"opponent": {"greedy": 0}}, r"opponent\['greedy'\]=0 is not allowed"),
        ({"opponent": {"greedy": float("nan")}}, "must be a weight, a number > 0 and at most"),
        ({"opponent": {}}, "a mix must have 1 to 32 entries"),
        ({"opponent": ["greedy", "random"]}, "has 2 entries: there are 1 other seats"),
        ({"opponent": 7}, "opponent=7 is not allowed"),
        ({"opponent": "nowhere.npz"}, "weights='nowhere.npz' cannot be read"),
        ({"seat": 2}, "seat=2 is not allowed: it must be an integer from 0 to 1"),
        ({"seat": True}, "seat=True is not allowed"),
        ({"reward": "score"}, "reward='score' is not allowed"),
        ({"memory": 1}, "memory=1 is not allowed"),
        ({"illegal_action": "ignore"}, "illegal_action='ignore' is not allowed"),
        ({"render_mode": "braille"}, "render_mode='braille' is not allowed"),
    ],
)
def test_bad_options_name_the_field_the_value_and_what_is_allowed(options: dict, words: str) -> None:
    with pytest.raises(WarEnvError, match=words):
        WarEnv(**{"preset": "strategic", **options})


@pytest.mark.parametrize("seed", [-1, 1.5, "1", True])
def test_bad_seeds_change_nothing(seed: object) -> None:
    env = WarEnv("mini")
    env.reset(seed=0)
    before = pickle.dumps(env._lanes.records)
    with pytest.raises(WarEnvError, match="seed="):
        env.reset(seed=seed)
    assert pickle.dumps(env._lanes.records) == before


def test_ids_names_and_modules_are_found() -> None:
    """Gymnasium's own errors list the versions of an id (openai/gym#2345)."""
    assert gym.make("war_env:War-v0").spec.id == "War-v0"
    with pytest.raises(gym.error.VersionNotFound, match="v0"):
        gym.make("War-v7")
    for preset in war_env.PRESETS:
        assert war_env.get_rules(preset.name) == war_env.get_rules(preset.id) == preset.rules


def test_time_limits_truncate() -> None:
    env = gym.make("War-v0", max_episode_steps=5)
    env.reset(seed=0)
    flags = [env.step(0)[2:4] for _ in range(5)]
    assert flags == [(False, False)] * 4 + [(False, True)]


def test_the_first_game_of_a_seed_is_the_one_game_deals(env_id: str) -> None:
    """openai/gym#427: the observation at reset is that of the first decision."""
    env = gym.make(env_id, seat=1)
    observation, _ = env.reset(seed=11)
    game = war_env.Game.deal(env.unwrapped.rules, 11)
    assert np.array_equal(observation, game.observation(1))


def test_opponents_change_from_the_next_episode_on() -> None:
    env = gym.make("WarClassic-v0", opponent="random")
    env.reset(seed=0)
    env.unwrapped.set_opponent({"greedy": 1.0})
    seats = env.unwrapped._lanes.records.fields["seats"][0]
    assert seats["policy"][1] == 0
    env.reset()
    assert seats["policy"][1] == 1


def test_equal_runs_leave_equal_generators(env_id: str) -> None:
    """Gymnasium#1705: after the same seed and steps the generators and streams stand at the same place."""
    envs = [gym.make(env_id).unwrapped for _ in range(2)]
    for env in envs:
        env.reset(seed=3)
        roll(env, np.random.default_rng(4), 60)
    assert pickle.dumps(envs[0].np_random) == pickle.dumps(envs[1].np_random)
    assert pickle.dumps(envs[0]._lanes.rng) == pickle.dumps(envs[1]._lanes.rng)
    assert envs[0]._lanes.records.words.tolist() == envs[1]._lanes.records.words.tolist()


def test_rewards_differ_by_name_alone() -> None:
    """google-deepmind/open_spiel#79: the same game, paid by who wins, by the margin, or by each capture."""
    totals, seen = {}, []
    for reward in ("win", "margin", "capture"):
        env = gym.make("War-v0", reward=reward, opponent="greedy")
        env.reset(seed=6)
        rewards, is_over = [], False
        while not is_over:
            _, value, is_over, _, info = env.step(0)
            rewards.append(value)
        seen.append((len(rewards), info["winner"], info["held"].tolist()))
        totals[reward] = rewards
    assert seen[0] == seen[1] == seen[2]
    held = seen[0][2]
    assert totals["win"][-1] == (1.0 if held[0] > held[1] else -1.0 if held[0] < held[1] else 0.0)
    assert totals["margin"][-1] == pytest.approx((held[0] - held[1]) / 52)
    assert not any(totals["win"][:-1])
    assert not any(totals["margin"][:-1])
    assert sum(totals["capture"]) == pytest.approx(totals["margin"][-1])
