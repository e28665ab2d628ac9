"""The threshold family, the card counter and the search: legal play, only what is observed, and how strong they are.

Strength is measured over paired deals of a fixed seed; bounds lie three standard errors or more from what was measured.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from agents import counter, search, threshold
from agents.counter import CounterPolicy
from agents.registry import get_agent
from agents.search import SearchPolicy
from agents.solvers.best_response import Payoffs, expected_score
from agents.solvers.build import build_game
from agents.solvers.strategies import agent_strategies, plan
from agents.threshold import ThresholdPolicy
from experiments.arena import play_games
from war_env.errors import ArgumentError, RulesError, UnknownNameError
from war_env.lane_kernels import show_rows
from war_env.lanes import Lanes
from war_env.layout import Layout
from war_env.playouts import Playouts
from war_env.policy import Policy
from war_env.presets import get_rules
from war_env.rules import Rules

NAMES = [spec.name for module in (threshold, counter, search) for spec in module.AGENTS]
RULES = [
    get_rules("War-v0"),
    get_rules("War-v0", hand_size=3, jokers=2, run_out="lose"),
    get_rules("WarOnePass-v0", hand_size=4),
    get_rules("WarMini-v0"),
    get_rules("War-v0", winnings="pile_shuffled", run_out="last_card_stands", face_down=1, max_battles=40),
    get_rules("War-v0", hand_size=1, max_battles=30),
]


def started(rules: Rules, count: int, opponent: Any = "random") -> Lanes:
    lanes = Lanes(rules, count, opponent=opponent)
    lanes.seed(np.arange(count), np.random.default_rng(5).integers(0, 2**64, count, dtype=np.uint64))
    lanes.reset()
    return lanes


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_whole_games_are_played_legally_and_alike_under_one_generator(name: str, rules: Rules) -> None:
    agent: Policy = get_agent(name, rules)
    if name == "search":  # fewer samples, sooner done
        agent = SearchPolicy(Layout(rules), 4, **search.tuned(rules))
    lanes, rng = started(rules, 6, "reserve"), np.random.default_rng(0)
    observations, masks = lanes.observe()
    while not lanes.over.all():
        rows = np.flatnonzero(~lanes.over)
        seen, allowed = observations[rows], masks[rows]
        seen.flags.writeable = False
        again = np.random.default_rng()
        again.bit_generator.state = rng.bit_generator.state
        actions = np.zeros(lanes.num_lanes, np.int64)
        actions[rows] = agent.act(seen, allowed, rng)
        assert actions[rows].dtype == np.int64
        assert (allowed[np.arange(len(rows)), actions[rows]] == 1).all()
        assert (agent.act(seen, allowed, again) == actions[rows]).all()
        result = lanes.step(actions)
        observations, masks = result.observations, result.masks


@pytest.mark.parametrize("rules", RULES[:5], ids=str)
def test_imagined_games_look_to_the_observer_as_the_real_one(rules: Rules) -> None:
    """All but what is remembered, which an imagined game does not keep; no card is lost or twice."""
    lanes, rng = started(rules, 12), np.random.default_rng(1)
    plain = Layout(rules, memory=False)
    fields = lanes.layout.slices
    checked = 0
    while not lanes.over.all():
        observations, masks = lanes.observe()
        for row in np.flatnonzero(~lanes.over & (masks.sum(axis=1) > 1) & (rng.random(12) < 0.3)):
            playouts = Playouts(lanes.layout, "random", "random", hoard=rng.random())
            playouts.try_slots(observations[row : row + 1], rng.integers(0, 2**64, 1, dtype=np.uint64), 1)
            records = playouts._records
            view, mask = np.empty(plain.size, np.float32), np.empty(rules.hand_size, np.int8)
            shown = Playouts(plain)._plan
            show_rows(records.words, records.octets, shown, np.zeros(1, np.int64), np.uint64(0), view, mask)
            for name, place in plain.slices.items():
                assert np.allclose(view[place], observations[row, fields[name]], atol=1e-6), name
            seats = records.fields[0]["seats"]
            counts = np.zeros(rules.deck.size, np.int64)
            for seat in seats:
                number = int(seat["stock"]) + int(seat["pile"]) + int(seat["laid"])
                np.add.at(counts, seat["ring"][:number], 1)
                for cards in (seat["hand"], seat["captured"]):
                    counts += [int(cards) >> card & 1 for card in range(rules.deck.size)]
            assert (counts[list(rules.cards)] == 1).all()
            held = np.zeros(len(rules.deck.rank_names))
            for card in range(rules.deck.size):
                is_there = int(seats[1]["hand"]) | int(seats[1]["captured"])
                ring = seats[1]["ring"][: int(seats[1]["stock"]) + int(seats[1]["pile"]) + int(seats[1]["laid"])]
                held[rules.deck.rank(card)] += bool(is_there >> card & 1 or card in ring)
            known = observations[row, fields["known"]][len(held) :] * rules.deck.most_of_a_rank
            assert (held >= np.rint(known)).all()
            checked += 1
        lanes.step(np.minimum(rng.integers(0, rules.hand_size, 12), masks.sum(axis=1) - 1))
    assert checked > 5


@pytest.mark.parametrize("name", [name for name in NAMES if name != "search"])
def test_each_view_is_judged_alone(name: str) -> None:
    """The same view gives the same card, whatever else is in the batch."""
    rules = get_rules("War-v0")
    observations, masks = started(rules, 64).observe()
    agent, rng = get_agent(name, rules), np.random.default_rng(0)
    whole = agent.act(observations, masks, rng)
    assert len(set(whole.tolist())) > 1 or name == "threshold_attack" or "counter" in name
    assert [int(agent.act(observations[k : k + 1], masks[k : k + 1], rng)[0]) for k in range(64)] == whole.tolist()


def rate(first: Policy | str, second: str, preset: str, pairs: int) -> float:
    rules = get_rules(preset)
    agent = get_agent(first, rules) if isinstance(first, str) else first
    other = get_agent(second, rules)
    return float(np.mean([play_games(agent, other, rules, 3, 0, swap, pairs)[0].mean() for swap in (False, True)]))


@pytest.mark.parametrize("name", [name for name in NAMES if name != "threshold_attack"])
@pytest.mark.parametrize("weak", ["random", "greedy"])
def test_simple_play_is_beaten(name: str, weak: str) -> None:
    """War-v0, 16 pairs for a search of 8 samples, 256 for others: standard error at most .09, .02; measured > .89."""
    if name != "search":
        assert rate(name, weak, "War-v0", 256) > 0.8
        return
    rules = get_rules("War-v0")
    assert rate(SearchPolicy(Layout(rules), 8, **search.tuned(rules)), weak, "War-v0", 16) > 0.6


def test_the_counter_beats_reserve_in_one_pass() -> None:
    """1,024 pairs, standard error .01, measured .61."""
    assert rate("counter_reserve", "reserve", "WarOnePass-v0", 1024) > 0.56


def test_search_is_nearly_a_best_response_and_better_with_more_samples() -> None:
    """WarMini-v0 against greedy play, exactly: .5000 before the search, .6375 at best, .631 with 256 samples."""
    rules = get_rules("mini")
    payoffs = Payoffs(build_game(rules))
    game, layout = payoffs.game, Layout(rules)
    other = agent_strategies(game, get_agent("greedy", rules), 1)
    best = np.mean([payoffs.best_response(seat, plan(game.seats[1 - seat], other[1 - seat]))[0] for seat in (0, 1)])

    def value(samples: int) -> float:
        mine = agent_strategies(game, SearchPolicy(layout, samples, own="greedy", other="greedy", caution=0.0), 1)
        first, second = (mine[0], other[1]), (other[0], mine[1])
        return (expected_score(payoffs, first) + 1 - expected_score(payoffs, second)) / 2

    few, many = value(1), value(256)
    assert few < many <= best + 1e-12
    assert many > best - 0.015


def test_more_time_means_more_games() -> None:
    rules = get_rules("mini")
    observations, _ = started(rules, 4).observe()
    found = SearchPolicy(Layout(rules), 2, seconds=0.02).scores(observations, np.random.default_rng(0))
    assert found.games > 2
    assert found.games % 2 == 0


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda lay: SearchPolicy(lay, 0), ArgumentError, "samples=0"),
        (lambda lay: SearchPolicy(lay, seconds=0.0), ArgumentError, "seconds=0.0"),
        (lambda lay: SearchPolicy(lay, hoard=2.0), ArgumentError, "hoard=2.0"),
        (lambda lay: SearchPolicy(lay, other="gredy"), UnknownNameError, "gredy"),
        (lambda lay: SearchPolicy(lay, other=ThresholdPolicy(lay)), ArgumentError, "scripted policies"),
        (lambda lay: ThresholdPolicy(lay, spare=-1.0), ArgumentError, "spare=-1.0"),
        (lambda lay: CounterPolicy(lay, "median", thrift=1.0, steepness=1.0), UnknownNameError, "model='median'"),
        (lambda lay: SearchPolicy(Layout(get_rules("three_player"))), RulesError, "players=3"),
        (lambda lay: get_agent("counter", get_rules("mini"), memory=False), RulesError, "memory=False"),
    ],
)
def test_what_cannot_be_is_refused_by_name(make: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make(Layout(get_rules("War-v0")))
