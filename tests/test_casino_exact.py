"""Casino War by number: exact values, simulation, the counter."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

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
from experiments.casino_edge import POLICIES, counter_row, edge_row, play_rounds, verdict
from war_env import CasinoRules, CasinoWarEnv, WarEnvError
from war_env.casino_lanes import CasinoLanes
from war_env.casino_state import RECORD_WORDS, make_plan
from war_env.engine.casino_simulation import COUNTER, SUMS, simulate_rounds

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
