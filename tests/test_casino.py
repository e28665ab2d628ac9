"""Casino War at the table: payoffs of every branch, the shoe, the environments, learning."""

from __future__ import annotations

import json
import pickle
import re
import time
import warnings
from fractions import Fraction
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.env_checker import check_env as sb3_check_env

from agents.training.casino import train_casino
from tests.test_experiments import run, summary_of
from tests.test_vector_env import assert_same
from war_env import CasinoRules, CasinoWarEnv, CasinoWarVectorEnv, IllegalActionError, WarEnvError
from war_env.casino_rules import CASINO_ID, RESERVE
from war_env.sb3 import WarVecEnv
from war_env.weights import load_network, save_network


def table_with(shoe: dict[int, int], **options: object) -> CasinoWarEnv:
    """A table whose shoe holds these cards alone, before a bet."""
    env = CasinoWarEnv(**{"rounds": 1, **options})
    env.reset(seed=0)
    record = env._lanes.records
    for name in ("shoe", "unseen"):
        record[name][0] = [shoe.get(rank, 0) for rank in range(13)]
    record["left"][0] = sum(shoe.values())
    return env


def outcomes(shoe: dict[int, int], actions: list[int], draws: int = 60, **options: object) -> dict[float, int]:
    """Rewards of the last action over many streams, and how often each came."""
    counts: dict[float, int] = {}
    for k in range(draws):
        env = table_with(shoe, **options)
        env._lanes.records["draws"][0] = k * 7919 + 1
        for action in actions:
            reward = env.step(action)[1]
        counts[reward] = counts.get(reward, 0) + 1
    return counts


def test_payoffs_of_every_branch() -> None:
    """openai/gym#1879, Gymnasium#1011: one table of payoffs in casino_rules.py."""
    assert set(outcomes({11: 1, 10: 1}, [0])) == {1.0, -1.0}
    env = table_with({11: 1, 10: 1})
    reward = env.step(0)[1]
    record = env._lanes.records[0]
    assert (reward == 1.0) == (record["player"] > record["dealer"])
    assert outcomes({11: 7}, [0]) == {0.0: 60}
    assert outcomes({11: 7}, [1]) == {10.0: 60}
    assert outcomes({11: 7}, [1], tie_pays=11) == {11.0: 60}
    assert outcomes({11: 7}, [0, 2]) == {-0.5: 60}
    assert outcomes({11: 7}, [0, 3]) == {1.0: 60}
    assert outcomes({11: 7}, [0, 3], bonus=1) == {2.0: 60}
    assert set(outcomes({11: 1, 10: 1}, [1])) == {0.0, -2.0}
    assert outcomes({11: 7}, [2, 7], bet_levels=3) == {3.0: 60}
    assert outcomes({11: 7}, [5, 6], bet_levels=3) == {-1.5: 60}
    assert outcomes({11: 7}, [5], bet_levels=3) == {30.0: 60}
    assert outcomes({11: 7}, [2, 7], bet_levels=3, bonus=1) == {6.0: 60}
    assert set(outcomes({11: 1, 10: 1}, [2], bet_levels=3)) == {3.0, -3.0}
    assert set(outcomes({11: 1, 10: 1}, [5], bet_levels=3)) == {0.0, -6.0}


@pytest.mark.parametrize(("bonus", "level"), [(0, 1), (1, 1), (0, 3), (1, 3)])
def test_whole_rounds_with_the_tie_bet_add_up(bonus: int, level: int) -> None:
    """Tie bet and war: +10 + 1, +10 - 2 = +8, +10 + 1 (+ bonus), and +9.5 surrendered; three levels win three times."""
    totals = set()
    for k in range(400):
        env = table_with({0: 2}, bonus=bonus, bet_levels=level)
        total = env.step(2 * level - 1)[1]
        assert total == 10.0 * level
        left, unseen = stack(env, [3, 1, 1], k)
        reward = env.step(2 * level + (k % 4 > 0))[1]
        record = env._lanes.records
        if k % 4 == 0:
            assert total + reward == 9.5 * level
            continue
        totals.add((total + reward) / level)
        # Five cards left the shoe; two of them were seen, and three were burned.
        assert int(record["left"][0]) == left - 5
        assert int(record["unseen"][0].sum()) == unseen - 2
    assert totals == ({11.0, 8.0} if bonus == 0 else {11.0, 8.0, 12.0})


def stack(env: CasinoWarEnv, cards: list[int], key: int) -> tuple[int, int]:
    """Put other cards into a table's shoe in the middle of a round; returns how many are in it, and unseen."""
    record = env._lanes.records
    for name in ("shoe", "unseen"):
        record[name][0] = [*cards, *[0] * (13 - len(cards))]
    record["left"][0] = sum(cards)
    record["draws"][0] = key * 104729 + 3
    return sum(cards), sum(cards)


def test_burned_cards_are_not_seen() -> None:
    """After a war the player's counts still hold the burned cards; the shoe does not."""
    env = CasinoWarEnv(packs=1, rounds=200, penetration=1.0)
    observation, info = env.reset(seed=0)
    record, differs = env._lanes.records, 0
    for _ in range(2_000):
        counts = env.layout.unseen(observation)
        assert np.array_equal(counts, record["unseen"][0])
        hidden = int(counts.sum() - record["shoe"][0].sum())
        assert hidden % 3 == 0
        differs += hidden > 0
        action = 3 if info["action_mask"][3] and not info["action_mask"][0] else 0
        observation, _, over, _, info = env.step(action)
        if over:
            observation, info = env.reset()
    assert differs > 200


def test_the_shoe_is_shuffled_only_when_it_must_be() -> None:
    """A new shoe comes right after the cut or the last cards, never before."""
    rules = CasinoRules(packs=1, rounds=500, penetration=0.6)
    env = CasinoWarEnv(rules)
    env.reset(seed=3)
    record, shuffles, dealt = env._lanes.records, 0, 0
    for _ in range(450):
        observation = env.step(3 if env.action_masks()[3] else 0)[0]
        now = int(record["dealt"][0])
        if now == 0:
            shuffles += 1
            assert dealt + 2 >= 0.6 * 52 - 5
        else:
            assert now > dealt
        dealt = now
        assert observation[env.layout.slices["rounds_left"]] == pytest.approx((500 - int(record["round"][0])) / 500)
    assert shuffles > 15


def test_the_table_is_clear_after_a_round() -> None:
    """Cards and stake are shown in a tie alone; the text tells the round before."""
    env = CasinoWarEnv(rounds=1, render_mode="ansi")
    env.reset(seed=0)
    observation = env.step(0)[0]
    named = {name: observation[place] for name, place in env.layout.slices.items()}
    assert not any(named[name].any() for name in ("phase", "player_card", "dealer_card", "stake"))
    assert "1 rounds played" in env.render()
    assert "last round: " in env.render()
    tied = table_with({9: 9}, bet_levels=4, rounds=2)
    named = {name: tied.step(2)[0][place] for name, place in tied.layout.slices.items() if name == "stake"}
    assert named["stake"] == 0.75


def test_a_war_is_won_lost_or_tied_as_the_cards_fall() -> None:
    """After a tie of twos five cards are left, one of them higher: it wins, loses, or is burned."""
    counts: dict[float, int] = {}
    for k in range(3000):
        env = table_with({0: 2}, bonus=1)
        env.step(0)
        record = env._lanes.records
        record["shoe"][0] = [4, 1, *[0] * 11]
        record["unseen"][0] = [4, 1, *[0] * 11]
        record["left"][0] = 5
        record["draws"][0] = k * 104729 + 3
        reward = env.step(3)[1]
        counts[reward] = counts.get(reward, 0) + 1
    assert set(counts) == {1.0, -2.0, 2.0}
    # 1/5, 1/5 and 3/5 of 3,000; four standard errors are 88 and 107.
    assert abs(counts[1.0] - 600) < 88
    assert abs(counts[-2.0] - 600) < 88
    assert abs(counts[2.0] - 1800) < 107


@pytest.mark.parametrize("penetration", [0.0, 0.5, 0.75, 1.0])
@pytest.mark.parametrize("packs", [1, 6])
def test_the_shoe_keeps_its_cards_and_its_cut(packs: int, penetration: float) -> None:
    """Cards are conserved, a round starts only before the cut and with more than ten cards, and never finished."""
    envs = CasinoWarVectorEnv(packs=packs, penetration=penetration, num_envs=64, autoreset_mode="SameStep", rounds=40)
    envs.reset(seed=0)
    record = envs._lanes.records
    cut = -(-int(1000 * penetration) * 52 * packs // 1000)
    for _ in range(400):
        assert (record["shoe"].sum(axis=1) == record["left"]).all()
        assert (record["left"] + record["dealt"] == 52 * packs).all()
        assert (record["shoe"] <= record["unseen"]).all()
        betting = record["phase"] == 0
        if penetration:
            assert (record["dealt"][betting] < cut).all()
        assert (record["left"][betting] > RESERVE).all()
        masks = envs.action_masks()
        assert (masks[betting] == [True, True, False, False]).all()
        assert (masks[~betting] == [False, False, True, True]).all()
        envs.step(envs.sample_actions())


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("options", [{"rounds": 3}, {"rounds": 2, "packs": 1, "bet_levels": 3, "bonus": 1}])
def test_vector_equals_sync_vector_env_step_by_step(mode: AutoresetMode, options: dict) -> None:
    ours = gym.make_vec(CASINO_ID, num_envs=6, autoreset_mode=mode.value, **options)
    theirs = SyncVectorEnv([lambda: gym.make(CASINO_ID, **options)] * 6, autoreset_mode=mode)
    assert_same(ours.reset(seed=9)[1], theirs.reset(seed=9)[1])
    rng = np.random.default_rng(0)
    for _ in range(150):
        actions = rng.integers(0, ours.single_action_space.n, 6)
        mine, other = ours.step(actions), theirs.step(actions)
        for a, b in zip(mine[:4], other[:4], strict=True):
            assert a.dtype == b.dtype
            assert np.array_equal(a, b)
        assert_same(mine[4], other[4])
        done = mine[2] | mine[3]
        if mode == AutoresetMode.DISABLED and done.any():
            a, b = (env.reset(options={"reset_mask": done.copy()}) for env in (ours, theirs))
            assert np.array_equal(a[0], b[0])


def test_official_checkers_pass_and_steps_keep_the_contract() -> None:
    env = gym.make(CASINO_ID, bet_levels=2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)
        sb3_check_env(env.unwrapped)
    observation, info = env.reset(seed=0)
    total, ended = 0.0, 0
    for _ in range(400):
        assert env.observation_space.contains(observation)
        assert info["action_mask"].any()
        observation, reward, terminated, truncated, info = env.step(env.action_space.sample(info["action_mask"]))
        total += reward
        assert info["illegal_action"] is False
        assert truncated is False
        if terminated:
            assert info["units"] == total
            assert info["rounds"] == 50
            assert type(info["units"]) is float
            assert info["action_mask"].all()
            observation, info = env.reset()
            total, ended = 0.0, ended + 1
    assert ended > 3


def test_a_pickled_table_goes_on_identically_and_specs_survive_json() -> None:
    env = gym.make(CASINO_ID, packs=1)
    env.reset(seed=3)
    for _ in range(20):
        env.step(0)
    twin = pickle.loads(pickle.dumps(env))
    again = gym.make(gym.envs.registration.EnvSpec.from_json(env.spec.to_json()))
    assert json.loads(again.spec.to_json())["kwargs"]["packs"] == 1
    for k in range(29):
        one, two = env.step(k % 4), twin.step(k % 4)
        assert np.array_equal(one[0], two[0])
        assert one[1:4] == two[1:4]


def test_actions_that_do_not_apply_fall_back_or_raise() -> None:
    env = table_with({5: 7}, rounds=2)
    info = env.step(3)[4]
    assert info["illegal_action"] is True
    assert not info["action_mask"][:2].any()
    assert env.step(0)[4]["illegal_action"] is True
    strict = table_with({5: 7}, illegal_action="raise")
    with pytest.raises(IllegalActionError, match=r"one that the mask allows, one of \[0, 1\]"):
        strict.step(2)
    without = table_with({5: 7}, surrender=False)
    assert not without.step(0)[4]["action_mask"][2]
    assert without.step(2)[1] == 1.0


def test_text_and_description() -> None:
    env = CasinoWarEnv(render_mode="ansi", packs=1)
    env.reset(seed=0)
    assert env.render() == "round 1 of 50, 52 cards left, +0.0 units\nplace your bet"
    env.step(0)
    assert re.search(r"last round: \w+ v \w+, [+-]1.0\nplace your bet", env.render())
    table = table_with({12: 9}, render_mode="ansi", rounds=2)
    observation = table.step(0)[0]
    assert table.render().endswith("stake 1, player A, dealer A: surrender or war")
    assert "player_card  A" in table.layout.describe(observation)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"packs": 0}, "packs=0 is not allowed: it must be 1..8"),
        ({"packs": 9}, "packs=9"),
        ({"packs": True}, "packs=True"),
        ({"bonus": 2}, "bonus=2 is not allowed: it must be 0, 1"),
        ({"tie_pays": 0}, "tie_pays=0"),
        ({"rounds": 0}, "rounds=0"),
        ({"penetration": 1.5}, "penetration=1.5 is not allowed: it must be 0..1"),
        ({"penetration": float("nan")}, "penetration=nan"),
        ({"surrender": 1}, "surrender=1"),
        ({"bet_levels": 11}, "bet_levels=11"),
        ({"pack": 1}, "argument='pack' is unknown. Did you mean 'packs'"),
        ({"preset": "classic"}, "preset='classic' is unknown"),
        ({"preset": 5}, "preset=5 is not allowed"),
        ({"illegal_action": "highest"}, "illegal_action='highest' is not allowed: it must be one of smallest, raise"),
    ],
)
def test_bad_options_name_the_field(options: dict, words: str) -> None:
    for make in (CasinoWarEnv, CasinoWarVectorEnv):
        with pytest.raises(WarEnvError, match=words.replace("(", r"\(")):
            make(**options)


@pytest.mark.parametrize("algorithm", [PPO, A2C, DQN])
def test_plain_algorithms_run(algorithm: type) -> None:
    """Without masks: actions that do not apply fall back."""
    model = algorithm("MlpPolicy", gym.make(CASINO_ID), seed=0, device="cpu").learn(2_000)
    assert model.num_timesteps >= 2_000


def test_other_places_point_to_the_casino() -> None:
    with pytest.raises(WarEnvError, match="has rules of its own: CasinoRules"):
        gym.make("War-v0", preset="casino")
    env = WarVecEnv("casino", 2)
    with pytest.raises(WarEnvError, match="method_name='set_opponent' is no method of CasinoWarVectorEnv"):
        env.env_method("set_opponent", "greedy")


def test_a_learner_goes_to_war_and_leaves_the_tie_bet_alone(tmp_path: Path) -> None:
    """From nothing, within 60 seconds; its policy is asserted over 30,720 positions of play, not its luck."""
    rules = CasinoRules()
    start = time.process_time()
    network = train_casino(rules, seed=0)
    assert time.process_time() - start < 60
    env = WarVecEnv(rules, 512)
    env.seed(1000)
    observations = env.reset()
    bets, ties = [], []
    for _ in range(60):
        masks = env.envs.action_masks()
        actions = network.act(observations, masks, np.random.default_rng(0))
        is_tie = masks[:, rules.war_action]
        bets.append(actions[~is_tie])
        ties.append(actions[is_tie])
        observations, _, _, _ = env.step(actions)
    assert (np.concatenate(bets) == 0).mean() > 0.999
    assert (np.concatenate(ties) == rules.war_action).mean() > 0.99
    assert np.concatenate(ties).size > 1000
    save_network(tmp_path / "casino.npz", network, env.envs.layout)
    loaded = load_network(tmp_path / "casino.npz")
    assert np.array_equal(loaded.logits(observations), network.logits(observations))
    with pytest.raises(WarEnvError, match="were made for casino, not war"):
        gym.make("War-v0", opponent=str(tmp_path / "casino.npz"))


def test_casino_edge_quick_writes_everything(tmp_path: Path) -> None:
    """Exact beside simulated, the counter, the agents, one plain sentence."""
    text = run("casino_edge", "--quick", "--packs", "1", "6", "--out", str(tmp_path / "r"))
    assert "Counting does not pay" in text
    summary = summary_of(tmp_path / "r")
    assert len(summary["edges"]) == 2 * 3 * 2
    for row in summary["edges"]:
        keys = {"packs", "policy", "bonus", "tie_pays", "exact", "edge", "simulated", "standard_error"}
        assert keys <= set(row)
        assert row["agrees"]
        assert float(Fraction(row["exact"])) == row["edge"]
    returns = {row["agent"]: row for row in summary["agents"]}
    assert set(returns) == {"war", "surrender", "tie_bettor", "counter", "trained"}
    assert returns["tie_bettor"]["high"] < returns["surrender"]["low"]
    for row in summary["agents"]:
        if row["exact_full_shoe"] is not None:
            assert abs(row["per_round"] - row["exact_full_shoe"]) < 4 * row["standard_error"]
    assert returns["tie_bettor"]["tie_bet_share"] == 1.0
    assert 0 < returns["counter"]["tie_bet_share"] < 0.01
    page = (tmp_path / "r" / "report.html").read_text()
    assert "tie_bettor" in page
    assert "The counter" in page
    for name in ("casino_edges.png", "casino_counting.png", "report.html"):
        assert (tmp_path / "r" / name).exists()
    text = run("casino_edge", "--packs", "9", "--out", str(tmp_path / "x"), code=2)
    assert "packs=9 is not allowed" in text
