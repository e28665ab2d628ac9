"""The table as text, as one seat sees it: its own hand, what lies face-up, and counts of everything else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from war_env.render.scene import WON, Card, Scene, SeatScene

if TYPE_CHECKING:
    from war_env.render.casino_scene import CasinoScene

BACK = "▒"


def scene_text(scene: Scene) -> str:
    """A game of War: title, a row per seat, the own hand with its slots, and what happened last."""
    head = ("", "stock", *(["pile"] if scene.has_piles else []), "held", "hand", "on the table")
    rows = [head, *(_row(scene, seat) for seat in scene.seats)]
    widths = [max(len(row[k]) for row in rows) for k in range(len(head))]
    is_number = [name in ("stock", "pile", "held") for name in head]
    lines = [_headline(scene)]
    for row in rows:
        cells = [
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, is_number, strict=True)
        ]
        lines.append("  ".join(cells).rstrip())
    if scene.own.hand:
        lines += slot_lines(scene.own)
    if scene.happened:
        lines.append(_last(scene))
    return "\n".join(lines)


def slot_lines(own: SeatScene) -> list[str]:
    """The own hand in two lines: the actions that play its cards, and the cards."""
    cards = [str(card) for card in own.hand]
    widths = [max(len(card), 2) for card in cards]
    slots = "  ".join(str(k).ljust(width) for k, width in enumerate(widths))
    names = "  ".join(card.ljust(width) for card, width in zip(cards, widths, strict=True))
    return [f"action     {slots}".rstrip(), f"your hand  {names}".rstrip()]


def _headline(scene: Scene) -> str:
    if scene.outcome:
        return f"{scene.outcome} after {scene.title} ({scene.reason})"
    war = "" if not scene.is_war else ", war" if scene.wars < 2 else f", war {scene.wars}"
    return f"{scene.title}{war}"


def _row(scene: Scene, seat: SeatScene) -> tuple[str, ...]:
    name = seat.name + (" (you)" if seat.is_own else "") + (" out" if seat.is_out else "")
    pile = [str(seat.pile)] if scene.has_piles else []
    table = _cards(seat.laid) if scene.pot else ""
    return (name, str(seat.stock), *pile, str(seat.held), _cards(seat.hand), table)


def _cards(cards: tuple[Card, ...]) -> str:
    return " ".join(BACK if card is None else str(card) for card in cards)


def _last(scene: Scene) -> str:
    """What the last comparison did; the table shows its cards only while a war goes on."""
    if scene.pot:
        return scene.happened
    turned = [f"{seat.laid[-1]}{'*' if seat.mark == WON else ''}" for seat in scene.seats if seat.laid]
    wars = f" after {scene.wars} war{'s' if scene.wars > 1 else ''}" if scene.wars else ""
    return f"{' v '.join(turned)}: {scene.happened}{wars}"


def casino_text(scene: CasinoScene) -> str:
    """A table of Casino War."""
    lines = [f"{scene.title}, {scene.cards_left} cards left, {scene.units:+.1f} units"]
    if scene.happened:
        lines.append(f"last round: {scene.happened}")
    if scene.is_tie:
        lines.append(f"stake {scene.stake}, player {scene.player}, dealer {scene.dealer}: surrender or war")
    elif not scene.is_over:
        lines.append("place your bet")
    return "\n".join(lines)
