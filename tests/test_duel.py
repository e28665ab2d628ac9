"""The short ways of the engine against its general way: the same games, bit for bit; threads against none."""

from __future__ import annotations

import dataclasses
import itertools
import pickle
import time

import numpy as np
import pytest

from experiments.speed_parts.c_twin import CTwin
from war_env import ArgumentError, Game, Rules, WarVectorEnv, get_rules
from war_env.engine.whole import simulate_games
from war_env.lanes import Lanes
from war_env.row_threads import RowThreads
from war_env.rules import IS_DUEL, RUN_OUT
from war_env.seeding import lane_start
from war_env.simulation import RESULT_FIELDS
from war_env.state import Records

EXTRAS = (
    {},
    {"two_beats_ace": True},
    {"jokers": 2},
    {"max_battles": 50},
    {"goal": "first_empty"},
    {"loop_limit": 100},
    {"ranks": 4, "suits": 3},
    {"ranks": 5, "suits": 3, "uneven": "extra_card"},
    {"ranks": 1, "suits": 10},
)
PLAYED_ON = [rule for rule in RUN_OUT if rule != "take_back"]  # which belongs to captured cards
GAMES = 600  # for each of 180 sets of rules: 108,000 deals


def results(rules: Rules, games: int, seed: int, is_short: bool, stocks: np.ndarray | None = None) -> np.ndarray:
    """Every number of whole games, by the short way or by the general engine; stocks: uint8 (games, 2, cards)."""
    table, records = rules.encode(), Records(rules, 1)
    table[IS_DUEL] = table[IS_DUEL] if is_short else 0
    numbers = np.empty((games, len(RESULT_FIELDS) + 2 * rules.players), np.int64)
    memory = records.words, records.octets, table
    cards, length = (np.zeros(1, np.uint8), 0) if stocks is None else (stocks.reshape(-1), stocks.shape[2])
    simulate_games(*memory, lane_start(seed), np.uint64(0), cards, np.uint64(length), numbers.reshape(-1))
    return numbers


@pytest.mark.parametrize("run_out", PLAYED_ON)
def test_whole_games_are_those_of_the_general_engine(run_out: str) -> None:
    for seed, (face_down, extra) in enumerate(itertools.product((0, 1, 3, 4), EXTRAS)):
        rules = Rules(run_out=run_out, face_down=face_down, **extra)
        assert rules.is_duel
        short, general = (results(rules, GAMES, seed, is_short) for is_short in (True, False))
        np.testing.assert_array_equal(short, general, err_msg=str(rules))


def test_chosen_stocks_of_unequal_length_are_played_alike() -> None:
    """From one card against 63 to an even deal, some cards in no stock, with decks of 64 and with jokers."""
    rng = np.random.default_rng(0)
    for options in ({"ranks": 16}, {"ranks": 2, "suits": 32}, {"jokers": 4, "two_beats_ace": True, "loop_limit": 30}):
        rules = Rules(**options)
        stocks = np.full((200, 2, len(rules.cards)), 255, np.uint8)
        for game in stocks:
            cards = rng.permutation(rules.cards)[: rng.integers(2, len(rules.cards) + 1)]
            cut = int(rng.integers(1, len(cards)))
            game[0, :cut], game[1, : len(cards) - cut] = cards[:cut], cards[cut:]
        short, general = (results(rules, 200, 1, is_short, stocks) for is_short in (True, False))
        np.testing.assert_array_equal(short, general, err_msg=str(rules))


def every_step(rules: Rules, lanes: int, steps: int, is_short: bool, **arguments: object) -> list[np.ndarray]:
    """All that lanes show and keep, step by step, under random actions."""
    table = Lanes(rules, lanes, next_step=True, **arguments)
    if not is_short:
        table.plan[int(IS_DUEL)] = 0
    table.start_streams([np.random.default_rng(row) for row in range(lanes)])
    table.reset()
    rng = np.random.default_rng(1)
    seen = []
    for _ in range(steps):
        result = table.step(rng.integers(0, rules.hand_size, lanes))
        seen += [*dataclasses.astuple(result), meaning(table.records)]
    return seen


def meaning(records: Records) -> np.ndarray:
    """A copy of all records, with those places of the rings zero that hold no card at present."""
    fields = records.fields.copy()
    for seats in fields["seats"]:
        for seat in seats:
            there = (np.arange(64) - int(seat["head"])) % 64 < seat["stock"].astype(int) + seat["pile"] + seat["laid"]
            seat["ring"][~there] = 0
    return fields.view(np.uint64)


@pytest.mark.parametrize("hand_size", range(1, 9))
@pytest.mark.parametrize("preset", ["strategic", "one_pass"])
def test_steps_are_those_of_the_general_engine_down_to_the_record(preset: str, hand_size: int) -> None:
    extras = EXTRAS if preset == "strategic" else ({}, {"two_beats_ace": True}, {"jokers": 4}, {"face_down": 0})
    for extra in extras:
        limit = {"max_battles": 60} if preset == "strategic" and "goal" not in extra else {}
        rules = get_rules(preset, hand_size=hand_size, **(limit | extra))
        opponent = {"random": 1, "reserve": 1, "median": 1}
        arguments = {"opponent": opponent, "reward": "capture", "seat": hand_size % 2}
        short, general = (every_step(rules, 16, 80, way, **arguments) for way in (True, False))
        assert all(np.array_equal(a, b) for a, b in zip(short, general, strict=True)), rules


def test_a_single_step_is_that_of_many_lanes() -> None:
    """`step_one` and `step_into` give the same, for one lane."""
    rules = get_rules("strategic")
    one, many = (Lanes(rules, 1, opponent="reserve", max_episode_steps=37) for _ in range(2))
    for lanes in (one, many):
        lanes.start_streams([np.random.default_rng(3)])
        lanes.reset()
    rng = np.random.default_rng(0)
    observation = np.empty(one.size, np.float32)
    for number in range(37):
        slot = int(rng.integers(5))
        mask, reward, terminated, truncated, illegal = one.step_one(slot, observation)
        result = many.step(np.array([slot]))
        np.testing.assert_array_equal(observation, result.observations[0])
        np.testing.assert_array_equal(mask, result.masks[0])
        flags = result.rewards[0], result.terminated[0], result.truncated[0], result.illegal[0]
        assert (reward, terminated, truncated, illegal) == flags
        assert truncated == (number == 36)
        assert not mask.flags.writeable  # it is shared between steps
    np.testing.assert_array_equal(one.records.words, many.records.words)


def test_the_c_twin_plays_the_same_games() -> None:
    """Where there is a compiler: wins, battles, comparisons and wars of 5,000 games."""
    try:
        twin = CTwin()
    except ArgumentError as error:
        pytest.skip(str(error))
    numbers = results(get_rules("classic"), 5000, 8, True)
    column = {name: numbers[:, k] for k, name in enumerate(RESULT_FIELDS)}
    sums = twin.play(5000, 8)
    assert sums["wins_0"] == np.sum(column["winner"] == 0)
    assert sums["wins_1"] == np.sum(column["winner"] == 1)
    assert all(sums[name] == column[name].sum() for name in ("battles", "comparisons", "wars"))


def play(env: WarVectorEnv, steps: int) -> list[np.ndarray]:
    """What a vector shows under actions that do not depend on it."""
    observations, _ = env.reset(seed=5)
    rng, seen = np.random.default_rng(2), [observations]
    for _ in range(steps):
        step = env.step(rng.integers(0, 5, env.num_envs))
        seen += [*step[:4], step[4]["action_mask"]]
    return seen


def test_threads_change_nothing() -> None:
    """One and three threads, with a compiled opponent and with one that Python asks, and after unpickling."""
    for opponent in ("random", Highest()):
        one, three = (WarVectorEnv(num_envs=4097, opponent=opponent, num_threads=k) for k in (1, 3))
        first, second = play(one, 30), play(three, 30)
        assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))
        copied = play(pickle.loads(pickle.dumps(three)), 30)
        assert all(np.array_equal(a, b) for a, b in zip(first, copied, strict=True))


def test_no_block_is_at_work_when_another_fails() -> None:
    done = []

    def step(first: int, last: int) -> None:
        if first == 0:
            raise ValueError(first)
        time.sleep(0.05)
        done.append((first, last))

    with pytest.raises(ValueError, match="0"):
        RowThreads(2, 8).map(step)
    assert done == [(4, 8)]


class Highest:
    """A policy that Python plays."""

    def act(self, observation: np.ndarray, action_mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return action_mask.sum(axis=1, dtype=np.int64) - 1


@pytest.mark.parametrize("value", [0, -1, 257, 1.5, True, "2", None])
def test_numbers_of_threads_that_cannot_be(value: object) -> None:
    with pytest.raises(ArgumentError, match="num_threads"):
        WarVectorEnv(num_envs=4096, num_threads=value)


def test_threads_are_refused_where_they_would_only_cost() -> None:
    with pytest.raises(ArgumentError, match=r"num_threads=2 .*below 4096 rows.*num_envs=4095"):
        WarVectorEnv(num_envs=4095, num_threads=2)


def test_a_game_between_seats_is_not_changed_by_the_short_way() -> None:
    """`Game` plays by the general engine alone: its classic games have the results of `simulate`."""
    rules = get_rules("classic")
    numbers = results(rules, 20, 4, True)
    game = Game.deal(rules, 4)
    game.play_out()
    assert game.outcome is not None
    assert game.outcome.battles == numbers[0, RESULT_FIELDS.index("battles")]
