"""What no policy can change: games without choices, and the balance of comparisons against uniformly random play.

In a one-pass game without stakes the other seat plays a uniformly random slot of its hand, so that its next card is
uniform over all the cards it still has, whatever was seen: the expected sum of sign(mine - other's) over the cards that
are left is the same in whatever order mine are played, by induction over the cards left. Only what a comparison is
worth can differ: where the pot has grown, a policy can gain.
"""

from __future__ import annotations

import numpy as np
import pytest

from agents.registry import get_agent
from experiments.arena import BLOCK, play_block
from experiments.statistics import PairSums
from war_env import PRESETS, get_rules
from war_env.lanes import Lanes
from war_env.policy_names import SCRIPTED

FORCED = [preset.id for preset in PRESETS if not preset.rules.has_choices and preset.rules.players == 2]


@pytest.mark.parametrize("preset", FORCED)
@pytest.mark.parametrize("agent", ["greedy", "reserve"])
def test_without_choices_every_agent_wins_exactly_half(preset: str, agent: str) -> None:
    """Both games of a pair are the same game, so that every pair scores 1/2: exact, no statistics."""
    sums = PairSums(**play_block(agent, "random", preset, {}, 3, 0, BLOCK))
    assert sums.score == BLOCK / 2
    assert sums.score_squares == BLOCK / 4


def balances(name: str, games: int, **options: object) -> np.ndarray:
    """Comparisons won less comparisons lost by an agent against random play, one pass: int64, shape (games,)."""
    rules = get_rules("one_pass", face_down=0, **options)
    lanes = Lanes(rules, games, opponent="random")
    lanes.start_streams([np.random.default_rng([11, row]) for row in range(games)])
    lanes.reset()
    agent, rng = get_agent(name, rules), np.random.default_rng(5)
    up = lanes.records.fields["seats"]["up"]
    ranks = np.array([rules.deck.rank(card) for card in range(rules.deck.size)])
    balance, observations_and_masks = np.zeros(games, np.int64), lanes.observe()
    while not lanes.over.all():
        playing = ~lanes.over
        result = lanes.step(agent.act(*observations_and_masks, rng))
        observations_and_masks = result.observations, result.masks
        balance += np.where(playing, np.sign(ranks[up[:, 0]] - ranks[up[:, 1]]), 0)
    return balance


@pytest.mark.parametrize("hand_size", [2, 5])
def test_one_pass_without_stakes_the_balance_is_the_same_for_every_agent(hand_size: int) -> None:
    """20,000 games each: mean 0 by symmetry, standard error about .034; within four standard errors."""
    for name in SCRIPTED:
        balance = balances(name, 20_000, hand_size=hand_size)
        error = balance.std(ddof=1) / np.sqrt(len(balance))
        assert error < 0.05
        assert abs(balance.mean()) < 4 * error, (name, balance.mean(), error)


def test_but_what_the_comparisons_are_worth_is_not() -> None:
    """The same games, counted in cards: reserve gains by winning the ties, by far more than chance."""
    sums = [PairSums(**play_block("reserve", "random", "one_pass", {"face_down": 0}, 1, k, BLOCK)) for k in range(4)]
    total = sum(sums, PairSums())
    assert total.score / total.pairs > 0.53
