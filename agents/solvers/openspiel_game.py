"""Small games of War as a game of OpenSpiel, played by our engine: an independent check, and a door to its algorithms.

The seats choose one after the other and in secret, so that every algorithm for sequential games works; the cards are
turned up when both have chosen. An information state is what the seat has seen so far, by rank. OpenSpiel scores 1, 0
and -1: twice our unit, around one half. Importing this registers the game: `pyspiel.load_game("war_env(ranks=3)")`.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from agents.solvers.deals import as_cards, list_deals, num_deals, seat_sizes
from agents.solvers.size import check_rules
from war_env.errors import ArgumentError
from war_env.game import Game
from war_env.presets import get_rules
from war_env.rules import Rules

try:
    import pyspiel
except ImportError as error:
    raise ArgumentError(f"OpenSpiel is missing: pip install 'war_env[openspiel]' ({error}).") from error

SHORT_NAME = "war_env"
_DEFAULTS = get_rules("mini")
_NONE = 0  # OpenSpiel's parameters have one type each: this is max_battles=None
_MAX_LENGTH = 512


def _parameters(rules: Rules) -> dict[str, Any]:
    """The rules as OpenSpiel's parameters; options of games that are not solved are left out."""
    values = {name: value for name, value in rules.to_dict().items() if isinstance(value, int | str)}
    return {"max_battles": _NONE, **values}


_TYPE = pyspiel.GameType(
    short_name=SHORT_NAME,
    long_name="War, small decks",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=False,
    provides_observation_tensor=False,
    parameter_specification=_parameters(_DEFAULTS),
)


def load_game(rules: Rules) -> Any:
    """The OpenSpiel game under some rules.

    Raises:
        RulesError: they have more than two seats, a clock, shuffles after the deal, or no end.
    """
    check_rules(rules)
    return pyspiel.load_game(SHORT_NAME, _parameters(rules))


class WarGame(pyspiel.Game):
    """War under the rules that the parameters give; all deals are one chance node."""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = {**_parameters(_DEFAULTS), **(params or {})}
        self.rules = Rules(**{**given, "max_battles": given["max_battles"] or None})
        check_rules(self.rules)
        ranks, self.weights = list_deals(self.rules)
        self.cards = as_cards(ranks, self.rules)
        info = pyspiel.GameInfo(
            num_distinct_actions=self.rules.hand_size,
            max_chance_outcomes=len(self.cards),
            num_players=2,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=_MAX_LENGTH,
        )
        super().__init__(_TYPE, info, params or {})
        self.root = _Position()

    def new_initial_state(self) -> WarState:
        """The state before the deal."""
        return WarState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """What gives OpenSpiel the texts of information states."""
        return _Observer()

    @functools.cached_property
    def chances(self) -> list[tuple[int, float]]:
        """Every deal with its probability."""
        total = num_deals(self.rules)
        return [(number, float(weight) / total) for number, weight in enumerate(self.weights)]

    def deal(self, number: int) -> Game:
        """A game of ours with that deal."""
        own, _ = seat_sizes(self.rules)
        cards = self.cards[number].tolist()
        text = self.rules.deck.text
        return Game.from_stocks([text(cards[:own], False), text(cards[own:], False)], self.rules)


class _Position:
    """What a state is made of. Only `below` grows: states share positions, and each one is played but once.

    Args:
        game: our game, never played on; None before the deal.
        views: what each seat has seen.
        slots: choices that are made but not shown yet.
    """

    def __init__(
        self, game: Game | None = None, views: Sequence[str] = ("", ""), slots: Sequence[int | None] = (None, None)
    ) -> None:
        self.game, self.views, self.slots = game, views, slots
        self.below: dict[int, _Position] = {}
        self.player = int(pyspiel.PlayerId.CHANCE)
        self.actions: list[int] = []
        self.returns = [0.0, 0.0]
        if game is not None and game.outcome is not None:
            self.player = int(pyspiel.PlayerId.TERMINAL)
            winner = game.outcome.winner
            self.returns = [0.0, 0.0] if winner is None else [1.0 - 2 * winner, 2 * winner - 1.0]
        elif game is not None:
            self.player = next(seat for seat in game.fighters if slots[seat] is None)
            hand = _hand(game, self.player)
            self.actions = [slot for slot in range(len(hand)) if slot == 0 or hand[slot] != hand[slot - 1]]

    def __deepcopy__(self, memo: Any) -> _Position:
        return self

    def after(self, action: int, game: WarGame) -> _Position:
        """The position after a choice of the player, or after a deal of `game`."""
        if action not in self.below:
            self.below[action] = self._play(action) if self.game else _start(game.deal(action))
        return self.below[action]

    def _play(self, action: int) -> _Position:
        assert self.game is not None
        slots = [action if seat == self.player else slot for seat, slot in enumerate(self.slots)]
        if any(slots[seat] is None for seat in self.game.fighters):
            return _Position(self.game, self.views, slots)
        game = self.game.copy()
        game.play(slots)
        deck = game.rules.deck
        up = [deck.rank_names[deck.rank(card)] for card in game.turned]
        views = [f"{self.views[k]} {up[k]}v{up[1 - k]} [{' '.join(_hand(game, k))}]" for k in range(2)]
        return _Position(game, views)


def _start(game: Game) -> _Position:
    return _Position(game, [f"[{' '.join(_hand(game, seat))}]" for seat in range(2)])


class WarState(pyspiel.State):
    """A position of the game."""

    def __init__(self, game: WarGame) -> None:
        super().__init__(game)
        self.position = game.root

    def current_player(self) -> int:
        """Chance before the deal, then the first seat with a say that has not chosen."""
        return self.position.player

    def is_terminal(self) -> bool:
        """Whether the game has ended."""
        return self.position.player == pyspiel.PlayerId.TERMINAL

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Every deal with its probability."""
        return self.get_game().chances  # type: ignore[no-any-return]

    def _legal_actions(self, player: int) -> list[int]:
        """The lowest slot of each rank in hand."""
        return self.position.actions

    def _apply_action(self, action: int) -> None:
        self.position = self.position.after(action, self.get_game())

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"deal {' - '.join(self.get_game().deal(action).hands)}"
        return f"seat {player} plays {_hand(self.position.game, player)[action]}"

    def returns(self) -> list[float]:
        """1 for the winner, -1 for the other seat; 0 for both on a draw and before the end."""
        return self.position.returns

    def __str__(self) -> str:
        return f"{self.position.views} {self.position.slots}"


def _hand(game: Game, seat: int) -> list[str]:
    """Names of the ranks in a seat's hand, lowest first."""
    return game.hands[seat].split() if game.rules.has_choices else game.stocks[seat].split()[:1]


class _Observer:
    """Texts of information states; there are no tensors."""

    tensor = None
    dict: dict[str, Any] = {}

    def set_from(self, state: WarState, player: int) -> None:
        """Nothing to set without tensors."""

    def string_from(self, state: WarState, player: int) -> str:
        """What a seat has seen so far."""
        return f"{player} {state.position.views[player]}"


pyspiel.register_game(_TYPE, WarGame)
