"""How large a game is in sequence form, and which games have one."""

from __future__ import annotations

from dataclasses import dataclass

from war_env.errors import RulesError, WarEnvError, shown
from war_env.rules import Rules

DEFAULT_BYTES = 8 * 10**9
# Measured peaks: tables with their slots, the game, its payoffs sorted for both seats, and a solver's vectors.
_BYTES_A_SET, _BYTES_A_SEQUENCE, _BYTES_A_PAIR = 230, 110, 64


class GameTooLargeError(WarEnvError):
    """A game needs more memory or lasts longer than was allowed."""


@dataclass(frozen=True)
class GameSize:
    """Sizes of a game in sequence form.

    Attributes:
        deals: equally likely deals that differ by rank, the order within first hands included.
        histories: games, counted likewise.
        information_sets, sequences: of one seat, the empty sequence included.
        terminal_pairs: pairs of last sequences; where some cards are never seen an estimate is too high.
        is_exact: whether all were counted; otherwise all but the deals are estimates without bias.
    """

    deals: int
    histories: int
    information_sets: int
    sequences: int
    terminal_pairs: int
    is_exact: bool

    @property
    def num_bytes(self) -> int:
        """Memory that building and solving it takes, about."""
        return (
            _BYTES_A_SET * self.information_sets
            + _BYTES_A_SEQUENCE * self.sequences
            + _BYTES_A_PAIR * self.terminal_pairs
        )

    def __str__(self) -> str:
        about = "" if self.is_exact else "about "
        return (
            f"{self.deals:,} deals, {about}{self.histories:,} histories, {about}{self.information_sets:,} information "
            f"sets and {self.sequences:,} sequences a seat, {about}{self.terminal_pairs:,} terminal pairs, "
            f"{about}{self.num_bytes / 1e6:,.0f} MB"
        )


def check_rules(rules: Rules) -> None:
    """Refuse rules whose games have no such form.

    Raises:
        RulesError: more than two seats, a clock, shuffles after the deal, or games that need not end.
    """
    if rules.players != 2:
        raise RulesError(f"players={rules.players} is not allowed: games are solved for two seats.")
    if rules.clock is not None:
        raise RulesError(f"clock={shown(rules.clock)} is not allowed: reaction times are chance without end.")
    if rules.winnings in ("shuffled", "pile_shuffled"):
        raise RulesError(
            f"winnings={shown(rules.winnings)} is not allowed: "
            "the deal must be the only chance in a game that is solved."
        )
    rules.require_ending()
