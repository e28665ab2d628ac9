"""Suits, star and crown as polygons, so that no font needs to have them; drawn large and scaled down, smoothly."""

from __future__ import annotations

import math
from functools import lru_cache

from war_env.render._pygame import pygame

Color = tuple[int, int, int]
Point = tuple[float, float]
_STEPS = 72
FINE = 4  # shapes are drawn so many times larger


def _heart() -> list[Point]:
    points = []
    for k in range(_STEPS):
        t = 2 * math.pi * k / _STEPS
        x = 16 * math.sin(t) ** 3
        y = 13 * math.cos(t) - 5 * math.cos(2 * t) - 2 * math.cos(3 * t) - math.cos(4 * t)
        points.append((x / 17.0, -(y + 2.4) / 16.2))
    return points


def _diamond() -> list[Point]:
    points = []
    for k in range(_STEPS):
        t = 2 * math.pi * k / _STEPS
        x, y = math.cos(t), math.sin(t)
        points.append((0.78 * math.copysign(abs(x) ** 1.75, x), math.copysign(abs(y) ** 1.75, y)))
    return points


def _circle(x: float, y: float, radius: float) -> list[Point]:
    turns = (2 * math.pi * k / _STEPS for k in range(_STEPS))
    return [(x + radius * math.cos(t), y + radius * math.sin(t)) for t in turns]


_STEM: list[Point] = [(0.0, 0.0), (0.07, 0.45), (0.16, 0.75), (0.38, 1.0), (-0.38, 1.0), (-0.16, 0.75), (-0.07, 0.45)]


def _star() -> list[Point]:
    points = []
    for k in range(10):
        radius = 1.0 if k % 2 == 0 else 0.42
        t = math.pi * k / 5 - math.pi / 2
        points.append((radius * math.cos(t), radius * math.sin(t)))
    return points


_CROWN: list[Point] = [
    (-0.9, 0.62),
    (-1.0, -0.42),
    (-0.48, 0.08),
    (0.0, -0.72),
    (0.48, 0.08),
    (1.0, -0.42),
    (0.9, 0.62),
]
_CLUB = [_circle(0, -0.48, 0.5), _circle(-0.52, 0.28, 0.47), _circle(0.52, 0.28, 0.47), _circle(0, 0.08, 0.3), _STEM]
SHAPES: dict[str, list[list[Point]]] = {
    "c": _CLUB,
    "d": [_diamond()],
    "h": [_heart()],
    "s": [[(x, -y * 0.86 - 0.14) for x, y in _heart()], _STEM],
    "star": [_star()],
    "crown": [_CROWN, _circle(-1.0, -0.5, 0.13), _circle(0, -0.82, 0.14), _circle(1.0, -0.5, 0.13)],
}


@lru_cache(maxsize=256)
def shape(name: str, size: int, color: Color) -> pygame.Surface:
    """A shape of `SHAPES` on a clear square of `size` pixels."""
    fine = max(size, 1) * FINE
    surface = pygame.Surface((fine, fine), pygame.SRCALPHA)
    surface.fill((*color, 0))
    half = fine / 2
    for points in SHAPES[name]:
        pygame.draw.polygon(surface, color, [(half + x * half * 0.94, half + y * half * 0.94) for x, y in points])
    return pygame.transform.smoothscale(surface, (max(size, 1), max(size, 1)))
