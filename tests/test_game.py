"""`Game`, cards as text, `Rules` and `simulate`: what people type, and the errors they get."""

from __future__ import annotations

import dataclasses
import json
import re

import numpy as np
import pytest

from war_env import (
    ArgumentError,
    FinishedError,
    Game,
    IllegalActionError,
    NotationError,
    Rules,
    RulesError,
    UnknownNameError,
    get_rules,
    simulate,
)
from war_env.cards import Deck, cards_in, has_suits, mask_of
from war_env.game_view import Outcome


def test_the_example_of_the_documentation() -> None:
    rules = get_rules("classic", run_out="last_card", winnings="winner_first", max_battles=1)
    game = Game.from_stocks(["7 2 A", "7 3 4 5 6 8"], rules)
    assert game.play_out() == Outcome(0, "max_battles", 1, 2, 1, (8, 1))
    assert game.stocks == ["7 2 A 7 3 4 5 6", "8"]


def test_cards_as_text() -> None:
    deck = Deck(13, 4, 2)
    assert deck.parse(["10h Th"[:3], "TH"][:1]) == [[34]]
    assert deck.parse(["7h,7♥"[:2]]) == [[22]]
    assert deck.parse(["7 7h 7s"]) == [[20, 22, 23]]
    assert deck.parse(["7", "7c"]) == [[21], [20]]
    assert deck.parse(["x X"]) == [[52, 53]]
    assert deck.text([22, 51, 52]) == "7h As X"
    assert deck.text([22, 51], suits=False) == "7 A"
    assert Deck(52, 1).parse(["52 1"]) == [[51, 0]]
    assert Deck(3, 2).rank_names == ("Q", "K", "A")
    assert Deck(2, 6).text([7]) == "A#2"
    assert Deck(2, 6).parse(["A#2 a#6"]) == [[7, 11]]
    assert has_suits(["7 8", "9h"])
    assert not has_suits(["7 8", "X"])
    assert cards_in(mask_of([3, 5, 63])) == [3, 5, 63]


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (["7 7 7 7 7", "2"], "card '7' in '7 7 7 7 7' is not in the deck"),
        (["7h", "7h"], "card '7h' in '7h'"),
        (["1", "2"], "card '1' has no rank of this deck"),
        (["7x", "2"], "card '7x' is not a card"),
        (["7#5", "2"], "card '7#5' has no suit of this deck"),
        (["7#0", "2"], "card '7#0' has no suit"),
        (["7#99999999999999", "2"], "has no suit"),
        (["X", "2"], "card 'X' has no rank of this deck"),
        (["", "2"], "stocks of seat 0 is empty"),
        (["2"], "it must be a list with one entry per seat, 2"),
        ("2 3", "it must be a list with one entry per seat, 2"),
        ([2, 3], "it must be text, cards such as"),
    ],
)
def test_bad_texts_name_the_card(texts: object, words: str) -> None:
    with pytest.raises(NotationError, match=words.replace("(", r"\(")):
        Game.from_stocks(texts, Rules())


def test_cards_that_the_rules_remove_are_not_in_the_deck() -> None:
    with pytest.raises(NotationError, match="less the cards that the rules remove"):
        Game.from_stocks(["2c", "3", "4"], Rules(players=3))


def test_hands_and_piles_must_fit_the_rules() -> None:
    with pytest.raises(NotationError, match="hands of seat 0 has 2 cards: hand_size is 1"):
        Game.from_stocks(["", "5"], Rules(), hands=["2 3", ""])
    with pytest.raises(NotationError, match="winnings='shuffled' has no piles"):
        Game.from_stocks(["4", "5"], Rules(), piles=["2", ""])
    game = Game.from_stocks(["4", "5"], get_rules("senso"), piles=["2 3", ""])
    assert game.held == (2, 0)
    assert game.piles == ["2 3", ""]


def test_choices_are_checked_and_change_nothing_when_wrong() -> None:
    game = Game.from_stocks(["", ""], get_rules("strategic"), hands=["2 3 A", "4 5"])
    before = str(game)
    for choices, words in (
        (None, "each seat must choose"),
        ([0], "one entry per seat, 2"),
        ([3, 0], r"choices\[0\]=3 is not allowed: it must be one of \[0, 1, 2\]"),
        ([0, 2], r"choices\[1\]=2"),
        ([0, None], r"choices\[1\]=None"),
        ([True, 0], r"choices\[0\]=True"),
        ([0.0, 0], r"choices\[0\]=0.0"),
        ("01", "one entry per seat"),
    ):
        with pytest.raises(IllegalActionError, match=words):
            game.play(choices)
        assert str(game) == before
    assert game.legal_actions(0) == [0, 1, 2]
    with pytest.raises(ArgumentError, match="seat=2 is not allowed"):
        game.legal_actions(2)
    with pytest.raises(ArgumentError, match="every seat needs an agent"):
        game.play_out()
    for agents in (5, "greedy", ["greedy"]):
        with pytest.raises(ArgumentError, match=r"agents=.* is not allowed"):
            game.play_out(agents)
    with pytest.raises(FinishedError, match="the game has no cards"):
        Game(Rules()).play_out()
    game.play_out(["greedy", "lowest"])
    with pytest.raises(FinishedError, match="the game has ended"):
        game.play([0, 0])


def test_seats_without_a_say_choose_none() -> None:
    rules = Rules(players=3, hand_size=2, face_down=0, run_out="last_card", max_battles=5)
    game = Game.from_stocks(["9 2 3", "9 5 6", "4 7 8"], rules)
    game.play([1, 1, 0])
    assert game.fighters == [0, 1]
    assert game.legal_actions(2) == []
    with pytest.raises(IllegalActionError, match="None, the seat has no say now"):
        game.play([0, 0, 0])
    game.play([0, 0, None])


def test_copies_are_independent_and_go_on_alike() -> None:
    game = Game.deal(get_rules("strategic"), 5)
    for _ in range(10):
        game.play([0, 1])
    twin = game.copy()
    assert game.play_out(["reserve", "greedy"]) == twin.play_out(["reserve", "greedy"])
    assert str(game) == str(twin)


def test_play_battle_plays_its_wars_too() -> None:
    game = Game.from_stocks(["7 2 3 4 10 5", "7 5 6 8 9 6"], Rules())
    game.play_battle()
    assert game.battles == 1
    assert game.held == (11, 1)


def test_pot_shows_stakes_in_brackets() -> None:
    game = Game.from_stocks(["7 2 3 4 10 5", "7 5 6 8 9 6"], Rules())
    game.play()
    assert game.pot == ["7 (2) (3) (4)", "7 (5) (6) (8)"]
    assert "laid [7 (2) (3) (4)]" in str(game)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"players": 1}, "players=1"),
        ({"players": 11}, "players=11"),
        ({"players": "2"}, "players='2'"),
        ({"ranks": 0}, "ranks=0"),
        ({"ranks": 14, "suits": 5}, "the deck has 70 cards"),
        ({"ranks": 16, "suits": 4, "jokers": 1}, "the deck has 65 cards"),
        ({"ranks": 1, "suits": 2, "players": 3}, "more seats than cards"),
        ({"jokers": 5}, "jokers=5"),
        ({"uneven": "drop"}, "uneven='drop'"),
        ({"face_down": 5}, "face_down=5"),
        ({"goal": "stock_out"}, "goal='stock_out' and winnings='shuffled'"),
        ({"winnings": "captured"}, "goal='all_cards' and winnings='captured'"),
        ({"run_out": "take_back"}, "run_out='take_back' and goal='all_cards'"),
        ({"max_seconds": 3.0}, "max_seconds=3.0 and clock=None"),
        ({"reaction": 2.0}, "reaction=2.0 and clock=None"),
        ({"war_party": "everyone"}, "war_party='everyone' and players=2"),
        ({"two_beats_ace": True, "ranks": 12}, "two_beats_ace=True and ranks=12"),
        ({"two_beats_ace": True, "players": 9}, "two_beats_ace=True and players=9: no 2 is left"),
        ({"clock": "exponential", "reaction": 1e7}, "reaction=10000000.0 is not allowed: it must be 1e-6..1e6"),
        ({"two_beats_ace": 1}, "two_beats_ace=1"),
        ({"max_battles": 0}, "max_battles=0"),
        ({"max_battles": 2**31}, "max_battles=2147483648 is not allowed: it must be None, 1..2^31-1"),
        ({"max_seconds": 1e300, "clock": "exponential"}, "max_seconds=1e"),
        ({"max_seconds": 10**400, "clock": "exponential"}, "max_seconds=1000"),
        ({"max_seconds": 1e-12, "clock": "exponential"}, "max_seconds=1e-12"),
        ({"run_out": np.zeros(2)}, "run_out="),
        ({"clock": np.zeros(2)}, "clock="),
        ({"ranks": 1, "suits": 1, "jokers": 4, "players": 3}, "jokers never leave"),
        ({"max_seconds": -1.0, "clock": "exponential"}, "max_seconds=-1.0"),
        ({"clock": "sundial"}, "clock='sundial'"),
        ({"clock": "exponential", "reaction": float("inf")}, "reaction=inf"),
        ({"clock": "exponential", "reaction": (1.0,)}, "has 1 values for players=2"),
        ({"loop_limit": 0}, "loop_limit=0"),
    ],
)
def test_rules_refuse_bad_options(options: dict, words: str) -> None:
    with pytest.raises(RulesError, match=re.escape(words)):
        Rules(**options)


def test_rules_are_documented_frozen_and_survive_json() -> None:
    for entry in dataclasses.fields(Rules):
        assert {"meaning", "source", "allowed"} <= set(entry.metadata), entry.name
    rules = Rules(two_beats_ace=np.True_, clock="lognormal", max_seconds=np.float32(3))
    assert json.loads(json.dumps(rules.to_dict()))["max_seconds"] == 3.0
    rules = Rules(clock="exponential", reaction=[1.0, 2.0])
    assert Rules(**rules.to_dict()) == rules
    with pytest.raises(dataclasses.FrozenInstanceError):
        rules.players = 3
    with pytest.raises(UnknownNameError, match="Did you mean 'face_down'"):
        rules.replace(face_dwon=1)
    with pytest.raises(RulesError, match="rules=3 is not allowed"):
        Game.deal(3)


def test_simulated_games_are_the_games_of_an_environment_and_do_not_depend_on_the_cut() -> None:
    rules = get_rules("classic")
    stats = simulate(rules, 300, seed=4)
    assert Game.deal(rules, 4).play_out().battles == stats.battles[0]
    tail = simulate(rules, 100, seed=4, first=200)
    assert np.array_equal(stats.battles[200:], tail.battles)
    assert (stats.held.sum(axis=1) == 52).all()
    assert (stats.aces.sum(axis=1) == 4).all()
    assert stats.is_finished.all()
    assert 0.4 < (stats.winner == 0).mean() < 0.6


def test_chosen_deals_are_played_as_given() -> None:
    rules = get_rules("classic", winnings="winner_first", ranks=10, suits=1)
    stocks = np.array([[[7, 1, -1], [2, 6, 5]], [[9, 0, -1], [1, -1, -1]]])
    stats = simulate(rules, stocks=stocks)
    for k, pair in enumerate(stocks):
        texts = [" ".join(str(card) for card in stock if card >= 0) for stock in pair]
        texts = [rules.deck.text([int(card) for card in text.split()]) for text in texts]
        outcome = Game.from_stocks(texts, rules).play_out()
        assert (stats.battles[k], stats.held[k].tolist()) == (outcome.battles, list(outcome.held))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"games": 0}, "games=0"),
        ({"games": 2.5}, "games=2.5"),
        ({"games": None}, "games=None"),
        ({"games": 1, "seed": -1}, "seed=-1"),
        ({"games": 1, "first": -1}, "first=-1"),
        ({"games": 1, "first": 2**64}, "first=18446744073709551616"),
        ({"stocks": [[[1, 2], [3]]]}, "stocks is ragged"),
        ({"stocks": [[[1], [2]]], "games": True}, "games=True"),
        ({"stocks": [[1, 2]]}, r"shape (1, 2)"),
        ({"stocks": [[[1.0], [2.0]]]}, "dtype float64"),
        ({"stocks": [[[1], [1]]]}, "names a card twice"),
        ({"stocks": [[[1], [99]]]}, "stocks holds 99"),
        ({"stocks": [[[1, 2], [-1, 3]]]}, "a seat without cards, or a card behind a -1"),
        ({"stocks": [[[1], [2]]], "games": 2}, "stocks holds 1 games"),
    ],
)
def test_simulate_names_what_is_wrong(arguments: dict, words: str) -> None:
    with pytest.raises(ArgumentError, match=words.replace("(", r"\(").replace(")", r"\)")):
        simulate(Rules(), **arguments)


def test_long_runs_show_their_progress(capsys: pytest.CaptureFixture[str]) -> None:
    simulate(Rules(max_battles=1), 40_000, progress=True)
    assert "games" in capsys.readouterr().err
    simulate(Rules(max_battles=1), 40_000)
    assert capsys.readouterr().err == ""


def test_simulate_refuses_choices_and_unknown_units() -> None:
    with pytest.raises(RulesError, match="hand_size=5"):
        simulate(get_rules("strategic"), 1)
    with pytest.raises(ArgumentError, match="unit='days'"):
        simulate(Rules(), 1).summary("days")


def test_a_deck_of_aces_alone_ends_as_a_draw() -> None:
    """WebDevSimplified/War-Card-Game#2: every comparison ties."""
    for options in (
        {},
        {"run_out": "last_card"},
        {"run_out": "last_card_stands"},
        {"run_out": "draw"},
        {"face_down": 0},
    ):
        stats = simulate(Rules(ranks=1, suits=4, **options), 50)
        assert (stats.winner == -1).all()
        assert set(stats.reason) == {"draw"}
        assert (stats.held == 2).all()


def test_won_cards_go_to_the_bottom() -> None:
    """cameronabrams/War: with winner_first the cards won first are drawn again after all 25 others."""
    game = Game.deal(get_rules("classic", winnings="winner_first"), 3)
    first = [stock.split()[0] for stock in game.stocks]
    game.play_battle()
    winner = max(range(2), key=lambda seat: game.held[seat])
    assert game.held[winner] == 27
    assert game.stocks[winner].split()[25] == first[winner]


def test_a_deal_is_one_deck() -> None:
    """bsamaripa/Wonderland-Scala-Katas#3: 52 different cards, 26 for each of two seats."""
    for seed in range(50):
        stocks = [stock.split() for stock in Game.deal(get_rules("classic"), seed).stocks]
        assert [len(stock) for stock in stocks] == [26, 26]
        assert len({card for stock in stocks for card in stock}) == 52
