"""Worked cases of the rules, one test each; docs/rules.md tells them as examples.

Top card first. Unless said otherwise: 3 cards face-down, winner's cards first, a seat that cannot pay loses, played
until one seat has all cards.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog

from war_env import Game, Rules
from war_env.game_view import Outcome

ONE_PASS = {"goal": "stock_out", "winnings": "captured", "run_out": "take_back"}


def game_of(*stocks: str, piles: list[str] | None = None, **options: object) -> Game:
    """A game with these stocks under the default of this file."""
    settings = {"winnings": "winner_first", "players": len(stocks), **options}
    if any("X" in stock for stock in stocks):
        settings["jokers"] = 2
    return Game.from_stocks(list(stocks), Rules(**settings), piles=piles)


def played(*stocks: str, **options: object) -> tuple[Game, Outcome]:
    """The same, played to its end."""
    game = game_of(*stocks, **options)
    return game, game.play_out()


def positions(game: Game) -> list[list[str]]:
    """The stocks after each battle."""
    seen = []
    while not game.is_over:
        game.play_battle()
        seen.append(game.stocks)
    return seen


def test_case_01_higher_card_wins_the_battle() -> None:
    game, outcome = played("5", "J")
    assert (outcome.winner, outcome.battles, game.stocks) == (1, 1, ["", "J 5"])


def test_case_02_winner_first_puts_the_winners_card_first() -> None:
    game = game_of("9 3", "4 8")
    assert positions(game) == [["3 9 4", "8"], ["9 4", "8 3"], ["4 9 8", "3"], ["9 8 4 3", ""]]
    assert (game.outcome.winner, game.outcome.battles) == (0, 4)


def test_case_03_loser_first_puts_the_winners_card_last() -> None:
    game = game_of("9 3", "4 8", winnings="loser_first")
    assert positions(game) == [["3 4 9", "8"], ["4 9", "3 8"], ["9 3 4", "8"], ["3 4 8 9", ""]]
    assert (game.outcome.winner, game.outcome.battles) == (0, 4)


def test_case_04_seat_order_loops_with_period_4() -> None:
    game = game_of("2 4", "5 3", winnings="seat_order")
    outcome = game.copy().play_out()
    assert (outcome.winner, outcome.reason, outcome.period) == (None, "loop", 4)
    seen = positions(game_of("2 4", "5 3", winnings="seat_order"))
    assert len(seen) >= 6
    assert seen[1] == seen[5]


def test_case_05_loser_first_loops_with_period_12() -> None:
    _, outcome = played("2 3 6", "5 7 4", winnings="loser_first")
    assert (outcome.winner, outcome.reason, outcome.period) == (None, "loop", 12)


def test_case_06_a_war_takes_ten_cards() -> None:
    game, outcome = played("7 2 3 4 10", "7 5 6 8 9")
    assert (outcome.winner, outcome.battles, outcome.wars) == (0, 1, 1)
    assert game.stocks == ["7 2 3 4 10 7 5 6 8 9", ""]


def test_case_07_a_war_without_stakes() -> None:
    _, outcome = played("7 Q", "7 5", face_down=0)
    assert (outcome.winner, outcome.held) == (0, (4, 0))


def test_case_08_a_double_war_is_one_battle_and_two_wars() -> None:
    _, outcome = played("8 2 9 3 A", "8 4 9 5 K", face_down=1)
    assert (outcome.winner, outcome.held, outcome.battles, outcome.wars) == (0, (10, 0), 1, 2)


def test_case_09_lose_a_seat_that_cannot_pay_loses() -> None:
    _, outcome = played("7 2 A", "7 3 4 5 6 8")
    assert (outcome.winner, outcome.reason, outcome.held) == (1, "run_out", (0, 9))


def test_case_10_last_card_stakes_short_and_keeps_a_card_to_turn_up() -> None:
    game, _ = played("7 2 A", "7 3 4 5 6 8", run_out="last_card", max_battles=1)
    assert game.stocks == ["7 2 A 7 3 4 5 6", "8"]


def test_case_11_equal_force_stakes_the_smallest_number() -> None:
    game, _ = played("7 2 A", "7 3 4 5 6 8", run_out="equal_force", max_battles=1)
    assert game.stocks == ["7 2 A 7 3 4", "5 6 8"]


@pytest.mark.parametrize(
    ("run_out", "winner", "stocks"),
    [
        ("lose", 1, ["", "3 4 7 7"]),
        ("last_card", 1, ["", "3 4 7 7"]),
        ("last_card_stands", 0, ["7 7 3 4", ""]),
    ],
)
def test_case_12_a_tied_last_card(run_out: str, winner: int, stocks: list[str]) -> None:
    game, outcome = played("7", "7 3 4", face_down=1, run_out=run_out)
    assert outcome.winner == winner
    assert game.stocks == stocks


def test_case_13_both_short_and_equal_is_a_draw() -> None:
    _, outcome = played("7", "7")
    assert (outcome.winner, outcome.reason, outcome.held) == (None, "draw", (1, 1))


def test_case_14_both_short_the_one_with_fewer_is_out() -> None:
    _, outcome = played("7 5", "7 5 9")
    assert (outcome.winner, outcome.reason) == (1, "run_out")


def test_case_15_take_back_undoes_the_last_tie() -> None:
    _, outcome = played("A 2 9", "3 5 9", face_down=0, **ONE_PASS)
    assert (outcome.winner, outcome.held, outcome.battles) == (None, (3, 3), 3)


def test_case_16_one_pass_counts_captured_cards() -> None:
    _, outcome = played("7 Q 2", "7 5 3", face_down=0, **ONE_PASS)
    assert (outcome.winner, outcome.held) == (0, (4, 2))


def test_case_17_one_pass_a_short_stake_keeps_the_last_card() -> None:
    _, outcome = played("6 2 A", "6 3 4", face_down=3, **ONE_PASS)
    assert (outcome.winner, outcome.held) == (0, (6, 0))


def test_case_18_the_joker_beats_the_ace_and_ties_a_joker() -> None:
    assert played("X", "A")[1].winner == 0
    _, outcome = played("X 3", "X 2", face_down=0)
    assert (outcome.winner, outcome.held, outcome.wars) == (0, (4, 0), 1)


@pytest.mark.parametrize(("stocks", "winner"), [(("2", "A"), 0), (("2", "K"), 1), (("X", "2"), 0)])
def test_case_19_two_beats_ace_and_nothing_else(stocks: tuple[str, str], winner: int) -> None:
    assert played(*stocks, two_beats_ace=True)[1].winner == winner


def test_case_19_without_the_option_the_ace_wins() -> None:
    assert played("2", "A")[1].winner == 1


def test_case_20_two_beats_ace_in_the_deciding_flip_of_a_war() -> None:
    _, outcome = played("5 3 2", "5 4 A", face_down=1, two_beats_ace=True)
    assert (outcome.winner, outcome.held) == (0, (6, 0))


def test_case_21_three_seats_only_the_tied_fight() -> None:
    game, _ = played("9 2", "9 5", "4 7", face_down=0, max_battles=1)
    assert game.stocks == ["", "9 5 4 9 2", "7"]


def test_everyone_joins_the_war_of_the_tied() -> None:
    """pagat, Hoyle: with `war_party="everyone"` the beaten seat turns up a card too, and can win."""
    game, _ = played("9 2", "9 5", "4 7", face_down=0, war_party="everyone", max_battles=1)
    assert game.held == (0, 0, 6)


def test_everyone_only_the_tied_must_pay() -> None:
    """A beaten seat that cannot pay stands aside without loss; a tied one is out."""
    game, _ = played("9 2 3 4 5", "9 6 7 8 10", "4 7", war_party="everyone", max_battles=1)
    assert game.held == (0, 11, 1)


def test_case_22_a_tie_below_the_best_card_is_no_war() -> None:
    _, outcome = played("4", "4", "9")
    assert (outcome.winner, outcome.held, outcome.wars) == (2, (0, 0, 3), 0)


def test_case_23_three_tie_then_two_of_them() -> None:
    game, _ = played("6 8 2", "6 8 5", "6 5 A", face_down=0, max_battles=1)
    assert game.held == (0, 8, 1)
    assert game.stocks[2] == "A"


def test_case_24_a_tied_seat_without_cards_drops_out() -> None:
    game, _ = played("9", "9 3", "2 4", face_down=0, run_out="last_card", max_battles=1)
    assert game.stocks == ["", "3 9 2 9", "4"]


def test_case_25_no_tied_seat_can_pay_the_pot_goes_to_the_next_best() -> None:
    _, outcome = played("9", "9", "2 4", face_down=0, run_out="last_card")
    assert (outcome.winner, outcome.held) == (2, (0, 0, 4))


def test_case_26_three_seats_the_two_takes_from_ace_and_king() -> None:
    assert played("2", "A", "K", two_beats_ace=True)[1].winner == 0


def test_case_27_two_twos_and_an_ace_the_twos_fight() -> None:
    _, outcome = played("2 5", "2 6", "A", face_down=0, two_beats_ace=True)
    assert (outcome.winner, outcome.held) == (1, (0, 5, 0))


def test_case_28_the_pile_feeds_a_war() -> None:
    game = game_of("7", "7 3 4 8", piles=["5 9", ""], face_down=1, winnings="pile_ordered", max_battles=1)
    game.play_out()
    assert game.held == (6, 1)
    assert game.stocks[1] == "8"


def test_case_29_after_max_battles_most_cards_win() -> None:
    _, outcome = played("A 3 4", "K 5 6", max_battles=1)
    assert (outcome.winner, outcome.reason, outcome.held) == (0, "max_battles", (4, 2))
    _, outcome = played("A 3", "K 5", max_battles=2)
    assert (outcome.winner, outcome.reason, outcome.held) == (None, "max_battles", (2, 2))


def test_case_30_a_double_war_takes_eighteen_cards() -> None:
    _, outcome = played("9 2 2 2 9 3 3 3 A", "9 4 4 4 9 5 5 5 K")
    assert (outcome.winner, outcome.battles, outcome.wars, outcome.held) == (0, 1, 2, (18, 0))


@pytest.mark.parametrize(
    ("players", "jokers", "each"),
    [(3, 0, 17), (5, 0, 10), (6, 0, 8), (7, 0, 7), (8, 0, 6), (9, 0, 5), (2, 2, 27), (3, 2, 18), (4, 2, 13)],
)
def test_case_31_uneven_deals_remove_the_lowest_cards(players: int, jokers: int, each: int) -> None:
    rules = Rules(players=players, jokers=jokers)
    assert len(rules.cards) == players * each
    removed = set(range(rules.deck.size)) - set(rules.cards)
    assert removed == set(range(len(removed)))
    assert Game.deal(rules, 0).held == (each,) * players


def test_case_32_the_smallest_choice_is_a_matrix_game_of_value_one_half() -> None:
    rules = Rules(hand_size=2, face_down=0, **ONE_PASS)
    payoff = np.zeros((2, 2))
    for first, second in product(range(2), repeat=2):
        game = Game.from_stocks(["", ""], rules, hands=["A 5", "K 4"])
        game.play([first, second])
        game.play([0, 0])
        expected = (4, 0) if first == second else (2, 2)
        assert game.outcome.held == expected
        payoff[first, second] = {0: 1.0, None: 0.0}[game.outcome.winner]
    # max v subject to payoff' x >= v and sum x = 1: the value, and both mix evenly.
    result = linprog([0, 0, -1], A_ub=np.c_[-payoff.T, [1, 1]], b_ub=[0, 0], A_eq=[[1, 1, 0]], b_eq=[1])
    assert result.x == pytest.approx([0.5, 0.5, 0.5])
