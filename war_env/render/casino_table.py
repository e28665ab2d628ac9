"""Painting a table of Casino War: the house above, the player below, the choices at the bottom."""

from __future__ import annotations

from war_env.render.canvas import DIM, GOLD, INK, RED, SOFT, WHITE, Canvas
from war_env.render.casino_scene import CasinoScene, Choice
from war_env.render.geometry import WIDTH, Spot
from war_env.render.scene import LOST, TIED, WON

_CARD = 92.0


def paint_casino(canvas: Canvas, scene: CasinoScene) -> None:
    """Paint a table."""
    canvas.panel(WIDTH / 2, 15, WIDTH, 30, (*INK, 150), 0)
    canvas.text(scene.title[0].upper() + scene.title[1:], 14, 15, 20, WHITE, "left")
    color = GOLD if scene.units >= 0 else (250, 150, 140)
    canvas.text(f"{scene.units:+.1f} units", WIDTH - 14, 15, 20, color, "right")
    canvas.bar(0, 31, WIDTH, 4, scene.progress, GOLD)
    _paint_cards(canvas, scene)
    _paint_shoe(canvas, scene)
    _paint_band(canvas, scene)
    _paint_choices(canvas, scene.choices)


def _paint_cards(canvas: Canvas, scene: CasinoScene) -> None:
    """The house's card above, the player's below; empty places before the first round."""
    for name, card, y in (("House", scene.dealer, 128.0), ("You", scene.player, 308.0)):
        spot = Spot(WIDTH / 2, y, _CARD)
        is_player = name == "You"
        is_ahead = scene.mark == (WON if is_player else LOST)
        canvas.text(name, WIDTH / 2 - 70, y, 20, SOFT, "right")
        if card is None:
            canvas.panel(spot.x, spot.y, spot.width, spot.height, (*INK, 70), 9)
            continue
        outline = RED if scene.mark == TIED else GOLD if is_ahead else None
        canvas.card(card, spot, outline, scene.mark != TIED and not is_ahead)
    if scene.stake:
        canvas.badge(f"stake {scene.stake}", WIDTH / 2 + 106, 308, GOLD, INK, 19)


def _paint_shoe(canvas: Canvas, scene: CasinoScene) -> None:
    """The shoe, as full as it is."""
    for k in range(round(8 * scene.cards_left / scene.cards) + 1):
        canvas.card(None, Spot(556 - 0.8 * k, 128 - 2.2 * k, 58), has_shadow=k == 0)
    canvas.badge(str(scene.cards_left), 552, 176)
    canvas.text("cards in the shoe", 552, 194, 15, SOFT)


def _paint_band(canvas: Canvas, scene: CasinoScene) -> None:
    y = 218.0
    if scene.is_over:
        canvas.panel(WIDTH / 2, y, 360, 50, (*(GOLD if scene.units > 0 else INK), 245), 25)
        color = INK if scene.units > 0 else WHITE
        canvas.text(f"{scene.units:+.1f} units", WIDTH / 2, y - 7, 34, color)
        canvas.text(scene.title, WIDTH / 2, y + 15, 16, color)
    elif scene.is_tie:
        canvas.panel(WIDTH / 2, y, 200, 30, (*RED, 245), 15)
        canvas.text("A tie!", WIDTH / 2, y + 1, 26, WHITE)
    elif scene.happened:
        word = "won" if scene.won > 0 else "lost" if scene.won < 0 else "came out even"
        canvas.badge(f"Last round {word}: {scene.won:+.1f}", WIDTH / 2, y, INK, WHITE, 20)
    else:
        canvas.badge("Place your bet", WIDTH / 2, y, INK, WHITE, 20)


def _paint_choices(canvas: Canvas, choices: tuple[Choice, ...]) -> None:
    """All actions with their keys, in one or more rows; those that do not apply are dim."""
    columns = min(len(choices), 4 if len(choices) <= 8 else 6)
    rows = -(-len(choices) // columns)
    width, height = (WIDTH - 24) / columns, min(34.0, 88 / rows)
    for k, choice in enumerate(choices):
        x, y = 12 + width * (k % columns + 0.5), 468 - height * (rows - k // columns - 0.5)
        canvas.panel(x, y, width - 8, height - 4, (*INK, 190 if choice.applies else 90), 8)
        fill, color = (GOLD, INK) if choice.applies else (INK, DIM)
        size = min(15.0, height - 6)
        canvas.badge(choice.key.upper(), x - width / 2 + 18, y, fill, color, size)
        color = WHITE if choice.applies else DIM
        canvas.text(choice.label, x - width / 2 + 32, y, size, color, "left", room=width - 42)
