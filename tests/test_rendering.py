"""Scenes, text and pictures: what they show, and what they never show."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pygame
import pytest

import war_env
from war_env import CasinoWarEnv, Game, WarEnv, get_rules
from war_env.casino_rules import CASINO_ID
from war_env.render import geometry
from war_env.render.cards_art import card_image
from war_env.render.pixels import frame, paint
from war_env.render.scene import Face, Scene
from war_env.render.shapes import SHAPES, shape
from war_env.render.war_table import Look, hand_spots

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
