"""What this project is measured against: the same game in Python and C, and other environments of its kind."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from typing import Any

import numpy as np

from experiments.speed_parts.c_twin import CTwin
from experiments.speed_parts.deque_war import play_game
from experiments.speed_parts.measure import Item
from war_env.errors import ArgumentError

GOOFSPIEL = "goofspiel(imp_info=True,num_cards=13,points_order=descending,players=2)"


def tuned_deque() -> Item:
    """Whole classic games in plain Python."""
    rng = random.Random(0)

    def run(units: int) -> int:
        for _ in range(units):
            play_game(rng)
        return units

    return Item("tuned deque, Python", "game", run, least=20)


def c_twin() -> Item:
    """Whole classic games in C, the same ones to the last card."""
    twin, seeds = CTwin(), itertools.count()

    def run(units: int) -> int:
        twin.play(units, next(seeds))
        return units

    return Item("C twin", "game", run, least=100)


def goofspiel(with_tensor: bool) -> Item:
    """Steps of OpenSpiel's goofspiel with 13 cards under random play, by its Python interface."""
    try:
        import pyspiel
    except ImportError as error:
        raise ArgumentError(f"OpenSpiel cannot be imported: {error}.") from None
    game, rng = pyspiel.load_game(GOOFSPIEL), random.Random(0)

    def run(units: int) -> int:
        done = 0
        while done < units:
            state = game.new_initial_state()
            while not state.is_terminal():
                if with_tensor:
                    state.information_state_tensor(0)
                state.apply_actions([rng.choice(state.legal_actions(seat)) for seat in (0, 1)])
                done += 1
        return done

    return Item("OpenSpiel goofspiel 13" + (" with tensor" if with_tensor else ""), "step", run, least=100)


def _parallel(name: str, env: Any, choices: int) -> Item:
    """Steps of a PettingZoo parallel environment, every agent at random."""
    rng = random.Random(0)
    env.reset(seed=0)

    def run(units: int) -> int:
        for _ in range(units):
            env.step({agent: rng.randrange(choices) for agent in env.agents})
            if not env.agents:
                env.reset()
        return units

    return Item(name, "step", run, least=200)


def parallel_war() -> Item:
    """This project's PettingZoo environment."""
    try:
        from war_env.parallel_env import parallel_env
    except ImportError as error:
        raise ArgumentError(str(error)) from None
    return _parallel("PettingZoo parallel_env, War-v0", parallel_env("strategic"), 5)


def pettingzoo_rps() -> Item:
    """PettingZoo's rock, paper, scissors."""
    try:
        from pettingzoo.classic import rps_v2
    except (ImportError, AttributeError, TypeError) as error:
        raise ArgumentError(f"PettingZoo's rps_v2 cannot be imported: {error}.") from None
    return _parallel("PettingZoo rps_v2, parallel", rps_v2.parallel_env(), 3)


def rlcard_leduc() -> Item:
    """Steps of RLCard's Leduc hold'em at random."""
    try:
        import rlcard
    except ImportError as error:
        raise ArgumentError(f"RLCard cannot be imported: {error}.") from None
    env, rng = rlcard.make("leduc-holdem"), np.random.default_rng(0)

    def run(units: int) -> int:
        done = 0
        while done < units:
            state, _ = env.reset()
            while not env.is_over():
                state, _ = env.step(int(rng.choice(list(state["legal_actions"]))))
                done += 1
        return done

    return Item("RLCard leduc-holdem", "step", run, least=100)


PEERS: dict[str, Callable[[], Item]] = {
    "tuned deque, Python": tuned_deque,
    "C twin": c_twin,
    "OpenSpiel goofspiel 13": lambda: goofspiel(False),
    "OpenSpiel goofspiel 13 with tensor": lambda: goofspiel(True),
    "PettingZoo parallel_env, War-v0": parallel_war,
    "PettingZoo rps_v2, parallel": pettingzoo_rps,
    "RLCard leduc-holdem": rlcard_leduc,
}


def peer_items() -> tuple[list[Item], dict[str, str]]:
    """Those that are here, and for each other one the reason why not."""
    items, skipped = [], {}
    for name, make in PEERS.items():
        try:
            items.append(make())
        except ArgumentError as error:
            skipped[name] = str(error)
    return items, skipped
