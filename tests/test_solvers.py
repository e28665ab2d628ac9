"""Exact play on small decks: known sizes and values, OpenSpiel's word, equilibria, errors, the experiment."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.registry import get_agent
from agents.solvers import build, linear
from agents.solvers.best_response import (
    Payoffs,
    agent_exploitability,
    exact_exploitability,
    expected_score,
    exploitability,
)
from agents.solvers.build import build_game, measure_game, num_arrangements
from agents.solvers.cfr import solve_cfr
from agents.solvers.equilibrium import ObservationTable, equilibrium_policy, find_equilibrium
from agents.solvers.linear import solve_linear
from agents.solvers.size import GameSize, GameTooLargeError
from agents.solvers.strategies import agent_strategies
from experiments.arena import BLOCK, play_block
from experiments.exploitability import ExploitabilitySettings, run_exploitability
from experiments.statistics import PairSums, rate_of
from tests.test_experiments import Page, run, summary_of
from war_env import ArgumentError, Game, Rules, RulesError, get_rules
from war_env.errors import WarEnvError
from war_env.layout import Layout
from war_env.policy import NetworkPolicy

ROOT = Path(__file__).parent.parent
MINI, THREE = get_rules("mini"), get_rules("mini", ranks=3)
_KEPT: dict[Rules, Payoffs] = {}


def payoffs_of(rules: Rules) -> Payoffs:
    """A game's payoffs, made once."""
    if rules not in _KEPT:
        _KEPT[rules] = Payoffs(build_game(rules))
    return _KEPT[rules]


@pytest.mark.parametrize(
    ("rules", "size", "random", "greedy"),
    [
        (MINI, GameSize(2_520, 103_128, 11_518, 13_925, 29_952, True), Fraction(61, 1008), Fraction(11, 80)),
        (THREE, GameSize(90, 960, 222, 268, 294, True), Fraction(4, 45), Fraction(7, 45)),
    ],
    ids=["4 x 2", "3 x 2"],
)
def test_known_sizes_and_exploitabilities_to_the_last_digit(
    rules: Rules, size: GameSize, random: Fraction, greedy: Fraction
) -> None:
    """Found before by another program: .06052 and .13750 on 4 x 2, .08889 and .15556 on 3 x 2."""
    payoffs = payoffs_of(rules)
    assert measure_game(rules) == payoffs.game.size() == size
    assert {form.num_sequences for form in payoffs.game.seats} == {size.sequences}
    assert payoffs.game.weights.sum() == size.histories
    for name, expected in (("random", random), ("greedy", greedy)):
        strategies = agent_strategies(payoffs.game, get_agent(name, rules))
        assert exact_exploitability(payoffs, strategies) == expected
        assert exploitability(payoffs, strategies) == pytest.approx(float(expected), abs=1e-12)


def test_estimated_sizes_are_exact_when_every_own_deal_is_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    """The estimate weighs each information set by the own deals that share it; a few samples come near."""
    monkeypatch.setattr(build, "FEW_DEALS", 0)
    assert measure_game(MINI, samples=10**6) == payoffs_of(MINI).game.size()
    staked = get_rules("mini", face_down=1)
    known, found = payoffs_of(staked).game.size(), measure_game(staked, samples=10**6)
    assert replace(found, terminal_pairs=0) == replace(known, terminal_pairs=0)
    assert found.terminal_pairs >= known.terminal_pairs  # some cards are never seen: an upper bound
    few = measure_game(MINI, samples=64, seed=3)
    assert few.information_sets == pytest.approx(11_518, rel=0.15)
    assert not few.is_exact


def test_arrangements_are_counted() -> None:
    assert num_arrangements([2, 2, 2], 6) == 90
    assert num_arrangements([2, 2, 2, 2], 8) == 2_520
    assert num_arrangements([3, 1], 2) == 3
    assert num_arrangements([1], 2) == 0


@pytest.mark.parametrize("options", [{}, {"hand_size": 3}, {"face_down": 1}, {"ranks": 3, "suits": 3}])
def test_the_equilibrium_cannot_be_exploited(options: dict[str, Any]) -> None:
    """google-deepmind/open_spiel#75: over information sets and as an agent that sees observations; value one half."""
    payoffs = payoffs_of(get_rules("mini", **options))
    found = find_equilibrium(payoffs)
    assert found.value == pytest.approx(0.5, abs=1e-9)
    assert exploitability(payoffs, found.strategies) < 1e-9
    policy, lost = equilibrium_policy(payoffs, found)
    assert 0 <= lost + 1e-12 < 1e-6
    assert agent_exploitability(payoffs, policy) == pytest.approx(lost, abs=1e-12)


def test_champion_mini_can_hardly_be_exploited() -> None:
    """Exactly, from the shipped weights: a best response gains less than .001 over one half; .02 was the aim."""
    assert agent_exploitability(payoffs_of(MINI), get_agent("champion_mini", MINI)) < 0.001


def test_regret_matching_comes_to_the_value_of_the_linear_program() -> None:
    """Plain and predictive CFR+; and seats that are dealt unlike hands have a value other than one half."""
    reached: list[float] = []
    solve_cfr(payoffs_of(MINI), 400, is_predictive=False, progress=lambda k, value: reached.append(value))
    assert reached[-1] < 2e-4
    assert reached[-1] < reached[0] / 4
    assert exploitability(payoffs_of(MINI), solve_cfr(payoffs_of(MINI), 400)) < 5e-5
    uneven = payoffs_of(get_rules("mini", ranks=3, suits=3, uneven="extra_card"))
    linear_value = expected_score(uneven, solve_linear(uneven))
    assert linear_value > 0.6
    strategies = solve_cfr(uneven, 1_000, target=1e-5)
    assert exploitability(uneven, strategies) < 1e-5
    assert expected_score(uneven, strategies) == pytest.approx(linear_value, abs=1e-4)


def test_nothing_to_choose_is_nothing_to_exploit() -> None:
    rules = get_rules("senso", ranks=4, suits=2)
    for name in ("random", "reserve"):
        assert (
            exact_exploitability(payoffs_of(rules), agent_strategies(payoffs_of(rules).game, get_agent(name, rules)))
            == 0
        )


@pytest.mark.parametrize(("first", "second"), [("reserve", "greedy"), ("equilibrium", "lowest")])
def test_expected_scores_are_those_of_games_played(first: str, second: str) -> None:
    """The arena's 4 x 1,024 paired deals against the sum over terminal pairs, within four standard errors of it."""
    payoffs = payoffs_of(MINI)
    one, two = (agent_strategies(payoffs.game, get_agent(name, MINI)) for name in (first, second))
    expected = (expected_score(payoffs, (one[0], two[1])) + 1 - expected_score(payoffs, (two[0], one[1]))) / 2
    blocks = (PairSums(**play_block(first, second, "mini", {}, 5, block, BLOCK)) for block in range(4))
    rate = rate_of(sum(blocks, PairSums()))
    assert abs(rate["win_rate"] - expected) < 4 * (rate["high"] - rate["low"]) / 3.92
    assert rate["draw_rate"] > 0


def test_a_best_response_wins_what_it_says() -> None:
    """Its choices, played as a strategy, score its value; no other strategy of a thousand random ones scores more."""
    payoffs = payoffs_of(THREE)
    form, other = payoffs.game.seats
    reserve = agent_strategies(payoffs.game, get_agent("reserve", THREE))
    plan = agent_plan(other, reserve[1])
    value, choices = payoffs.best_response(0, plan)
    best = np.zeros(form.num_sequences)
    best[0] = 1.0
    best[form.first + choices] = 1.0
    assert expected_score(payoffs, (best, reserve[1])) == pytest.approx(value, abs=1e-12)
    rng = np.random.default_rng(0)
    for _ in range(1_000):
        weights = rng.random(form.num_sequences) ** 8
        weights[1:] /= np.add.reduceat(weights, form.first)[form.information_set[1:]]
        weights[0] = 1.0
        assert expected_score(payoffs, (weights, reserve[1])) <= value + 1e-12


def agent_plan(form: Any, strategy: np.ndarray) -> np.ndarray:
    """A plan made the slow way."""
    made = np.ones(form.num_sequences)
    for k in range(form.num_information_sets):
        for sequence in range(form.first[k], form.first[k] + form.actions[k]):
            made[sequence] = made[form.parent[k]] * strategy[sequence]
    return made


class Asked:
    """A policy of unknown kind: the lowest card with probability one quarter, else the highest."""

    def act(self, observation: np.ndarray, action_mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return np.where(rng.random(len(action_mask)) < 0.25, 0, action_mask.sum(axis=1) - 1)


def test_probabilities_are_known_or_asked_for() -> None:
    """Networks by their softmax, unknown policies by how often they choose; a masked slot plays the highest card."""
    payoffs = payoffs_of(THREE)
    size = Layout(THREE).size
    bias = np.log(np.array([0.25, 0.75], np.float32))
    network = NetworkPolicy([(np.zeros((size, 2), np.float32), bias)], True, {})
    known = agent_exploitability(payoffs, network)
    assert known == pytest.approx(agent_exploitability(payoffs, Asked(), samples=4_000), abs=0.01)
    network.is_sampling = False
    assert agent_exploitability(payoffs, network) == agent_exploitability(payoffs, get_agent("greedy", THREE))
    always_high = ObservationTable(payoffs.game.observations, np.tile([0.0, 1.0], (len(payoffs.game.observations), 1)))
    assert agent_exploitability(payoffs, always_high) == pytest.approx(7 / 45)


def test_plain_python_walks_the_same_games() -> None:
    code = """
        from agents.solvers.build import build_game
        from war_env import get_rules
        game = build_game(get_rules("mini", ranks=2, face_down=1))
        print(game.size(), game.wins.tolist(), game.observations.sum())
    """
    texts = []
    for plain in ("0", "1"):
        environment = {**os.environ, "NUMBA_DISABLE_JIT": plain, "PYTHONPATH": str(ROOT)}
        lines = "\n".join(line.strip() for line in code.splitlines())
        command = [sys.executable, "-c", lines]
        texts.append(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)
    assert texts[0] == texts[1] != ""


@pytest.mark.parametrize(
    ("attempt", "error", "words"),
    [
        (lambda: build_game(get_rules("strategic")), RulesError, "winnings='shuffled' is not allowed: the deal must"),
        (lambda: build_game(get_rules("three_player")), RulesError, "players=3 is not allowed"),
        (lambda: build_game(get_rules("one_pass")), GameTooLargeError, "ranks=13, suits=4: there are 9.* deals"),
        (lambda: get_agent("equilibrium", get_rules("one_pass")), GameTooLargeError, "ranks=13, suits=4"),
        (lambda: get_agent("equilibrium", get_rules("mini", ranks=5)), GameTooLargeError, "up to 20,000 sequences"),
        (lambda: get_agent("equilibrium", MINI, memory=False), RulesError, "memory=False is not allowed"),
        (lambda: build_game(MINI, max_bytes=10**6), GameTooLargeError, "max_bytes=1,000,000 is too little for 2,520"),
        (lambda: measure_game(MINI, samples=0), ArgumentError, "samples=0 is not allowed"),
        (lambda: solve_cfr(payoffs_of(THREE), 0), ArgumentError, "iterations=0 is not allowed"),
        (lambda: solve_cfr(payoffs_of(THREE), 1, 2.0), ArgumentError, "target=2.0 is not allowed"),
        (lambda: solve_linear(payoffs_of(THREE), "simplex"), ArgumentError, "method='simplex' is not allowed"),
    ],
)
def test_errors_say_what_and_why(attempt: Callable[[], object], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        attempt()


def test_a_missing_scipy_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    with pytest.raises(ArgumentError, match=r"needs scipy: pip install 'war_env\[exact\]'"):
        linear.solve_linear(payoffs_of(THREE))


def test_an_information_set_has_one_observation() -> None:
    """Perfect recall is finer than the observation: 400 games, every view of a seat, always the same numbers."""
    seen: dict[str, bytes] = {}
    rng = np.random.default_rng(2)
    for seed in range(400):
        game = Game.deal(MINI, seed)
        views = ["", ""]
        while not game.is_over:
            for seat in range(2):
                cards = MINI.deck.parse(game.hands, among=MINI.cards)[seat]
                views[seat] += f"/{[MINI.deck.rank(card) for card in cards]}"
                key = views[seat]
                assert seen.setdefault(key, game.observation(seat).tobytes()) == game.observation(seat).tobytes()
            game.play([int(rng.integers(len(game.legal_actions(seat)))) for seat in range(2)])
            up = [MINI.deck.rank(card) for card in game.turned]
            views = [views[seat] + f"{up[seat]}v{up[1 - seat]}" for seat in range(2)]
    assert len(seen) > 1_000


def test_the_experiment_writes_what_others_read(tmp_path: Path) -> None:
    out = tmp_path / "run"
    arguments = ("--quick", "--workers", "1", "--agents", "random", "greedy", "equilibrium", "--out", str(out))
    text = run("exploitability", *arguments)
    assert "2,520 deals, 103,128 histories" in " ".join(text.split())
    summary = summary_of(out)
    assert summary["value"] == pytest.approx(0.5, abs=1e-9)
    assert set(summary["agents"]) == {"random", "greedy", "equilibrium"}
    for row in summary["agents"].values():
        assert set(row) == {"exploitability", "method", "low", "high"}
        assert row["method"] == "exact"
        assert row["low"] == row["exploitability"] == row["high"]
    assert summary["agents"]["random"]["exploitability"] == pytest.approx(61 / 1008, abs=1e-12)
    assert summary["agents"]["equilibrium"]["exploitability"] < 1e-6
    assert "61/1008" in (out / "rows.csv").read_text()
    page = Page()
    page.feed((out / "report.html").read_text())
    assert page.pictures == 1
    assert page.outside == []
    again = run("exploitability", *arguments)
    assert "complete already" in " ".join(again.split())
    assert summary_of(out) == json.loads(json.dumps(summary))
    small = tmp_path / "small"
    for wrong, words in (
        ({"max_memory": 0.001}, "max_memory=0.001 is too little"),
        ({"max_memory": 0.0}, "max_memory=0.0 is not allowed"),
        ({"agents": ("random", "random")}, "name at least one, each once"),
        ({"agents": ()}, "name at least one, each once"),
        ({"preset": "War-v0"}, "winnings='shuffled' is not allowed"),
        ({"samples": 0}, "samples=0 is not allowed"),
    ):
        with pytest.raises(WarEnvError, match=words):
            run_exploitability(ExploitabilitySettings(out=small, **wrong))
    assert not small.exists()
