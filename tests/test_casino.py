"""Casino War: exact values, payoffs of every branch, the shoe, the environments, the agents."""

from __future__ import annotations

import json
import pickle
import re
import time
import warnings
from fractions import Fraction
from itertools import permutations
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.env_checker import check_env as sb3_check_env

from agents.casino import CASINO_AGENTS
from agents.solvers.casino_exact import (
    best_play,
    evaluate,
    full_shoe,
    round_distribution,
    tie_probability,
    war_distribution,
)
from agents.solvers.casino_exact import mean as expectation
from agents.training.casino import train_casino
from experiments.casino_edge import POLICIES, counter_row, edge_row, play_rounds, verdict
from tests.test_experiments import run, summary_of
from tests.test_vector_env import assert_same
from war_env import CasinoRules, CasinoWarEnv, CasinoWarVectorEnv, IllegalActionError, WarEnvError
from war_env.casino_lanes import CasinoLanes
from war_env.casino_rules import CASINO_ID, RESERVE
from war_env.casino_state import RECORD_WORDS, make_plan
from war_env.engine.casino import COUNTER, SUMS, simulate_rounds
from war_env.policy import load_network, save_network
from war_env.sb3 import WarVecEnv

# packs: P(tie), tie bet at 10:1, surrender, war, war with bonus 1, standard deviations of both wars. Exact fractions;
# their percentages equal those of https://wizardofodds.com/games/casino-war/.
EXACT = {
    1: ("1/17", "6/17", "1/34", "503/20825", "86/4165", 1.0404, 1.0455),
    2: ("7/103", "26/103", "7/206", "4781/176851", "3962/176851", 1.0461, 1.0528),
    4: ("5/69", "14/69", "5/138", "8261/291387", "6730/291387", 1.0488, 1.0564),
    6: ("23/311", "58/311", "23/622", "142853/4965115", "23138/993023", 1.0497, 1.0576),
    8: ("31/415", "74/415", "31/830", "22847/788417", "276706/11826255", 1.0502, 1.0582),
}


@pytest.mark.parametrize("packs", EXACT)
def test_exact_edges_to_the_last_digit(packs: int) -> None:
    tie, tie_bet, surrender, war, bonus_war, deviation, bonus_deviation = EXACT[packs]
    rules, bonus = CasinoRules(packs=packs), CasinoRules(packs=packs, bonus=1)
    assert tie_probability(full_shoe(packs)) == Fraction(tie)
    assert evaluate("tie_bet", rules).edge == Fraction(tie_bet)
    assert evaluate("surrender", rules).edge == Fraction(surrender)
    assert evaluate("war", rules).edge == Fraction(war)
    assert evaluate("war", bonus).edge == Fraction(bonus_war)
    assert round(evaluate("war", rules).deviation, 4) == deviation
    assert round(evaluate("war", bonus).deviation, 4) == bonus_deviation


@pytest.mark.parametrize("packs", range(1, 9))
def test_closed_formulas_agree_for_every_number_of_packs(packs: int) -> None:
    """P(tie) = (k - 1) / (n - 1); given a tie, the second with m = n - 2; war beats surrender always."""
    n, k = 52 * packs, 4 * packs
    m = n - 2
    tie = Fraction(k - 1, n - 1)
    second = Fraction((k - 2) * (k - 3) + 12 * k * (k - 1), m * (m - 1))
    war = -(1 - second) / 2 + second
    for bonus in (0, 1):
        rules = CasinoRules(packs=packs, bonus=bonus)
        value = -(1 - second) / 2 + second * (1 + bonus)
        assert evaluate("war", rules).edge == -tie * value
        assert evaluate("war", rules).element_of_risk == -tie * value / (1 + tie)
    assert war > Fraction(-1, 2)
    assert evaluate("war", CasinoRules(packs=packs)).edge < evaluate("surrender", CasinoRules(packs=packs)).edge
    assert evaluate("tie_bet", CasinoRules(packs=packs, tie_pays=11)).edge == 1 - 12 * tie


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("bonus", [0, 1])
def test_simulation_agrees_with_the_exact_edge(policy: str, bonus: int) -> None:
    """Sample 2,000,000 rounds of 2 packs; tolerance 4 standard errors."""
    rules = CasinoRules(packs=2, bonus=bonus)
    row = edge_row(policy, rules, play_rounds(rules, int(POLICIES[policy]), 2_000_000, True, 5, 1))
    assert row["agrees"], row
    assert row["standard_error"] < 0.003


def test_intervals_by_shoe_hold_what_they_promise() -> None:
    """60 runs of 100,000 rounds: about 95 % of the intervals hold the exact value of always war (at least 51 of 60)."""
    rules = CasinoRules(packs=6, penetration=0.5)
    exact = -100 * float(evaluate("war", rules).edge)
    rows = [counter_row(0.5, rules, play_rounds(rules, int(COUNTER), 100_000, False, k, 3)) for k in range(60)]
    assert 51 <= sum(row["low"] <= exact <= row["high"] for row in rows) <= 60
    assert all(row["high"] - row["low"] > 0.5 for row in rows)
    assert "cannot be told" in verdict([{**rows[0], "low": -1.0, "high": 1.0}])
    assert "Counting pays" in verdict([{**rows[0], "low": 0.5, "high": 1.0}])
    assert "Counting does not pay" in verdict([rows[0]])


def test_the_counter_follows_the_exact_best_bet() -> None:
    """1,000 random compositions: tie bet and level follow the signs of the exact expectations."""
    rules = CasinoRules(packs=2, bet_levels=3)
    agent, env = CASINO_AGENTS["counter"](rules), CasinoWarEnv(rules)
    layout, rng = env.layout, np.random.default_rng(0)
    seen = set()
    for _ in range(1000):
        counts = rng.integers(0, 9, 13) * (rng.random(13) < rng.choice([0.35, 0.7, 1.0]))
        if counts.sum() < 4:
            continue
        observation = np.zeros((1, layout.size), np.float32)
        observation[0, layout.slices["unseen"]] = counts / 8
        mask = np.array([[1] * 6 + [0, 0]], np.int8)
        best = best_play(counts.tolist(), rules)
        if all(best.goes_to_war[rank] in (None, True) for rank in range(13)):
            chosen = (best.takes_tie_bet, best.level)
            seen.add(chosen)
            assert agent.act(observation, mask, rng)[0] == 3 * best.takes_tie_bet + best.level - 1, counts
    assert seen >= {(True, 3), (False, 1)}


def test_counting_is_worth_little_and_rarely_possible() -> None:
    """Sample 4,000,000 rounds, six packs dealt to the last ten cards: one tie bet in about 550 rounds (4 s. e.)."""
    rules = CasinoRules(penetration=1.0)
    row = counter_row(1.0, rules, play_rounds(rules, int(COUNTER), 4_000_000, False, 0, 7))
    assert row["tie_bet_share"] == pytest.approx(1 / 553, abs=4 * np.sqrt(12 / 553 / 4_000_000))
    assert row["high"] < 0
    assert -0.02 < row["counting_low"] < row["counting_high"] < 0.05


def test_burning_changes_nothing() -> None:
    """Every order of two tiny shoes, three cards burned before a war: the mean equals the exact value without burns."""
    for shoe in ([0, 0, 0, 1, 1, 2, 2], [0, 0, 0, 0, 1, 1, 3]):
        for bonus in (0, 1):
            rules = CasinoRules(bonus=bonus)
            total, count = Fraction(0), 0
            for player, dealer, *_burned, second, other in permutations(shoe):
                count += 1
                if player != dealer:
                    total += 1 if player > dealer else -1
                else:
                    total += 1 if second > other else -2 if second < other else 1 + bonus
            counts = [shoe.count(rank) for rank in range(13)]
            assert expectation(round_distribution(counts, "war", rules)) == total / count
    assert expectation(war_distribution((5, *(0,) * 12), 0)) == 1


@pytest.mark.parametrize("counts", [5, None, "x" * 13, [4.9] * 13, [True] * 13, [-1] * 13, [4] * 12, [0] * 13])
def test_compositions_are_checked(counts: object) -> None:
    with pytest.raises(WarEnvError, match="counts"):
        tie_probability(counts)
    with pytest.raises(WarEnvError, match="surrender=False at this table"):
        evaluate("surrender", CasinoRules(surrender=False))


def test_kernel_and_agent_count_alike_and_the_cut_is_kept() -> None:
    """The counter in the simulation and in the environment, on the same draws: the same bets and the same units."""
    for packs, penetration, tie_pays in ((1, 1.0, 10), (1, 0.6, 10), (2, 0.9, 14)):
        rules = CasinoRules(packs=packs, penetration=penetration, tie_pays=tie_pays, rounds=5_000)
        sums, words = np.zeros(len(SUMS), np.int64), np.zeros(int(RECORD_WORDS), np.uint64)
        simulate_rounds(words, make_plan(rules), COUNTER, np.uint64(5_000), False, np.uint64(77), sums)
        lanes = CasinoLanes(rules, 1)
        lanes.seed(lanes.all_rows, np.array([1], np.uint64))
        lanes.reset()
        lanes.records["draws"][0] = 77
        agent, rng, bets = CASINO_AGENTS["counter"](rules), np.random.default_rng(0), 0
        while not lanes.over[0]:
            observation, mask = lanes.observe()
            action = agent.act(observation, mask, rng)
            bets += int(action[0] == 1)
            lanes.step(action)
        found = dict(zip(SUMS, sums.tolist(), strict=True))
        ending = lanes.endings(lanes.all_rows)
        assert found["tie_bets"] == bets
        assert (bets > 0) == (penetration > 0.6)
        assert (found["won"] / 2, found["ties"]) == (ending["units"][0], ending["ties"][0])


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
    """openai/gym#1879, Gymnasium#1011 (G15): one table of payoffs in casino_rules.py."""
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
    with pytest.raises(WarEnvError, match="method 'set_opponent' does not exist on CasinoWarVectorEnv"):
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
