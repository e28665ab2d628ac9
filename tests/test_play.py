"""Cards are conserved, scripted play gives the known win rates, classic War the known lengths, seats are fair."""

from __future__ import annotations

import math

import numpy as np
import pytest

from agents.registry import agent_names, get_agent
from experiments.arena import BLOCK, play_block, play_games
from experiments.statistics import CARDS, PairSums, card_shares, rate_of
from war_env import PRESETS, Rules, get_rules
from war_env.lanes import Lanes
from war_env.policy_names import SCRIPTED
from war_env.seeding import tagged_generator

TWO_SEATS = [preset for preset in PRESETS if preset.rules.players == 2]


def card_counts(lanes: Lanes) -> np.ndarray:
    """How often each card is somewhere, for each lane: int64, shape (lanes, 64)."""
    seats = lanes.records.fields["seats"]
    size = seats["ring"].shape[-1]
    in_ring = seats["stock"].astype(int) + seats["pile"] + seats["laid"]
    places = (np.arange(size) - seats["head"][..., None].astype(int)) % size < in_ring[..., None]
    counts = np.zeros((lanes.num_lanes, 64), np.int64)
    lane, _, _ = np.nonzero(places)
    np.add.at(counts, (lane, seats["ring"][places]), 1)
    bits = np.arange(64, dtype=np.uint64)
    for name in ("hand", "captured"):
        counts += ((seats[name][..., None] >> bits) & np.uint64(1)).sum(axis=1).astype(np.int64)
    return counts


@pytest.mark.parametrize("preset", [preset.name for preset in PRESETS])
def test_cards_are_conserved_at_every_step_of_random_play(preset: str) -> None:
    """1,024 lanes x 200 steps a preset, a million in all: every card is somewhere, once (strikaza/WarGame)."""
    rules = get_rules(preset)
    lanes = Lanes(rules, 1024, next_step=True)
    lanes.seed(np.arange(1024), np.arange(1, 1025, dtype=np.uint64))
    lanes.reset()
    expected = np.zeros(64, np.int64)
    expected[list(rules.cards)] = 1
    rng = np.random.default_rng(0)
    for _ in range(200):
        lanes.step(rng.integers(0, rules.hand_size, 1024))
        assert (card_counts(lanes) == expected).all()


# Measured over 20,000 games a cell by a separate program; a draw counts 1/2; standard error .003.
STRATEGIC = {
    ("greedy", "random"): 0.522,
    ("lowest", "random"): 0.287,
    ("lowest", "greedy"): 0.297,
    ("median", "random"): 0.393,
    ("median", "greedy"): 0.384,
    ("median", "lowest"): 0.617,
    ("reserve", "random"): 0.961,
    ("reserve", "greedy"): 0.967,
    ("reserve", "lowest"): 0.971,
    ("reserve", "median"): 0.976,
}
ONE_PASS = {
    ("greedy", "random"): 0.502,
    ("lowest", "random"): 0.495,
    ("lowest", "greedy"): 0.343,
    ("median", "random"): 0.523,
    ("median", "greedy"): 0.375,
    ("median", "lowest"): 0.644,
    ("reserve", "random"): 0.732,
    ("reserve", "greedy"): 0.584,
    ("reserve", "lowest"): 0.695,
    ("reserve", "median"): 0.578,
}
HAND_OF_THREE = {("greedy", "random"): 0.514, ("lowest", "greedy"): 0.379, ("reserve", "greedy"): 0.967}
UNLIMITED = {
    ("lowest", "greedy"): 0.985,
    ("lowest", "random"): 0.984,
    ("greedy", "random"): 0.449,
    ("reserve", "greedy"): 0.995,
}
CELLS = [
    *(("War-v0", {}, pair, rate, 4) for pair, rate in STRATEGIC.items()),
    *(("WarOnePass-v0", {}, pair, rate, 4) for pair, rate in ONE_PASS.items()),
    *(("War-v0", {"hand_size": 3}, pair, rate, 4) for pair, rate in HAND_OF_THREE.items()),
    *(("War-v0", {"max_battles": 20_000}, pair, rate, 1) for pair, rate in UNLIMITED.items()),
]


@pytest.mark.parametrize(("preset", "options", "pair", "reference", "blocks"), CELLS)
def test_scripted_play_has_the_known_win_rates(
    preset: str, options: dict, pair: tuple[str, str], reference: float, blocks: int
) -> None:
    """Sample: `blocks` x 2,048 paired games; tolerance 4 x sqrt(se_ours^2 + .003^2)."""
    sums = sum((PairSums(**play_block(*pair, preset, options, 0, block, BLOCK)) for block in range(blocks)), PairSums())
    row = rate_of(sums)
    error = (row["high"] - row["low"]) / (2 * 1.96)
    assert abs(row["win_rate"] - reference) < 4 * math.hypot(error, 0.003)
    assert sums.illegal == 0


@pytest.mark.parametrize("name", SCRIPTED)
def test_an_agent_against_itself_stands_at_one_half(name: str) -> None:
    """robmarcer/ant-colony-rts#5: 4,096 single games in seat 0; tolerance 4 standard errors."""
    rules = get_rules("strategic")
    scores = []
    for block in range(4):
        first, second = get_agent(name, rules), get_agent(name, rules)
        scores.append(play_games(first, second, rules, 9, block, swap=False)[0])
    games = np.concatenate(scores)
    assert abs(games.mean() - 0.5) < 4 * games.std() / math.sqrt(games.size)


@pytest.mark.parametrize("preset", [p.name for p in TWO_SEATS if not p.rules.has_choices])
def test_without_choices_no_agent_differs_from_another(preset: str) -> None:
    """The two games of a pair mirror each other, so that the rate is 1/2 exactly."""
    sums = PairSums(**play_block("greedy", "random", preset, {}, 0, 0, BLOCK))
    row = rate_of(sums)
    assert row["win_rate"] == 0.5
    assert row["low"] < 0.5 < row["high"]
    assert sums.score_squares == 0.25 * BLOCK


def test_pairs_swap_seats_and_keep_cards() -> None:
    """google-deepmind/open_spiel#667, andy-k/wolges#13: the same deals lie in both games of a pair."""
    rules = get_rules("strategic")
    greedy, lowest = get_agent("greedy", rules), get_agent("lowest", rules)
    straight, _ = play_games(greedy, lowest, rules, 0, 0, swap=False)
    mirrored, _ = play_games(lowest, greedy, rules, 0, 0, swap=True)
    assert np.array_equal(straight, 1 - mirrored)


def test_rates_do_not_depend_on_how_many_games_are_asked_for() -> None:
    """The first 100 pairs of a block are the same whether 100 or all are asked for."""
    few = play_block("greedy", "random", "War-v0", {}, 0, 0, 100)
    rules = get_rules("strategic")
    greedy, other = get_agent("greedy", rules), get_agent("random", rules)
    games = [play_games(greedy, other, rules, 0, 0, swap)[0][:100] for swap in (False, True)]
    assert few["score"] == float(np.mean(games, axis=0).sum())
    assert few["pairs"] == 100


def cards_of(first: str, second: str, preset: str = "War-v0") -> tuple[dict[str, int], dict[str, int], int]:
    """Which cards two agents play in 256 deals, and the comparisons of all their games."""
    sums = PairSums(**play_block(first, second, preset, {}, 0, 0, 256, 256))
    return sums.first_cards, sums.second_cards, sums.steps


def test_agents_are_told_apart_by_the_cards_they_play() -> None:
    """datamllab/rlcard#332: counts that are known for scripted play, whichever agent is named first.

    A comparison is a decision of both agents, left out where one has a single card. Random play over five cards has one
    fifth of the lowest. Hands are smaller at the end of a game, and there are about 6,000 decisions in wars, standard
    error at most .007: the tolerance is .03.
    """
    reserve, greedy, steps = cards_of("reserve", "greedy")
    assert list(reserve) == list(CARDS)
    for cards in (reserve, greedy):
        assert 0.9 * steps < sum(cards.values()) <= steps
    assert {name for name, count in reserve.items() if count} == {"battle_lowest", "war_highest"}
    assert {name for name, count in greedy.items() if count} == {"battle_highest", "war_highest"}
    assert card_shares(reserve) == dict(zip(CARDS, (1, 0, 0, 0, 0, 1), strict=True))
    again, lowest, _ = cards_of("random", "lowest")
    assert {name for name, count in lowest.items() if count} == {"battle_lowest", "war_lowest"}
    for name, share in card_shares(again).items():
        assert share == pytest.approx(0.6 if name.endswith("between") else 0.2, abs=0.03)


def test_a_single_card_is_no_choice() -> None:
    """Without choices nothing is counted, and a share of nothing is None; two cards have none in between."""
    assert [set(cards.values()) for cards in cards_of("greedy", "random", "classic")[:2]] == [{0}, {0}]
    assert set(card_shares({}).values()) == {None}
    first, second, _ = cards_of("random", "random", "mini")
    assert first["battle_between"] == second["war_between"] == 0 < min(first["battle_lowest"], second["war_highest"])


def test_generators_of_different_purposes_differ() -> None:
    """NumPy pads seeds with zeros: s, [s] and [s, 0] are one seed, so every purpose has a tag of its own."""
    first = {int(tagged_generator(0, block, tag).integers(2**63)) for block in range(3) for tag in (1, 2, 3)}
    first |= {int(np.random.default_rng(0).integers(2**63))}
    assert len(first) == 10


def test_intervals_cluster_by_pair() -> None:
    """ray#32382, rliable#32: ten pairs, one win and one loss in each, have no variance between pairs."""
    even = rate_of(PairSums(pairs=10, score=5.0, score_squares=2.5, game_squares=10.0))
    assert 0.2 < even["low"] < 0.5 < even["high"] < 0.8
    half = rate_of(PairSums(pairs=400, score=200.0, score_squares=150.0, game_squares=300.0))
    assert half["high"] - 0.5 == pytest.approx(1.96 * math.sqrt(0.125 / 399), rel=1e-3)
    sure = rate_of(PairSums(pairs=100, score=100.0, score_squares=100.0, game_squares=200.0))
    assert 0.95 < sure["low"] < 1.0
    assert sure["high"] == 1.0


def test_every_agent_is_found_by_name() -> None:
    assert set(SCRIPTED) <= set(agent_names())


def test_three_seats_play_on_without_the_learner() -> None:
    """A learner who is out is terminated as eliminated; comparisons without its say are played inside the step."""
    rules = Rules(players=3, hand_size=2, run_out="last_card", max_battles=100)
    lanes = Lanes(rules, 256, seat=1, opponent=["greedy", {"random": 1, "reserve": 1}], next_step=True)
    lanes.seed(np.arange(256), np.arange(5, 261, dtype=np.uint64))
    lanes.reset()
    rng = np.random.default_rng(0)
    reasons: set[str] = set()
    for _ in range(400):
        result = lanes.step(rng.integers(0, 2, 256))
        fighters = lanes.records.fields["game"]["fighters"]
        assert (((fighters >> np.uint64(1)) & np.uint64(1)) == 1)[~lanes.over].all()
        rows = np.flatnonzero(result.terminated)
        endings = lanes.endings(rows)
        reasons |= set(endings["reason"][rows])
        out = endings["reason"] == "eliminated"
        assert (result.rewards[out] == -1).all()
        assert (endings["held"][out, 1] == 0).all()
    assert {"eliminated", "max_battles"} <= reasons
