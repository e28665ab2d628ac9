"""Look at a recorded game, comparison by comparison.

python -m experiments.play --replay game.json
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from experiments.harness import console, main
from war_env import __version__
from war_env.errors import ArgumentError
from war_env.game import Game
from war_env.game_view import comparison_text
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
    _, _, choices, version = read_record(text)
    if version != __version__:
        console.print(f"The record is of version {version}, this is {__version__}: shuffles may fall differently.")
    game = Game.from_record(text, 0)
    _show(game, settings.seat)
    for k in range(choices if isinstance(choices, int) else len(choices)):
        before = game.copy()
        game.play(None if isinstance(choices, int) else choices[k])
        slots = [0 if seat in before.fighters else None for seat in range(game.rules.players)]
        played = slots if isinstance(choices, int) else choices[k]
        console.print(comparison_text(before, played, game), style="bold", markup=False, soft_wrap=True)
        _show(game, settings.seat)


def _show(game: Game, seat: int | None) -> None:
    console.print(str(game) if seat is None else game.view(seat), markup=False, soft_wrap=True)


if __name__ == "__main__":
    main(PlaySettings, run_play)
