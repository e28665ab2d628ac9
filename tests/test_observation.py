"""What a seat may know: the layout, histories that cannot be told apart, and that what is known is true."""

from __future__ import annotations

import re

import numpy as np
import pytest

from war_env import ArgumentError, Game, Rules, RulesError, get_rules
from war_env.cards import cards_in
from war_env.layout import FIELDS, Layout
from war_env.rules import GOALS, RUN_OUT, WINNINGS

ONE_PASS = {"goal": "stock_out", "winnings": "captured"}


def some_rules() -> list[Rules]:
    """Rules that between them have every field and every place a card can be known to be."""
    made = [
        get_rules("strategic"),
        get_rules("one_pass"),
        get_rules("mini", face_down=1),
        get_rules("classic", winnings="pile_shuffled", face_down=1),
        Rules(hand_size=3, winnings="pile_shuffled", run_out="last_card", max_battles=60, ranks=6, suits=3),
        Rules(hand_size=2, winnings="pile_ordered", run_out="last_card", max_battles=60, jokers=2, ranks=5),
        Rules(hand_size=2, winnings="winner_first", face_down=2, run_out="last_card", max_battles=60, ranks=5),
        Rules(players=3, hand_size=3, face_down=2, run_out="last_card", max_battles=60, war_party="everyone"),
        Rules(players=5, hand_size=2, face_down=1, run_out="lose", max_battles=60, clock="lognormal", max_seconds=90.0),
    ]
    return made


def random_choices(game: Game, rng: np.random.Generator) -> list[int | None]:
    """A legal choice for every fighter."""
    return [
        int(rng.choice(legal)) if (legal := game.legal_actions(seat)) else None for seat in range(game.rules.players)
    ]


def advanced(rules: Rules, seed: int, comparisons: int) -> Game:
    """A game after some random comparisons."""
    game, rng = Game.deal(rules, seed), np.random.default_rng(seed)
    for _ in range(comparisons):
        if game.is_over:
            break
        game.play(random_choices(game, rng))
    return game


@pytest.mark.parametrize("rules", some_rules(), ids=str)
@pytest.mark.parametrize("memory", [True, False])
def test_layout_names_every_number_once(rules: Rules, memory: bool) -> None:
    layout = Layout(rules, memory)
    covered = np.zeros(layout.size, int)
    for place in layout.slices.values():
        covered[place] += 1
    assert (covered == 1).all()
    names = [field.name for field in FIELDS if field.name in layout.slices]
    assert names == list(layout.slices)
    text = layout.describe(np.zeros(layout.size, np.float32))
    assert [line.split()[0] for line in text.splitlines()] == names


def test_layout_refuses_what_is_not_an_observation() -> None:
    layout = Layout(get_rules("strategic"))
    for wrong in (np.zeros(3), np.zeros((2, 90)), np.full(90, np.nan), np.full(90, 2.0), np.zeros(90, int)):
        with pytest.raises(ArgumentError, match=r"it must be floats in 0..1 of shape \(90,\)"):
            layout.describe(wrong)
    with pytest.raises(ArgumentError, match=r"shape \(3,\).*the last axis 90"):
        layout.named(np.zeros(3))
    assert layout.named(np.zeros((2, 90)))["known"].shape == (2, 26)
    with pytest.raises(RulesError, match="rules=3 is not allowed"):
        Layout(3)
    with pytest.raises(ArgumentError, match="memory='yes'"):
        Layout(get_rules("strategic"), "yes")


def test_describe_prints_what_was_written() -> None:
    game = Game.from_stocks(["K", "7"], get_rules("strategic"), hands=["2 3 A", "9"])
    game.play([3, 0])
    text = game.layout.describe(game.observation(0))
    assert re.search(r"hand_slots +2 3 7 K A ", text)
    assert re.search(r"known +2 3 7 K A \| - ", text)
    assert re.search(r"unseen +2x3 3x3 4x4 .* Kx3 Ax3 ", text)
    assert re.search(r"stock_sizes +0 0 ", text)
    assert re.search(r"hand_sizes +5 1 ", text)


@pytest.mark.parametrize("rules", some_rules(), ids=str)
def test_an_observation_says_what_lies_on_the_table(rules: Rules) -> None:
    """Every field that counts is recomputed from the game's text, over random positions and all seats."""
    deck = rules.deck
    for seed in range(12):
        game = advanced(rules, seed, 3 * seed)
        for seat in range(rules.players):
            named = game.layout.named(game.observation(seat))
            turned = [(seat + k) % rules.players for k in range(rules.players)]
            hand = cards_in(game._seats[seat]["hand"])
            most = max(rules.suits, rules.jokers)
            counts = np.bincount([deck.rank(card) for card in hand], minlength=len(deck.rank_names))
            assert np.allclose(named["hand_counts"] * most, counts)
            slots = [(deck.rank(card) + 1) / len(deck.rank_names) for card in hand]
            assert np.allclose(named["hand_slots"][: len(hand)], slots)
            assert not named["hand_slots"][len(hand) :].any()
            left = len(rules.cards)
            stocks = named["stock_sizes"] * left
            hands = named["hand_sizes"] * rules.hand_size
            piles = named.get("pile_sizes", np.zeros(rules.players)) * left
            pot = float(named["pot_size"][0]) * left
            assert stocks.sum() + hands.sum() + piles.sum() + pot == pytest.approx(left, abs=1e-3)
            if game._state["in_game"] == (1 << rules.players) - 1:
                assert np.allclose(stocks, [int(game._seats[number]["stock"]) for number in turned])
            assert named["is_war"][0] == float(any(game.pot))
            assert ((game.observation(seat) >= 0) & (game.observation(seat) <= 1)).all()


def places_of(game: Game) -> list[int]:
    """For each seat the mask of all cards that are physically with it."""
    masks = []
    for number, seat in enumerate(game._seats):
        cards = game._ring(number, 0, int(seat["stock"]) + int(seat["pile"]) + int(seat["laid"]))
        shown = int(game._state["table"])
        inside = sum(1 << card for card in cards if not shown >> card & 1)
        masks.append(inside | int(seat["hand"]) | int(seat["captured"]))
    return masks


@pytest.mark.parametrize("rules", some_rules(), ids=str)
def test_what_is_known_is_true_and_nothing_is_counted_twice(rules: Rules) -> None:
    """Known cards are with their seat, and known, unlocated, unseen and table are the deck, at every step."""
    for seed in range(15):
        game, rng = Game.deal(rules, seed), np.random.default_rng(seed)
        deck = sum(1 << card for card in rules.cards)
        while not game.is_over and game.battles < 60:
            game.play(random_choices(game, rng))
            masks = places_of(game)
            groups = [int(seat["known"]) for seat in game._seats]
            for known, inside in zip(groups, masks, strict=True):
                assert known & ~inside == 0
            groups += [int(game._state["unlocated"]), int(game._state["table"]), deck & ~int(game._state["seen"])]
            union = 0
            for mask in groups:
                assert union & mask == 0
                union |= mask
            assert union == deck


def test_a_card_won_face_up_is_known_until_it_may_have_been_staked_and_lost() -> None:
    """Seat 0 wins 9 and 8 while three dealt cards lie above them: a war lost from those leaves them known."""
    rules = get_rules("strategic", hand_size=1, max_battles=50)
    stocks = ["9 7 2 2 2 3 4 5", "8 7 4 5 6 K 10 10"]
    game = Game.from_stocks(stocks, rules)
    game.play()
    known = lambda seat: rules.deck.text(cards_in(game._seats[seat]["known"]), suits=False)  # noqa: E731
    assert known(0) == "8 9"
    game.play()
    assert any(game.pot)
    game.play()
    assert known(0) == "8 9"
    assert known(1).split() == ["3", "7", "7", "K"]
    # Now with the won cards next in the stock: they may be among the stakes, and nobody knows who has them.
    game = Game.from_stocks(["9 7 3", "8 7 4 5 6 K 10 10"], rules)
    game.play()
    game.play()
    game.play()
    assert known(0) == ""
    assert {"8", "9"} - set(known(1).split()) == set(rules.deck.text(cards_in(game._state["unlocated"]), False).split())


class History:
    """What one seat has seen in a game, as a hashable value."""

    def __init__(self, game: Game, seat: int) -> None:
        self.game, self.seat = game, seat
        self.events = [self.own()]

    def own(self) -> tuple:
        seats = self.game._seats
        sizes = tuple((int(s["stock"]), int(s["pile"]), int(s["laid"]), int(s["hand"]).bit_count()) for s in seats)
        return int(seats[self.seat]["hand"]), sizes

    def note(self, before: dict) -> None:
        state = self.game._state
        turned = tuple(int(s["up"]) for s in self.game._seats)
        captured = tuple(int(s["captured"]).bit_count() for s in self.game._seats)
        self.events.append(
            (*self.own(), turned, captured, int(state["table"]), int(state["in_game"]), before["fighters"])
        )

    def key(self) -> tuple:
        return tuple(self.events)


@pytest.mark.parametrize("hand_size", [1, 2, 3])
@pytest.mark.parametrize("face_down", [0, 1, 2])
@pytest.mark.parametrize("winnings", WINNINGS)
def test_equal_histories_give_equal_observations(hand_size: int, face_down: int, winnings: str) -> None:
    """Games on a tiny deck that a seat cannot tell apart show it the same, throughout.

    Sample: 150 games of a 3 x 2 deck for each combination; many of them share histories, which is asserted.
    """
    goal = "stock_out" if winnings == "captured" else "all_cards"
    run_out = "take_back" if winnings == "captured" else "last_card"
    rules = Rules(
        ranks=3,
        suits=2,
        hand_size=hand_size,
        face_down=face_down,
        winnings=winnings,
        goal=goal,
        run_out=run_out,
        max_battles=9,
    )
    seen: dict[tuple, np.ndarray] = {}
    shared = 0
    for seed in range(150):
        game, rng = Game.deal(rules, seed), np.random.default_rng(seed)
        histories = [History(game, seat) for seat in range(2)]
        while True:
            for history in histories:
                key = (history.seat, history.key())
                observation = game.observation(history.seat)
                shared += key in seen
                assert np.array_equal(seen.setdefault(key, observation), observation)
            if game.is_over:
                break
            before = {"fighters": tuple(game.fighters)}
            game.play(random_choices(game, rng))
            for history in histories:
                history.note(before)
    assert shared > 40


@pytest.mark.parametrize("rules", some_rules(), ids=str)
def test_redrawing_hidden_cards_changes_no_observation(rules: Rules) -> None:
    """A seat's imagined positions look the same to it, hold the same cards, and differ from each other."""
    different = 0
    for seed in range(40):
        game = advanced(rules, seed, seed % 25)
        seat = seed % rules.players
        before = game.observation(seat)
        for draw in range(3):
            imagined = game.determinize(seat, draw)
            assert np.array_equal(imagined.observation(seat), before)
            assert np.array_equal(imagined.action_mask(seat), game.action_mask(seat))
            assert sorted(cards_of(imagined)) == sorted(rules.cards)
            assert imagined.held == game.held
            different += str(imagined) != str(game)
            if not imagined.is_over:
                imagined.play(random_choices(imagined, np.random.default_rng(draw)))
    assert different > 10


def test_imagined_games_keep_telling_nothing() -> None:
    """Games imagined from one position, played on: equal histories still give equal observations to their seat.

    Sample: 60 positions on tiny decks, 16 imagined games each; that histories are shared is asserted.
    """
    shared = 0
    for start in range(60):
        rules = Rules(
            ranks=3, suits=2 + start % 3, hand_size=1 + start % 3, face_down=1 + start % 2, run_out="last_card",
            winnings=("shuffled", "pile_shuffled", "winner_first")[start % 3], max_battles=30,
        )  # fmt: skip
        game = advanced(rules, start, 3 + start % 12)
        seat = start % 2
        seen: dict[tuple, np.ndarray] = {}
        for draw in range(16):
            imagined, rng = game.determinize(seat, draw), np.random.default_rng(draw % 4)
            history = History(imagined, seat)
            while not imagined.is_over and len(history.events) < 8:
                before = {"fighters": tuple(imagined.fighters)}
                imagined.play(random_choices(imagined, rng))
                history.note(before)
                observation = imagined.observation(seat)
                shared += history.key() in seen
                assert np.array_equal(seen.setdefault(history.key(), observation), observation)
    assert shared > 300


def cards_of(game: Game) -> list[int]:
    """Every card wherever it is."""
    cards: list[int] = []
    for number, seat in enumerate(game._seats):
        cards += game._ring(number, 0, int(seat["stock"]) + int(seat["pile"]) + int(seat["laid"]))
        cards += cards_in(seat["hand"]) + cards_in(seat["captured"])
    return cards


def test_suits_never_matter() -> None:
    """gigasquid/wonderland-clojure-katas#129: permuting the suits of a deal changes nothing but the suits."""
    rng = np.random.default_rng(0)
    for seed in range(40):
        rules = Rules(
            hand_size=int(rng.integers(1, 6)),
            face_down=int(rng.integers(0, 4)),
            run_out=str(rng.choice([name for name in RUN_OUT if name != "take_back"])),
            winnings=str(rng.choice([name for name in WINNINGS if name != "captured"])),
            goal=str(rng.choice([name for name in GOALS if name != "stock_out"])),
            max_battles=150,
        )
        deal = Game.deal(rules, seed)
        texts = [" ".join(part for part in pair if part) for pair in zip(deal.hands, deal.stocks, strict=True)]
        other = [text.translate(str.maketrans("cdhs", "hcsd")) for text in texts]
        games = [Game.from_stocks(stocks, rules, seed=seed) for stocks in (texts, other)]
        choices = np.random.default_rng(seed)
        while not games[0].is_over:
            picks = random_choices(games[0], choices)
            for game in games:
                game.play(picks)
            for seat in range(2):
                assert np.array_equal(games[0].observation(seat), games[1].observation(seat))
        assert games[0].outcome == games[1].outcome


def test_environments_refuse_endless_rules() -> None:
    with pytest.raises(RulesError, match="two hoarders never finish"):
        Rules(hand_size=2).require_ending()
