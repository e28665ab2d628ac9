"""Paired games between two agents, in blocks of 1,024 deals.

Each deal is played twice: with the first agent in seat 0, then with it in seat 1. Cards, shuffles and the generator of
each seat stay with the seats. Blocks are keyed by the seed and their number and always played whole, so that results
depend neither on workers nor on how many games are asked for. Agents that think long can be given smaller blocks.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from agents.registry import get_agent
from experiments.statistics import CARDS, PLACES, PairSums
from war_env.errors import ArgumentError, checked_int, refused
from war_env.lanes import Lanes
from war_env.layout import Layout
from war_env.policy import Policy
from war_env.presets import get_rules
from war_env.rules import Rules
from war_env.seeding import draw_keys, tagged_generator

BLOCK = 1024
MAX_GAMES = 10**9  # of two agents
_DEALS_TAG, _SEATS_TAG = 1, 2


@dataclass(frozen=True)
class Budget:
    """How much two agents play.

    Attributes:
        games: games that count, an even number.
        deals: deals in a block, 1..BLOCK; each number of deals has its own.
    """

    games: int
    deals: int = BLOCK


class _Counting:
    """A policy whose illegal choices are counted, and which card of the hand it plays."""

    def __init__(self, policy: Policy, rules: Rules) -> None:
        self.policy, self.illegal = policy, 0
        self._is_war = Layout(rules).slices["is_war"].start
        self._counts = np.zeros(len(CARDS), np.int64)

    @property
    def cards(self) -> dict[str, int]:
        """How often it played which card, by `CARDS`; a single card in hand is no choice and does not count."""
        return dict(zip(CARDS, self._counts.tolist(), strict=True))

    def act(self, observation: np.ndarray, action_mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        slots = np.asarray(self.policy.act(observation, action_mask, rng)).astype(np.int64)
        self.illegal += int((action_mask[np.arange(len(slots)), slots] == 0).sum())
        held = action_mask.sum(axis=1, dtype=np.int64)
        places = np.select([slots == 0, (slots > 0) & (slots < held - 1)], [0, 1], 2)  # masked slots play the highest
        kinds = len(PLACES) * (observation[:, self._is_war] > 0) + places
        self._counts += np.bincount(kinds[held > 1], minlength=len(CARDS))
        return slots


def play_games(
    first: Policy, second: Policy, rules: Rules, seed: int, block: int, swap: bool, deals: int = BLOCK
) -> tuple[np.ndarray, np.ndarray]:
    """One block of games, all with the same seats.

    Args:
        first, second: the agents.
        rules: the rules; two seats.
        seed, block: which deals.
        swap: whether the first agent sits in seat 1.
        deals: deals in the block, 1..BLOCK.

    Returns:
        Score of the first agent in each game, 1, 1/2 or 0, float64 (deals,), and the comparisons played in each, int64
        (deals,).
    """
    seat = int(swap)
    lanes = Lanes(rules, deals, seat=seat, opponent=second)
    lanes.seed(np.arange(deals), draw_keys(tagged_generator(seed, block, _DEALS_TAG), deals))
    rngs = [tagged_generator(seed, block, _SEATS_TAG + number) for number in range(2)]
    rng, lanes.rng = rngs[seat], rngs[1 - seat]
    lanes.reset()
    rewards = np.zeros(deals)
    actions, lengths = np.zeros(deals, np.int64), np.zeros(deals, np.int64)
    observations, masks = lanes.observe()
    rows = np.arange(deals)
    while rows.size:
        actions[rows] = first.act(observations[rows], masks[rows], rng)
        result = lanes.step(actions)
        observations, masks = result.observations, result.masks
        rewards += result.rewards
        lengths[rows] += 1
        rows = np.flatnonzero(~lanes.over)
    return (rewards + 1.0) / 2.0, lengths


def play_block(
    first: str,
    second: str,
    preset: str,
    options: dict[str, Any],
    seed: int,
    block: int,
    pairs: int,
    deals: int = BLOCK,
) -> dict[str, Any]:
    """Play blocks of deals in both seatings; the first `pairs` of their deals count.

    Args:
        first, second: agents, scripted names or paths of weights.
        preset, options: the rules.
        seed, block: which deals, from this block on.
        pairs: how many deals count, at least 1; more than `deals` are of several blocks.
        deals: deals in a block, 1..BLOCK.

    Returns:
        `PairSums` as a dictionary; all its numbers are multiples of 1/16 and exact, in whatever order they add up.
    """
    rules = arena_rules(preset, options)
    one, two = (_Counting(get_agent(name, rules), rules) for name in (first, second))
    total = PairSums()
    for start in range(0, pairs, deals):
        number = block + start // deals
        played = [play_games(one, two, rules, seed, number, swap, deals) for swap in (False, True)]
        games, lengths = (np.stack(parts)[:, : pairs - start] for parts in zip(*played, strict=True))
        total += _sums_of(games, lengths)
    illegal = one.illegal + two.illegal
    return asdict(replace(total, illegal=illegal, first_cards=one.cards, second_cards=two.cards))


def _sums_of(games: np.ndarray, lengths: np.ndarray) -> PairSums:
    """The sums of scores and of numbers of comparisons, both (2, pairs)."""
    means = games.mean(axis=0)
    values, counts = np.unique(lengths, return_counts=True)
    return PairSums(
        pairs=games.shape[1],
        score=float(means.sum()),
        score_squares=float((means**2).sum()),
        game_squares=float((games**2).sum()),
        draws=int((games == 0.5).sum()),
        steps=int(lengths.sum()),
        lengths=dict(zip(map(str, values.tolist()), counts.tolist(), strict=True)),
    )


def arena_rules(preset: str, options: dict[str, Any]) -> Rules:
    """The rules of a comparison: two seats, and every game ends."""
    rules = get_rules(preset, **options)
    rules.require_ending()
    if rules.players != 2:
        raise ArgumentError(f"players={rules.players} is not allowed: agents are compared over two seats.")
    return rules


def block_sizes(games: int, deals: int = BLOCK, blocks: int = 1, field: str = "games") -> list[int]:
    """Pairs that count in each block of so many deals, or each so many blocks, for so many games, an even number."""
    if checked_int(field, games, 2, MAX_GAMES) % 2:
        raise refused(field, games, "an even number >= 2, two games a deal")
    pairs, size = games // 2, blocks * deals
    return [min(size, pairs - start) for start in range(0, pairs, size)]
