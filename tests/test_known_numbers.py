"""Published and exact numbers come out; `python -m experiments.game_length --check` does the same with more games."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from experiments.known_deals import DEALS, spivey_stocks
from experiments.published import REFERENCES, group_key, measure_group, no_tie_in_one_pass
from war_env import Game, Rules, get_rules, simulate
from war_env.rules import WINNINGS

GROUPS = list(dict.fromkeys(group_key(reference) for reference in REFERENCES))
LARGE = "10 strict ranks"


@pytest.mark.parametrize("group", [group for group in GROUPS if LARGE not in group])
def test_known_numbers_come_out(group: str) -> None:
    """Sample 10,000 games of seed 1 (complete enumerations whole); tolerance 4 x both standard errors and rounding."""
    for row in measure_group(group, 10_000, 1):
        assert row["agrees"], row


def test_first_cards_by_enumeration() -> None:
    """All 52 x 51 pairs of top cards: 1/17 tie, and each seat wins 24/51, as fractions."""
    pairs = np.array([[[a], [b]] for a in range(52) for b in range(52) if a != b])
    stats = simulate(Rules(max_battles=1, run_out="draw"), stocks=pairs)
    games = stats.games
    assert Fraction(int((stats.wars > 0).sum()), games) == Fraction(1, 17)
    for seat in range(2):
        assert Fraction(int((stats.winner == seat).sum()), games) == Fraction(24, 51)


def test_enumerations_are_exact_counts() -> None:
    """Fractions, not approximations: small decks of sensō, lengths and loops of strict ranks."""
    rules = Rules(ranks=4, suits=1, winnings="winner_first")
    stats = simulate(rules, stocks=DEALS["4 strict ranks, all"](0, 0))
    assert Fraction(int(stats.battles.sum()), stats.games) == Fraction(10, 3)
    rules = Rules(ranks=6, suits=1, winnings="loser_first")
    stats = simulate(rules, stocks=DEALS["6 strict ranks, all"](0, 0))
    assert (int((stats.reason == "loop").sum()), stats.games) == (72, 720)
    for group, wins, draws in (("3 x 2", Fraction(13, 30), Fraction(2, 15)), ("2 x 2", Fraction(1, 6), Fraction(2, 3))):
        rows = {row["statistic"]: row for row in measure_group(next(g for g in GROUPS if group in g), 1, 0)}
        games = rows["draws"]["games"]
        assert Fraction(round(rows["seat 0 wins"]["ours"] * games), games) == wins
        assert Fraction(round(rows["draws"]["ours"] * games), games) == draws


def test_spiveys_deal_returns_after_31920_battles() -> None:
    """Spivey, "Cycles in War", INTEGERS 10 (2010): one cycle of the deal itself, seat 0 holding 24 to 28 cards."""
    rules = Rules(ranks=52, suits=1, winnings="winner_first")
    stocks = spivey_stocks()
    outcome = Game.from_stocks(stocks, rules).play_out()
    assert (outcome.winner, outcome.reason, outcome.period) == (None, "loop", 31_920)
    game = Game.from_stocks(stocks, rules)
    held = set()
    for _ in range(31_920):
        game.play()
        held.add(game.held[0])
    assert game.stocks == stocks
    assert (min(held), max(held)) == (24, 28)


def test_one_seat_winning_a_whole_pass_is_as_rare_as_published() -> None:
    """1 in 159,620,171.7 that either seat wins 26 battles running without a war."""
    either = no_tie_in_one_pass() / 2**25
    assert float(1 / either) == pytest.approx(159_620_171.7, abs=0.1)
    assert float(either / 2) == pytest.approx(3.132436e-9, rel=1e-6)


@pytest.mark.parametrize("clock", ["exponential", "lognormal"])
def test_the_clock_changes_no_card(clock: str) -> None:
    """10,000 deals without a limit: the same winner and number of battles as without a clock."""
    base = simulate(get_rules("classic"), 10_000, seed=3)
    timed = simulate(get_rules("speed", max_seconds=None, clock=clock, reaction=(0.7, 1.4)), 10_000, seed=3)
    for name in ("winner", "battles", "comparisons", "wars", "held"):
        assert np.array_equal(getattr(base, name), getattr(timed, name)), name
    assert (timed.seconds > 0).all()


def test_lognormal_reactions_have_the_stated_mean() -> None:
    """20,000 comparisons of two lognormals, mean 1, sigma .5: E max = 2 Phi(sigma / sqrt 2); tolerance 4 s. e."""
    rules = get_rules("classic", max_battles=1, clock="lognormal", face_down=0, run_out="draw", ranks=52, suits=1)
    seconds = simulate(rules, 20_000, seed=0).seconds
    expected = 2 * 0.6381631950841185  # the normal distribution function at .5 / sqrt 2
    assert abs(seconds.mean() - expected) < 4 * seconds.std() / np.sqrt(seconds.size)


def test_speed_war_ends_on_the_clock() -> None:
    stats = simulate(get_rules("speed"), 2_000, seed=0)
    assert set(stats.reason) <= {"all_cards", "run_out", "max_seconds", "draw"}
    late = stats.reason == "max_seconds"
    assert late.any()
    assert (stats.seconds[late] >= 300).all()
    leader = np.argmax(stats.held[late], axis=1)
    equal = stats.held[late, 0] == stats.held[late, 1]
    assert np.array_equal(stats.winner[late], np.where(equal, -1, leader))


def test_decided_games_without_a_war_keep_parity() -> None:
    """hectorpefo.github.io/2017-09-13-Card-Wars: without a war, battles are even or odd as the starting stock is."""
    stats = simulate(Rules(ranks=8, suits=1), 5_000, seed=0)
    assert (stats.wars == 0).all()
    assert (stats.battles % 2 == 4 % 2).all()
    rules = Rules(ranks=52, suits=1, winnings="winner_first")
    assert (simulate(rules, 300, seed=0).battles % 2 == 26 % 2).all()


@pytest.mark.parametrize("winnings", [name for name in WINNINGS if name != "captured"])
def test_every_deal_ends_or_is_reported(winnings: str) -> None:
    """mathias-brandewinder/wonderland-fsharp-katas#5, mathoverflow.net/questions/11503: 10,000 deals under each order.

    Each ends by a win, a draw or a reported loop; under seat_order alone some periods are longer than the limit.
    """
    stats = simulate(get_rules("classic", winnings=winnings), 10_000, seed=5)
    looped = stats.reason == "loop"
    assert np.array_equal(looped, stats.period > 0)
    unfinished = stats.reason == "unfinished"
    assert unfinished.mean() < (0.002 if winnings == "seat_order" else 1e-9)
    assert ((stats.winner >= 0) | looped | unfinished | (stats.reason == "draw")).all()
    if winnings in ("winner_first", "loser_first", "shuffled", "pile_shuffled"):
        assert not looped.any()


@pytest.mark.parametrize(("face_down", "published"), [(1, 0.809), (2, 0.717), (3, 0.654)])
def test_four_aces_against_all_other_cards(face_down: int, published: float) -> None:
    """hectorpefo.github.io/2017-09-13-Card-Wars: 200,000 games, within .2 points and 4 standard errors of its rates."""
    stats = simulate(
        get_rules("classic", face_down=face_down), seed=2, stocks=DEALS["aces against the rest"](200_000, 2)
    )
    wins = (stats.winner == 0).mean()
    assert abs(wins - published) < 0.002 + 4 * np.sqrt(wins * (1 - wins) / stats.games)


@pytest.mark.parametrize("clock", ["exponential", "lognormal"])
def test_slow_players_do_not_overflow_the_clock(clock: str) -> None:
    """The slowest reaction that is allowed: times stay positive and no limit is invented."""
    rules = get_rules("classic", clock=clock, reaction=1e6)
    stats = simulate(rules, 500, seed=1)
    assert (stats.seconds > 0).all()
    assert "max_seconds" not in set(stats.reason)
    assert np.array_equal(stats.winner, simulate(get_rules("classic"), 500, seed=1).winner)


def test_an_agreed_number_of_battles_is_played_beyond_the_loop_limit() -> None:
    rules = get_rules("classic", winnings="interleaved", face_down=0, loop_limit=50, max_battles=120)
    assert set(simulate(rules, 200, seed=0).reason) <= {"all_cards", "run_out", "max_battles", "loop"}
    assert (simulate(rules, 200, seed=0).battles == 120).any()


def test_a_reported_period_is_the_least() -> None:
    """The position at the end of a loop returns after `period` battles and not before; 40 looping deals."""
    rules = get_rules("classic", winnings="interleaved", ranks=6, suits=2, face_down=1)
    found = 0
    for seed in range(400):
        outcome = Game.deal(rules, seed).play_out()
        if outcome.reason != "loop" or found == 40:
            continue
        found += 1
        game = Game.deal(rules, seed)
        seen: dict[tuple, int] = {}
        while True:
            ranks = tuple(" ".join(card.rstrip("cdhs") for card in stock.split()) for stock in game.stocks)
            if ranks in seen:
                assert game.battles - seen[ranks] == outcome.period
                break
            seen[ranks] = game.battles
            game.play_battle()
    assert found == 40
