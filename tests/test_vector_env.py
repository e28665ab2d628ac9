"""`WarVectorEnv` against `SyncVectorEnv` over single environments, and its own contract."""

from __future__ import annotations

import pickle
from functools import partial

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv

from tests.comparing import assert_same
from war_env import FinishedError, IllegalActionError, WarEnv, WarEnvError, WarVectorEnv

MODES = list(AutoresetMode)
ROWS = 7


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("options", [{}, {"reward": "capture", "seat": 1, "opponent": {"greedy": 1, "reserve": 2}}])
def test_equals_sync_vector_env_step_by_step(env_id: str, mode: AutoresetMode, options: dict) -> None:
    """Gymnasium#1103, Gymnasium#1227: observations, rewards, flags and infos with their masks, in all three modes."""
    ours = gym.make_vec(env_id, num_envs=ROWS, autoreset_mode=mode.value, **options)
    theirs = SyncVectorEnv([lambda: gym.make(env_id, **options)] * ROWS, autoreset_mode=mode)
    assert isinstance(ours, WarVectorEnv)
    assert ours.metadata["autoreset_mode"] is mode
    assert_same(ours.reset(seed=20)[1], theirs.reset(seed=20)[1])
    rng = np.random.default_rng(4)
    for _ in range(400):
        actions = rng.integers(0, ours.single_action_space.n, ROWS)
        mine, other = ours.step(actions), theirs.step(actions)
        for name, a, b in zip(("obs", "reward", "terminated", "truncated"), mine, other, strict=False):
            assert a.dtype == b.dtype, name
            assert np.array_equal(a, b), name
        assert_same(mine[4], other[4])
        done = mine[2] | mine[3]
        if mode == AutoresetMode.DISABLED and done.any():
            a, b = (env.reset(options={"reset_mask": done.copy()}) for env in (ours, theirs))
            assert np.array_equal(a[0], b[0])
            assert_same(a[1], b[1])


@pytest.mark.parametrize("num_envs", [1, 4, 33])
def test_row_i_is_the_single_environment_seeded_s_plus_i(env_id: str, num_envs: int) -> None:
    """Observation, reward, flags and mask, whatever the number of rows."""
    vector = gym.make_vec(env_id, num_envs=num_envs, opponent={"random": 3, "median": 1}, autoreset_mode="SameStep")
    row = num_envs - 1
    single = gym.make(env_id, opponent={"random": 3, "median": 1})
    observations, _ = vector.reset(seed=100)
    observation, _ = single.reset(seed=100 + row)
    assert np.array_equal(observations[row], observation)
    rng = np.random.default_rng(0)
    for _ in range(300):
        actions = rng.integers(0, vector.single_action_space.n, num_envs)
        observations, rewards, terminated, truncated, infos = vector.step(actions)
        observation, reward, is_over, is_cut, info = single.step(int(actions[row]))
        assert (rewards[row], terminated[row], truncated[row]) == (reward, is_over, is_cut)
        if is_over:
            assert np.array_equal(infos["final_obs"][row], observation)
            observation, info = single.reset()
        assert np.array_equal(observations[row], observation)
        assert np.array_equal(infos["action_mask"][row], info["action_mask"])
        assert np.array_equal(vector.action_masks()[row], info["action_mask"].astype(bool))


def test_make_vec_gives_the_native_environment_and_sync_on_request(env_id: str) -> None:
    """openai/gym#625."""
    assert isinstance(gym.make_vec(env_id, num_envs=2).unwrapped, WarVectorEnv)
    assert isinstance(gym.make_vec(env_id, num_envs=2, vectorization_mode="sync"), SyncVectorEnv)
    again = gym.make_vec(gym.make_vec(env_id, num_envs=3, reward="margin").spec)
    assert again.num_envs == 3


def test_returned_arrays_are_fresh_and_may_be_overwritten() -> None:
    """Gymnasium#1681."""
    envs, twin = (gym.make_vec("War-v0", num_envs=8) for _ in range(2))
    envs.reset(seed=0)
    twin.reset(seed=0)
    rng = np.random.default_rng(0)
    for _ in range(50):
        actions = rng.integers(0, 5, 8)
        mine, other = envs.step(actions), twin.step(actions)
        for a, b in zip(mine[:4], other[:4], strict=True):
            assert np.array_equal(a, b)
            a[:] = 1
        assert_same(mine[4], other[4])
        mine[4]["action_mask"][:] = 0


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_time_limits_truncate_both_flags_in_one_step(mode: AutoresetMode) -> None:
    """`max_episode_steps` is enforced as `gym.make`'s TimeLimit does it."""
    ours = gym.make_vec("WarMini-v0", num_envs=6, max_episode_steps=3, autoreset_mode=mode.value, face_down=1)
    theirs = SyncVectorEnv([lambda: gym.make("WarMini-v0", max_episode_steps=3, face_down=1)] * 6, autoreset_mode=mode)
    ours.reset(seed=0)
    theirs.reset(seed=0)
    both, cut = 0, 0
    for _ in range(60):
        mine, other = ours.step(np.zeros(6, int)), theirs.step(np.zeros(6, int))
        assert np.array_equal(mine[2], other[2])
        assert np.array_equal(mine[3], other[3])
        assert np.array_equal(mine[0], other[0])
        assert_same(mine[4], other[4])
        both += int((mine[2] & mine[3]).sum())
        cut += int((~mine[2] & mine[3]).sum())
    assert both > 0
    assert cut > 0


def test_disabled_autoreset_refuses_finished_rows() -> None:
    """Gymnasium#1265."""
    envs = WarVectorEnv("mini", 3, autoreset_mode="Disabled")
    envs.reset(seed=0)
    done = np.zeros(3, bool)
    while not done.any():
        done = envs.step(np.zeros(3, int))[2]
    before = pickle.dumps(envs._lanes.records)
    with pytest.raises(FinishedError, match="is over: reset it"):
        envs.step(np.zeros(3, int))
    assert pickle.dumps(envs._lanes.records) == before
    options = {"reset_mask": done, "unknown": 1}
    envs.reset(options=options)
    assert set(options) == {"reset_mask", "unknown"}
    envs.step(np.zeros(3, int))


@pytest.mark.parametrize("mode", MODES)
def test_the_first_reset_starts_all_rows(mode: AutoresetMode) -> None:
    """A row that was never started has nothing to show."""
    envs = WarVectorEnv("mini", 3, autoreset_mode=mode)
    with pytest.raises(WarEnvError, match="not allowed in the first reset"):
        envs.reset(seed=0, options={"reset_mask": np.array([True, False, False])})
    with pytest.raises(FinishedError, match="never started"):
        envs.step(np.zeros(3, int))


def test_seeds_are_kept_and_generators_of_other_purposes_differ() -> None:
    envs = WarVectorEnv("mini", 3)
    envs.reset(seed=5)
    assert envs.np_random_seed == 5
    key = envs._lanes.records.fields["game"]["lane"][0]
    envs.reset(seed=np.int64(5))
    assert envs.np_random_seed == 5
    assert envs._sampler.integers(2**63) != np.random.default_rng(5).integers(2**63)
    assert key != 0
    assert np.array_equal(envs.reset(seed=np.array(5))[0], envs.reset(seed=5)[0])
    with pytest.raises(WarEnvError, match="options=5 is not allowed"):
        envs.reset(options=5)


@pytest.mark.parametrize("context", ["fork", "spawn"])
def test_many_processes_give_the_same_games(context: str) -> None:
    """numba/numba#10486, Gymnasium#1164: AsyncVectorEnv, forked and spawned, equals SyncVectorEnv."""
    make = partial(gym.make, "war_env:War-v0", opponent="reserve")
    there, here = AsyncVectorEnv([make] * 2, context=context), SyncVectorEnv([make] * 2)
    rng = np.random.default_rng(0)
    assert np.array_equal(there.reset(seed=3)[0], here.reset(seed=3)[0])
    for _ in range(30):
        actions = rng.integers(0, 5, 2)
        for a, b in zip(there.step(actions)[:4], here.step(actions)[:4], strict=True):
            assert np.array_equal(a, b)
    there.close()


def test_rows_that_reset_ignore_their_action() -> None:
    envs = WarVectorEnv("mini", 3, illegal_action="raise")
    envs.reset(seed=0)
    done = np.zeros(3, bool)
    while not done.any():
        done = envs.step(np.zeros(3, int))[2]
    actions = np.where(done, 99, 0)
    _, rewards, terminated, _, infos = envs.step(actions)
    assert not terminated[done].any()
    assert not rewards[done].any()
    assert not infos["illegal_action"].any()


@pytest.mark.parametrize(
    ("actions", "words"),
    [
        (np.zeros(4, bool), "dtype bool"),
        (np.zeros(4), "dtype float64"),
        (np.full(4, np.nan), "dtype float64"),
        (np.zeros((4, 1), int), r"shape \(4, 1\)"),
        (np.zeros(3, int), r"shape \(3,\)"),
        (0, r"shape \(\)"),
        ([0, True, 0, 0], "they hold bools"),
        ([[0], [1, 2], [0], [0]], "they are ragged"),
        (np.array([0, 0, 5, 0]), "row 2: action=5 is not allowed"),
        (np.array([0, -1, 0, 0]), "row 1: action=-1 is not allowed"),
        (np.array([0, 2**63, 0, 0], np.uint64), "row 1: action=9223372036854775808 is not allowed"),
    ],
)
def test_bad_actions_change_nothing(actions: object, words: str) -> None:
    envs = WarVectorEnv("strategic", 4)
    envs.reset(seed=0)
    before = pickle.dumps(envs._lanes.records)
    with pytest.raises(IllegalActionError, match=words):
        envs.step(actions)
    assert pickle.dumps(envs._lanes.records) == before


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"num_envs": 0}, "num_envs=0 is not allowed"),
        ({"num_envs": 2.0}, "num_envs=2.0 is not allowed"),
        ({"num_envs": True}, "num_envs=True is not allowed"),
        ({"autoreset_mode": "Sometimes"}, "autoreset_mode='Sometimes' is not allowed"),
        ({"max_episode_steps": 0}, "max_episode_steps=0 is not allowed"),
    ],
)
def test_bad_options_name_the_field(options: dict, words: str) -> None:
    with pytest.raises(WarEnvError, match=words):
        WarVectorEnv(**{"preset": "mini", "num_envs": 2, **options})


@pytest.mark.parametrize("mask", [np.zeros(3, bool), np.ones(2, bool), np.ones(3, int), [True, False, True], None])
def test_bad_reset_masks_change_nothing(mask: object) -> None:
    envs = WarVectorEnv("mini", 3)
    envs.reset(seed=0)
    before = pickle.dumps(envs._lanes.records)
    with pytest.raises(WarEnvError, match="reset_mask"):
        envs.reset(options={"reset_mask": mask})
    assert pickle.dumps(envs._lanes.records) == before


def test_seed_lists_with_gaps() -> None:
    envs, single = WarVectorEnv("mini", 3), WarEnv("mini")
    observations, _ = envs.reset(seed=[5, None, 9])
    assert np.array_equal(observations[2], single.reset(seed=9)[0])
    with pytest.raises(WarEnvError, match="one per row, 3"):
        envs.reset(seed=[1, 2])
    with pytest.raises(FinishedError, match="never started"):
        WarVectorEnv("mini", 3).step(np.zeros(3, int))


def test_a_pickled_vector_goes_on_identically(env_id: str) -> None:
    envs = gym.make_vec(env_id, num_envs=5)
    envs.reset(seed=0)
    rng = np.random.default_rng(1)
    actions = rng.integers(0, envs.single_action_space.n, (200, 5))
    for row in actions[:50]:
        envs.step(row)
    twin = pickle.loads(pickle.dumps(envs))
    for row in actions[50:]:
        for a, b in zip(envs.step(row)[:4], twin.step(row)[:4], strict=True):
            assert np.array_equal(a, b)


def test_sampled_actions_are_legal_and_uniform() -> None:
    """Sample 40,000 draws over 3 slots: standard error .0024, tolerance 4 of them."""
    envs = WarVectorEnv("strategic", 1000, hand_size=3)
    envs.reset(seed=0)
    counts = np.zeros(3)
    for _ in range(40):
        actions = envs.sample_actions()
        assert envs.action_masks()[np.arange(1000), actions].all()
        counts += np.bincount(actions, minlength=3)
    assert np.allclose(counts / counts.sum(), 1 / 3, atol=0.0095)


class Answering:
    """An opponent that answers what it is told to."""

    def __init__(self, answer: object) -> None:
        self.answer = answer

    def act(self, observation: np.ndarray, action_mask: np.ndarray, rng: np.random.Generator) -> object:
        return self.answer


@pytest.mark.parametrize(
    "answer", [None, 0, [0.7, 0.7], [True, False], [5, 0], [-1, 0], [0], [[0], [0]], [0, 2**63], [[0], [1, 2]]]
)
def test_wrong_answers_of_an_opponent_change_nothing(answer: object) -> None:
    envs = WarVectorEnv("strategic", 2, opponent=Answering(answer))
    envs.reset(seed=0)
    before = pickle.dumps(envs._lanes.records)
    with pytest.raises(WarEnvError, match=r"opponent of seat 1 returned .*integers from 0 to 4 of shape \(2,\)"):
        envs.step(np.zeros(2, int))
    assert pickle.dumps(envs._lanes.records) == before


class HighestCard:
    """An opponent of Python's own that plays its highest card."""

    def act(self, observation: np.ndarray, action_mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        assert observation.dtype == np.float32
        return action_mask.sum(axis=1) - 1


def test_a_policy_object_plays_like_its_compiled_twin(env_id: str) -> None:
    """The batched call sees the opponent's own view (hsahovic/poke-env#160)."""
    ours, compiled = (gym.make_vec(env_id, num_envs=9, opponent=who) for who in (HighestCard(), "greedy"))
    ours.reset(seed=2)
    compiled.reset(seed=2)
    rng = np.random.default_rng(0)
    for _ in range(250):
        actions = rng.integers(0, ours.single_action_space.n, 9)
        for a, b in zip(ours.step(actions)[:4], compiled.step(actions)[:4], strict=True):
            assert np.array_equal(a, b)
