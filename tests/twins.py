"""The slow twin on the engine's own games: the same rules, cards and random streams, for tests that compare the two."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence

import pytest

from tests import reference_war
from tests.streams import Shuffler, Stream
from war_env import Game, Rules, RulesError
from war_env.rules import GOALS, RUN_OUT, WAR_PARTIES, WINNINGS

SHARED = (
    "players",
    "hand_size",
    "face_down",
    "run_out",
    "winnings",
    "goal",
    "max_battles",
    "max_seconds",
    "two_beats_ace",
    "war_party",
    "clock",
    "loop_limit",
)
PLAYERS = (2, 2, 3, 4, 5, 6)
LIMIT = 300  # battles after which a game of the tests ends, unfinished


def random_rules(rng: random.Random, players: Sequence[int] = PLAYERS, ranks: int = 6, suits: int = 6) -> Rules:
    """Any combination of options that `Rules` allows, with at most so many ranks and suits."""
    while True:
        winnings = rng.choice(WINNINGS)
        clock = rng.choice([None, None, "exponential", "lognormal"])
        seats = rng.choice(players)
        two_beats_ace = rng.random() < 0.3
        try:
            return Rules(
                players=seats,
                ranks=13 if two_beats_ace else rng.randint(1, ranks),
                suits=rng.randint(1, 2 if two_beats_ace else suits),
                jokers=rng.choice([0, 0, 1, 2, 3, 4]),
                uneven=rng.choice(["remove_lowest", "extra_card"]),
                hand_size=rng.choice([1, 1, 1, 1, 2, 3, 4, 5, 6, 7, 8]),
                face_down=rng.randint(0, 4),
                run_out=rng.choice(RUN_OUT),
                winnings=winnings,
                goal="stock_out" if winnings == "captured" else rng.choice(GOALS),
                max_battles=rng.choice([None, 1, 3, 10, 40]),
                max_seconds=rng.choice([None, 2.0, 20.0]) if clock else None,
                two_beats_ace=two_beats_ace,
                war_party=rng.choice(WAR_PARTIES),
                clock=clock,
                reaction=1.0 if clock is None else rng.choice([1.0, 0.25, tuple(0.5 + k for k in range(seats))]),
                loop_limit=LIMIT,
            )
        except RulesError:
            continue


def uneven_stocks(rng: random.Random, stocks: list[list[int]]) -> list[list[int]]:
    """Move and drop some cards, so that seats start with unequal stocks."""
    stocks = [stock[: rng.randint(1, len(stock))] if rng.random() < 0.5 else list(stock) for stock in stocks]
    giver, taker = rng.randrange(len(stocks)), rng.randrange(len(stocks))
    while len(stocks[giver]) > 1 and rng.random() < 0.6:
        stocks[taker].append(stocks[giver].pop())
    return stocks


class ReactionTimes:
    """A seat's reaction times in whole nanoseconds; the lognormal ones have sigma .5 and the seat's mean."""

    def __init__(self, rules: Rules, key: int, seat: int) -> None:
        self.stream = Stream(key, 4 * seat + 3)
        self.is_lognormal = rules.clock == "lognormal"
        seconds = rules.reaction[seat] if isinstance(rules.reaction, tuple) else rules.reaction
        self.mean = float(round(seconds * 1e9))

    def unit(self) -> float:
        return ((self.stream.word() >> 11) + 1.0) / 2**53

    def __call__(self) -> int:
        radius = -math.log(self.unit())
        if not self.is_lognormal:
            return int(radius * self.mean)
        normal = math.sqrt(2.0 * radius) * math.cos(2.0 * math.pi * self.unit())
        return int(self.mean * math.exp(0.5 * normal - 0.125))


def play_twin(
    rules: Rules, key: int, stocks: list[list[int]], choose: Callable[[int, list, bool], int]
) -> reference_war.Result:
    """The slow twin's game with these stocks and the streams of the game `key`."""
    shufflers = [Shuffler(key, seat) for seat in range(rules.players)]
    clocks = [ReactionTimes(rules, key, seat) for seat in range(rules.players)]
    deck = rules.deck
    return reference_war.play(
        reference_war.TwinRules(
            **{name: getattr(rules, name) for name in SHARED},
            joker_rank=deck.ranks if deck.jokers else None,
            ace_rank=deck.ranks - 1,
            two_rank=0,
        ),
        [[(deck.rank(card), card) for card in stock] for stock in stocks],
        choose=choose,
        shuffle=lambda seat, cards: shufflers[seat](cards),
        reaction=lambda seat: clocks[seat](),
    )


def assert_same_end(game: Game, twin: reference_war.Result) -> None:
    """A finished game against the twin's: outcome, and every card where it lies."""
    rules, outcome = game.rules, game.outcome
    assert outcome is not None, (rules, twin.reason)
    if twin.reason == "loop":
        # Brent's algorithm reports a loop later than its first return, or another limit comes first.
        assert outcome.reason in ("loop", "max_battles", "max_seconds", "unfinished")
        if outcome.reason == "loop":
            assert outcome.period == twin.period, rules
        return
    assert (outcome.winner, outcome.reason) == (twin.winner, twin.reason), rules
    assert (outcome.battles, outcome.comparisons, outcome.wars) == (twin.battles, twin.comparisons, twin.wars), rules
    assert list(outcome.held) == list(twin.held), rules
    deck = rules.deck
    # Which of two equal ranks in hand is played differs between the two, and decides nothing.
    game._with_suits = rules.suits > 1 and not rules.has_choices
    as_text = lambda piles: [deck.text([card for _, card in pile], game._with_suits) for pile in piles]  # noqa: E731
    assert game.stocks == as_text(twin.stocks), rules
    assert [sorted(text.split()) for text in game.piles] == [sorted(text.split()) for text in as_text(twin.piles)]
    assert [sorted(text.split()) for text in game.hands] == [sorted(text.split()) for text in as_text(twin.hands)]
    if rules.clock:
        assert outcome.seconds == pytest.approx(twin.nanoseconds / 1e9, abs=1e-6)
