"""Render modes of the environments, and Gymnasium's own tools with them: videos, windows, play by keys."""

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

from war_env import CasinoWarEnv, FinishedError, WarEnv
from war_env.casino_rules import CASINO_ID
from war_env.parallel_env import parallel_env
from war_env.sb3 import WarVecEnv


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
    """openai/gym#2658."""
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
    """PettingZoo#1380."""
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
    """Gymnasium#126: keys play their actions, Escape ends."""
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
