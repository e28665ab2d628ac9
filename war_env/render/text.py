"""The table as text, as one seat sees it: its own hand, what lies face-up, and counts of everything else."""

from __future__ import annotations

from typing import Any

from war_env.cards import cards_in
from war_env.rules import Rules
from war_env.state import NOBODY, REASONS


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
