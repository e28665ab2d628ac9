"""Scenes as pixels: a picture of 640 x 480, or a window."""

from __future__ import annotations

import numpy as np

from war_env.render._pygame import pygame
from war_env.render.canvas import Canvas
from war_env.render.casino_scene import CasinoScene
from war_env.render.casino_table import paint_casino
from war_env.render.geometry import HEIGHT, WIDTH
from war_env.render.scene import Scene
from war_env.render.war_table import Look, paint_war

WINDOW_SCALE = 1.5


def paint(scene: Scene | CasinoScene, scale: float = 1.0, look: Look | None = None) -> pygame.Surface:
    """A scene on a fresh surface of 640 x 480 points, `scale` pixels each."""
    canvas = Canvas(scale)
    if isinstance(scene, CasinoScene):
        paint_casino(canvas, scene)
    else:
        paint_war(canvas, scene, look)
    return canvas.surface


def frame(scene: Scene | CasinoScene) -> np.ndarray:
    """A scene as an image: uint8, shape (480, 640, 3)."""
    return np.ascontiguousarray(pygame.surfarray.array3d(paint(scene)).swapaxes(0, 1))


class Window:
    """A window that shows one scene after another; closed by its user it stays closed, and the games go on.

    Args:
        fps: scenes a second at most.
    """

    def __init__(self, fps: float) -> None:
        pygame.display.init()
        pygame.display.set_caption("war_env")
        self._screen: pygame.Surface | None = pygame.display.set_mode((WIDTH * WINDOW_SCALE, HEIGHT * WINDOW_SCALE))
        self._clock, self._fps = pygame.time.Clock(), fps

    def show(self, scene: Scene | CasinoScene) -> None:
        """Show a scene, and wait as the rate asks."""
        if self._screen is None:
            return
        if pygame.event.get(pygame.QUIT):
            self.close()
            return
        pygame.event.pump()
        self._screen.blit(paint(scene, WINDOW_SCALE), (0, 0))
        pygame.display.flip()
        self._clock.tick(self._fps)

    def close(self) -> None:
        """Close it."""
        if self._screen is not None:
            pygame.display.quit()
            self._screen = None
