"""Play in the terminal: single keys where there is a terminal, one key a line where input is piped."""

from __future__ import annotations

import os
import re
import sys
from collections import deque
from typing import Any

from rich.console import Console
from rich.panel import Panel

from experiments.play_casino import CasinoSession
from experiments.play_screens import CasinoScreen, WarScreen, known_table
from experiments.play_session import PlaySession

_HELP = """[bold]1, 2, …[/]   play the card of that number; in Casino War ante so many units
[bold]Enter[/]     where you have nothing to choose: play the next battle
[bold]a[/]         the same, on to the end or to your next choice
[bold]h[/]         what the strongest agent for these rules would play
[bold]k[/]         what is known of the cards, and no more than you could know
[bold]t s w[/]     Casino War: tie bet on or off, surrender, go to war
[bold]q[/]         quit; the game is saved, as it is after Ctrl-C
[bold]?[/]         this help"""
try:
    import termios
    import tty
except ImportError:  # Windows: whole lines
    termios = None  # type: ignore[assignment]

_END = "\x04"  # Ctrl-D
_ESCAPES = re.compile(r"\x1b(\[[0-9;]*[A-Za-z~]|O.|.)?")  # arrows and the like, which mean nothing here
_NEXT, _ALL = ("\n", "\r"), "a"
Session = PlaySession | CasinoSession
Screen = WarScreen | CasinoScreen


class Keys:
    """Keys from standard input; a context in which a terminal gives each key at once, without Enter or echo.

    Ctrl-C stays a signal.
    """

    def __init__(self) -> None:
        self._waiting: deque[str] = deque()
        self._before: list[Any] | None = None

    def __enter__(self) -> Keys:
        if sys.stdin.isatty() and termios is not None:
            descriptor = sys.stdin.fileno()
            self._before = termios.tcgetattr(descriptor)
            tty.setcbreak(descriptor, termios.TCSANOW)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None and termios is not None:
            termios.tcsetattr(sys.stdin.fileno(), termios.TCSANOW, self._before)

    def read(self) -> str:
        """The next key, or a line without its end; a newline for Enter alone.

        Raises:
            EOFError: there is no more input.
        """
        if self._before is None:
            line = sys.stdin.readline()
            if not line:
                raise EOFError
            return line.strip().lower() or "\n"
        while not self._waiting:
            text = os.read(sys.stdin.fileno(), 64).decode(errors="replace")
            if not text or _END in text:
                raise EOFError
            self._waiting.extend(_ESCAPES.sub("", text).lower())
        return self._waiting.popleft()


class TerminalGame:
    """One game at the terminal.

    Args:
        session: the game.
        screen: how it is drawn.
        rules_text: lines about the rules, for the help.
        console: where it is drawn.
        keys: where keys come from.
    """

    def __init__(self, session: Session, screen: Screen, rules_text: str, console: Console, keys: Keys) -> None:
        self._session, self._screen, self._rules_text = session, screen, rules_text
        self._console, self._keys = console, keys

    def play(self) -> None:
        """Play until the game is over or the person quits.

        Raises:
            EOFError: the input ended. KeyboardInterrupt: Ctrl-C.
        """
        with self._keys:
            self._draw()
            while not self._session.is_over:
                self._console.print(self._screen.keys(self._session.view()))
                key = self._keys.read()
                if key == "q":
                    return
                self._obey(key)

    def _draw(self, hint: dict[str, Any] | None = None) -> None:
        if self._console.is_terminal:
            self._console.clear()
        self._console.print(self._screen.draw(self._session.view(), hint))

    def _obey(self, key: str) -> None:
        slot = self._screen.slot(key, self._session.view())
        if slot is not None:
            self._session.step(slot)
            self._draw()
        elif isinstance(self._session, PlaySession) and not self._session.may_choose and key in (*_NEXT, _ALL):
            self._session.play_on(battles=None if key == _ALL else 1)
            self._draw()
        elif self._screen.toggles(key):
            self._draw()
        else:
            self._help(key)

    def _help(self, key: str) -> None:
        if key == "?":
            self._console.print(Panel(f"{_HELP}\n\n{self._rules_text}", title="Help", border_style="cyan"))
        elif key == "k":
            self._console.print(known_table(self._session.known()))
        elif key == "h" and self._session.may_choose:
            self._draw(self._session.hint())
        elif key not in _NEXT:
            self._console.print(f"{key!r} does nothing now; ? explains the keys.", style="yellow", markup=False)
