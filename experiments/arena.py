"""Paired games between two agents, in blocks of 1,024 deals.

Each deal is played twice: with the first agent in seat 0, then with it in seat 1. Cards, shuffles and the generator of
each seat stay with the seats. Blocks are keyed by the seed and their number and always played whole, so that results
depend neither on workers nor on how many games are asked for.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from agents.registry import get_agent
from experiments.statistics import PairSums
from war_env.errors import ArgumentError, checked_int
from war_env.lanes import Lanes
from war_env.policy import Policy
from war_env.presets import get_rules
from war_env.rules import Rules
from war_env.seeding import draw_keys, tagged_generator

BLOCK = 1024
MAX_GAMES = 10**9  # of two agents
_DEALS_TAG, _SEATS_TAG = 1, 2


class _Counting:
    """A policy whose illegal choices are counted."""

    def __init__(self, policy: Policy) -> None:
        self.policy, self.illegal = policy, 0

    def act(self, observation: np.ndarray, action_mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        slots = np.asarray(self.policy.act(observation, action_mask, rng)).astype(np.int64)
        self.illegal += int((action_mask[np.arange(len(slots)), slots] == 0).sum())
        return slots


def play_games(
    first: Policy, second: Policy, rules: Rules, seed: int, block: int, swap: bool
) -> tuple[np.ndarray, int]:
    """One block of games, all with the same seats.

    Args:
        first, second: the agents.
        rules: the rules; two seats.
        seed, block: which deals.
        swap: whether the first agent sits in seat 1.

    Returns:
        Score of the first agent in each game, 1, 1/2 or 0, float64 (BLOCK,), and the comparisons played in all.
    """
    seat = int(swap)
    lanes = Lanes(rules, BLOCK, seat=seat, opponent=second)
    lanes.seed(np.arange(BLOCK), draw_keys(tagged_generator(seed, block, _DEALS_TAG), BLOCK))
    rngs = [tagged_generator(seed, block, _SEATS_TAG + number) for number in range(2)]
    rng, lanes.rng = rngs[seat], rngs[1 - seat]
    lanes.reset()
    rewards = np.zeros(BLOCK)
    actions = np.zeros(BLOCK, np.int64)
    observations, masks = lanes.observe()
    rows, steps = np.arange(BLOCK), 0
    while rows.size:
        actions[rows] = first.act(observations[rows], masks[rows], rng)
        result = lanes.step(actions)
        observations, masks = result.observations, result.masks
        rewards += result.rewards
        steps += rows.size
        rows = np.flatnonzero(~lanes.over)
    return (rewards + 1.0) / 2.0, steps


def play_block(
    first: str, second: str, preset: str, options: dict[str, Any], seed: int, block: int, pairs: int
) -> dict[str, Any]:
    """Play one block of deals in both seatings; the first `pairs` of its deals count.

    Args:
        first, second: agents, scripted names or paths of weights.
        preset, options: the rules.
        seed, block: which deals.
        pairs: how many of the block's deals count, 1..BLOCK.

    Returns:
        `PairSums` as a dictionary.
    """
    rules = arena_rules(preset, options)
    one, two = _Counting(get_agent(first, rules)), _Counting(get_agent(second, rules))
    straight, steps = play_games(one, two, rules, seed, block, swap=False)
    swapped, more = play_games(one, two, rules, seed, block, swap=True)
    games = np.stack([straight, swapped])[:, :pairs]
    means = games.mean(axis=0)
    sums = PairSums(
        pairs=pairs,
        score=float(means.sum()),
        score_squares=float((means**2).sum()),
        game_squares=float((games**2).sum()),
        draws=int((games == 0.5).sum()),
        illegal=one.illegal + two.illegal,
        steps=steps + more,
    )
    return asdict(sums)


def arena_rules(preset: str, options: dict[str, Any]) -> Rules:
    """The rules of a comparison: two seats, and every game ends."""
    rules = get_rules(preset, **options)
    rules.require_ending()
    if rules.players != 2:
        raise ArgumentError(f"players={rules.players} is not allowed: agents are compared over two seats.")
    return rules


def block_sizes(games: int) -> list[int]:
    """Pairs that count in each block for so many games, an even number."""
    if checked_int("games", games, 2, MAX_GAMES) % 2:
        raise ArgumentError(f"games={games} is not allowed: it must be an even number >= 2, two games a deal.")
    pairs = games // 2
    return [min(BLOCK, pairs - start) for start in range(0, pairs, BLOCK)]
