"""Text, pictures and windows: what they show, and that Gymnasium's own tools work with them."""

from __future__ import annotations

import pickle
import subprocess
import sys
import threading
from pathlib import Path

import gymnasium as gym
import numpy as np
import pygame
import pytest
from gymnasium.utils.play import play
from gymnasium.wrappers import HumanRendering, RecordVideo

import war_env
from war_env import CasinoWarEnv, FinishedError, Game, WarEnv, get_rules
from war_env.casino_rules import CASINO_ID
from war_env.parallel_env import parallel_env
from war_env.render import geometry
from war_env.render.cards_art import card_image
from war_env.render.pixels import frame, paint
from war_env.render.scene import Face, Scene
from war_env.render.shapes import SHAPES, shape
from war_env.render.war_table import Look, hand_spots
from war_env.sb3 import WarVecEnv

ALL_IDS = [*(preset.id for preset in war_env.PRESETS), CASINO_ID]
WAR = ["9h 2s 2d 2h 10s 9s 3c 3d 3s As 5c 5d Qh Jc", "9c 4c 4d 4h 10c 9d 5h 5s 6c Ks 6d 6h Qs Jd"]


def slot_of(game: Game, seat: int, name: str) -> int:
    """The slot of a card by name."""
    return game.hands[seat].split().index(name)


def war_and_double_war() -> list[tuple[Scene, Game]]:
    """Scenes of a deal, a war, a double war and its end, with the game of each."""
    game = Game.from_stocks(WAR, get_rules("strategic"))
    found = [(game.scene(0), game.copy())]
    for names in (("9h", "9c"), ("10s", "10c"), ("3s", "Qs")):
        before = game.copy()
        game.play([slot_of(game, seat, name) for seat, name in enumerate(names)])
        found.append((game.scene(0, before), game.copy()))
    return found


# -- what a scene tells ------------------------------------------------------------------------------------------


def test_scenes_tell_battle_war_double_war_and_who_takes_the_pot() -> None:
    deal, war, double, end = (scene for scene, _ in war_and_double_war())
    assert (deal.is_war, deal.wars, deal.pot, deal.happened) == (False, 0, 0, "")
    assert (war.is_war, war.wars, war.pot, war.happened) == (True, 1, 8, "a tie: war")
    assert [str(card) if card else "-" for card in double.seats[0].laid] == ["9♥", *"---", "10♠", *"---"]
    assert (double.is_war, double.wars, double.pot) == (True, 2, 16)
    assert [seat.mark for seat in double.seats] == ["tied", "tied"]
    assert (end.is_war, end.wars, end.pot, end.happened) == (False, 2, 0, "seat 1 takes 18 cards")
    assert [seat.mark for seat in end.seats] == ["lost", "won"]
    assert [str(seat.laid[-1]) for seat in end.seats] == ["3♠", "Q♠"]


@pytest.mark.parametrize("preset", ["strategic", "one_pass", "three_player", "mini"])
def test_scenes_show_nothing_that_the_observer_may_not_know(preset: str) -> None:
    """Two games that differ in hidden cards alone look alike throughout, as text and as pixels."""
    rules = get_rules(preset)
    rng = np.random.default_rng(0)
    game = Game.deal(rules, 3)
    for k in range(40):
        if game.is_over:
            break
        twin = game.determinize(0, k)
        assert twin.scene(0) == game.scene(0)
        assert all(card is None for seat in game.scene(0).others for card in seat.hand)
        game.play(
            [int(rng.integers(len(legal))) if (legal := game.legal_actions(s)) else None for s in range(rules.players)]
        )
    assert not np.array_equal(frame(game.scene(0)), frame(Game.deal(rules, 4).scene(0)))


def test_an_outcome_is_told_from_the_observers_side() -> None:
    game = Game.from_stocks(["A K", "2 3"], get_rules("classic"))
    game.play_out()
    assert (game.scene(0).outcome, game.scene(1).outcome) == ("you win", "seat 0 wins")
    assert (game.scene(0).is_won, game.scene(1).is_won) == (True, False)
    draw = Game.from_stocks(["7", "7"], get_rules("classic"))
    draw.play()
    assert draw.scene(0).outcome == "draw"
    env = WarEnv("three_player", render_mode="ansi")
    outcomes = set()
    for seed in range(20):
        env.reset(seed=seed)
        while not env.step(0)[2]:
            pass
        outcomes.add(env.render().split(" after ")[0])
    assert {"you are out", "you win"} <= outcomes


# -- text --------------------------------------------------------------------------------------------------------


def test_text_is_aligned_and_shows_slots_hand_table_counts_and_what_happened() -> None:
    _, _, double, end = (scene.text().splitlines() for scene, _ in war_and_double_war())
    assert double == [
        "battle 1 of 200, war 2",
        "              stock  held  hand            on the table",
        "seat 0 (you)      1     6  2♦ 2♥ 2♠ 3♠ Q♥  9♥ ▒ ▒ ▒ 10♠ ▒ ▒ ▒",
        "seat 1            1     6  ▒ ▒ ▒ ▒ ▒       9♣ ▒ ▒ ▒ 10♣ ▒ ▒ ▒",
        "action     0   1   2   3   4",
        "your hand  2♦  2♥  2♠  3♠  Q♥",
        "a tie: war",
    ]
    assert end[-1] == "3♠ v Q♠*: seat 1 takes 18 cards after 2 wars"


def test_ansi_shows_the_own_hand_only(env_id: str) -> None:
    env = gym.make(env_id, render_mode="ansi")
    env.reset(seed=1)
    rules = env.unwrapped.rules
    scene = Game.deal(rules, 1).scene(0)
    assert env.render() == scene.text()
    rows = [line for line in env.render().splitlines() if line.startswith("seat ")]
    assert len(rows) == rules.players
    assert rows[1].split()[-rules.hand_size :] == ["▒"] * rules.hand_size


# -- pictures ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("env_id", ALL_IDS)
def test_pictures_of_whole_episodes(env_id: str) -> None:
    """Every picture is 640 x 480, most steps change it, and the end says so; equal seeds give equal pictures."""
    env, twin = (gym.make(env_id, render_mode="rgb_array") for _ in range(2))
    assert env.metadata["render_modes"] == ["ansi", "rgb_array", "human"]
    env.reset(seed=2)
    twin.reset(seed=2)
    changes, is_over, steps = 0, False, 0
    before = env.render()
    while not is_over and steps < 60:
        is_over = env.step(0)[2]
        twin.step(0)
        picture = env.render()
        assert picture.shape == (480, 640, 3)
        assert picture.dtype == np.uint8
        changes, steps, before = changes + bool((picture != before).any()), steps + 1, picture
    assert np.array_equal(before, twin.render())
    assert changes > 0.9 * steps


@pytest.mark.parametrize("players", range(2, 11))
def test_any_number_of_seats_fits(players: int) -> None:
    """All that is painted over the felt stays inside: the outermost pixels are those of an empty table's frame."""
    rules = get_rules("strategic", players=players, hand_size=3 if players > 8 else 5)
    game, rng, pictures = Game.deal(rules, 0), np.random.default_rng(players), 0
    wars = 0
    while not game.is_over and pictures < 25:
        before = game.copy()
        game.play([int(rng.integers(len(legal))) if (legal := game.legal_actions(s)) else None for s in range(players)])
        picture = frame(game.scene(players - 1, before))
        assert (picture[40:, :3].max(axis=(0, 1)) < 120).all()
        assert (picture[40:, -3:].max(axis=(0, 1)) < 120).all()
        assert (picture[-3:].max(axis=(0, 1)) < 120).all()
        pictures, wars = pictures + 1, wars + game.scene(0, before).is_war
    assert pictures > 5


def test_cards_differ_and_are_smooth() -> None:
    """Every face of the deck, the joker and the back look different at every size; edges are anti-aliased."""
    faces = [Face(rank, suit) for rank in (*"23456789JQKA", "10") for suit in "cdhs"]
    for width in (30, 60, 111):
        cards = [*faces, Face("X"), Face("7"), Face("17"), None]
        images = {pygame.image.tobytes(card_image(card, width), "RGBA") for card in cards}
        assert len(images) == len(cards)
        assert card_image(None, width).get_size() == (width, round(width * 1.4))
    for name in SHAPES:
        alphas = pygame.surfarray.array_alpha(shape(name, 40, (200, 0, 0)))
        assert 0 < ((alphas > 0) & (alphas < 255)).sum() < 800
        assert (alphas == 255).sum() > 150


def test_hits_follow_the_fan() -> None:
    """Cards do not leave the table, the middle of each is its own, and turned corners count."""
    for count in range(1, 9):
        spots = hand_spots(count)
        assert len(spots) == count
        for k, spot in enumerate(spots):
            assert 100 < spot.x - spot.width / 2 < spot.x + spot.width / 2 < 540
            assert geometry.spot_at(spots, spot.x - spot.width / 4, spot.y) == k
    turned = geometry.Spot(100, 100, 60, 45)
    assert turned.contains(100, 100)
    assert not turned.contains(100 + 29, 100 - 41)
    assert geometry.spot_at(hand_spots(5), 5, 5) is None


def test_a_look_adds_hover_hint_and_a_moving_card() -> None:
    scene = Game.deal(get_rules("strategic"), 0).scene(0)
    looks = [None, Look(hover=1), Look(hint=3), Look(moving=2, way=0.5), Look(footer="Esc ends")]
    assert len({pygame.image.tobytes(paint(scene, 1.0, look), "RGB") for look in looks}) == len(looks)
    assert paint(scene, 1.5).get_size() == (960, 720)


# -- environments ------------------------------------------------------------------------------------------------


def test_rendering_changes_no_game() -> None:
    """Seeded games are the same in every mode, and a drawn environment can be pickled."""
    results = []
    for mode in (None, "ansi", "rgb_array", "human"):
        env = WarEnv("strategic", render_mode=mode, opponent="reserve")
        env._drawing._fps = 1000
        env.reset(seed=5)
        steps = []
        for k in range(20):
            observation, reward, terminated, _, info = env.step(k % 2)
            steps.append((observation.tolist(), reward, terminated, info["action_mask"].tolist()))
            env.render()
        twin = pickle.loads(pickle.dumps(env))
        assert np.array_equal(twin.step(0)[0], env.step(0)[0])
        env.close()
        env.close()
        results.append(steps)
    assert all(steps == results[0] for steps in results)


def test_rendering_before_the_first_reset_is_a_named_error() -> None:
    for env in (WarEnv(render_mode="rgb_array"), CasinoWarEnv(render_mode="ansi"), parallel_env(render_mode="ansi")):
        with pytest.raises(FinishedError, match="call reset"):
            env.render()


def test_pygame_is_loaded_for_pictures_alone_and_missing_it_names_the_extra() -> None:
    """openai/gym#2658 (G23)."""
    code = """
        import sys
        sys.modules["pygame"] = None
        import gymnasium, war_env
        from war_env.parallel_env import parallel_env
        for make in (gymnasium.make, parallel_env):
            env = make("War-v0", render_mode="ansi")
            env.reset(seed=0)
            assert "battle 1" in env.render()
            try:
                make("War-v0", render_mode="rgb_array")
            except gymnasium.error.DependencyNotInstalled as error:
                print(error)
    """
    code = "\n".join(line[8:] for line in code.splitlines())
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("pip install 'war_env[render]'") == 2


def test_vector_environments_and_sb3_give_a_picture_per_row() -> None:
    envs = gym.make_vec("WarOnePass-v0", num_envs=3, render_mode="rgb_array", autoreset_mode="NextStep")
    singles = [gym.make("WarOnePass-v0", render_mode="rgb_array") for _ in range(3)]
    envs.reset(seed=4)
    for row, single in enumerate(singles):
        single.reset(seed=4 + row)
    for k in range(10):
        envs.step(np.full(3, k % 3))
        for single in singles:
            single.step(k % 3)
        pictures = envs.render()
        assert len(pictures) == 3
        assert all(np.array_equal(a, single.render()) for a, single in zip(pictures, singles, strict=True))
    casino = gym.make_vec(CASINO_ID, num_envs=2, render_mode="rgb_array")
    casino.reset(seed=0)
    assert [picture.shape for picture in casino.render()] == [(480, 640, 3)] * 2
    sb3 = WarVecEnv("War-v0", num_envs=2, render_mode="rgb_array")
    sb3.reset()
    assert sb3.render().ndim == 3


def test_pettingzoo_renders_in_every_mode() -> None:
    for mode, kind in (("ansi", str), ("rgb_array", np.ndarray), ("human", type(None))):
        env = parallel_env("War-v0", players=4, render_mode=mode, render_seat=2)
        env.reset(seed=1)
        env.step(dict.fromkeys(env.agents, 1))
        assert isinstance(env.render(), kind)
        if mode == "ansi":
            assert "seat 2 (you)" in env.render()
        env.close()


def test_a_closed_window_stays_closed_and_the_game_goes_on() -> None:
    env = WarEnv("mini", render_mode="human")
    env._drawing._fps = 1000
    env.reset(seed=0)
    assert pygame.display.get_surface().get_size() == (960, 720)
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    env.step(0)
    assert not pygame.display.get_init()
    env.step(0)
    assert env.render() is None
    env.close()


def test_record_video_and_human_rendering_work(tmp_path: Path) -> None:
    env = RecordVideo(gym.make("WarMini-v0", render_mode="rgb_array"), str(tmp_path), episode_trigger=lambda _: True)
    env.reset(seed=0)
    while not env.step(0)[2]:
        pass
    env.close()
    videos = list(tmp_path.glob("*.mp4"))
    assert len(videos) == 1
    assert videos[0].stat().st_size > 2000
    shown = HumanRendering(gym.make("WarMini-v0", render_mode="rgb_array"))
    shown.metadata = {**shown.metadata, "render_fps": 1000}
    shown.reset(seed=0)
    shown.step(0)
    shown.close()


@pytest.mark.parametrize("env_id", ["WarMini-v0", CASINO_ID])
def test_gymnasiums_play_works_by_keys(env_id: str) -> None:
    """Gymnasium#126 (G21): keys play their actions, Escape ends."""
    keys = [ord(key) for key in ("121" if env_id != CASINO_ID else "1q1")]
    seen: list[int] = []

    def post(kind: int, key: int) -> None:
        pygame.event.post(pygame.event.Event(kind, key=key))

    def note(before: object, after: object, action: int, *rest: object) -> None:
        post(pygame.KEYUP, keys[len(seen)])
        seen.append(int(action))
        post(pygame.KEYDOWN, keys[len(seen)] if len(seen) < len(keys) else pygame.K_ESCAPE)

    timers = [threading.Timer(1.0, post, [pygame.KEYDOWN, keys[0]]), threading.Timer(60.0, post, [pygame.QUIT, 0])]
    for timer in timers:
        timer.start()
    play(gym.make(env_id, render_mode="rgb_array"), wait_on_player=True, fps=200, callback=note, seed=1)
    timers[1].cancel()
    assert seen == [0, 1, 0]


def test_keys_are_one_per_action() -> None:
    for levels in range(1, 11):
        env = CasinoWarEnv(bet_levels=levels)
        keys = env.get_keys_to_action()
        assert sorted(keys.values()) == list(range(env.action_space.n))
        assert [choice.key for choice in env._lanes.scene(0).choices] == [chr(key[0]) for key in keys]
    assert WarEnv().get_keys_to_action() == {(ord(str(k + 1)),): k for k in range(5)}


# -- Casino War --------------------------------------------------------------------------------------------------


def test_casino_scenes_of_deal_round_tie_and_end() -> None:
    env = CasinoWarEnv(rounds=30, render_mode="rgb_array", packs=1)
    env.reset(seed=0)
    start = env._lanes.scene(0)
    assert (start.player, start.mark, start.is_tie, start.happened) == (None, "", False, "")
    marks, is_over, pictures = set(), False, {frame(start).tobytes()}
    while not is_over:
        scene = env._lanes.scene(0)
        assert [choice.applies for choice in scene.choices] == env.action_masks().tolist()
        action = int(np.flatnonzero(env.action_masks())[-1])
        _, reward, is_over, _, _ = env.step(action)
        after = env._lanes.scene(0)
        marks.add(after.mark)
        pictures.add(env.render().tobytes())
        if not after.is_tie and not scene.is_tie:
            assert after.won == reward
    assert marks == {"tied", "won", "lost"}
    assert env._lanes.scene(0).is_over
    assert len(pictures) > 25
