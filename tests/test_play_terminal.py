"""Playing in the terminal: whole games by pipe and by keys, help, hint, what is known, every way of ending."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from rich.console import Console

from agents.registry import strongest_agent
from experiments.options import CasinoOptions
from experiments.play import PlaySettings, record_path, rules_text, run_play
from experiments.play_casino import CasinoSession
from experiments.play_replay import replay
from experiments.play_screens import CasinoScreen, WarScreen
from experiments.play_session import PlaySession
from experiments.play_terminal import Keys, TerminalGame
from tests.playing import session_of
from war_env import CasinoRules, CasinoWarEnv, Game, Rules, get_rules
from war_env.errors import ArgumentError

ROOT = Path(__file__).parent.parent


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "experiments.play", *arguments]


def piped(keys: str, *arguments: str, code: int = 0) -> str:
    """Play with piped input; returns what is printed."""
    result = subprocess.run(command(*arguments), input=keys, capture_output=True, text=True, cwd=ROOT, check=False)
    text = result.stdout + result.stderr
    assert result.returncode == code, text
    assert "Traceback" not in text
    return text


class Typed(Keys):
    """Keys from a list, then the end of the input."""

    def __init__(self, *keys: str) -> None:
        super().__init__()
        self._keys = iter(keys)

    def read(self) -> str:
        for key in self._keys:
            return key
        raise EOFError


def played(session: PlaySession | CasinoSession, *keys: str) -> str:
    """Type keys at a game; returns the screen's text, all of it."""
    screen = WarScreen() if isinstance(session, PlaySession) else CasinoScreen(session.rules.bet_levels)
    out = StringIO()
    console = Console(file=out, width=100, force_terminal=False)
    try:
        TerminalGame(session, screen, rules_text(session.rules), console, Typed(*keys)).play()
    except EOFError:
        out.write("EOF")
    return out.getvalue()


def test_a_whole_game_by_pipe_with_hint_known_and_help(tmp_path: Path) -> None:
    path = tmp_path / "new" / "game.json"
    keys = "?\nh\nk\n" + "1\n" * 60
    text = piped(
        keys, "--preset", "one_pass", "--opponent", "greedy", "--seat", "1", "--seed", "5", "--save", str(path)
    )
    assert f"{strongest_agent(get_rules('one_pass')).name} would play the" in text
    assert "never seen" in text
    assert "hand_size=5" in text
    assert re.search(r"Greedy wins|You win|A draw", text)
    assert f"The game is in {path}" in text
    record = json.loads(path.read_text())
    game = Game.from_record(record)
    assert game.outcome is not None
    assert record["seed"] == 5
    assert all(choices[1] == 0 for choices in record["choices"])
    assert game.record() == record


@pytest.fixture
def typed_in(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Runs the program in this process with piped keys; returns what it prints."""

    def run(keys: str, **settings: Any) -> str:
        monkeypatch.setattr(sys, "stdin", StringIO(keys))
        run_play(PlaySettings(**settings))
        return capsys.readouterr().out

    return run


class Terminal:
    """The program at a terminal of its own."""

    def __init__(self, *arguments: str) -> None:
        self.pid, self.descriptor = pty.fork()
        if self.pid == 0:
            os.chdir(ROOT)
            os.environ["TERM"] = "xterm"
            os.execv(sys.executable, command(*arguments))
        self.text = ""
        self.before = termios.tcgetattr(self.descriptor)

    def wait_for(self, words: str, seconds: float = 60.0) -> None:
        """Read until the words were printed."""
        end = time.monotonic() + seconds
        while words not in self.text:
            assert time.monotonic() < end, self.text
            self._read(0.2)

    def _read(self, seconds: float) -> bool:
        if not select.select([self.descriptor], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self.descriptor, 65536)
        except OSError:  # Linux says so when the other end is closed
            return False
        self.text += data.decode(errors="replace")
        return bool(data)

    def type(self, keys: str) -> None:
        self.text = ""
        os.write(self.descriptor, keys.encode())

    def code(self, seconds: float = 30.0) -> int:
        """Read to the end; returns the exit code."""
        end = time.monotonic() + seconds
        while self._read(0.2):
            if time.monotonic() > end:
                os.kill(self.pid, signal.SIGKILL)
                raise AssertionError(f"still running: {self.text}")
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def test_single_keys_at_a_terminal_and_ctrl_c(tmp_path: Path) -> None:
    """No Enter is needed, arrows do nothing, Ctrl-C leaves a record, no traceback, and the terminal as it was."""
    path = tmp_path / "game.json"
    terminal = Terminal("--seed", "4", "--save", str(path))
    terminal.wait_for("quit")
    terminal.type("2")
    terminal.wait_for("Battle 2")
    terminal.wait_for("quit")
    terminal.type("\x1b[A")
    terminal.type("h")
    terminal.wait_for("would play")
    terminal.wait_for("quit")
    terminal.type("\x03")
    terminal.wait_for("Stopped.")
    assert terminal.code() == 130
    assert "Traceback" not in terminal.text
    assert termios.tcgetattr(terminal.descriptor) == terminal.before
    record = json.loads(path.read_text())
    assert [choices[0] for choices in record["choices"]] == [1]
    assert Game.from_record(record).record() == record


def test_ctrl_d_at_a_terminal_and_the_end_of_a_pipe(tmp_path: Path, typed_in: Callable[..., str]) -> None:
    terminal = Terminal("--preset", "classic", "--seed", "4", "--save", str(tmp_path / "a.json"))
    terminal.wait_for("quit")
    terminal.type("\n")
    terminal.wait_for("Battle 2")
    terminal.wait_for("quit")
    terminal.type("\x04")
    assert terminal.code() == 0
    assert "Traceback" not in terminal.text
    assert json.loads((tmp_path / "a.json").read_text())["choices"] == 1
    text = typed_in("1\n1\n", seed=4, save=tmp_path / "b.json")
    assert "The input ended." in text
    assert len(json.loads((tmp_path / "b.json").read_text())["choices"]) == 2


def test_quitting_keeps_the_game_and_unknown_keys_are_told() -> None:
    session = session_of(get_rules("strategic"))
    text = played(session, "9", "x", "12", "1", "q", "1")
    assert text.count("does nothing now") == 3
    assert "EOF" not in text
    assert session.game.comparisons == 1


def test_casino_war_by_keys(tmp_path: Path, typed_in: Callable[..., str]) -> None:
    """Every action; the table is the one that the environment deals; the record plays it again."""
    session = CasinoSession(CasinoRules(rounds=100, packs=1, bet_levels=2), 8)
    text = played(session, "h", "k", "s", "3", *(["1", "t", "2", "w", "s", "2", "s", "w"] * 100))
    assert "counter would ante" in text
    assert "never seen" in text
    assert "'s' does nothing now" in text
    assert "'3' does nothing now" in text
    assert "100 rounds played" in text
    actions = session.record()["actions"]
    assert set(actions) == set(range(6))
    env = CasinoWarEnv(rounds=100, packs=1, bet_levels=2, illegal_action="raise")
    env.reset(seed=8)
    assert session.view()["units"] == sum(env.step(action)[1] for action in actions)
    assert CasinoSession.from_record(json.loads(json.dumps(session.record()))).view() == session.view()
    path = tmp_path / "casino.json"
    text = typed_in("1\nq\n", preset="casino", seed=9, casino=CasinoOptions(packs=(1,)), save=path)
    assert "Round 1, ante 1: you:" in text
    assert "52 cards in the shoe" in text
    assert "Round 1, ante 1: you:" in typed_in("", replay=path)
    with pytest.raises(ArgumentError, match="Casino War has one seat"):
        replay(path, 0)


def test_where_there_is_nothing_to_choose_enter_and_a_play() -> None:
    session = session_of(get_rules("classic"))
    text = played(session, "\n", "h", "1", "k", "a")
    assert "'h' does nothing now" in text
    assert "'1' does nothing now" in text
    assert session.is_over
    assert session.game.outcome == Game.deal(get_rules("classic"), 3).play_out()
    assert session.record() == {**Game.deal(get_rules("classic"), 3).record(), "choices": session.game.comparisons}


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"opponent": ("rserve",)}, "agent='rserve' is unknown. Did you mean 'reserve'"),
        ({"opponent": ("reserve", "greedy")}, "name one, or one for each of the 1 other seats"),
        ({"seat": 2}, "seat=2 is not allowed"),
        ({"seed": -1}, "seed=-1 is not allowed"),
        ({"preset": "chess"}, "preset='chess' is unknown"),
        ({"port": 8000}, "port is not allowed without --web"),
        ({"web": True, "preset": "mini"}, "preset is not allowed with --web"),
        ({"web": True, "port": 0}, "port=0 is not allowed"),
        ({"replay": Path("x"), "seed": 1}, "seed is not allowed with --replay"),
        ({"preset": "casino", "opponent": ("greedy",)}, "opponent is not allowed with preset='casino'"),
        ({"preset": "casino", "window": True}, "window is not allowed with preset='casino'"),
        ({"opponent": ("nowhere.npz",)}, "weights='nowhere.npz' cannot be read"),
    ],
)
def test_wrong_settings_are_refused_before_a_file_is_written(
    settings: dict, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=re.escape(words)):
        run_play(PlaySettings(**settings))
    assert not list(tmp_path.iterdir())


def test_a_window_gets_the_game_and_what_is_missing_is_named(
    tmp_path: Path, typed_in: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    def run_window(rules: Rules, agents: list[Any], seed: int, save: Path, hint: Any) -> Game:
        asked.extend([rules, agents, seed, save, hint.name])
        return Game.deal(rules, seed)

    fake = ModuleType("experiments.play_window")
    fake.run_window = run_window  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "experiments.play_window", fake)
    text = typed_in("", window=True, preset="one_pass", seat=1, seed=6, save=tmp_path / "w.json")
    assert Game.from_record(json.loads((tmp_path / "w.json").read_text())).comparisons == 0
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        typed_in("", window=True, save=tmp_path / "file" / "w.json")
    assert asked[0] == get_rules("one_pass")
    assert [getattr(agent, "name", None) for agent in asked[1]] == ["reserve", None]
    assert asked[2:] == [6, tmp_path / "w.json", strongest_agent(asked[0]).name]
    assert "w.json" in text
    monkeypatch.setitem(sys.modules, "experiments.play_window", None)
    with pytest.raises(ArgumentError, match=re.escape("pip install 'war_env[render]'")):
        typed_in("", window=True)
    monkeypatch.setitem(sys.modules, "experiments.play_web", None)
    with pytest.raises(ArgumentError, match=re.escape("pip install 'war_env[web]'")):
        typed_in("", web=True)


def test_a_record_that_cannot_be_written_is_told_before_the_first_card(
    tmp_path: Path, typed_in: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        typed_in("1\n", save=tmp_path / "file" / "game.json")
    assert "Battle 1" not in capsys.readouterr().out


def test_records_get_new_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    first = record_path(None, "War-v0", 7)
    first.parent.mkdir(parents=True)
    first.write_text("")
    assert record_path(None, "War-v0", 7) != first
    assert record_path(Path("mine.json"), "War-v0", 7) == Path("mine.json")


def test_a_terminal_without_suit_symbols_gets_question_marks(tmp_path: Path) -> None:
    keys = b"1\n\xff\nq\n"
    environment = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    given = command("--seed", "4", "--save", str(tmp_path / "g.json"))
    result = subprocess.run(given, input=keys, capture_output=True, cwd=ROOT, env=environment, check=False)
    assert (result.returncode, result.stderr) == (0, b"")
    assert b"Battle 2" in result.stdout
    assert b"?" in result.stdout
