"""pygame-ce, loaded when something is drawn; needs the extra `render`."""

from __future__ import annotations

import os

from gymnasium.error import DependencyNotInstalled

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
try:
    import pygame
except ImportError as error:
    raise DependencyNotInstalled("drawing needs pygame-ce: pip install 'war_env[render]'") from error

__all__ = ["pygame"]
