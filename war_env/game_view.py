"""What can be seen of a game: cards as text, counts, the outcome, and each seat's view."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from war_env.cards import cards_in
from war_env.errors import checked_int, checked_kind
from war_env.holdings import held_cards, pot_taker
from war_env.lane_kernels import show_rows
from war_env.layout import Layout
from war_env.plan import LAYOUT_AT, make_plan
from war_env.render.scene import Position, Scene, war_scene
from war_env.rules import Rules, checked_rules
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


class GameView:
    """A game as it lies on the table; `Game` adds how it is made and played."""

    def __init__(self, rules: Rules) -> None:
        self.rules = checked_rules(rules)
        self.layout = Layout(rules)
        self._plan = make_plan(self.layout)
        self._records = Records(rules, 1)
        self._with_suits = rules.suits > 1

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

    def laid(self, seat: int) -> list[int | None]:
        """The cards a seat has laid in the battle at hand, in that order; None for one that lies face-down."""
        shown = int(self._state["table"])
        number = checked_int("seat", seat, 0, self.rules.players - 1)
        return [card if shown >> card & 1 else None for card in self._laid_cards(number)]

    def hand_cards(self, seat: int) -> list[int]:
        """The cards in a seat's hand by number, lowest first; with a hand of one the card drawn from its stock."""
        return cards_in(self._seats[checked_int("seat", seat, 0, self.rules.players - 1)]["hand"])

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
    def comparisons(self) -> int:
        """Sets of cards turned up so far."""
        return int(self._state["comparisons"])

    @property
    def in_game(self) -> list[int]:
        """Seats that have not lost yet."""
        return cards_in(self._state["in_game"])

    @property
    def fighters(self) -> list[int]:
        """Seats that choose a card for the comparison to come."""
        return cards_in(self._state["fighters"])

    @property
    def held(self) -> tuple[int, ...]:
        """Cards that count for each seat: all it holds, or its captured cards where those are kept apart."""
        return held_cards(self._state, self._seats, self.rules)

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

    def scene(self, seat: int, before: GameView | None = None) -> Scene:
        """The table as one seat sees it, as data; with the game `before` its last comparison, also what that did."""
        number = checked_int("seat", seat, 0, self.rules.players - 1)
        if before is not None:
            checked_kind("before", before, GameView, "None or the game before its last comparison")
        earlier = None if before is None else Position(before._state, before._seats)
        return war_scene(Position(self._state, self._seats), self.rules, number, earlier)

    def view(self, seat: int) -> str:
        """The table as one seat sees it: its hand, what lies face-up, and counts of everything else."""
        return self.scene(seat).text()

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


def comparison_text(before: GameView, slots: Sequence[int | None], after: GameView) -> str:
    """One comparison in a line: battle, whether it is a war, face-up cards with their slots, what becomes of the pot.

    Args:
        before, after: the game before and after it.
        slots: what each seat played, None without a say.
    """
    deck = before.rules.deck
    turned = " v ".join(
        "-" if slot is None else f"{deck.name(card, before.with_suits)}[{slot}]"
        for slot, card in zip(slots, after.turned, strict=True)
    )
    kind = "war" if any(before.pot) else ""
    held = " ".join(map(str, after.held))
    return f"battle {before.battles + 1:>3} {kind:<4} {turned:<24} {_taken(before, after):<13} held {held}"


def _taken(before: GameView, after: GameView) -> str:
    """What became of the pot."""
    if after.battles == before.battles:
        return "tie: war"
    seat = pot_taker(before.held, after.held)
    return "taken back" if seat is None else f"seat {seat} takes"
