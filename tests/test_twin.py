"""The engine against an independent slow implementation, event by event, over random small positions.

`tests/reference_war.py` was written from the rules alone and shares no code with the engine; `tests/streams.py` gives
it the same shuffles. WAR_ENV_TWIN_GAMES sets how many positions are played (2,000 by default).
"""

from __future__ import annotations

import os
import random
from dataclasses import dataclass

import pytest

from tests import reference_war
from tests.streams import deal, first_key
from tests.twins import assert_same_end, play_twin, random_rules, uneven_stocks
from war_env import Game
from war_env.rules import GOALS, RUN_OUT, WAR_PARTIES, WINNINGS

GAMES = int(os.environ.get("WAR_ENV_TWIN_GAMES", "2000"))
BLOCKS = 20


@dataclass
class Both:
    """One game as both play it."""

    game: Game
    twin: reference_war.Result
    choices: list[dict[int, int]]


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
    choices: list[dict[int, int]] = [{}]

    def choose(seat: int, hand: list, is_war: bool) -> int:
        if seat in choices[-1]:
            choices.append({})
        choices[-1][seat] = slot = rng.randrange(len(hand))
        return slot

    twin = play_twin(rules, key, stocks, choose)
    return Both(game, twin, choices)


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
        game.play_out()
    assert_same_end(game, twin)


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
