"""The table as text, as one seat sees it: its own hand, what lies face-up, and counts of everything else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from war_env.cards import cards_in
from war_env.rules import Rules
from war_env.state import NOBODY, REASONS

if TYPE_CHECKING:
    from war_env.game import Game


def comparison_text(before: Game, slots: Sequence[int | None], after: Game) -> str:
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


def _taken(before: Game, after: Game) -> str:
    """What became of the pot."""
    if after.battles == before.battles:
        return "tie: war"
    gains = [now - then for now, then in zip(after.held, before.held, strict=True)]
    winners = [seat for seat, gain in enumerate(gains) if gain > 0]
    return f"seat {winners[0]} takes" if len(winners) == 1 else "taken back"


def view_text(state: Any, seats: Any, rules: Rules, observer: int) -> str:
    """One game's table as `observer` sees it.

    Args:
        state: the header of the record, structured.
        seats: the seats' blocks, structured, shape (players,).
        rules: the rules.
        observer: whose hand is shown.
    """
    rows = [("", "stock", "pile", "hand", "on the table")]
    for number, seat in enumerate(seats):
        name = f"seat {number}" + (" (you)" if number == observer else "")
        pile = int(seat["pile"]) + int(seat["captured"]).bit_count()
        rows.append(
            (name, str(seat["stock"]), str(pile), _hand(seat, rules, number == observer), _laid(state, seat, rules))
        )
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    lines = [_headline(state, rules)]
    lines += ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join(lines)


def _headline(state: Any, rules: Rules) -> str:
    battles = int(state["battles"])
    limit = "" if rules.max_battles is None else f" of {rules.max_battles}"
    if state["reason"]:
        winner = "draw" if state["winner"] == NOBODY else f"seat {int(state['winner'])} wins"
        return f"{winner} after {battles} battles{limit} ({REASONS[int(state['reason'])]})"
    return f"battle {battles + 1}{limit}" + (", war" if state["table"] else "")


def _hand(seat: Any, rules: Rules, is_own: bool) -> str:
    cards = cards_in(seat["hand"])
    return rules.deck.text(cards) if is_own else " ".join("?" * len(cards))


def _laid(state: Any, seat: Any, rules: Rules) -> str:
    shown, size = int(state["table"]), len(seat["ring"])
    start = int(seat["head"]) + int(seat["stock"]) + int(seat["pile"])
    cards = [int(seat["ring"][(start + k) % size]) for k in range(int(seat["laid"]))]
    return " ".join(rules.deck.name(card) if shown >> card & 1 else "?" for card in cards)
