"""Pictures of cards: faces with rank and suit, backs, shadows; each is drawn once and kept."""

from __future__ import annotations

from functools import lru_cache

from war_env.cards import JOKER
from war_env.render._pygame import pygame
from war_env.render.scene import Card, Face
from war_env.render.shapes import FINE, SHAPES, Color, shape

RATIO = 1.4  # height of a card over its width
PAPER, COURT, EDGE = (253, 252, 247), (250, 243, 223), (196, 190, 176)
RED, BLACK, VIOLET, GOLD = (200, 24, 44), (28, 30, 36), (112, 58, 160), (201, 154, 46)
BACK_BLUE, BACK_LINE, BACK_DARK = (35, 66, 140), (93, 128, 204), (22, 43, 98)
_COLORS: dict[str, Color] = {"h": RED, "d": RED, "c": BLACK, "s": BLACK}
_COURTS = ("J", "Q", "K")


def font(size: int) -> pygame.font.Font:
    """The font that pygame brings along, in pixels; not kept, as it dies with `pygame.quit()`, which others call."""
    pygame.font.init()
    return pygame.font.Font(None, max(size, 8))


def color_of(face: Face) -> Color:
    """Red, black, or violet for a joker; a card without one of the four suits is black."""
    return VIOLET if face.rank == JOKER else _COLORS.get(face.suit, BLACK)


def _rounded(width: int, height: int, fill: Color, edge: Color) -> pygame.Surface:
    """A smooth card blank."""
    fine = pygame.Surface((width * FINE, height * FINE), pygame.SRCALPHA)
    fine.fill((*edge, 0))
    radius = round(width * FINE * 0.1)
    pygame.draw.rect(fine, edge, fine.get_rect(), border_radius=radius)
    pygame.draw.rect(fine, fill, fine.get_rect().inflate(-2 * FINE, -2 * FINE), border_radius=radius - FINE)
    return pygame.transform.smoothscale(fine, (width, height))


@lru_cache(maxsize=512)
def card_image(card: Card, width: int) -> pygame.Surface:
    """A card, `width` pixels wide and `RATIO` times as high; None is its back."""
    height = round(width * RATIO)
    if card is None:
        return _back(width, height)
    image = _rounded(width, height, COURT if card.rank in _COURTS else PAPER, EDGE)
    _draw_centre(image, card, width, height)
    corner = _corner(card, width)
    margin = max(2, round(width * 0.07))
    image.blit(corner, (margin, margin))
    if width >= 40:
        turned = pygame.transform.rotate(corner, 180)
        image.blit(turned, (width - margin - turned.get_width(), height - margin - turned.get_height()))
    return image


def _corner(face: Face, width: int) -> pygame.Surface:
    """Rank above suit, as both corners have them."""
    color = color_of(face)
    if face.rank == JOKER:
        return shape("star", round(width * 0.3), color)
    text = font(round(width * 0.46)).render(face.rank, True, color)
    text = text.subsurface(text.get_bounding_rect())
    widest = round(width * 0.32)
    if text.get_width() > widest:
        text = pygame.transform.smoothscale(text, (widest, text.get_height()))
    if not face.suit:
        return text
    size = round(width * 0.22)
    mark = _suit_mark(face.suit, size, color)
    total = max(text.get_width(), mark.get_width())
    gap = max(1, round(width * 0.04))
    corner = pygame.Surface((total, text.get_height() + gap + mark.get_height()), pygame.SRCALPHA)
    corner.fill((*color, 0))
    corner.blit(text, ((total - text.get_width()) // 2, 0))
    corner.blit(mark, ((total - mark.get_width()) // 2, text.get_height() + gap))
    return corner


def _suit_mark(suit: str, size: int, color: Color) -> pygame.Surface:
    """The shape of a suit, or its text where a deck has more than four."""
    if suit in SHAPES:
        return shape(suit, size, color)
    text = font(round(size * 0.9)).render(suit, True, color)
    return text.subsurface(text.get_bounding_rect())


def _draw_centre(image: pygame.Surface, face: Face, width: int, height: int) -> None:
    color = color_of(face)
    centre = (width / 2, height / 2)
    if face.rank == JOKER:
        _blit_centred(image, shape("star", round(width * 0.62), color), *centre)
        return
    if face.rank in _COURTS and width >= 40:
        _draw_crown(image, width, height)
        centre = (width / 2, height * 0.57)
    size = round(width * (0.66 if face.rank == "A" else 0.5))
    if face.suit:
        _blit_centred(image, _suit_mark(face.suit, size, color), *centre)
        return
    text = font(round(width * (0.8 if len(face.rank) < 2 else 0.66))).render(face.rank, True, color)
    ring = pygame.Surface((width * FINE, width * FINE), pygame.SRCALPHA)
    ring.fill((*GOLD, 0))
    half = width * FINE // 2
    pygame.draw.circle(ring, GOLD, (half, half), round(half * 0.66), max(FINE, width // 12))
    _blit_centred(image, pygame.transform.smoothscale(ring, (width, width)), width / 2, height / 2)
    _blit_centred(image, text.subsurface(text.get_bounding_rect()), width / 2, height / 2)


def _draw_crown(image: pygame.Surface, width: int, height: int) -> None:
    """Jack, queen and king wear one, in a thin frame."""
    frame = pygame.Rect(0, 0, round(width * 0.56), round(height * 0.78))
    frame.center = (width // 2, height // 2)
    pygame.draw.rect(image, (226, 205, 150), frame, 1, border_radius=max(2, width // 20))
    _blit_centred(image, shape("crown", round(width * 0.3), GOLD), width / 2, height * 0.26)


def _blit_centred(image: pygame.Surface, part: pygame.Surface, x: float, y: float) -> None:
    image.blit(part, (round(x - part.get_width() / 2), round(y - part.get_height() / 2)))


def _back(width: int, height: int) -> pygame.Surface:
    """A blue back with a lattice in a white border."""
    image = _rounded(width, height, PAPER, EDGE)
    border = max(2, round(width * 0.08))
    inner = pygame.Rect(border, border, width - 2 * border, height - 2 * border)
    fine = pygame.Surface((inner.width * FINE, inner.height * FINE), pygame.SRCALPHA)
    fine.fill(BACK_BLUE)
    step = max(FINE * 4, round(inner.width * FINE / 5))
    for start in range(-fine.get_height(), fine.get_width() + fine.get_height(), step):
        for run in (fine.get_height(), -fine.get_height()):
            pygame.draw.line(fine, BACK_LINE, (start, 0), (start + run, fine.get_height()), max(FINE // 2, 2))
    pygame.draw.rect(fine, BACK_DARK, fine.get_rect(), FINE)
    mask = pygame.Surface(fine.get_size(), pygame.SRCALPHA)
    mask.fill((255, 255, 255, 0))
    pygame.draw.rect(mask, (255, 255, 255), mask.get_rect(), border_radius=round(width * FINE * 0.06))
    fine.blit(mask, (0, 0), special_flags=pygame.BLEND_RGBA_MIN)
    image.blit(pygame.transform.smoothscale(fine, inner.size), inner.topleft)
    _blit_centred(image, shape("d", round(width * 0.34), PAPER), width / 2, height / 2)
    _blit_centred(image, shape("d", round(width * 0.24), BACK_BLUE), width / 2, height / 2)
    return image


@lru_cache(maxsize=256)
def turned_image(card: Card, width: int, angle: float) -> pygame.Surface:
    """A card turned by `angle` degrees, counter-clockwise."""
    if not angle:
        return card_image(card, width)
    return pygame.transform.rotozoom(card_image(card, 2 * width), angle, 0.5)


@lru_cache(maxsize=64)
def shadow_image(width: int, angle: float = 0.0) -> pygame.Surface:
    """A soft shadow, a quarter wider than the card that throws it."""
    blur, height = max(1, width // 8), round(width * RATIO)
    small = pygame.Surface((width // blur + 4, height // blur + 4), pygame.SRCALPHA)
    small.fill((0, 0, 0, 0))
    pygame.draw.rect(small, (0, 0, 0, 110), small.get_rect().inflate(-4, -4))
    soft = pygame.transform.smoothscale(small, (width + 4 * blur, height + 4 * blur))
    return pygame.transform.rotozoom(soft, angle, 1.0) if angle else soft


@lru_cache(maxsize=64)
def outline_image(width: int, angle: float, color: Color, thickness: int) -> pygame.Surface:
    """A coloured frame around a card, wider than it by twice the thickness."""
    w, h = width + 2 * thickness, round(width * RATIO) + 2 * thickness
    fine = pygame.Surface((w * FINE, h * FINE), pygame.SRCALPHA)
    fine.fill((*color, 0))
    radius = round(width * FINE * 0.1) + thickness * FINE
    pygame.draw.rect(fine, color, fine.get_rect(), thickness * FINE, border_radius=radius)
    return pygame.transform.rotozoom(fine, angle, 1 / FINE)
