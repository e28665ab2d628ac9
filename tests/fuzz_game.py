"""Fuzzing `Game`: any rules, any cards, choices right and wrong, copies of every kind, beside the slow twin."""

from __future__ import annotations

import copy
import json
import pickle
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from experiments.reliability_parts.conservation import lost_games
from tests.streams import deal, first_key
from tests.twins import assert_same_end, play_twin, random_rules, uneven_stocks
from war_env import PRESETS, FinishedError, Game, IllegalActionError, Rules, RulesError

SEEDS = st.integers(0, 2**32 - 1)
COPIES = 2
TRIED: Counter[str] = Counter()  # what the machines have done in this process, by name

COPYING: dict[str, Callable[[Any], Any]] = {
    "copy": lambda game: game.copy(),
    "deepcopy": copy.deepcopy,
    "pickle": lambda game: pickle.loads(pickle.dumps(game)),
}


def drawn_rules(rng: random.Random, must_end: bool = False) -> Rules:
    """Rules of any kind: small decks with every option, large ones with up to ten seats, presets with changes.

    Args:
        rng: what they are drawn from.
        must_end: whether two hoarders must finish.
    """
    while True:
        kind = rng.random()
        if kind < 0.5:
            rules = random_rules(rng)
        elif kind < 0.75:
            rules = random_rules(rng, players=range(2, 11), ranks=32, suits=8)
        else:
            other = random_rules(rng)
            names = rng.sample(["hand_size", "face_down", "jokers", "two_beats_ace", "run_out", "uneven"], 2)
            changes = {name: getattr(other, name) for name in names} | {"loop_limit": other.loop_limit}
            try:
                rules = rng.choice(PRESETS).rules.replace(**changes)
            except RulesError:
                continue
        try:
            if must_end:
                rules.require_ending()
        except RulesError:
            continue
        return rules


def legal_choices(game: Game, rng: random.Random) -> list[int | None]:
    """A legal slot for each seat that has a say."""
    return [rng.choice(legal) if (legal := game.legal_actions(k)) else None for k in range(game.rules.players)]


def wrong_choices(game: Game, rng: random.Random) -> Any:
    """Choices that the rules of `play` forbid."""
    choices: list[Any] = legal_choices(game, rng)
    seat = rng.randrange(len(choices))
    most = len(game.legal_actions(seat))
    kinds: list[Any] = [choices[:-1], [*choices, 0], "0" * len(choices), dict.fromkeys(range(len(choices)), 0), 3]
    kinds += [None] if game.rules.has_choices else []
    for slot in (most, -1, 2**70, True, 0.0, float("nan"), "0", [0]):
        kinds.append([*choices[:seat], slot, *choices[seat + 1 :]])
    if most:
        kinds.append([*choices[:seat], None, *choices[seat + 1 :]])
    return rng.choice(kinds)


class GameMachine(RuleBasedStateMachine):
    """One game, and copies of it that must go on alike."""

    game: Game | None = None

    @initialize(seed=SEEDS)
    def deal(self, seed: int) -> None:
        rng = random.Random(seed)
        rules = drawn_rules(rng)
        self.key = first_key(seed)
        self.stocks = deal(self.key, list(rules.cards), rules.players)
        self.game = Game.deal(rules, seed)
        self.is_dealt = rng.random() < 0.6
        if not self.is_dealt:
            texts = [rules.deck.text(stock) for stock in uneven_stocks(rng, self.stocks)]
            self.game = Game.from_stocks(texts, rules, seed=seed)
            self.stocks = rules.deck.parse(texts)
        self.cards = sorted(card for stock in self.stocks for card in stock)
        self.copies: list[Game] = []
        TRIED["games"] += 1

    def state(self) -> tuple[bytes, int]:
        return self.game._records.words.tobytes(), len(self.game._choices)

    def play_one(self, rng: random.Random) -> None:
        choices = legal_choices(self.game, rng)
        for game in (self.game, *self.copies):
            game.play(choices)
        TRIED["comparisons"] += 1

    @precondition(lambda self: not self.game.is_over)
    @rule(seed=SEEDS, count=st.integers(1, 25))
    def play(self, seed: int, count: int) -> None:
        rng = random.Random(seed)
        for _ in range(count):
            if not self.game.is_over:
                self.play_one(rng)

    @rule(kind=st.sampled_from([*COPYING, "record"]))
    def copy(self, kind: str) -> None:
        made = Game.from_record(json.dumps(self.game.record())) if kind == "record" else COPYING[kind](self.game)
        self.copies = [*self.copies, made][-COPIES:]

    @rule(seed=SEEDS)
    def refuse(self, seed: int) -> None:
        before = self.state()
        wrong = wrong_choices(self.game, random.Random(seed))
        with pytest.raises(FinishedError if self.game.is_over else IllegalActionError):
            self.game.play(wrong)
        assert self.state() == before
        TRIED["wrong choices"] += 1

    @rule(seed=SEEDS)
    def imagine(self, seed: int) -> None:
        before, rng = self.state(), random.Random(seed)
        seat = rng.randrange(self.game.rules.players)
        other = self.game.determinize(seat, seed)
        assert np.array_equal(other.observation(seat), self.game.observation(seat))
        for _ in range(5):
            self.check_cards(other)
            if not other.is_over:
                other.play(legal_choices(other, rng))
        assert self.state() == before

    @invariant()
    def keeps_its_promises(self) -> None:
        game = self.game
        if game is None:
            return
        self.check_cards(game)
        for seat in range(game.rules.players):
            observation = game.observation(seat)
            assert observation.dtype == np.float32
            assert observation.shape == (game.layout.size,)
            assert ((observation >= 0) & (observation <= 1)).all()
            assert bool(game.legal_actions(seat)) == (not game.is_over and seat in game.fighters)
        assert game.is_over == (game.outcome is not None)
        assert set(game.fighters) <= set(game.in_game)
        for other in self.copies:
            assert str(other) == str(game)
            assert other.outcome == game.outcome
            assert [other.observation(seat).tobytes() for seat in range(game.rules.players)] == [
                game.observation(seat).tobytes() for seat in range(game.rules.players)
            ]

    def check_cards(self, game: Game) -> None:
        if self.is_dealt:
            assert not lost_games(game._records.fields, game.rules).size
        assert sorted(card for seat in range(game.rules.players) for card in game._all_cards(seat)) == self.cards

    def teardown(self) -> None:
        """Play to the end, and compare with the slow twin."""
        if self.game is None:
            return
        rng = random.Random(len(self.game._choices))
        while not self.game.is_over:
            self.play_one(rng)
        self.keeps_its_promises()
        chosen: dict[int, list[int]] = {seat: [] for seat in range(self.game.rules.players)}
        for choices in self.game._choices:
            for seat, slot in enumerate(choices):
                if slot is not None:
                    chosen[seat].append(slot)
        twin = play_twin(self.game.rules, self.key, self.stocks, lambda seat, hand, is_war: chosen[seat].pop(0))
        assert not any(chosen.values())
        assert_same_end(self.game, twin)
        TRIED["twin games"] += 1
