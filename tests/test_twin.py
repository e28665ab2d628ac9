"""The engine against an independent slow implementation, event by event, over random small positions.

`tests/reference_war.py` was written from the rules alone and shares no code with the engine; `tests/streams.py` gives
it the same shuffles. WAR_ENV_TWIN_GAMES sets how many positions are played (2,000 by default).
"""

from __future__ import annotations

import math
import os
import random
from dataclasses import dataclass

import pytest

from tests import reference_war
from tests.streams import Shuffler, Stream, deal, first_key
from war_env import Game, Rules, RulesError
from war_env.rules import GOALS, RUN_OUT, WAR_PARTIES, WINNINGS

GAMES = int(os.environ.get("WAR_ENV_TWIN_GAMES", "2000"))
BLOCKS = 20


def random_rules(rng: random.Random) -> Rules:
    """Any combination of options on a small deck that `Rules` allows."""
    while True:
        winnings = rng.choice(WINNINGS)
        clock = rng.choice([None, None, "exponential", "lognormal"])
        players = rng.choice([2, 2, 3, 4, 5, 6])
        two_beats_ace = rng.random() < 0.3
        try:
            return Rules(
                players=players,
                ranks=13 if two_beats_ace else rng.randint(1, 6),
                suits=rng.randint(1, 2) if two_beats_ace else rng.randint(1, 6),
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
                reaction=1.0 if clock is None else rng.choice([1.0, 0.25, tuple(0.5 + k for k in range(players))]),
                loop_limit=300,
            )
        except RulesError:
            continue


@dataclass
class Both:
    """One game as both play it."""

    game: Game
    twin: reference_war.Result
    choices: list[dict[int, int]]


def uneven_stocks(rng: random.Random, stocks: list[list[int]]) -> list[list[int]]:
    """Move and drop some cards, so that seats start with unequal stocks."""
    stocks = [stock[: rng.randint(1, len(stock))] if rng.random() < 0.5 else list(stock) for stock in stocks]
    giver, taker = rng.randrange(len(stocks)), rng.randrange(len(stocks))
    while len(stocks[giver]) > 1 and rng.random() < 0.6:
        stocks[taker].append(stocks[giver].pop())
    return stocks


def play_both(seed: int) -> Both:
    """Play one random position with the engine and with the twin."""
    rng = random.Random(seed)
    rules = random_rules(rng)
    key = first_key(seed)
    stocks = deal(key, list(rules.cards), rules.players)
    is_dealt = rng.random() < 0.5
    if is_dealt:
        game = Game.deal(rules, seed)
    else:
        stocks = uneven_stocks(rng, stocks)
        texts = [rules.deck.text(stock) for stock in stocks]
        game = Game.from_stocks(texts, rules, seed=seed)
        stocks = rules.deck.parse(texts)
    shufflers = [Shuffler(key, seat) for seat in range(rules.players)]
    clocks = [ReactionTimes(rules, key, seat) for seat in range(rules.players)]
    choices: list[dict[int, int]] = [{}]

    def choose(seat: int, hand: list, is_war: bool) -> int:
        if seat in choices[-1]:
            choices.append({})
        choices[-1][seat] = slot = rng.randrange(len(hand))
        return slot

    deck = rules.deck
    twin = reference_war.play(
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
    return Both(game, twin, choices)


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


def choices_of(both: Both) -> list[dict[int, int]]:
    """The choices comparison by comparison: the twin asks a seat twice only in different comparisons."""
    asked = [slot for group in both.choices for slot in group.items()]
    result, place = [], 0
    for event in both.twin.events:
        count = len(event["turned"])
        result.append(dict(asked[place : place + count]))
        place += count
    return result


def check(seed: int) -> None:
    """Play and compare everything that both report."""
    both = play_both(seed)
    game, twin = both.game, both.twin
    rules = game.rules
    picks = choices_of(both) if rules.has_choices else [{}] * len(twin.events)
    following = [*twin.events[1:], {"war": False}]
    for event, after, pick in zip(twin.events, following, picks, strict=True):
        assert not game.is_over, (seed, rules)
        assert game.fighters == sorted(event["turned"]), (seed, rules)
        assert game.battles == event["battle"]
        assert any(game.pot) == event["war"]
        game.play(
            [
                pick.get(seat) if rules.has_choices else (0 if seat in event["turned"] else None)
                for seat in range(rules.players)
            ]
        )
        deck = rules.deck
        assert [deck.rank(game.turned[seat]) for seat in event["turned"]] == [
            card[0] for card in event["turned"].values()
        ]
        # The engine lays the stakes of a war at once, the twin with the comparison they are for.
        for seat, cards in (after["staked"] if after["war"] else {}).items():
            laid = game._laid_cards(seat)[-len(cards) :] if cards else []
            assert [deck.rank(card) for card in laid] == [card[0] for card in cards], (seed, rules)
        staked = {seat: len(cards) for seat, cards in after["staked"].items()} if after["war"] else {}
        held = [
            count if rules.goal == "stock_out" else count + staked.get(seat, 0) for seat, count in enumerate(game.held)
        ]
        assert held == list(event["held_after"]), (seed, rules, event)
    if twin.reason == "loop":
        # Brent's algorithm reports a loop later than its first return, or another limit comes first.
        game.play_out()
        assert game.outcome.reason in ("loop", "max_battles", "max_seconds", "unfinished")
        if game.outcome.reason == "loop":
            assert game.outcome.period == twin.period, (seed, rules)
        return
    outcome = game.outcome
    assert outcome is not None, (seed, rules, twin.reason)
    assert (outcome.winner, outcome.reason) == (twin.winner, twin.reason), (seed, rules)
    assert (outcome.battles, outcome.comparisons, outcome.wars) == (twin.battles, twin.comparisons, twin.wars), (
        seed,
        rules,
    )
    assert list(outcome.held) == list(twin.held), (seed, rules)
    deck = rules.deck
    # Which of two equal ranks in hand is played differs between the two, and decides nothing.
    game._with_suits = rules.suits > 1 and not rules.has_choices
    as_text = lambda piles: [deck.text([card for _, card in pile], game._with_suits) for pile in piles]  # noqa: E731
    assert game.stocks == as_text(twin.stocks), (seed, rules)
    assert [sorted(text.split()) for text in game.piles] == [sorted(text.split()) for text in as_text(twin.piles)]
    assert [sorted(text.split()) for text in game.hands] == [sorted(text.split()) for text in as_text(twin.hands)]
    if rules.clock:
        assert outcome.seconds == pytest.approx(twin.nanoseconds / 1e9, abs=1e-6)


def test_the_sample_covers_every_value_of_every_option() -> None:
    """The positions that are played by default, by their rules."""
    seen: dict[str, set] = {}
    for block in range(BLOCKS):
        for k in range(100):
            for name, value in random_rules(random.Random(block * 1_000_003 + k)).to_dict().items():
                seen.setdefault(name, set()).add(str(value))
    assert seen["run_out"] == set(RUN_OUT)
    assert seen["winnings"] == set(WINNINGS)
    assert seen["goal"] == set(GOALS)
    assert seen["war_party"] == set(WAR_PARTIES)
    assert seen["clock"] == {"None", "exponential", "lognormal"}
    assert seen["uneven"] == {"remove_lowest", "extra_card"}
    assert seen["two_beats_ace"] == {"True", "False"}
    assert seen["players"] == set("23456")
    assert seen["hand_size"] == set("12345678")
    assert seen["face_down"] == seen["jokers"] == set("01234")
    assert len(seen["reaction"]) > 4


@pytest.mark.parametrize("block", range(BLOCKS))
def test_engine_equals_the_slow_twin(block: int) -> None:
    """Same events, same end, same cards: sample GAMES positions over every option value, exact equality."""
    assert GAMES >= BLOCKS, "WAR_ENV_TWIN_GAMES is too small to play anything"
    for k in range(GAMES // BLOCKS):
        check(block * 1_000_003 + k)
