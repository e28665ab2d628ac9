"""Look at a recorded game, comparison by comparison.

python -m experiments.play --replay game.json
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from experiments.harness import console, main
from war_env.errors import ArgumentError
from war_env.game import Game
from war_env.record import read_record


@dataclass
class PlaySettings:
    """Show a recorded game step by step; `Game.record()` writes one."""

    replay: Path
    """A game's record: the JSON object of `Game.record()`."""
    seat: int | None = None
    """Whose view of the table is shown; all cards when not given."""


def read_file(path: Path) -> str:
    """The text of a record's file."""
    try:
        return path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise ArgumentError(f"replay={str(path)!r} cannot be read: {error}.") from None


def run_play(settings: PlaySettings) -> None:
    """Replay the game and print it."""
    text = read_file(settings.replay)
    _, _, choices = read_record(text)
    game = Game.from_record(text, 0)
    console.print(_shown(game, settings.seat), markup=False)
    for number, entry in enumerate(choices, start=1):
        game.play(entry)
        chosen = " ".join("-" if slot is None else str(slot) for slot in entry)
        console.rule(f"comparison {number}, slots {chosen}", align="left")
        console.print(_shown(game, settings.seat), markup=False)


def _shown(game: Game, seat: int | None) -> str:
    return str(game) if seat is None else game.view(seat)


if __name__ == "__main__":
    main(PlaySettings, run_play)
