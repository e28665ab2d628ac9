"""Ratings, shared ranks, games needed; rows of learned best responses."""

from __future__ import annotations

import numpy as np
import pytest

from agents.registry import Entry
from agents.training.best_response import ResponseConfig
from experiments import exploitability
from experiments.ratings import MEAN, games_needed, pair_variance, rank_text, rate_agents, shared_ranks


def row(a: str, b: str, rate: float, half: float = 0.01, games: int = 20_000) -> dict:
    """A result as the tournament gives it."""
    return {"a": a, "b": b, "games": games, "win_rate": rate, "low": rate - half, "high": rate + half}


def test_ratings_are_the_log_odds_of_consistent_results() -> None:
    """Strengths 200 points apart: odds of 10^(1/2); the ratings give them back, and their mean is 1500."""
    rate, twice = (1 / (1 + 10 ** -(points / 400)) for points in (200, 400))
    rows = [row("a", "b", rate), row("b", "c", rate), row("a", "c", twice)]
    ratings = rate_agents(rows, 0)
    assert list(ratings) == ["a", "b", "c"]
    values = [ratings[name]["rating"] for name in "abc"]
    np.testing.assert_allclose(np.diff(values), -200, atol=0.5)
    assert np.mean(values) == pytest.approx(MEAN)
    assert [ratings[name]["rank"] for name in "abc"] == [1, 2, 3]
    assert all(ratings[name]["low"] < ratings[name]["rating"] < ratings[name]["high"] for name in "abc")


def test_the_order_of_results_does_not_matter() -> None:
    rows = [row("a", "b", 0.6), row("b", "c", 0.55), row("a", "c", 0.58)]
    swapped = [row("c", "a", 0.42), row("c", "b", 0.45), row("b", "a", 0.4)]
    first, second = rate_agents(rows, 0), rate_agents(swapped, 0)
    for name in "abc":
        assert first[name]["rating"] == pytest.approx(second[name]["rating"], abs=1e-6)


def test_overlapping_intervals_share_a_rank() -> None:
    """KataGo#449."""
    rows = [row("a", "b", 0.501), row("a", "c", 0.7), row("b", "c", 0.7)]
    ratings = rate_agents(rows, 0)
    assert (ratings["a"]["rank"], ratings["b"]["rank"], ratings["c"]["rank"]) == (1, 1, 3)


def test_ranks_are_shared_along_a_chain_of_intervals() -> None:
    """The third overlaps the second alone; the fourth nobody."""
    assert shared_ranks([8.0, 6.0, 4.0, 1.0], [9.0, 8.5, 6.5, 2.0]) == [1, 1, 1, 4]
    assert shared_ranks([8.0, 5.0, 1.0, 0.0], [9.0, 6.0, 2.0, 1.5]) == [1, 2, 3, 3]
    assert shared_ranks([0.0, 4.0, 3.0], [9.0, 5.0, 3.5]) == [1, 1, 1]


def test_agents_that_beat_each_other_in_a_circle_share_a_rank() -> None:
    """Unity-Technologies/ml-agents#1070: none is above another, whatever one of the three results alone would say."""
    circle = [row("a", "b", 0.7), row("b", "c", 0.7), row("c", "a", 0.7)]
    ratings = rate_agents(circle, 0)
    assert [ratings[name]["rank"] for name in "abc"] == [1, 1, 1]
    np.testing.assert_allclose([ratings[name]["rating"] for name in "abc"], MEAN, atol=1e-3)
    assert {rank_text(ratings, name) for name in "abc"} == {"1="}
    straight = rate_agents([*circle[:2], row("c", "a", 0.3)], 0)
    assert [straight[name]["rank"] for name in "abc"] == [1, 2, 3]


def test_an_agent_that_never_loses_has_a_finite_rating() -> None:
    ratings = rate_agents([row("a", "b", 1.0, 0.0), row("a", "c", 1.0, 0.0), row("b", "c", 0.5)], 0)
    assert np.isfinite([value["rating"] for value in ratings.values()]).all()
    assert ratings["a"]["rank"] == 1


def test_games_needed_shows_what_it_promises() -> None:
    """Simulated: 2,000 experiments of the size for a difference of .05 find it in 80 % (standard error .9 %)."""
    variance, difference = 0.12, 0.05
    pairs = games_needed(variance, difference) // 2
    rng = np.random.default_rng(0)
    means = rng.normal(0.5 + difference, np.sqrt(variance / pairs), 2000)
    shown = np.mean(means - 1.96 * np.sqrt(variance / pairs) > 0.5)
    assert abs(shown - 0.8) < 4 * 0.009
    assert pair_variance(row("a", "b", 0.5, half=1.959963984540054 * np.sqrt(variance / 10_000))) == pytest.approx(
        variance
    )


def test_a_learned_response_gives_a_row_with_its_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    responses = [{"start": "agent", "win_rate": 0.55}, {"start": "nothing", "win_rate": 0.4}]
    best = {"win_rate": 0.55, "low": 0.54, "high": 0.56, "start": "agent", "responses": responses}
    monkeypatch.setattr(exploitability, "learned_best_response", lambda *arguments: best)
    found = exploitability.learned_rows(None, [Entry("greedy", "greedy", "greedy")], ResponseConfig(), 2)
    assert found == [
        {
            "agent": "greedy",
            "exploitability": pytest.approx(0.05),
            "low": pytest.approx(0.04),
            "high": pytest.approx(0.06),
            "method": "learned",
            "start": "agent",
            "from_agent": 0.55,
            "from_nothing": 0.4,
        }
    ]
