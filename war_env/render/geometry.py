"""Where cards lie, in points of a 640 x 480 table: fans, rows, and which card is under a point."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 640, 480
_RATIO = 1.4
_MOST_TURN = 7.0  # degrees by which the outermost card of a fan is turned


@dataclass(frozen=True)
class Spot:
    """A card's place: its centre, its width, and by how many degrees it is turned counter-clockwise."""

    x: float
    y: float
    width: float
    angle: float = 0.0

    @property
    def height(self) -> float:
        """Height of the card."""
        return self.width * _RATIO

    def contains(self, x: float, y: float) -> bool:
        """Whether a point lies on the card."""
        turn = math.radians(self.angle)
        dx, dy = x - self.x, y - self.y
        along = dx * math.cos(turn) - dy * math.sin(turn)
        across = dx * math.sin(turn) + dy * math.cos(turn)
        return abs(along) <= self.width / 2 and abs(across) <= self.height / 2


def fan(count: int, x: float, y: float, width: float, span: float, bend: float = 3.0) -> list[Spot]:
    """A hand, from the left.

    Args:
        count: cards.
        x, y: centre of the fan.
        width: of a card.
        span: the most that the fan may be wide.
        bend: degrees between neighbours; negative for a hand seen from the other side.
    """
    step = min(width + 6, (span - width) / max(count - 1, 1))
    sag = math.radians(abs(bend)) * step / 2  # what neighbours on a circle lie apart, for as many degrees
    turn = min(1.0, _MOST_TURN / max(abs(bend) * (count - 1) / 2, 1e-9))
    spots = []
    for k in range(count):
        place = k - (count - 1) / 2
        drop = sag * turn * place * place * (1 if bend >= 0 else -1)
        spots.append(Spot(x + place * step, y + drop, width, -bend * turn * place))
    return spots


def row(shown: Sequence[bool], x: float, y: float, width: float, span: float) -> list[Spot]:
    """Cards laid in a battle, from the left: those face-down lie closer than those face-up.

    Args:
        shown: for each card whether it lies face-up.
        x, y: centre of the row.
        width: of a card.
        span: the most that the row may be wide.
    """
    gaps = [0.5 if is_shown else 0.2 for is_shown in shown[:-1]]
    total = sum(gaps) * width
    scale = min(1.0, max(span - width, 1.0) / total) if total else 1.0
    at = x - total * scale / 2
    spots = []
    for k in range(len(shown)):
        spots.append(Spot(at, y, width))
        at += gaps[k] * width * scale if k < len(gaps) else 0.0
    return spots


def spot_at(spots: Sequence[Spot], x: float, y: float) -> int | None:
    """The topmost card under a point; later ones lie on top."""
    for k in range(len(spots) - 1, -1, -1):
        if spots[k].contains(x, y):
            return k
    return None
