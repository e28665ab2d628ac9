"""`PlaySession`: one game between a person and agents, as plain data that tells what the person may know and no more.

Terminal and page draw it; neither knows a rule.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from agents.registry import get_agent, strongest_agent
from experiments.play_cards import card_data, ending_text, event_text, known_cards, seat_names, winner_text
from war_env.errors import ArgumentError, IllegalActionError, checked_int, refused, shown
from war_env.game import Game
from war_env.holdings import pot_taker
from war_env.policy import Policy
from war_env.rules import Rules
from war_env.seeding import tagged_generator

HISTORY = 60  # comparisons that a view tells of
_AGENTS_TAG, _HINT_TAG = 11, 12


def seated_agents(rules: Rules, names: Sequence[str], seat: int) -> list[Policy | None]:
    """One agent per seat, None for the person's.

    Args:
        rules: the rules.
        names: agents by name or path to weights, one for all other seats or one for each, in the order of the seats.
        seat: where the person sits.

    Raises:
        ArgumentError: the seat does not exist, or the number of names does not fit. UnknownNameError, RulesError,
            NotationError: as for `get_agent`.
    """
    checked_int("seat", seat, 0, rules.players - 1)
    others = rules.players - 1
    if len(names) not in (1, others):
        raise ArgumentError(
            f"opponent={shown(list(names))} has {len(names)} entries: "
            f"name one, or one for each of the {others} other seats."
        )
    agents: list[Policy | None] = [get_agent(name, rules) for name in (names * others if len(names) == 1 else names)]
    agents.insert(seat, None)
    return agents


class PlaySession:
    """A game in progress.

    Args:
        rules: the rules.
        agents: who plays each seat, None for the person, once.
        seed: seed of the deal, of the shuffles and of what agents draw.
    """

    def __init__(self, rules: Rules, agents: Sequence[Policy | None], seed: int) -> None:
        if len(agents) != rules.players or list(agents).count(None) != 1:
            raise ArgumentError(
                f"agents has {len(agents)} entries: there must be one per seat, {rules.players}, one None."
            )
        self.rules, self.agents, self.seed = rules, list(agents), seed
        self.person = self.agents.index(None)
        self.names = seat_names(self.agents)
        self.game = Game.deal(rules, seed)
        self._advisor: Any = None
        self._history: deque[dict[str, Any]] = deque(maxlen=HISTORY)
        self._table = self._laid()

    # -- playing -------------------------------------------------------------------------------------------------

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.game.is_over

    @property
    def may_choose(self) -> bool:
        """Whether the game waits for a card of the person's."""
        return self.rules.has_choices and self.person in self.game.fighters and not self.is_over

    def step(self, slot: int | None = None) -> None:
        """Play one comparison.

        Args:
            slot: what the person plays; None where it has no say.

        Raises:
            IllegalActionError: the slot holds no card, is missing, or there is no say. FinishedError: the game is over.
        """
        legal = self.game.legal_actions(self.person) if self.may_choose else [None]
        if not self.is_over and (slot not in legal or isinstance(slot, bool | float)):
            allowed = f"one of {legal}" if self.may_choose else "None: there is nothing to choose now"
            raise refused("slot", slot, allowed, IllegalActionError)
        choices = self.game.choose(self.agents, self._generator(_AGENTS_TAG)) if self.rules.has_choices else None
        if choices is not None:
            choices[self.person] = slot
        laid, fighters, held, battles = self._laid(), self.game.fighters, self.game.held, self.game.battles
        self.game.play(choices)
        self._note(laid, fighters, held, battles)

    def play_on(self, comparisons: int | None = None, battles: int | None = None) -> None:
        """Play while the person has no say: to the end, or for so many comparisons or battles at most."""
        first_comparison, first_battle = self.game.comparisons, self.game.battles
        while not (self.is_over or self.may_choose):
            self.step()
            if comparisons is not None and self.game.comparisons - first_comparison >= comparisons:
                return
            if battles is not None and self.game.battles - first_battle >= battles:
                return

    def _generator(self, tag: int) -> np.random.Generator:
        """What agents draw from in the comparison to come, whatever was asked for before it."""
        return tagged_generator(self.seed, self.game.comparisons, tag)

    def _laid(self) -> list[list[int | None]]:
        return [self.game.laid(seat) for seat in range(self.rules.players)]

    def _note(self, laid: list[list[int | None]], fighters: Sequence[int], held: Sequence[int], battles: int) -> None:
        """Remember a comparison as everybody saw it, from what lay there and was held before it."""
        game = self.game
        plays = [card if seat in fighters else None for seat, card in enumerate(game.turned)]
        table = [cards + ([] if card is None else [card]) for cards, card in zip(laid, plays, strict=True)]
        goes_on = game.battles == battles and not game.is_over
        taker = None if goes_on else pot_taker(held, game.held)
        event = {
            "number": game.comparisons,
            "battle": battles + 1,
            "is_war": any(laid),
            "plays": [None if card is None else card_data(self.rules.deck, card) for card in plays],
            "result": "war" if goes_on else "back" if taker is None else "taken",
            "seat": taker,
            "cards": sum(map(len, table)),
            "held": list(game.held),
        }
        self._history.append({**event, "text": event_text(event, self.names)})
        self._table = self._laid() if goes_on else table

    # -- what the person sees ------------------------------------------------------------------------------------

    def view(self) -> dict[str, Any]:
        """All that a page or a terminal shows, as plain JSON values."""
        game, rules = self.game, self.rules
        named = self._named()
        last = self._history[-1] if self._history else None
        is_war = bool(named["is_war"][0]) and not self.is_over
        return {
            "game": "war",
            "headline": self._headline(is_war),
            "comparisons": game.comparisons,
            "battle": game.battles + (not self.is_over),
            "max_battles": rules.max_battles,
            "seconds_left": float(named["time_left"][0]) * rules.max_seconds if rules.max_seconds else None,
            "has_choices": rules.has_choices,
            "may_choose": self.may_choose,
            "is_war": is_war,
            "is_over": self.is_over,
            "seats": self._seats(named),
            "person": self.person,
            "hand": self._hand(),
            "table": [
                [None if card is None else card_data(rules.deck, card) for card in cards] for cards in self._table
            ],
            "pot": sum(map(len, self._table)),
            "is_settled": last is not None and last["result"] != "war",
            "history": list(self._history),
            "outcome": self._outcome(),
        }

    def _named(self) -> dict[str, np.ndarray]:
        return self.game.layout.named(self.game.observation(self.person))

    def _headline(self, is_war: bool) -> str:
        if self.game.outcome is not None:
            return winner_text(self.game.outcome.winner, self.names)
        limit = "" if self.rules.max_battles is None else f" of {self.rules.max_battles}"
        head = f"Battle {self.game.battles + 1}{limit}"
        if is_war:
            head += ": war"
        if self.may_choose:
            return f"{head} – choose a card"
        return f"{head} – you have no say" if self.rules.has_choices else head

    def _hand(self) -> list[dict[str, Any]]:
        """The person's cards with their slots; none where there is nothing to choose: nobody looks at the top card."""
        if not self.rules.has_choices:
            return []
        cards = self.game.hand_cards(self.person)
        return [{"slot": slot, **card_data(self.rules.deck, card)} for slot, card in enumerate(cards)]

    def _seats(self, named: dict[str, np.ndarray]) -> list[dict[str, Any]]:
        """Counts of every seat, as the person's observation gives them."""
        rules, seats = self.rules, []
        for seat in range(rules.players):
            place = (seat - self.person) % rules.players
            hand = round(float(named["hand_sizes"][place]) * rules.hand_size)
            stock, pile = (
                round(float(named[name][place]) * len(rules.cards)) if name in named else 0
                for name in ("stock_sizes", "pile_sizes")
            )
            seats.append(
                {
                    "seat": seat,
                    "name": self.names[seat],
                    "is_person": seat == self.person,
                    "hand": hand if rules.has_choices else 0,
                    "stock": stock if rules.has_choices else stock + hand,
                    "pile": pile,
                    "pile_name": "captured"
                    if rules.winnings == "captured"
                    else "pile"
                    if "pile_sizes" in named
                    else None,
                    "held": self.game.held[seat],
                    "fights": seat in self.game.fighters,
                    "is_out": seat not in self.game.in_game,
                }
            )
        return seats

    def _outcome(self) -> dict[str, Any] | None:
        outcome = self.game.outcome
        if outcome is None:
            return None
        result = "draw" if outcome.winner is None else "won" if outcome.winner == self.person else "lost"
        return {
            "result": result,
            "winner": outcome.winner,
            "reason": outcome.reason,
            "held": list(outcome.held),
            "battles": outcome.battles,
            "wars": outcome.wars,
            "detail": ending_text(outcome.reason, outcome.held, self.names),
        }

    # -- help ----------------------------------------------------------------------------------------------------

    def hint(self) -> dict[str, Any]:
        """What the strongest agent would play in the person's place: keys agent, slot, card, text.

        Raises:
            IllegalActionError: there is nothing to choose now.
        """
        if not self.may_choose:
            raise IllegalActionError("a hint is not allowed now: there is nothing to choose.")
        if self._advisor is None:
            self._advisor = strongest_agent(self.rules)
        advisors: list[Policy | None] = [None] * self.rules.players
        advisors[self.person] = self._advisor
        slot = self.game.choose(advisors, self._generator(_HINT_TAG))[self.person]
        card = next(card for card in self._hand() if card["slot"] == slot)
        return {
            "agent": self._advisor.name,
            "slot": slot,
            "card": card,
            "text": f"{self._advisor.name} would play the {card['label']}.",
        }

    def known(self) -> dict[str, Any]:
        """What an attentive player knows of the cards, by rank: keys seats (name, cards), unlocated, unseen."""
        return known_cards(self.game, self.person, self.names)

    def record(self) -> dict[str, Any]:
        """The game so far as a record that `Game.from_record` plays again."""
        return self.game.record()
