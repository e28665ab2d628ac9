"""The window in which a person plays: whole games by posted clicks and keys, hints, new games, clean ends."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pygame
import pytest

from experiments import play_window
from experiments.play_window import Table, run_window
from war_env import Game, Rules, WarEnvError, get_rules
from war_env.layout import Layout
from war_env.policy import Policy, ScriptedPolicy
from war_env.render.pixels import WINDOW_SCALE
from war_env.render.war_table import hand_spots

Robot = Callable[[Table], list[pygame.event.Event] | None]


def policy(rules: Rules, name: str = "reserve") -> Policy:
    """A scripted policy."""
    return ScriptedPolicy(name, Layout(rules))


def click(slot: int, count: int) -> list[pygame.event.Event]:
    """The pointer goes to a card and clicks it."""
    spot = hand_spots(count)[slot]
    pos = (round((spot.x - spot.width / 4) * WINDOW_SCALE), round(spot.y * WINDOW_SCALE))
    moved = pygame.event.Event(pygame.MOUSEMOTION, pos=pos, rel=(0, 0), buttons=(0, 0, 0))
    return [moved, pygame.event.Event(pygame.MOUSEBUTTONDOWN, pos=pos, button=1)]


def key(name: str) -> list[pygame.event.Event]:
    """A key is pressed."""
    return [pygame.event.Event(pygame.KEYDOWN, key=pygame.key.key_code(name))]


@pytest.fixture
def robot(monkeypatch: pytest.MonkeyPatch) -> Callable[[Robot], None]:
    """Lets a function post events before every look at the window; None closes it. Nothing waits."""
    monkeypatch.setattr(play_window, "PAUSE_SECONDS", 0.0)
    monkeypatch.setattr(play_window, "MOVE_SECONDS", 1e-6)
    monkeypatch.setattr(play_window, "FPS", 0)

    def install(play: Robot) -> None:
        show = play_window._show_once

        def posting(table: Table, screen: pygame.Surface) -> None:
            for event in play(table) or [pygame.event.Event(pygame.QUIT)]:
                pygame.event.post(event)
            show(table, screen)

        monkeypatch.setattr(play_window, "_show_once", posting)

    return install


IDLE = [pygame.event.Event(pygame.USEREVENT)]


@pytest.mark.parametrize(
    ("rules", "seat"),
    [
        (get_rules("one_pass"), 0),
        (get_rules("mini"), 1),
        (get_rules("strategic", players=3, max_battles=25), 2),
        (get_rules("senso"), 0),
    ],
    ids=["one_pass", "mini", "three", "senso"],
)
def test_a_whole_game_is_played_by_clicks(robot: Callable, rules: Rules, seat: int, tmp_path: Path) -> None:
    """The clicked cards are the ones played, the others play as their policies do, and the record replays."""
    rng, clicked = np.random.default_rng(0), []

    def play(table: Table) -> list[pygame.event.Event] | None:
        if table.game.is_over:
            return None
        if not table.is_asking:
            return IDLE
        legal = table.game.legal_actions(seat)
        clicked.append(int(rng.choice(legal)))
        return click(clicked[-1], len(legal))

    robot(play)
    save = tmp_path / "game.json"
    agents = [None if number == seat else policy(rules) for number in range(rules.players)]
    game = run_window(rules, agents, seed=4, save=save)
    assert game.is_over
    assert not pygame.display.get_init()
    record = json.loads(save.read_text())
    assert record == game.record()
    again = Game.from_record(record)
    assert again.outcome == game.outcome
    assert record["deal"] == Game.deal(rules, 4).record()["deal"]
    if rules.has_choices:
        assert [choices[seat] for choices in record["choices"] if choices[seat] is not None] == clicked
    else:
        assert record["choices"] == len(clicked)


def test_number_keys_play_hints_are_asked_and_new_games_dealt(robot: Callable, tmp_path: Path) -> None:
    """Two games by keys alone: the hinted slot is what the policy would play; the score stands in the title."""
    rules, hints, titles = get_rules("mini"), [], []
    hinting = policy(rules, "greedy")

    def play(table: Table) -> list[pygame.event.Event] | None:
        titles.append(table.title)
        if table.game.is_over:
            return key("n") if table.game is games[0] else None
        if table.game not in games:
            games.append(table.game)
        if not table.is_asking:
            return IDLE
        if table._hint is None:
            return key("h")
        hints.append((table._hint, len(table.game.legal_actions(0)) - 1))
        return key(str(table._hint + 1))

    games: list[Game] = []
    robot(play)
    game = run_window(rules, [None, policy(rules)], seed=7, save=tmp_path / "game.json", hint=hinting)
    assert len(games) == 2
    assert game is games[1]
    assert game.record()["deal"] == Game.deal(rules, 8).record()["deal"]
    assert hints
    assert all(hint == highest for hint, highest in hints)
    counts = [int(word) for word in titles[-1].replace(",", "").split() if word.isdigit()]
    assert sum(counts) == 2


@pytest.mark.parametrize("way", ["button", "escape", "ctrl_c"])
def test_every_way_to_end_is_clean_and_keeps_the_game(robot: Callable, way: str, tmp_path: Path) -> None:
    """After three comparisons: the window is gone, the record holds them."""
    rules = get_rules("strategic")

    def play(table: Table) -> list[pygame.event.Event] | None:
        if len(table.game._choices) < 3:
            return key("1") if table.is_asking else IDLE
        if way == "ctrl_c":
            raise KeyboardInterrupt
        return None if way == "button" else key("escape")

    robot(play)
    game = run_window(rules, [None, policy(rules)], seed=0, save=tmp_path / "game.json")
    assert len(game.record()["choices"]) == 3
    assert json.loads((tmp_path / "game.json").read_text()) == game.record()
    assert not pygame.display.get_init()


def test_a_window_closed_at_once_writes_nothing(robot: Callable, tmp_path: Path) -> None:
    rules = get_rules("strategic")
    robot(lambda table: None)
    game = run_window(rules, [None, policy(rules)], seed=0, save=tmp_path / "game.json")
    assert game.record() == Game.deal(rules, 0).record()
    assert not (tmp_path / "game.json").exists()


def test_without_a_person_the_policies_play(robot: Callable) -> None:
    """As `Game.play_out` plays them: policies without chance give the same game."""
    rules = get_rules("mini")
    robot(lambda table: None if table.game.is_over else IDLE)
    game = run_window(rules, [policy(rules, "greedy"), policy(rules, "lowest")], seed=3)
    other = Game.deal(rules, 3)
    other.play_out(["greedy", "lowest"])
    assert game.record() == other.record()


def test_hover_pause_and_clicks_beside_cards() -> None:
    """A card under the pointer is lifted; a click beside all cards plays nothing; what lies open stays a while."""
    rules = get_rules("strategic")
    table = Table(rules, [None, policy(rules)], 0, None, None)
    plain = pygame.image.tobytes(table.picture(1.0, 0.0), "RGB")
    spot = hand_spots(5)[2]
    motion = pygame.event.Event(pygame.MOUSEMOTION, pos=(0, 0))
    table.take(motion, (spot.x, spot.y), 0.0)
    assert pygame.image.tobytes(table.picture(1.0, 0.0), "RGB") != plain
    press = pygame.event.Event(pygame.MOUSEBUTTONDOWN, button=1)
    table.take(press, (5.0, 5.0), 0.0)
    assert table.is_asking
    table.take(press, (spot.x, spot.y), 1.0)
    table.go_on(1.0)
    assert table.game.record()["choices"] == []  # the card is on its way
    table.go_on(1.0 + play_window.MOVE_SECONDS)
    assert [choices[0] for choices in table.game.record()["choices"]] == [2]
    assert "take" in table.game.scene(0, table._before).happened


def test_what_is_known_is_laid_over_the_table() -> None:
    """Key K shows it and takes it away; it is what the player's own observation holds, whatever is hidden."""
    rules = get_rules("strategic", players=3)
    table = Table(rules, [None, policy(rules), policy(rules)], 0, None, None)
    plain = pygame.image.tobytes(table.picture(1.0, 0), "RGB")
    press = pygame.event.Event(pygame.KEYDOWN, key=pygame.K_k)
    table.take(press, (0, 0), 0.0)
    shown = pygame.image.tobytes(table.picture(1.0, 0), "RGB")
    notes = dict(table._notes())
    assert list(notes) == ["With you", "With seat 1", "With seat 2", "Seen, not located", "Never seen"]
    assert notes["With seat 1"] == "none"
    assert len(notes["With you"].split()) <= 5
    assert shown != plain
    table.game = table.game.determinize(0, 5)
    assert dict(table._notes()) == notes
    table.take(press, (0, 0), 0.0)
    assert table._notes() == ()


def test_a_click_shortens_the_pause_of_a_war_of_others() -> None:
    rules = get_rules("three_player")
    table = Table(rules, [None, policy(rules), policy(rules)], 2, None, None)
    now = 0.0
    while table.person in table.game.fighters:
        table.take(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_SPACE), (0, 0), now)
        now += 2.0
        table.go_on(now)
    before = table.game.record()["choices"]
    table.go_on(now + 0.1)
    assert table.game.record()["choices"] == before
    table.take(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_SPACE), (0, 0), now + 0.1)
    table.go_on(now + 0.1)
    assert table.game.record()["choices"] == before + 1


@pytest.mark.parametrize("agents", [[None, None], [None], ["reserve"] * 3, "ab", [None, 5]])
def test_agents_that_do_not_fit_are_refused(agents: object) -> None:
    with pytest.raises(WarEnvError, match=r"agents.* is not allowed"):
        run_window(get_rules("strategic"), agents)
