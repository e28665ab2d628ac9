"""stable-baselines3 on our environments: the plain algorithms, MaskablePPO, checkpoints and exported weights."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.vec_env import SubprocVecEnv, VecMonitor

from agents.registry import get_agent
from agents.training.checkpoints import load_state
from agents.training.ppo import (
    CHECKPOINT,
    CURVE,
    PPOConfig,
    layout_of,
    load_checkpoint,
    make_model,
    to_network,
    train,
)
from war_env import ArgumentError, NotationError, RulesError, WarEnv, get_rules
from war_env.layout import Layout
from war_env.sb3 import WarVecEnv
from war_env.weights import get_policy, load_network, save_network

torch.set_num_threads(1)
TINY = PPOConfig(preset="mini", steps=4_096, num_envs=64, rollout=16, batch_size=512, evaluations=2, hidden=(16,))


@pytest.mark.parametrize("algorithm", [PPO, A2C, DQN])
def test_plain_algorithms_learn_on_the_single_environment(algorithm: type) -> None:
    """Masked actions are played as the highest card, so that algorithms without masks work; 2,000 steps."""
    model = algorithm("MlpPolicy", gym.make("War-v0"), seed=0, device="cpu").learn(2_000)
    before = model.policy.state_dict()
    assert all(torch.isfinite(value).all() for value in before.values())


def test_maskable_ppo_learns_on_the_single_environment() -> None:
    model = MaskablePPO("MlpPolicy", gym.make("WarOnePass-v0"), seed=0, device="cpu", n_steps=512).learn(2_000)
    env = WarEnv("one_pass")
    observation, info = env.reset(seed=0)
    for _ in range(300):
        action, _ = model.predict(observation, action_masks=env.action_masks())
        assert info["action_mask"][action]
        observation, _, terminated, _, info = env.step(action)
        if terminated:
            observation, info = env.reset()


@pytest.mark.parametrize("algorithm", [PPO, MaskablePPO])
def test_ppo_learns_on_the_vector_environment(algorithm: type) -> None:
    """stable-baselines3#1568, stable-baselines3#2180: with VecMonitor, for 8,192 steps."""
    env = VecMonitor(WarVecEnv("War-v0", 64, opponent={"random": 1, "reserve": 1}))
    model = algorithm("MlpPolicy", env, seed=0, device="cpu", n_steps=64, batch_size=512).learn(8_192)
    assert model.num_timesteps == 8_192
    assert len(model.ep_info_buffer) > 0


def test_the_vector_environment_follows_the_contract_of_vec_env() -> None:
    env = WarVecEnv("mini", 6, reward="margin")
    env.seed(3)
    observations = env.reset()
    assert is_masking_supported(env)
    assert get_action_masks(env).shape == (6, 2)
    single = WarEnv("mini", reward="margin")
    assert np.array_equal(observations[2], single.reset(seed=5)[0])
    for _ in range(40):
        observations, rewards, dones, infos = env.step(np.zeros(6, np.int64))
        expected = single.step(0)
        assert rewards.dtype == np.float32
        assert rewards[2] == np.float32(expected[1])
        assert dones[2] == expected[2]
        if dones[2]:
            info = infos[2]
            assert np.array_equal(info["terminal_observation"], expected[0])
            assert info["TimeLimit.truncated"] is False
            assert info["episode"]["r"] == pytest.approx(expected[1])
            assert info["episode"]["l"] == 4
            assert info["reason"] == "stock_out"
            expected = single.reset()
        assert np.array_equal(observations[2], expected[0])
        assert all(info == {} for row, info in enumerate(infos) if not dones[row])
    assert env.env_method("action_masks", indices=[1, 3])[0].shape == (2,)
    assert env.get_attr("seat") == [0] * 6
    env.env_method("set_opponent", "reserve")
    with pytest.raises(ArgumentError, match="acts on all rows or on none"):
        env.env_method("set_opponent", "greedy", indices=[1])
    with pytest.raises(ArgumentError, match="cannot be set: rows are not objects"):
        env.set_attr("seat", 1)
    with pytest.raises(ArgumentError, match="autoreset_mode is not allowed"):
        WarVecEnv("mini", 2, autoreset_mode="NextStep")


def test_truncation_is_told_to_stable_baselines3() -> None:
    env = WarVecEnv("War-v0", 4, max_episode_steps=3)
    env.reset()
    for _ in range(3):
        _, _, dones, infos = env.step(np.zeros(4, np.int64))
    assert dones.all()
    assert all(info["TimeLimit.truncated"] for info in infos)


def test_a_truncated_row_reports_no_ending() -> None:
    """Beside rows that end in the same step; values are Python's own."""
    env = WarVecEnv("mini", 64, max_episode_steps=3, face_down=1)
    env.seed(0)
    env.reset()
    kinds = set()
    for _ in range(30):
        _, _, dones, infos = env.step(np.zeros(64, np.int64))
        for row in np.flatnonzero(dones):
            assert ("reason" in infos[row]) != infos[row]["TimeLimit.truncated"] or infos[row].get("reason") is not None
            assert infos[row]["TimeLimit.truncated"] == ("winner" not in infos[row])
            assert type(infos[row].get("winner", 0)) is int
            kinds.add(infos[row]["TimeLimit.truncated"])
    assert kinds == {True, False}


def test_subprocess_vector_environments_work() -> None:
    """numba/numba#10486: stable-baselines3's processes, forked and spawned."""
    for method in ("fork", "spawn"):
        env = SubprocVecEnv([partial(gym.make, "war_env:WarMini-v0")] * 2, start_method=method)
        env.seed(1)
        assert np.array_equal(env.reset()[1], WarEnv("mini").reset(seed=2)[0])
        env.step(np.zeros(2, np.int64))
        env.close()


def test_training_writes_a_curve_resumes_and_exports(tmp_path: Path) -> None:
    """A training that was stopped goes on from its checkpoint; the exported network plays like the model."""
    points: list[int] = []

    class StopError(Exception):
        pass

    def stop_after(steps: int) -> None:
        points.append(steps)
        if steps >= 3 * TINY.steps // 4:
            raise StopError

    with pytest.raises(StopError):
        train(TINY, tmp_path, lambda network: {"x": 1.0}, stop_after)
    assert [point["steps"] for point in json.loads((tmp_path / CURVE).read_text())] == [0, TINY.steps // 2]
    kept = load_state(tmp_path / CHECKPOINT, dict)
    resumed: list[int] = []
    model = make_model(TINY)
    load_checkpoint(model, tmp_path)
    assert all(torch.equal(kept["policy"][name], value) for name, value in model.policy.state_dict().items())
    trained = train(TINY, tmp_path, lambda network: {"x": 2.0}, resumed.append)
    assert resumed[0] == TINY.steps // 2
    assert trained.steps >= TINY.steps
    assert trained.curve[0]["x"] == 1.0
    assert trained.curve[-1]["x"] == 2.0
    again = train(TINY, tmp_path, lambda network: {}, points.append)
    assert again.curve == trained.curve
    # Killed between the last checkpoint and the last point of the curve.
    (tmp_path / CURVE).write_text(json.dumps(trained.curve[:-1]))
    last = train(TINY, tmp_path, lambda network: {"x": 3.0}, points.append)
    assert [point["steps"] for point in last.curve] == [point["steps"] for point in trained.curve]
    assert last.curve[-1]["x"] == 3.0


def test_exported_weights_play_like_the_model(tmp_path: Path) -> None:
    """stable-baselines3#1682: arrays and JSON, no pickled space."""
    model = make_model(TINY)
    layout = layout_of(TINY)
    save_network(tmp_path / "agent.npz", to_network(model, description="untrained"), layout)
    network = load_network(tmp_path / "agent.npz")
    observations = np.random.default_rng(0).random((50, layout.size)).astype(np.float32)
    masks = np.ones((50, 2), np.int8)
    masks[::2, 1] = 0
    expected, _ = model.predict(observations, deterministic=True, action_masks=masks)
    assert np.array_equal(network.act(observations, masks, np.random.default_rng(0)), expected)
    env = WarEnv("mini", opponent=str(tmp_path / "agent.npz"))
    env.reset(seed=0)
    assert env.step(0)[0].shape == (layout.size,)
    assert get_agent(str(tmp_path / "agent.json"), get_rules("mini")).name == "agent"


def test_sampled_play_follows_the_probabilities() -> None:
    """20,000 draws; standard error at most .0036, tolerance 4 of them."""
    network = to_network(make_model(TINY), is_sampling=True)
    observation = np.repeat(
        np.random.default_rng(1).random((1, layout_of(TINY).size)).astype(np.float32), 20_000, axis=0
    )
    logits = network.logits(observation)[0]
    expected = np.exp(logits - logits.max())
    expected /= expected.sum()
    slots = network.act(observation, np.ones((20_000, 2), np.int8), np.random.default_rng(0))
    assert slots.mean() == pytest.approx(expected[1], abs=0.0144)


def exported(folder: Path) -> Path:
    path = folder / "agent.npz"
    save_network(path, to_network(make_model(TINY)), layout_of(TINY))
    return path


def test_weights_refuse_other_rules_by_name(tmp_path: Path) -> None:
    path = exported(tmp_path)
    with pytest.raises(RulesError, match=r"were made for other rules: .*face_down=0 \(here 1\)"):
        get_policy("opponent", path, get_rules("mini", face_down=1))
    save_network(path, to_network(make_model(replace(TINY, memory=False))), Layout(get_rules("mini"), memory=False))
    assert get_policy("opponent", path, get_rules("mini"), memory=True) is not None
    save_network(path, to_network(make_model(TINY)), layout_of(TINY))
    with pytest.raises(RulesError, match=r"memory=True \(here False\)"):
        get_policy("opponent", path, get_rules("mini"), memory=False)


def test_a_network_without_memory_plays_among_observations_with_memory(tmp_path: Path) -> None:
    config = replace(TINY, memory=False)
    path = tmp_path / "agent.npz"
    save_network(path, to_network(make_model(config)), layout_of(config))
    rules = get_rules("mini")
    with_memory, without = WarEnv("mini"), WarEnv("mini", memory=False)
    one, _ = with_memory.reset(seed=4)
    two, _ = without.reset(seed=4)
    mask, rng = np.ones((1, 2), np.int8), np.random.default_rng(0)
    adapted, plain = get_policy("agent", path, rules), get_policy("agent", path, rules, memory=False)
    assert adapted.act(one[None], mask, rng) == plain.act(two[None], mask, rng)


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda npz, card: card.write_text("{"), "is not JSON: JSONDecodeError"),
        (lambda npz, card: card.write_text("[]"), "must be an object with format"),
        (lambda npz, card: card.unlink(), "cannot be read: FileNotFoundError"),
        (lambda npz, card: npz.write_bytes(b"PK"), "cannot be read"),
        (lambda npz, card: npz.write_bytes(npz.read_bytes()[:-40]), "cannot be read"),
        (lambda npz, card: edit(card, format=9), "format 9"),
        (lambda npz, card: edit(card, kind="pickle"), "kind 'pickle'"),
        (lambda npz, card: edit(card, sha256="0"), "do not match the sha256"),
        (lambda npz, card: edit(card, format=True), "format True"),
        (lambda npz, card: edit(card, is_sampling="false"), "is_sampling .bool."),
        (lambda npz, card: edit(card, shapes=None), "must be an object with"),
        (lambda npz, card: edit(card, shapes=[]), "are no pairs of numbers"),
        (lambda npz, card: edit(card, shapes=[[34, 2]]), "it holds the arrays"),
        (lambda npz, card: edit(card, shapes=[[34, 8], [8, 2]]), "not of the declared shape"),
        (lambda npz, card: edit(card, shapes=[[34, 16], [17, 2]]), "do not lead"),
        (
            lambda npz, card: edit(card, shapes=[[34, 16], [16, 1]]),
            "do not lead from the observation.s 34 numbers to 2 slots",
        ),
        (lambda npz, card: edit(card, rules=[]), "must be an object with"),
        (lambda npz, card: edit(card, rules={"later_option": 1}), "its rules are not known here"),
        (lambda npz, card: edit(card, rules={"players": 99}), "its rules are not known here"),
        (lambda npz, card: np.savez(npz, weight0=np.array([object()], dtype=object)), "cannot be read: ValueError"),
    ],
)
def test_damaged_weights_are_named_errors(tmp_path: Path, damage: object, words: str) -> None:
    """No pickle is loaded from a file, and nothing half-read is used."""
    path = exported(tmp_path)
    damage(path, path.with_suffix(".json"))
    with pytest.raises(NotationError, match=words):
        load_network(path)


def edit(card: Path, **changes: object) -> None:
    card.write_text(json.dumps(json.loads(card.read_text()) | changes))


def test_trained_evaluation_never_plays_a_masked_slot() -> None:
    """sb3-contrib#226, sb3-contrib#212: evaluation with masks, 300 episodes, no illegal action."""
    model = MaskablePPO("MlpPolicy", WarEnv("mini"), n_steps=64, device="cpu", seed=0)
    env = WarVecEnv("mini", 16, illegal_action="raise")
    mean, _ = evaluate_policy(model, VecMonitor(env), n_eval_episodes=300)
    assert -1 <= mean <= 1


def test_masked_probabilities_pass_their_own_check() -> None:
    """sb3-contrib#81: 102,400 steps with the distributions' arguments checked."""
    assert torch.distributions.Distribution._validate_args
    env = WarVecEnv("mini", 1024)
    model = MaskablePPO("MlpPolicy", env, n_steps=25, batch_size=12_800, n_epochs=1, device="cpu", seed=0)
    model.learn(102_400)
    assert model.num_timesteps == 102_400
