"""A recorded game, shown comparison by comparison."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from experiments.harness import console
from experiments.play_casino import CasinoSession, casino_record_of
from war_env import __version__
from war_env.errors import ArgumentError, NotationError, refused, shown
from war_env.files import read_text
from war_env.game import Game
from war_env.game_view import comparison_text
from war_env.record import read_record


def read_file(path: Path) -> str:
    """The text of a record's file."""
    return read_text(path, f"replay={str(path)!r}")


def replay(path: Path, seat: int | None) -> None:
    """Print a recorded game; as `seat` saw it when given.

    Raises:
        ArgumentError: the file cannot be read. NotationError: it is not a record.
    """
    text = read_file(path)
    casino = casino_record_of(text)
    if casino is not None:
        if seat is not None:
            raise ArgumentError(f"seat={shown(seat)} is not allowed: Casino War has one seat.")
        _replay_casino(casino)
        return
    rules, _, choices, version = read_record(text)
    _tell_version(version)
    game = Game.from_record(text, 0)
    _show(game, seat)
    for k in range(choices if isinstance(choices, int) else len(choices)):
        before = game.copy()
        game.play(None if isinstance(choices, int) else choices[k])
        slots = [0 if number in before.fighters else None for number in range(rules.players)]
        played = slots if isinstance(choices, int) else choices[k]
        console.print(comparison_text(before, played, game), style="bold", markup=False, soft_wrap=True)
        _show(game, seat)


def _tell_version(version: str) -> None:
    if version != __version__:
        console.print(f"The record is of version {version}, this is {__version__}: shuffles may fall differently.")


def _show(game: Game, seat: int | None) -> None:
    console.print(str(game) if seat is None else game.view(seat), markup=False, soft_wrap=True)


def _replay_casino(record: dict[str, Any]) -> None:
    CasinoSession.from_record(record, 0)
    if not isinstance(record["version"], str):
        raise refused("record: version", record["version"], "a text such as '0.1.0'", NotationError)
    _tell_version(record["version"])
    session = CasinoSession.from_record(record, 0)
    for action in record["actions"]:
        session.step(action)
        view = session.view()
        console.print(f"{view['history'][-1]['text']}  {view['units_text']} units", markup=False, soft_wrap=True)
