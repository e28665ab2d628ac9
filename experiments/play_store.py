"""The games of the page's server: unguessable names, a lock for each, and room for so many."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from experiments.play_casino import CasinoSession
from experiments.play_session import PlaySession

MAX_GAMES = 200
IDLE_SECONDS = 600.0  # a game not touched for so long may make room for another
Session = PlaySession | CasinoSession


class NoRoomError(Exception):
    """Every game on the server is being played."""


class NoGameError(Exception):
    """There is no game of that name, or no longer."""


@dataclass
class _Entry:
    session: Session
    used: float
    lock: threading.Lock = field(default_factory=threading.Lock)


class GameStore:
    """Games by name.

    Args:
        limit: how many are kept.
        idle_seconds: a game unused for so long, or over, may be dropped to make room.
        clock: seconds.
    """

    def __init__(
        self, limit: int = MAX_GAMES, idle_seconds: float = IDLE_SECONDS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.limit, self.idle_seconds = limit, idle_seconds
        self._clock = clock
        self._entries: dict[str, _Entry] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._entries)

    def add(self, session: Session) -> str:
        """Keep a game; returns its name.

        Raises:
            NoRoomError: there is no room, and none of the games kept is idle or over.
        """
        name = secrets.token_urlsafe(18)
        with self._lock:
            while len(self._entries) >= self.limit:
                self._drop_oldest()
            self._entries[name] = _Entry(session, self._clock())
        return name

    def _drop_oldest(self) -> None:
        now = self._clock()
        idle = [
            (entry.used, name)
            for name, entry in self._entries.items()
            if entry.session.is_over or now - entry.used >= self.idle_seconds
        ]
        if not idle:
            raise NoRoomError(
                f"{self.limit} games are being played here, which is all there is room for. End one, or wait until one "
                f"has not been touched for {self.idle_seconds / 60:g} minutes."
            )
        del self._entries[min(idle)[1]]

    @contextmanager
    def playing(self, name: str) -> Iterator[Session]:
        """A game, for one request alone at a time.

        Raises:
            NoGameError: there is none of that name.
        """
        with self._lock:
            entry = self._entries.get(name)
            if entry is None:
                raise NoGameError(
                    "There is no such game here: it never was, it was ended, it made room for others after standing "
                    f"idle (room for {self.limit} games), or the server was started anew. Start a new game."
                )
            entry.used = self._clock()
        with entry.lock:
            yield entry.session

    def remove(self, name: str) -> None:
        """Let a game go; nothing happens when there is none of that name."""
        with self._lock:
            self._entries.pop(name, None)
