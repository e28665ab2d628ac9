"""Painting a game of War: others above, own hand below, what was laid between them."""

from __future__ import annotations

from dataclasses import dataclass

from war_env.render.canvas import DIM, GOLD, INK, RED, SEATS, SOFT, WHITE, Canvas
from war_env.render.geometry import WIDTH, Spot, fan, row
from war_env.render.scene import LOST, TIED, WON, Scene, SeatScene

OWN_Y, OTHER_Y = 291.0, 163.0  # where laid cards lie
BAND_Y, LAID_WIDTH = 227.0, 60.0
HAND_Y, HAND_WIDTH = 396.0, 74.0
_OUTLINES = {WON: GOLD, TIED: RED}


@dataclass(frozen=True)
class Look:
    """What a player's window adds to the table.

    Attributes:
        hover: the slot under the pointer.
        hint: the slot that is hinted.
        moving: the slot whose card is on its way to the table.
        way: how much of its way is behind it, 0..1.
        footer: a line about keys.
        notes: pairs of a title and a text, laid over the table.
    """

    hover: int | None = None
    hint: int | None = None
    moving: int | None = None
    way: float = 0.0
    footer: str = ""
    notes: tuple[tuple[str, str], ...] = ()


def hand_spots(count: int) -> list[Spot]:
    """Where the observer's cards lie."""
    return fan(count, WIDTH / 2, HAND_Y, HAND_WIDTH, 396)


def paint_war(canvas: Canvas, scene: Scene, look: Look | None = None) -> None:
    """Paint a game."""
    look = look or Look()
    _paint_head(canvas, scene)
    others = scene.others
    for k, seat in enumerate(others):
        width = (WIDTH - 24) / len(others)
        x = 12 + width * (k + 0.5)
        if len(others) == 1:
            _paint_only_other(canvas, scene, seat)
        else:
            _paint_other(canvas, scene, seat, x, width)
        _paint_laid(canvas, scene, seat, x, OTHER_Y, min(LAID_WIDTH, 0.8 * width - 8), min(width - 10, 420))
    _paint_laid(canvas, scene, scene.own, WIDTH / 2, OWN_Y, LAID_WIDTH, 420)
    _paint_band(canvas, scene)
    _paint_own(canvas, scene, look)
    _paint_notes(canvas, look.notes)


def color_of(scene: Scene, seat: SeatScene) -> tuple[int, int, int]:
    """The colour of a seat."""
    return SEATS[scene.seats.index(seat)]


def _paint_head(canvas: Canvas, scene: Scene) -> None:
    """Title, progress to the limit, and who holds how much."""
    canvas.panel(WIDTH / 2, 15, WIDTH, 30, (*INK, 150), 0)
    title = scene.title[0].upper() + scene.title[1:]
    canvas.text(title, 14, 15, 20, WHITE, "left")
    total = sum(seat.held for seat in scene.seats)
    x, width = 440.0, 186.0
    canvas.panel(x + width / 2, 15, width + 2, 12, (*INK, 200), 6)
    for seat in scene.seats:
        part = width * seat.held / total if total else 0.0
        if part >= 1:
            canvas.panel(x + part / 2, 15, part, 10, (*color_of(scene, seat), 255), 2)
        x += part
    canvas.text("held", 430, 15, 15, SOFT, "right")
    if scene.progress is not None:
        canvas.bar(0, 31, WIDTH, 4, scene.progress, GOLD)


def _paint_name(canvas: Canvas, scene: Scene, seat: SeatScene, x: float, y: float) -> None:
    """A seat's plate: its colour, its name, the cards it holds."""
    canvas.panel(x + 47, y, 94, 34, (*INK, 150), 7)
    canvas.panel(x + 4, y, 4, 24, (*color_of(scene, seat), 255), 2)
    name = "You" if seat.is_own else seat.name.capitalize()
    canvas.text(name + (" – out" if seat.is_out else ""), x + 12, y - 7, 17, WHITE, "left")
    canvas.text(f"{seat.held} held", x + 12, y + 8, 15, SOFT, "left")


def _paint_only_other(canvas: Canvas, scene: Scene, seat: SeatScene) -> None:
    _paint_name(canvas, scene, seat, 14, 56)
    canvas.stack(seat.stock, 160, 74, 44)
    if scene.has_piles:
        canvas.stack(seat.pile, 480, 74, 44, "won")
    for spot in fan(len(seat.hand), WIDTH / 2, 76, 44, 220, -3.0):
        canvas.card(None, spot)


def _paint_other(canvas: Canvas, scene: Scene, seat: SeatScene, x: float, width: float) -> None:
    """One of several others, in its column."""
    name = seat.name.capitalize() if width > 100 else seat.name[-1:]
    left = x - width / 2 + 4
    canvas.panel(x, 45, width - 6, 20, (*INK, 150), 6)
    canvas.panel(left + 5, 45, 4, 12, (*color_of(scene, seat), 255), 2)
    canvas.text(name + (" out" if seat.is_out else ""), left + 12, 45.5, 16, WHITE, "left")
    canvas.text(str(seat.held), x + width / 2 - 9, 45.5, 16, SOFT, "right")
    size = min(30.0, width * 0.26)
    heaps = [seat.stock, seat.pile] if scene.has_piles else [seat.stock]
    at = left + 8 + size / 2
    for count in heaps:
        canvas.stack(count, at, 82, size)
        at += size + 8
    span = x + width / 2 - 8 - (at - size / 2)
    if span > size:
        for spot in fan(len(seat.hand), at - size / 2 + span / 2, 82, size, span, -2.0):
            canvas.card(None, spot)


def _paint_laid(canvas: Canvas, scene: Scene, seat: SeatScene, x: float, y: float, width: float, span: float) -> None:
    """What a seat has laid; its last card says how it fared."""
    if not seat.laid:
        return
    if len(seat.laid) > 1:
        width = min(width, 0.66 * span)
    spots = row([card is not None for card in seat.laid], x, y, width, span)
    for k, (card, spot) in enumerate(zip(seat.laid, spots, strict=True)):
        is_last = k == len(spots) - 1
        is_deciding = is_last or (seat.mark == TIED and not any(seat.laid[k + 1 :]))
        outline = _OUTLINES.get(seat.mark) if is_deciding and card is not None else None
        canvas.card(card, spot, outline, seat.mark == LOST and card is not None)


def _paint_own(canvas: Canvas, scene: Scene, look: Look) -> None:
    """Own stock, pile and hand, each card with the key that plays it."""
    own = scene.own
    _paint_name(canvas, scene, own, 14, 338)
    canvas.stack(own.stock, 62, 408, 54, "stock")
    if scene.has_piles:
        canvas.stack(own.pile, 578, 408, 54, "won")
    spots = hand_spots(len(own.hand))
    may_play = own.has_say and not scene.outcome
    for slot, (card, spot) in enumerate(zip(own.hand, spots, strict=True)):
        is_raised = may_play and slot == look.hover
        outline = GOLD if slot == look.hint else WHITE if is_raised else None
        if slot == look.moving:
            spot = _on_its_way(spot, look.way)
        elif is_raised:
            spot = Spot(spot.x, spot.y - 10, spot.width, spot.angle)
        canvas.card(card, spot, outline)
    covered = max(0.0, HAND_WIDTH - (spots[1].x - spots[0].x)) if len(spots) > 1 else 0.0
    for slot, spot in enumerate(spots):
        fill, color = ((GOLD, INK) if slot == look.hint else (INK, WHITE)) if may_play else (INK, DIM)
        canvas.badge(str(slot + 1), spot.x - covered / 2, 464, fill, color, 15)
    if look.footer:
        canvas.text(look.footer, WIDTH - 12, 338, 15, DIM, "right")


def _paint_notes(canvas: Canvas, notes: tuple[tuple[str, str], ...]) -> None:
    """Titles on the left, texts beside them, on a dark plate between the hands."""
    if not notes:
        return
    step = min(24.0, 200.0 / len(notes))
    canvas.panel(WIDTH / 2, BAND_Y, WIDTH - 40, step * len(notes) + 20, (*INK, 240), 10)
    for k, (title, text) in enumerate(notes):
        y = BAND_Y + step * (k - (len(notes) - 1) / 2)
        canvas.text(title, 36, y, min(17.0, 0.8 * step), SOFT, "left", room=146)
        canvas.text(text, 190, y, min(17.0, 0.8 * step), WHITE, "left", room=WIDTH - 190 - 36)


def _on_its_way(start: Spot, way: float) -> Spot:
    """A card between the hand and the table."""
    rest = 1.0 - way
    x, y = rest * start.x + way * WIDTH / 2, rest * start.y + way * OWN_Y
    return Spot(x, y, rest * start.width + way * LAID_WIDTH, rest * start.angle)


def _paint_band(canvas: Canvas, scene: Scene) -> None:
    """Between the seats: a war, what happened last, or the end."""
    happened = scene.happened[:1].upper() + scene.happened[1:]
    if scene.outcome:
        fill = GOLD if scene.is_won else INK
        canvas.panel(WIDTH / 2, BAND_Y, 340, 43, (*fill, 245), 21)
        color = INK if scene.is_won else WHITE
        canvas.text(scene.outcome[0].upper() + scene.outcome[1:], WIDTH / 2, BAND_Y - 6, 31, color)
        canvas.text(scene.reason, WIDTH / 2, BAND_Y + 13, 15, color if scene.is_won else SOFT)
    elif scene.is_war:
        name = ("War!", "Double war!", "Triple war!")[scene.wars - 1] if scene.wars <= 3 else f"War no. {scene.wars}!"
        canvas.panel(WIDTH / 2, BAND_Y, 200, 30, (*RED, 245), 15)
        canvas.text(name, WIDTH / 2, BAND_Y + 1, 26, WHITE)
        canvas.badge(f"pot {scene.pot}", WIDTH / 2 + 150, BAND_Y, INK, GOLD, 19)
    elif happened:
        canvas.badge(happened, WIDTH / 2, BAND_Y, INK, WHITE, 20)
