"""`CasinoRules`: the options of Casino War, checked once, and its payoffs.

Source: Michael Shackleford, "Casino War", https://wizardofodds.com/games/casino-war/. Player and dealer get one card
each; the higher wins even money. On a tie the player surrenders half the ante or goes to war: raises as much again,
three cards are burned, one more card each; the player's card higher or equal wins even money on the raise and the ante
is returned, lower loses both. The tie bet wins if the first two cards tie.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from war_env.errors import RulesError, refused, unknown_name
from war_env.rules import option

CASINO_NAME, CASINO_ID = "casino", "CasinoWar-v0"
CASINO_SUMMARY = "Casino War: one player against the house, 50 rounds of a six-pack shoe, with the exact edge"
NUM_RANKS = 13
CARDS_OF_A_RANK = 4  # in one pack
BURNED = 3  # cards burned before a war
RESERVE = 10  # a round is only started with more cards than these in the shoe

_SOURCE = "Wizard of Odds"
_INTEGERS = (("packs", 1, 8), ("tie_pays", 1, 1000), ("rounds", 1, 10_000), ("bet_levels", 1, 10), ("bonus", 0, 1))


@dataclass(frozen=True, kw_only=True)
class CasinoRules:
    """All options of Casino War; the defaults are the usual six-pack table.

    Raises:
        RulesError: a value is outside its range; the message names it.
    """

    packs: int = option(6, "packs of 52 cards in the shoe", _SOURCE, allowed="1..8")
    bonus: int = option(0, "antes paid on top for a tie after a tie", _SOURCE, allowed="0, 1")
    tie_pays: int = option(10, "units that the tie bet wins per unit; some houses pay 11", _SOURCE, allowed="1..1000")
    rounds: int = option(50, "rounds of an episode", "ours", allowed="1..10000")
    penetration: float = option(
        0.75, "share of the shoe after which it is reshuffled before the next round", "ours", allowed="0..1"
    )
    surrender: bool = option(True, "whether a tied player may surrender half the ante", _SOURCE, allowed="True, False")
    bet_levels: int = option(1, "antes of 1 to so many units may be chosen", "ours", allowed="1..10")

    def __post_init__(self) -> None:
        for name, low, high in _INTEGERS:
            value = getattr(self, name)
            if isinstance(value, bool | np.bool_) or not isinstance(value, Integral) or not low <= int(value) <= high:
                self._refuse(name)
            object.__setattr__(self, name, int(value))
        if not isinstance(self.surrender, bool | np.bool_):
            self._refuse("surrender")
        object.__setattr__(self, "surrender", bool(self.surrender))
        share = self.penetration
        if isinstance(share, bool | np.bool_) or not isinstance(share, Real) or not 0 <= share <= 1:
            self._refuse("penetration")
        object.__setattr__(self, "penetration", float(share))

    def _refuse(self, name: str) -> None:
        entry = next(entry for entry in dataclasses.fields(self) if entry.name == name)
        raise refused(name, getattr(self, name), entry.metadata["allowed"], RulesError)

    @property
    def num_cards(self) -> int:
        """Cards of a full shoe."""
        return NUM_RANKS * CARDS_OF_A_RANK * self.packs

    @property
    def num_actions(self) -> int:
        """Antes, antes with a tie bet, surrender, war."""
        return 2 * self.bet_levels + 2

    @property
    def surrender_action(self) -> int:
        """The action that surrenders a tie."""
        return 2 * self.bet_levels

    @property
    def war_action(self) -> int:
        """The action that goes to war."""
        return 2 * self.bet_levels + 1

    def replace(self, /, **options: Any) -> CasinoRules:
        """The same rules with some options changed; an unknown option is an UnknownNameError."""
        known = [entry.name for entry in dataclasses.fields(self)]
        for name in options:
            if name not in known:
                raise unknown_name("option", name, known)
        return dataclasses.replace(self, **options)

    def to_dict(self) -> dict[str, Any]:
        """All options as plain JSON values."""
        return dataclasses.asdict(self)


def checked_casino_rules(rules: Any) -> CasinoRules:
    """`rules` if they are a `CasinoRules`, else a RulesError."""
    if not isinstance(rules, CasinoRules):
        raise refused("rules", rules, "a CasinoRules", RulesError)
    return rules


# Payoffs in half units of the ante. Kernel, exact evaluation and documentation take them from here.
WIN, LOSE = 2, -2
SURRENDER = -1
WAR_WON, WAR_LOST, WAR_TIED = 2, -4, 2
BONUS = 2  # times `bonus`
TIE_BET_LOST = -2
TIE_BET_WON = 2  # times `tie_pays`
