"""`Game`: one game of War for people, search and tests; text in, text out."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np

from war_env._version import __version__
from war_env.cards import has_suits
from war_env.engine import entries
from war_env.errors import (
    ArgumentError,
    FinishedError,
    IllegalActionError,
    NotationError,
    checked_entries,
    checked_int,
    checked_kind,
    refused,
    shown,
)
from war_env.game_view import GameView, Outcome
from war_env.policy import Policy, checked_slots
from war_env.record import Deal, read_record, record_of
from war_env.rules import Rules
from war_env.seeding import lane_start
from war_env.weights import get_policy


class Game(GameView):
    """One game; make it with `Game.deal` or `Game.from_stocks`.

    A seat is a place at the table, 0 to players - 1. A game waits for the choices of its `fighters`; with a hand of
    one there is nothing to choose and `play()` needs no arguments.
    """

    def __init__(self, rules: Rules) -> None:
        super().__init__(rules)
        self._deal: Deal | None = None
        self._choices: list[list[int | None]] = []

    # -- making games --------------------------------------------------------------------------------------------

    @classmethod
    def deal(cls, rules: Rules, seed: int = 0) -> Game:
        """Deal a game: the first one that an environment with these rules, reset with this seed, would deal.

        Args:
            rules: the rules.
            seed: a non-negative integer.
        """
        game = cls(rules)
        entries.deal(*game._memory, entries.game_key(lane_start(seed)))
        dealt = [int(seat["head"]) + int(seat["stock"]) for seat in game._seats]  # a ring starts at place 0
        stocks = (
            rules.deck.text(seat["ring"][:count].tolist()) for seat, count in zip(game._seats, dealt, strict=True)
        )
        nothing = ("",) * rules.players
        game._deal = Deal(tuple(stocks), nothing, nothing, int(seed))
        return game

    @classmethod
    def from_stocks(
        cls,
        texts: Sequence[str],
        rules: Rules,
        piles: Sequence[str] | None = None,
        hands: Sequence[str] | None = None,
        seed: int = 0,
    ) -> Game:
        """A game with chosen cards.

        Args:
            texts: each seat's stock, top card first, as text: `["7 2 A", "7 3 4 5 6 8"]`; suits are optional. Stocks
                may be unequal, and empty beside a pile or a hand.
            rules: the rules.
            piles: each seat's pile, oldest first, or its captured cards.
            hands: each seat's hand, which is refilled from the stock.
            seed: seed of the shuffles still to come.

        Raises:
            NotationError: a text does not describe cards of these rules' deck, or one card is named twice.
        """
        game = cls(rules)
        texts = checked_entries("texts", texts, rules.players, NotationError)
        groups = [
            _checked_texts(field, group, rules)
            for field, group in (("texts", texts), ("piles", piles), ("hands", hands))
        ]
        flat = [text for group in groups for text in group]
        cards = rules.deck.parse(flat, among=rules.cards)
        stocks, heaps, held = (cards[k * rules.players : (k + 1) * rules.players] for k in range(3))
        game._with_suits = has_suits(flat)
        entries.clear(*game._memory, entries.game_key(lane_start(seed)))
        game._deal = Deal(tuple(groups[0]), tuple(groups[1]), tuple(groups[2]), int(seed))
        for number in range(rules.players):
            game._place(number, stocks[number], heaps[number], held[number])
        entries.open_play(*game._memory)
        return game

    def _place(self, number: int, stock: list[int], pile: list[int], hand: list[int]) -> None:
        seat = self._seats[number]
        field = f"of seat {number}"
        if len(hand) > self.rules.hand_size:
            raise NotationError(f"hands {field} has {len(hand)} cards: hand_size is {self.rules.hand_size}.")
        if not (stock or hand or (pile and self.rules.winnings != "captured")):
            raise NotationError(f"stocks {field} is empty and so are its hand and pile: the seat has nothing to play.")
        if pile and self.rules.winnings != "captured" and not self.rules.winnings.startswith("pile_"):
            raise NotationError(f"piles {field} is given: winnings={shown(self.rules.winnings)} has no piles.")
        seat["hand"] = sum(1 << card for card in hand)
        seat["stock"], seat["starts"] = len(stock), 1
        ring = list(stock)
        if self.rules.winnings == "captured":
            seat["captured"] = sum(1 << card for card in pile)
        else:
            seat["pile"] = len(pile)
            ring += pile
        seat["ring"][: len(ring)] = ring

    # -- playing -------------------------------------------------------------------------------------------------

    def play(self, choices: Sequence[int | None] | None = None) -> None:
        """Play one comparison.

        Args:
            choices: one slot per seat, None for a seat without a say; not needed with a hand of one.

        Raises:
            IllegalActionError: a choice is missing, is not a slot that holds a card, or stands where there is no say.
            FinishedError: the game has ended.
        """
        if self.is_over:
            raise FinishedError("the game has ended: make a new one, or copy() it before its end.")
        if not self.fighters:
            raise FinishedError("the game has no cards: make it with Game.deal or Game.from_stocks.")
        slots = self._checked_choices(choices)
        if self.rules.has_choices:
            fighters = self.fighters
            self._choices.append([int(slots[k]) if k in fighters else None for k in range(self.rules.players)])
        entries.play_comparison(*self._memory, slots)

    def _checked_choices(self, choices: Sequence[int | None] | None) -> np.ndarray:
        players = self.rules.players
        if choices is None:
            if self.rules.has_choices:
                raise IllegalActionError(
                    f"choices=None: hand_size is {self.rules.hand_size}, so each seat must choose."
                )
            return np.zeros(players, np.int64)
        slots = np.zeros(players, np.int64)
        for number, choice in enumerate(checked_entries("choices", choices, players, IllegalActionError)):
            legal = self.legal_actions(number)
            if choice is None and not legal:
                continue
            if isinstance(choice, bool | np.bool_) or not isinstance(choice, Integral) or choice not in legal:
                allowed = f"one of {legal}" if legal else "None, the seat has no say now"
                raise refused(f"choices[{number}]", choice, allowed, IllegalActionError)
            slots[number] = choice
        return slots

    def play_battle(self, agents: Sequence[Any] | None = None, seed: int = 0) -> None:
        """Play until the battle at hand has ended; for `agents` and `seed` see `play_out`."""
        self._play_while(agents, seed, self.battles)

    def play_out(self, agents: Sequence[Any] | None = None, seed: int = 0) -> Outcome:
        """Play to the end.

        Args:
            agents: for each seat a policy or the name of a scripted one; not needed with a hand of one.
            seed: seed of the generator that agents draw from.

        Returns:
            How the game ended.
        """
        self._play_while(agents, seed, None)
        outcome = self.outcome
        assert outcome is not None
        return outcome

    def _play_while(self, agents: Sequence[Any] | None, seed: int, battles: int | None) -> None:
        if agents is None and self.rules.has_choices:
            raise ArgumentError(f"agents=None: hand_size is {self.rules.hand_size}, so every seat needs an agent.")
        policies = [] if agents is None else self._policies(agents)
        rng = np.random.default_rng(checked_int("seed", seed, 0))
        while not self.is_over and battles in (None, self.battles):
            self.play(self.choose(policies, rng) if policies else None)

    def _policies(self, agents: Sequence[Any]) -> list[Policy]:
        entries = checked_entries("agents", agents, self.rules.players)
        return [get_policy(f"agents[{number}]", agent, self.rules) for number, agent in enumerate(entries)]

    def choose(self, policies: Sequence[Policy | None], rng: np.random.Generator) -> list[int | None]:
        """What policies would play now: a slot per seat, None for a seat without a say or without a policy.

        Args:
            policies: one per seat, None for a seat that somebody else plays.
            rng: what they draw from.

        Raises:
            ArgumentError: there is not one policy, or None, per seat, or `rng` is no generator.
        """
        policies = checked_entries("policies", policies, self.rules.players)
        checked_kind("rng", rng, np.random.Generator, "a numpy.random.Generator")
        choices: list[int | None] = [None] * self.rules.players
        for number in self.fighters:
            policy = policies[number]
            if policy is None:
                continue
            if not callable(getattr(policy, "act", None)):
                raise refused(f"policies[{number}]", policy, "None or have act()")
            observation, mask = self._view(number)
            slots = policy.act(observation[None], mask[None], rng)
            slot = int(checked_slots(f"agents[{number}]", slots, mask[None])[0])
            choices[number] = min(slot, int(mask.sum()) - 1)  # a masked slot plays the highest card
        return choices

    # -- copies --------------------------------------------------------------------------------------------------

    def copy(self) -> Game:
        """An independent game in the same position, with the same shuffles to come."""
        game = copy.copy(self)
        game._records = copy.copy(self._records)
        game._records._bind(self._records.words.copy())
        game._choices = list(self._choices)
        return game

    def determinize(self, seat: int, seed: int = 0) -> Game:
        """A copy in which what `seat` cannot know is drawn anew, as it could imagine it.

        Hidden cards change places only where the seat's observation stays the same; shuffles to come are drawn anew.

        Args:
            seat: whose knowledge is kept.
            seed: seed of the draw.
        """
        from war_env.imagine import redraw_hidden

        game = self.copy()
        number = checked_int("seat", seat, 0, self.rules.players - 1)
        redraw_hidden(game._state, game._seats, self.rules, number, np.random.default_rng(checked_int("seed", seed, 0)))
        game._deal = None
        return game

    # -- records -------------------------------------------------------------------------------------------------

    def record(self) -> dict[str, Any]:
        """The game so far as one JSON object: format, version, rules, seed, deal and choices.

        Raises:
            ArgumentError: the game is an imagined one and has no deal.
        """
        if self._deal is None:
            raise ArgumentError("record(): a determinized game has no deal that it started from.")
        choices = list(self._choices) if self.rules.has_choices else int(self._state["comparisons"])
        return record_of(self.rules, self._deal, choices, __version__)

    @classmethod
    def from_record(cls, record: Any, comparisons: int | None = None) -> Game:
        """The game that a record describes, played again.

        Args:
            record: JSON text, or the object that `record` returns.
            comparisons: how many of its comparisons are played; all when None.

        Raises:
            NotationError: it is not a record; the message says where.
            RulesError, IllegalActionError, FinishedError: its rules, a choice, or one after the end is not allowed.
        """
        rules, deal, choices, _ = read_record(record)
        game = cls.from_stocks(list(deal.stocks), rules, list(deal.piles), list(deal.hands), deal.seed)
        total = choices if isinstance(choices, int) else len(choices)
        count = total if comparisons is None else min(checked_int("comparisons", comparisons, 0), total)
        for k in range(count):
            game.play(None if isinstance(choices, int) else choices[k])
        return game


def _checked_texts(field: str, texts: Sequence[str] | None, rules: Rules) -> list[str]:
    if texts is None:
        return [""] * rules.players
    entries = checked_entries(field, texts, rules.players, NotationError)
    for number, text in enumerate(entries):
        if not isinstance(text, str):
            raise refused(f"{field}[{number}]", text, "text, cards such as '7h 2 A'", NotationError)
    return entries
