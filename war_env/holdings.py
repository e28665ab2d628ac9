"""Who holds how many cards, and who took a pot, from the records of a game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from war_env.rules import Rules


def held_cards(state: Any, seats: Any, rules: Rules) -> tuple[int, ...]:
    """Cards that count for each seat: all it holds, or its captured cards where those are kept apart.

    Args:
        state, seats: the game's record and its seats' blocks, structured, as `state.py` describes them.
        rules: its rules.
    """
    if rules.winnings == "captured":
        return tuple(int(seat["captured"]).bit_count() for seat in seats)
    in_game = int(state["in_game"])
    return tuple(
        int(seat["hand"]).bit_count() + int(seat["stock"]) + int(seat["pile"]) if in_game >> number & 1 else 0
        for number, seat in enumerate(seats)
    )


def pot_taker(before: Sequence[int], after: Sequence[int]) -> int | None:
    """The seat that took the pot, from the cards held before and after a comparison; None where each took its own."""
    winners = [seat for seat, (then, now) in enumerate(zip(before, after, strict=True)) if now > then]
    return winners[0] if len(winners) == 1 else None
