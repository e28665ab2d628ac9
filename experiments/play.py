"""Play War against any agent, in the terminal, in a window or in the browser; or look at a recorded game.

python -m experiments.play --opponent reserve --preset WarOnePass-v0
python -m experiments.play --web
python -m experiments.play --replay game.json
"""

from __future__ import annotations

import dataclasses
import secrets
import signal
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agents.registry import strongest_agent
from experiments.harness import MAX_SEED, RESULTS, console, main, write_json
from experiments.options import CasinoOptions, RuleOptions, given_choices, given_options
from experiments.play_casino import CasinoSession
from experiments.play_replay import replay
from experiments.play_screens import CasinoScreen, WarScreen
from experiments.play_session import PlaySession, seated_agents
from experiments.play_terminal import Keys, Screen, Session, TerminalGame
from war_env.casino_env import get_casino_rules
from war_env.casino_rules import CASINO_ID, CASINO_NAME, CASINO_SUMMARY, CasinoRules
from war_env.errors import ArgumentError, checked_int, shown
from war_env.game import Game
from war_env.presets import get_preset, get_rules
from war_env.rules import Rules

STOPPED = 130  # exit code after Ctrl-C, as shells have it
DEFAULT_PORT = 8000


@dataclass
class PlaySettings:
    """Play against agents, or look at a recorded game step by step."""

    preset: str = "War-v0"
    """Preset by name or id, `casino` too."""
    opponent: tuple[str, ...] = ("reserve",)
    """Agents by name or paths to exported weights: one for all other seats, or one for each."""
    seat: int | None = None
    """Your seat, 0 when not given; in a replay whose view is shown, all cards when not given."""
    seed: int | None = None
    """Seed of the game; another one each time when not given."""
    save: Path | None = None
    """File for the game's record; by default one in results/play/."""
    window: bool = False
    """Play in a window: click a card."""
    web: bool = False
    """Serve a page to play in the browser, on this machine alone."""
    port: int | None = None
    """Port of the page, 8000 when not given."""
    replay: Path | None = None
    """Look at this record instead of playing."""
    rules: RuleOptions = field(default_factory=RuleOptions)
    """Options of the rules to override."""
    casino: CasinoOptions = field(default_factory=CasinoOptions)
    """Options of Casino War to override."""


def check_settings(settings: PlaySettings) -> None:
    """Refuse settings that would be ignored.

    Raises:
        ArgumentError: the message names what does not go together.
    """
    plain = PlaySettings()
    given = {entry.name for entry in dataclasses.fields(plain) if _of(settings, entry.name) != _of(plain, entry.name)}
    is_casino = settings.preset in (CASINO_NAME, CASINO_ID)
    refused = {
        "replay": given - {"replay", "seat"},
        "web": given - {"web", "port"},
        "window": given & {"port", "casino"},
    }
    for name, others in refused.items():
        if name in given and others:
            raise ArgumentError(f"{', '.join(sorted(others))} is not allowed with --{name}.")
    if "port" in given and not settings.web:
        raise ArgumentError("port is not allowed without --web.")
    wrong = given & ({"rules", "opponent", "seat", "window"} if is_casino else {"casino"})
    if wrong and not settings.web and settings.replay is None:
        raise ArgumentError(f"{', '.join(sorted(wrong))} is not allowed with preset={shown(settings.preset)}.")


def _of(settings: PlaySettings, name: str) -> Any:
    value = getattr(settings, name)
    return given_choices(value) if name in ("rules", "casino") else value


def run_play(settings: PlaySettings) -> None:
    """Play, serve or replay."""
    check_settings(settings)
    if settings.replay is not None:
        replay(settings.replay, settings.seat)
    elif settings.web:
        _serve(DEFAULT_PORT if settings.port is None else settings.port)
    else:
        _play(settings)


def _serve(port: int) -> None:
    checked_int("port", port, 1, 65535)
    try:
        from experiments.play_web import serve
    except ImportError as error:
        raise ArgumentError(f"--web needs its extra: pip install 'war_env[web]' ({error}).") from error
    serve(port)


def _play(settings: PlaySettings) -> None:
    seed = secrets.randbelow(MAX_SEED) if settings.seed is None else checked_int("seed", settings.seed, 0, MAX_SEED)
    if settings.preset in (CASINO_NAME, CASINO_ID):
        casino_rules = get_casino_rules(settings.preset, **given_options(settings.casino))
        path = record_path(settings.save, CASINO_ID, seed)
        _play_in_terminal(CasinoSession(casino_rules, seed), CasinoScreen(casino_rules.bet_levels), path)
        return
    preset = get_preset(settings.preset)
    rules = get_rules(settings.preset, **given_options(settings.rules))
    agents = seated_agents(rules, settings.opponent, settings.seat or 0)
    path = record_path(settings.save, preset.id, seed)
    if settings.window:
        _play_in_window(rules, agents, seed, path)
    else:
        _play_in_terminal(PlaySession(rules, agents, seed), WarScreen(), path)


def record_path(given: Path | None, name: str, seed: int) -> Path:
    """Where the record goes: the file that was named, or a new one in results/play/."""
    if given is not None:
        return given
    folder, number = RESULTS / "play", 1
    while (path := folder / f"{name}-{seed}-{number}.json").exists():
        number += 1
    return path


def _play_in_window(rules: Rules, agents: list[Any], seed: int, path: Path) -> None:
    try:
        from experiments.play_window import run_window
    except ImportError as error:
        raise ArgumentError(f"--window needs its extra: pip install 'war_env[render]' ({error}).") from error
    write_json(path, Game.deal(rules, seed).record())  # a file that cannot be written is told before the first card
    game = run_window(rules, agents, seed, path, strongest_agent(rules) if rules.has_choices else None)
    if game.outcome is not None:
        console.print(str(game.outcome), markup=False)
    console.print(f"The game is in {path}.", markup=False, soft_wrap=True)


def _play_in_terminal(session: Session, screen: Screen, path: Path) -> None:
    """Play, and leave a record however it ends; a file that cannot be written is told before the first card."""
    write_json(path, session.record())
    game = TerminalGame(session, screen, rules_text(session.rules), console, Keys())
    code = 0
    try:
        game.play()
    except KeyboardInterrupt:
        code = STOPPED
        console.print("\nStopped.")
    except EOFError:
        console.print("\nThe input ended.")
    finally:
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C must not cost the record
        write_json(path, session.record())
        signal.signal(signal.SIGINT, before)
    console.print(f"Seed {session.seed}. The game is in {path}; --replay shows it.", markup=False, soft_wrap=True)
    if code:
        raise SystemExit(code)


def rules_text(rules: Rules | CasinoRules) -> str:
    """The rules in force: every option that is not what classic War, or the usual casino table, has."""
    options = [
        f"{entry.name}={getattr(rules, entry.name)}: {entry.metadata['meaning']}"
        for entry in dataclasses.fields(rules)
        if getattr(rules, entry.name) != entry.default
    ]
    head = CASINO_SUMMARY if isinstance(rules, CasinoRules) else "War"
    return "\n".join([f"{head}. Options in force, else as docs/rules.md has them:", *options])


if __name__ == "__main__":
    main(PlaySettings, run_play)
