"""What an environment does in each render mode; pygame is loaded only for pictures and windows."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from gymnasium.error import DependencyNotInstalled

from war_env.errors import FinishedError

if TYPE_CHECKING:
    from war_env.base_lanes import BaseLanes
    from war_env.render.pixels import Window


class Drawing:
    """Draws lanes in one render mode.

    Args:
        mode: None, `ansi`, `rgb_array` or `human`.
        fps: pictures a second in a window.

    Raises:
        DependencyNotInstalled: the mode needs pygame-ce, which is missing; the message names the extra.
    """

    def __init__(self, mode: str | None, fps: float) -> None:
        self.mode, self._fps = mode, fps
        self._window: Window | None = None
        if mode in ("rgb_array", "human") and find_spec("pygame") is None:
            raise DependencyNotInstalled(f"render_mode={mode!r} needs pygame-ce: pip install 'war_env[render]'")

    def before_change(self, lanes: BaseLanes) -> None:
        """Before a step: keep what tells afterwards what happened."""
        if self.mode is not None:
            lanes.remember()

    def after_change(self, lanes: BaseLanes) -> None:
        """After a step or reset: a window shows it at once."""
        if self.mode == "human":
            self.render(lanes)

    def render(self, lanes: BaseLanes, row: int = 0) -> Any:
        """One lane: text, pixels uint8 (480, 640, 3), or None with a window or without a mode.

        Raises:
            FinishedError: the lane was never started.
        """
        if self.mode is None:
            return None
        if not lanes.is_seeded(row):
            raise FinishedError("the game was never started: call reset() before render().")
        scene = lanes.scene(row)
        if self.mode == "ansi":
            return scene.text()
        from war_env.render.pixels import Window, frame

        if self.mode == "rgb_array":
            return frame(scene)
        if self._window is None:
            self._window = Window(self._fps)
        self._window.show(scene)
        return None

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()
            self._window = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_window": None}
