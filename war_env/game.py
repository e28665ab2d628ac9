"""`Game`: one game of War for people, search and tests; text in, text out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from war_env._version import __version__
from war_env.cards import cards_in, has_suits
from war_env.engine import entries
from war_env.errors import ArgumentError, FinishedError, IllegalActionError, NotationError, RulesError, checked_int
from war_env.lane_kernels import show_rows
from war_env.layout import Layout
from war_env.plan import LAYOUT_AT, make_plan
from war_env.policy import Policy, checked_slots, get_policy
from war_env.record import Deal, read_record, record_of
from war_env.rules import Rules
from war_env.seeding import lane_start
from war_env.state import NOBODY, REASONS, Records

_ONLY_ROW = np.zeros(1, np.int64)


@dataclass(frozen=True)
class Outcome:
    """How a game ended.

    Attributes:
        winner: the winning seat, None for a draw.
        reason: all_cards, run_out, stock_out, first_empty, max_battles, max_seconds, loop, unfinished or draw.
        battles: battles played, a pot that was undone included.
        comparisons: sets of cards turned up.
        wars: ties among the best face-up cards.
        held: cards that count for each seat at the end.
        period: least period of a loop in battles, else None.
        seconds: time on the game's clock, None without a clock.
    """

    winner: int | None
    reason: str
    battles: int
    comparisons: int
    wars: int
    held: tuple[int, ...]
    period: int | None = None
    seconds: float | None = None


class Game:
    """One game; make it with `Game.deal` or `Game.from_stocks`.

    A seat is a place at the table, 0 to players - 1. A game waits for the choices of its `fighters`; with a hand of
    one there is nothing to choose and `play()` needs no arguments.
    """

    def __init__(self, rules: Rules) -> None:
        if not isinstance(rules, Rules):
            raise RulesError(f"rules={rules!r} is not allowed: it must be a Rules, e.g. get_rules('classic').")
        self.rules = rules
        self.layout = Layout(rules)
        self._plan = make_plan(self.layout)
        self._records = Records(rules, 1)
        self._with_suits = rules.suits > 1
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
        groups = [
            _checked_texts(field, group, rules)
            for field, group in (("stocks", texts), ("piles", piles), ("hands", hands))
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
            raise NotationError(f"piles {field} is given: winnings={self.rules.winnings!r} has no piles.")
        seat["hand"] = sum(1 << card for card in hand)
        seat["stock"], seat["starts"] = len(stock), 1
        ring = list(stock)
        if self.rules.winnings == "captured":
            seat["captured"] = sum(1 << card for card in pile)
        else:
            seat["pile"] = len(pile)
            ring += pile
        seat["ring"][: len(ring)] = ring

    # -- what is there -------------------------------------------------------------------------------------------

    @property
    def _memory(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self._records.words, self._records.octets, self._plan[:LAYOUT_AT]

    @property
    def _state(self) -> Any:
        return self._records.fields["game"][0]

    @property
    def _seats(self) -> Any:
        return self._records.fields["seats"][0]

    def _ring(self, number: int, start: int, count: int) -> list[int]:
        seat = self._seats[number]
        return [int(seat["ring"][(int(seat["head"]) + start + k) % len(seat["ring"])]) for k in range(count)]

    def _cards(self, cards: Sequence[int]) -> str:
        return self.rules.deck.text(cards, self._with_suits)

    def _stock_cards(self, number: int) -> list[int]:
        drawn = [] if self.rules.has_choices else cards_in(self._seats[number]["hand"])
        return drawn + self._ring(number, 0, int(self._seats[number]["stock"]))

    def _pile_cards(self, number: int) -> list[int]:
        seat = self._seats[number]
        return cards_in(seat["captured"]) + self._ring(number, int(seat["stock"]), int(seat["pile"]))

    def _laid_cards(self, number: int) -> list[int]:
        seat = self._seats[number]
        return self._ring(number, int(seat["stock"]) + int(seat["pile"]), int(seat["laid"]))

    def _all_cards(self, number: int) -> list[int]:
        hand = cards_in(self._seats[number]["hand"]) if self.rules.has_choices else []
        return self._stock_cards(number) + hand + self._pile_cards(number) + self._laid_cards(number)

    @property
    def stocks(self) -> list[str]:
        """Each seat's stock, top card first; with a hand of one the card drawn from it counts as its top."""
        return [self._cards(self._stock_cards(number)) for number in range(self.rules.players)]

    @property
    def hands(self) -> list[str]:
        """Each seat's hand, lowest card first; empty with a hand of one, whose card `stocks` names."""
        if not self.rules.has_choices:
            return [""] * self.rules.players
        return [self._cards(cards_in(seat["hand"])) for seat in self._seats]

    @property
    def piles(self) -> list[str]:
        """Each seat's pile, oldest first, or its captured cards."""
        return [self._cards(self._pile_cards(number)) for number in range(self.rules.players)]

    @property
    def pot(self) -> list[str]:
        """What each seat has laid in the battle at hand, in that order; face-down cards in brackets."""
        shown = int(self._state["table"])
        return [
            " ".join(
                self._cards([card]) if shown >> card & 1 else f"({self._cards([card])})"
                for card in self._laid_cards(number)
            )
            for number in range(self.rules.players)
        ]

    @property
    def turned(self) -> list[int]:
        """The card that each seat turned up last, by number; see `rules.deck`."""
        return [int(seat["up"]) for seat in self._seats]

    @property
    def with_suits(self) -> bool:
        """Whether cards are named with their suits."""
        return self._with_suits

    @property
    def battles(self) -> int:
        """Battles finished."""
        return int(self._state["battles"])

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return bool(self._state["reason"])

    @property
    def fighters(self) -> list[int]:
        """Seats that choose a card for the comparison to come."""
        return cards_in(self._state["fighters"])

    @property
    def held(self) -> tuple[int, ...]:
        """Cards that count for each seat: all it holds, or its captured cards where those are kept apart."""
        if self.rules.winnings == "captured":
            return tuple(int(seat["captured"]).bit_count() for seat in self._seats)
        in_game = int(self._state["in_game"])
        return tuple(self._num_left(number) if in_game >> number & 1 else 0 for number in range(self.rules.players))

    def _num_left(self, number: int) -> int:
        seat = self._seats[number]
        return int(seat["hand"]).bit_count() + int(seat["stock"]) + int(seat["pile"])

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended; None while it is played."""
        state = self._state
        if not self.is_over:
            return None
        return Outcome(
            winner=None if state["winner"] == NOBODY else int(state["winner"]),
            reason=REASONS[int(state["reason"])],
            battles=int(state["battles"]),
            comparisons=int(state["comparisons"]),
            wars=int(state["wars"]),
            held=self.held,
            period=int(state["period"]) or None,
            seconds=None if self.rules.clock is None else int(state["nanos"]) / 1e9,
        )

    def legal_actions(self, seat: int) -> list[int]:
        """The slots that a seat may play now, lowest card first; empty for a seat without a say."""
        number = checked_int("seat", seat, 0, self.rules.players - 1)
        if number not in self.fighters:
            return []
        return list(range(int(self._seats[number]["hand"]).bit_count()))

    def observation(self, seat: int) -> np.ndarray:
        """What a seat may know, as `self.layout` describes it: float32, shape (layout.size,)."""
        return self._view(seat)[0]

    def action_mask(self, seat: int) -> np.ndarray:
        """Which slots hold a card: int8, shape (hand_size,)."""
        return self._view(seat)[1]

    def _view(self, seat: int) -> tuple[np.ndarray, np.ndarray]:
        number = checked_int("seat", seat, 0, self.rules.players - 1)
        observation, mask = np.empty(self.layout.size, np.float32), np.empty(self.rules.hand_size, np.int8)
        records = self._records
        show_rows(records.words, records.octets, self._plan, _ONLY_ROW, np.uint64(number), observation, mask)
        return observation, mask

    def view(self, seat: int) -> str:
        """The table as one seat sees it: its hand, what lies face-up, and counts of everything else."""
        from war_env.render.text import view_text

        return view_text(self._state, self._seats, self.rules, checked_int("seat", seat, 0, self.rules.players - 1))

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
        if isinstance(choices, str) or not isinstance(choices, Sequence | np.ndarray) or len(choices) != players:
            raise IllegalActionError(f"choices={choices!r} is not allowed: it must have one entry per seat, {players}.")
        slots = np.zeros(players, np.int64)
        for number, choice in enumerate(choices):
            legal = self.legal_actions(number)
            if choice is None and not legal:
                continue
            if isinstance(choice, bool | np.bool_) or not isinstance(choice, Integral) or choice not in legal:
                allowed = f"one of {legal}" if legal else "None, the seat has no say now"
                raise IllegalActionError(f"choices[{number}]={choice!r} is not allowed: it must be {allowed}.")
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
            self.play(self._choices_of(policies, rng) if policies else None)

    def _policies(self, agents: Sequence[Any]) -> list[Policy]:
        if isinstance(agents, str) or not isinstance(agents, Sequence) or len(agents) != self.rules.players:
            raise ArgumentError(
                f"agents={agents!r} is not allowed: it must have one entry per seat, {self.rules.players}."
            )
        return [get_policy(f"agents[{number}]", agent, self.rules) for number, agent in enumerate(agents)]

    def _choices_of(self, policies: list[Policy], rng: np.random.Generator) -> list[int | None]:
        choices: list[int | None] = [None] * self.rules.players
        for number in self.fighters:
            observation, mask = self._view(number)
            slots = policies[number].act(observation[None], mask[None], rng)
            slot = int(checked_slots(f"agents[{number}]", slots, mask[None])[0])
            choices[number] = min(slot, int(mask.sum()) - 1)  # a masked slot plays the highest card
        return choices

    # -- copies --------------------------------------------------------------------------------------------------

    def copy(self) -> Game:
        """An independent game in the same position, with the same shuffles to come."""
        game = Game(self.rules)
        game._records.words[:] = self._records.words
        game._with_suits, game._deal = self._with_suits, self._deal
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

    def __str__(self) -> str:
        total = sum(len(self._all_cards(number)) for number in range(self.rules.players))
        lines = [f"battle {self.battles + (not self.is_over)}, {total} cards"]
        for number in range(self.rules.players):
            parts = [f"seat {number}: held {self.held[number]}"]
            named = (("hand", self.hands), ("stock", self.stocks), ("pile", self.piles), ("laid", self.pot))
            parts += [f"{name} [{texts[number]}]" for name, texts in named if texts[number]]
            lines.append("  ".join(parts))
        if self.is_over:
            lines.append(str(self.outcome))
        return "\n".join(lines)


def _checked_texts(field: str, texts: Sequence[str] | None, rules: Rules) -> list[str]:
    if texts is None:
        return [""] * rules.players
    if isinstance(texts, str) or not isinstance(texts, Sequence) or len(texts) != rules.players:
        raise NotationError(
            f"{field}={texts!r} is not allowed: it must be a list of {rules.players} texts, one per seat."
        )
    return list(texts)
