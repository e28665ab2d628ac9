"""The items of this project: environments, kernels, whole games, and how their cost grows."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np

from experiments.speed_parts.measure import Item
from war_env.lanes import Lanes
from war_env.presets import get_rules
from war_env.rules import Rules
from war_env.simulation import simulate
from war_env.vector_env import WarVectorEnv

_BATCHES = 64  # arrays of actions that are drawn beforehand and used in turn
ROWS = 1024


def _actions(rows: int, choices: int) -> itertools.cycle:
    return itertools.cycle(np.random.default_rng(0).integers(0, choices, (_BATCHES, rows)))


def single(name: str, env_id: str, **options: Any) -> Item:
    """Steps of a single environment made by `gym.make`, resets included, with actions drawn beforehand."""
    env = gym.make(env_id, **options)
    actions = itertools.cycle(np.random.default_rng(0).integers(0, env.action_space.n, 4096).tolist())  # type: ignore[attr-defined]
    env.reset(seed=0)

    def run(units: int) -> int:
        for action in itertools.islice(actions, units):
            _, _, terminated, truncated, _ = env.step(action)
            if terminated or truncated:
                env.reset()
        return units

    return Item(name, "step", run, least=500)


def vector(name: str, rows: int, clock: Callable[[], float] = time.process_time, **options: Any) -> Item:
    """Steps of `WarVectorEnv`: observations, masks, rewards, flags and infos of every row."""
    env = WarVectorEnv(num_envs=rows, **options)
    actions = _actions(rows, env.single_action_space.n)  # type: ignore[attr-defined]
    env.reset(seed=0)

    def run(units: int) -> int:
        steps = -(-units // rows)
        for chosen in itertools.islice(actions, steps):
            env.step(chosen)
        return steps * rows

    return Item(name, "step", run, clock, least=4 * rows)


def kernel(name: str, rows: int) -> Item:
    """The bare kernel with observations and masks, into arrays that are used again."""
    lanes = Lanes(get_rules(), rows, next_step=True)
    lanes.start_streams([np.random.default_rng(row) for row in range(rows)])
    lanes.reset()
    observations, masks = np.empty(rows * lanes.size, np.float32), np.empty(rows * lanes.num_actions, np.int8)
    rewards, flags = np.zeros(rows), np.zeros(3 * rows, np.uint8)
    actions = _actions(rows, lanes.num_actions)

    def run(units: int) -> int:
        steps = -(-units // rows)
        for chosen in itertools.islice(actions, steps):
            lanes.step_into(chosen, observations, masks, rewards, flags)
        return steps * rows

    return Item(name, "step", run, least=4 * rows)


def games(name: str, rules: Rules) -> Item:
    """Whole games without choices, with their statistics."""
    seeds = itertools.count()

    def run(units: int) -> int:
        simulate(rules, units, seed=next(seeds))
        return units

    return Item(name, "game", run, least=100)


def battles(name: str, rules: Rules) -> Item:
    """The same, counted in battles."""
    seeds = itertools.count()

    def run(units: int) -> int:
        done = 0
        while done < units:
            done += int(simulate(rules, 500, seed=next(seeds)).battles.sum())
        return done

    return Item(name, "battle", run, least=500)


GROWTH = {
    "rows": [64, 256, 1024, 4096, 16_384, 65_536],
    "hand_size": list(range(1, 9)),
    "max_battles": [50, 200, 800, 3200],
    "players": list(range(2, 11)),
}


def growth_items() -> list[Item]:
    """How the cost grows: per step in rows, hand size and length of games, per battle in seats."""
    items = [vector(f"rows {rows}", rows) for rows in GROWTH["rows"]]
    items += [vector(f"hand_size {size}", ROWS, hand_size=size) for size in GROWTH["hand_size"]]
    items += [vector(f"max_battles {limit}", ROWS, max_battles=limit) for limit in GROWTH["max_battles"]]
    # The short way for two seats is another engine: the general one shows how the cost grows with the seats.
    options = {"run_out": "last_card", "winnings": "winner_first"}
    items += [battles(f"players {seats}", Rules(players=seats, **options)) for seats in GROWTH["players"]]
    return items
