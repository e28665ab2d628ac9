"""Properties of every game under every option (hypothesis), and faults that other implementations had."""

from __future__ import annotations

import json
from contextlib import suppress

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings

from war_env import (
    FinishedError,
    Game,
    IllegalActionError,
    NotationError,
    Rules,
    RulesError,
    WarEnvError,
    get_rules,
    simulate,
)
from war_env.cards import cards_in
from war_env.presets import PRESETS
from war_env.rules import CLOCKS, GOALS, RUN_OUT, UNEVEN, WAR_PARTIES, WINNINGS

relaxed = settings(max_examples=120, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


@st.composite
def all_rules(draw: st.DrawFn, players: st.SearchStrategy[int] = st.integers(2, 10)) -> Rules:  # noqa: B008
    """Any rules that can be played, with every option at any of its values."""
    clock = draw(st.sampled_from([None, *CLOCKS]))
    seats = draw(players)
    try:
        return Rules(
            players=seats,
            ranks=draw(st.sampled_from([1, 3, 5, 8, 13, 13, 26])),
            suits=draw(st.sampled_from([1, 2, 4])),
            jokers=draw(st.integers(0, 4)),
            uneven=draw(st.sampled_from(UNEVEN)),
            hand_size=draw(st.sampled_from([1, 1, 2, 3, 5, 8])),
            face_down=draw(st.integers(0, 4)),
            run_out=draw(st.sampled_from(RUN_OUT)),
            winnings=draw(st.sampled_from(WINNINGS)),
            goal=draw(st.sampled_from(GOALS)),
            max_battles=draw(st.sampled_from([None, 1, 7, 50])),
            max_seconds=None if clock is None else draw(st.sampled_from([None, 1.0, 30.0])),
            two_beats_ace=draw(st.booleans()),
            war_party=draw(st.sampled_from(WAR_PARTIES)),
            clock=clock,
            reaction=1.0 if clock is None else draw(st.sampled_from([0.3, (0.5,) * seats])),
            loop_limit=150,
        )
    except RulesError:
        assume(False)
        raise


def every_card(game: Game) -> list[int]:
    """Every card wherever it is, sorted."""
    cards: list[int] = []
    for number, seat in enumerate(game._seats):
        cards += game._ring(number, 0, int(seat["stock"]) + int(seat["pile"]) + int(seat["laid"]))
        cards += cards_in(seat["hand"]) + cards_in(seat["captured"])
    return sorted(cards)


def choices_for(game: Game, rng: np.random.Generator) -> list[int | None]:
    return [int(rng.choice(legal)) if (legal := game.legal_actions(k)) else None for k in range(game.rules.players)]


@relaxed
@given(rules=all_rules(), seed=st.integers(0, 10**9))
def test_every_event_keeps_the_cards_and_the_counts(rules: Rules, seed: int) -> None:
    """No card lost or doubled; stakes are never compared; a fighter has something to play; every game ends."""
    game, rng = Game.deal(rules, seed), np.random.default_rng(seed)
    while not game.is_over:
        assert every_card(game) == list(rules.cards)
        assert game.fighters
        for seat in game.fighters:
            assert game.legal_actions(seat)
        before = [set(game._laid_cards(seat)) for seat in range(rules.players)]
        comparisons = int(game._state["comparisons"])
        fighters = game.fighters
        game.play(choices_for(game, rng))
        assert int(game._state["comparisons"]) == comparisons + 1
        for seat in fighters:
            assert int(game._seats[seat]["up"]) not in before[seat]
        for seat in range(rules.players):
            observation = game.observation(seat)
            assert ((observation >= 0) & (observation <= 1)).all()
    assert every_card(game) == list(rules.cards)
    outcome = game.outcome
    assert outcome is not None
    assert sum(outcome.held) <= len(rules.cards)
    if outcome.winner is not None and outcome.reason in ("max_battles", "max_seconds", "stock_out", "first_empty"):
        # A seat that is out of the game does not win, whatever it has captured.
        in_game = [number for number in range(rules.players) if int(game._state["in_game"]) >> number & 1]
        assert outcome.winner in in_game
        assert outcome.held[outcome.winner] == max(outcome.held[number] for number in in_game)
    if outcome.reason == "all_cards":
        assert outcome.held[outcome.winner] == len(rules.cards)


@relaxed
@given(rules=all_rules(), seed=st.integers(0, 10**9), stop=st.integers(0, 30))
def test_records_give_the_same_game_again(rules: Rules, seed: int, stop: int) -> None:
    """cardgames.io users ask for replayable games: JSON text and back, also in the middle of a game."""
    game, rng = Game.deal(rules, seed), np.random.default_rng(seed)
    for _ in range(stop):
        if not game.is_over:
            game.play(choices_for(game, rng))
    again = Game.from_record(json.dumps(game.record()))
    assert str(again) == str(game)
    assert again.record() == game.record()
    while not game.is_over:
        choices = choices_for(game, rng)
        game.play(choices)
        again.play(choices)
    assert str(again) == str(game)
    assert again.outcome == game.outcome


@relaxed
@given(rules=all_rules(players=st.just(2)), seed=st.integers(0, 10**9))
def test_swapping_the_two_seats_swaps_the_result(rules: Rules, seed: int) -> None:
    """aicenter/openspiel_reproductions#1: cards and streams change seats; not under seat_order, interleaved."""
    assume(rules.winnings not in ("seat_order", "interleaved"))
    game = Game.deal(rules, seed)
    mirror = game.copy()
    seats = game._seats
    mirror._seats[0], mirror._seats[1] = seats[1].copy(), seats[0].copy()
    rng = np.random.default_rng(seed)
    while not game.is_over:
        choices = choices_for(game, rng)
        game.play(choices)
        mirror.play(choices[::-1])
    one, two = game.outcome, mirror.outcome
    assert one is not None
    assert two is not None
    assert two.winner == (None if one.winner is None else 1 - one.winner)
    assert (two.reason, two.battles, two.held) == (one.reason, one.battles, one.held[::-1])


@relaxed
@given(text=st.text(max_size=30))
def test_any_text_is_cards_or_a_named_error(text: str) -> None:
    with suppress(NotationError):
        assert Game.from_stocks([text, "A"], Rules()).held[0] > 0


def test_records_keep_the_texts_as_they_were_given() -> None:
    game = Game.from_stocks(["7 2 A", "7 3 4 5 6 8"], Rules(winnings="winner_first"), seed=4)
    game.play()
    again = Game.from_record(json.dumps(game.record()))
    assert str(again) == str(game)
    assert game.record()["choices"] == 1
    with pytest.raises(NotationError, match="version=None is not allowed"):
        Game.from_record({**game.record(), "version": None})
    with pytest.raises(NotationError, match="it must be the number of comparisons"):
        Game.from_record({**game.record(), "choices": [[0, 0]]})
    with pytest.raises(NotationError, match="must be a JSON object with"):
        Game.from_record({1: 2, "a": 3})
    with pytest.raises(NotationError, match="deal="):
        Game.from_record({**game.record(), "deal": {1: 2, "a": 3}})


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@relaxed
@given(data=st.data())
def test_damaged_records_are_named_errors(data: st.DataObject) -> None:
    """Any part of a record replaced by anything: the same game, another legal one, or an error that says where."""
    game = Game.deal(get_rules("mini"), 3)
    game.play([0, 1])
    record = game.record()
    key = data.draw(st.sampled_from(sorted(record)))
    record[key] = data.draw(JUNK)
    with suppress(WarEnvError):
        assert Game.from_record(record).rules.players >= 2


@pytest.mark.parametrize(
    ("record", "words"),
    [
        ("{", "record is not JSON"),
        ("[" * 100_000, "record is not JSON"),
        ("[]", "must be a JSON object with format, version"),
        (7, "must be a JSON object"),
        ({"format": 1}, "must be a JSON object with"),
    ],
)
def test_what_is_no_record_is_refused(record: object, words: str) -> None:
    with pytest.raises(NotationError, match=words):
        Game.from_record(record)


def test_records_refuse_illegal_choices_and_choices_after_the_end() -> None:
    game = Game.deal(get_rules("mini"), 3)
    game.play_out(["random", "random"])
    record = game.record()
    assert Game.from_record(record).outcome == game.outcome
    assert Game.from_record(record, comparisons=1).battles <= 1
    with pytest.raises(IllegalActionError, match=r"choices\[0\]=9"):
        Game.from_record({**record, "choices": [[9, 0]]})
    with pytest.raises(FinishedError):
        Game.from_record({**record, "choices": [*record["choices"], [0, 0]]})
    with pytest.raises(RulesError, match="players=1"):
        Game.from_record({**record, "rules": {**record["rules"], "players": 1}})
    with pytest.raises(NotationError, match="format=2"):
        Game.from_record({**record, "format": 2})
    with pytest.raises(WarEnvError, match="has no deal"):
        game.determinize(0).record()


@relaxed
@given(rules=all_rules(), seed=st.integers(0, 10**9), order=st.permutations(range(4)))
def test_permuting_suits_changes_nothing(rules: Rules, seed: int, order: list[int]) -> None:
    """gigasquid/wonderland-clojure-katas#129: same ranks, other suits, same game and same observations."""
    assume(rules.suits == 4 and rules.uneven == "extra_card")
    deck, deal = rules.deck, Game.deal(rules, seed)
    stocks = [[int(card) for card in seat["ring"][: int(seat["head"]) + int(seat["stock"])]] for seat in deal._seats]
    moved = [[card if deck.rank(card) == deck.ranks else card // 4 * 4 + order[card % 4] for card in s] for s in stocks]
    games = [Game.from_stocks([deck.text(stock) for stock in each], rules, seed=seed) for each in (stocks, moved)]
    rng = np.random.default_rng(seed)
    while not games[0].is_over:
        choices = choices_for(games[0], rng)
        for game in games:
            game.play(choices)
        for seat in range(rules.players):
            assert np.array_equal(games[0].observation(seat), games[1].observation(seat))
    assert games[0].outcome == games[1].outcome


@relaxed
@given(rules=all_rules(players=st.just(2)), seed=st.integers(0, 10**9))
def test_without_a_war_length_has_the_parity_of_the_stock(rules: Rules, seed: int) -> None:
    """hectorpefo.github.io/2017-09-13-Card-Wars: a battle moves one card, so that n cards take n, n + 2, … battles."""
    assume(rules.goal == "all_cards" and len(rules.cards) % 2 == 0)
    game, rng = Game.deal(rules, seed), np.random.default_rng(seed)
    while not game.is_over:
        game.play(choices_for(game, rng))
    outcome = game.outcome
    assert outcome is not None
    if outcome.wars == 0 and outcome.reason == "all_cards":
        assert outcome.battles % 2 == len(rules.cards) // 2 % 2


@pytest.mark.parametrize("cards_left", [0, 1, 2, 3])
@pytest.mark.parametrize("run_out", [name for name in RUN_OUT if name != "take_back"])
def test_running_out_with_few_cards_left(cards_left: int, run_out: str) -> None:
    """gigasquid/wonderland-clojure-katas#135, strikaza/WarGame, ZeeGabByte/War-cards-game-simulation.

    Also rosettacode.org/wiki/War_Card_Game, whose pot vanishes.
    """
    rest = ["2", "3", "4"][:cards_left]
    game = Game.from_stocks([" ".join(["9", *rest]), "9 5 6 8 J Q"], Rules(run_out=run_out, winnings="winner_first"))
    outcome = game.play_out()
    total = 7 + cards_left
    assert sum(outcome.held) == total
    short = cards_left < 4
    if run_out == "draw" and short:
        assert (outcome.reason, outcome.held) == ("draw", (1 + cards_left, 6))
    elif run_out == "lose" or cards_left == 0:
        assert outcome.winner == 1
    else:
        assert outcome.winner in (0, 1)
        assert outcome.held[outcome.winner] == total


@pytest.mark.parametrize("cards_left", [0, 1, 2, 3])
def test_running_out_of_one_pass(cards_left: int) -> None:
    """For take_back: a tied seat with nothing left loses the war, else it stakes short and keeps a card."""
    rest = ["A", "A", "A"][:cards_left]
    rules = Rules(goal="stock_out", winnings="captured", run_out="take_back")
    game = Game.from_stocks([" ".join(["9", *rest]), "9 5 6 8 J Q"], rules)
    outcome = game.play_out()
    assert outcome.reason == "stock_out"
    laid = {0: 2, 1: 2 + 4 + 1, 2: 2 + 4 + 2, 3: 2 + 4 + 3}[cards_left]
    assert outcome.held == ((0, laid) if cards_left == 0 else (laid, 0))


def test_one_pass_takes_26_comparisons_without_wars() -> None:
    """TEALS-IntroCS#111: and every card is captured once."""
    stats = simulate(get_rules("senso"), 3_000, seed=0)
    assert (stats.comparisons == 26).all()
    assert (stats.held.sum(axis=1) == 52).all()


def test_a_king_beats_a_low_pair_at_once() -> None:
    """calebonesimus/war-game-ts: three seats show 5, 5, K."""
    game = Game.from_stocks(["5 2", "5 3", "K 4"], Rules(players=3))
    game.play()
    assert (game.battles, int(game._state["wars"]), game.held) == (1, 0, (1, 1, 4))


def test_seats_are_fair() -> None:
    """forum.snap.berkeley.edu/t/18238: 100,000 games, seat 0 wins one half; tolerance 4 standard errors = .0063."""
    stats = simulate(get_rules("classic"), 100_000, seed=0)
    assert abs((stats.winner == 0).mean() - 0.5) < 0.0064
    assert (stats.held.sum(axis=1) == 52).all()


@pytest.mark.parametrize("seats", range(3, 11))
def test_more_seats_play_to_the_end(seats: int) -> None:
    """Every war party, run-out rule and hand: someone wins or the limit ends it, and nobody is favoured by much."""
    stats = simulate(Rules(players=seats, run_out="last_card"), 3_000, seed=1)
    wins = np.bincount(stats.winner[stats.winner >= 0], minlength=seats) / stats.games
    assert np.allclose(wins, 1 / seats, atol=4 * np.sqrt(1 / seats / 3_000) + 0.01)
    assert set(stats.reason) <= {"all_cards", "run_out", "draw"}


def test_presets_keep_their_rules() -> None:
    """AlphaNLHoldem#2: every preset is a set of options, listed with its source."""
    assert [preset.name for preset in PRESETS] == [
        "strategic",
        "one_pass",
        "classic",
        "senso",
        "three_player",
        "speed",
        "mini",
    ]
    assert all(preset.source for preset in PRESETS)
    assert get_rules("three_player").cards[0] == 1
