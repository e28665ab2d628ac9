"""A table to draw on, in points of 640 x 480 at any scale: felt, cards, text, plates, bars."""

from __future__ import annotations

from functools import lru_cache

from war_env.render._pygame import pygame
from war_env.render.cards_art import card_image, font, outline_image, shadow_image, turned_image
from war_env.render.geometry import HEIGHT, WIDTH, Spot
from war_env.render.scene import Card
from war_env.render.shapes import FINE, Color

FELT, FELT_DARK, LINE = (24, 104, 74), (9, 52, 38), (120, 190, 150)
WHITE, SOFT, DIM = (246, 244, 234), (196, 218, 204), (140, 176, 156)
GOLD, RED, INK = (247, 201, 92), (206, 50, 54), (12, 26, 21)
SEATS: tuple[Color, ...] = (
    (247, 201, 92),
    (110, 190, 250),
    (244, 132, 110),
    (160, 220, 120),
    (206, 150, 240),
    (250, 170, 210),
    (120, 220, 210),
    (220, 200, 160),
    (170, 170, 250),
    (250, 150, 60),
)


@lru_cache(maxsize=4)
def felt(width: int, height: int) -> pygame.Surface:
    """The empty table: lighter in the middle, with a line around it."""
    small = pygame.Surface((64, 48))
    for y in range(48):
        for x in range(64):
            far = min(1.0, (((x - 31.5) / 38) ** 2 + ((y - 23.5) / 30) ** 2))
            small.set_at((x, y), tuple(round(a + (b - a) * far) for a, b in zip(FELT, FELT_DARK, strict=True)))
    surface = pygame.transform.smoothscale(small, (width, height))
    line = pygame.Surface((width * 2, height * 2), pygame.SRCALPHA)
    line.fill((*LINE, 0))
    inset = round(width * 0.0125)
    top = round(height * 0.165)
    edge = pygame.Rect(2 * inset, top, 2 * width - 4 * inset, 2 * height - top - 2 * inset)
    pygame.draw.rect(line, (*LINE, 70), edge, max(3, width // 213), border_radius=width // 16)
    surface.blit(pygame.transform.smoothscale(line, (width, height)), (0, 0))
    return surface


@lru_cache(maxsize=512)
def label(text: str, size: int, color: Color) -> pygame.Surface:
    """A line of text, drawn large and scaled down, so that its letters stand evenly."""
    large = font(size * 3).render(text, True, color)
    return pygame.transform.smoothscale(large, (max(large.get_width() // 3, 1), max(large.get_height() // 3, 1)))


@lru_cache(maxsize=128)
def plate(width: int, height: int, radius: int, color: tuple[int, int, int, int]) -> pygame.Surface:
    """A smooth rounded rectangle."""
    fine = pygame.Surface((width * FINE, height * FINE), pygame.SRCALPHA)
    fine.fill((*color[:3], 0))
    pygame.draw.rect(fine, color, fine.get_rect(), border_radius=radius * FINE)
    return pygame.transform.smoothscale(fine, (width, height))


class Canvas:
    """Draws in points; `scale` pixels are a point."""

    def __init__(self, scale: float) -> None:
        self.scale = scale
        self.surface = felt(self.px(WIDTH), self.px(HEIGHT)).copy()

    def px(self, points: float) -> int:
        """Points as pixels."""
        return round(points * self.scale)

    def blit_centred(self, image: pygame.Surface, x: float, y: float) -> None:
        """An image around a point."""
        self.surface.blit(
            image, (round(x * self.scale - image.get_width() / 2), round(y * self.scale - image.get_height() / 2))
        )

    def text(
        self,
        text: str,
        x: float,
        y: float,
        size: float,
        color: Color = WHITE,
        anchor: str = "centre",
        room: float = float(WIDTH),
    ) -> None:
        """A line of text, vertically centred at y, at most `room` points wide; `anchor` is left, centre or right."""
        image = label(text, self.px(size), color)
        width = image.get_width() / self.scale
        if width > room:
            image = pygame.transform.smoothscale(image, (self.px(room), round(image.get_height() * room / width)))
            width = room
        shift = {"left": width / 2, "centre": 0.0, "right": -width / 2}[anchor]
        self.blit_centred(image, x + shift, y)

    def panel(
        self, x: float, y: float, width: float, height: float, color: tuple[int, int, int, int], radius: float = 6
    ) -> None:
        """A rounded rectangle around a point."""
        self.blit_centred(plate(self.px(width), self.px(height), self.px(radius), color), x, y)

    def badge(self, text: str, x: float, y: float, fill: Color = INK, color: Color = WHITE, size: float = 17) -> None:
        """A short text in a pill."""
        width = label(text, self.px(size), color).get_width() / self.scale
        self.panel(x, y, max(width + 10, size + 2), size + 1, (*fill, 225), (size + 1) / 2)
        self.text(text, x, y + 0.5, size, color)

    def bar(self, x: float, y: float, width: float, height: float, share: float, color: Color) -> None:
        """A bar from the left edge x, filled up to `share`, 0..1."""
        for part, fill in ((1.0, INK), (share, color)):
            rect = (self.px(x), self.px(y - height / 2), self.px(width * part), self.px(height))
            pygame.draw.rect(self.surface, fill, rect)

    def card(
        self, card: Card, spot: Spot, outline: Color | None = None, is_dim: bool = False, has_shadow: bool = True
    ) -> None:
        """A card with its shadow, and a coloured frame if asked for."""
        width = max(self.px(spot.width), 4)
        if has_shadow:
            shadow = shadow_image(width, spot.angle)
            self.blit_centred(shadow, spot.x + 0.02 * spot.width, spot.y + 0.045 * spot.width)
        if outline is not None:
            self.blit_centred(outline_image(width, spot.angle, outline, max(2, self.px(2.5))), spot.x, spot.y)
        image = turned_image(card, width, spot.angle)
        if is_dim:
            image = _dimmed(card, width)
        self.blit_centred(image, spot.x, spot.y)

    def stack(self, count: int, x: float, y: float, width: float, name: str = "") -> None:
        """Face-down cards on a heap, as high as they are many, with their count; an empty place without any."""
        if not count:
            size = (self.px(width), self.px(width * 1.4))
            self.blit_centred(plate(*size, self.px(width * 0.1), (*INK, 70)), x, y)
        layers = min(1 + count // 6, 5) if count else 0
        for k in range(layers):
            self.card(None, Spot(x - 0.6 * k, y - 1.6 * k, width), has_shadow=k == 0)
        self.badge(str(count), x, y + width * 0.7 + 1)
        if name:
            self.text(name, x, y + width * 0.7 + 17, 15, SOFT)


@lru_cache(maxsize=128)
def _dimmed(card: Card, width: int) -> pygame.Surface:
    """A beaten card."""
    image = card_image(card, width).copy()
    image.fill((168, 176, 172, 255), special_flags=pygame.BLEND_RGBA_MULT)
    return image
