"""Fuzzing `WarEnv` and `CasinoWarEnv`: any options, resets, actions right and wrong, copies; the twin plays again."""

from __future__ import annotations

import copy
import pickle
import random
from typing import Any

import gymnasium as gym
import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from experiments.reliability_parts.conservation import lost_games, lost_shoes
from tests.comparing import assert_same
from tests.fuzz_game import SEEDS, TRIED, drawn_rules
from tests.streams import deal, stream_start
from tests.twins import play_twin
from war_env import CasinoRules, CasinoWarEnv, FinishedError, IllegalActionError, WarEnv
from war_env.casino_lanes import CasinoLanes
from war_env.lanes import ELIMINATED
from war_env.policy_names import SCRIPTED
from war_env.seeding import draw_keys

WRONG_ACTIONS = (-1, 2**63, True, np.True_, 0.0, np.float32(1), float("nan"), None, "0", [0], np.zeros(1, int))


class Recorder:
    """A policy that plays at random and remembers its slots."""

    def __init__(self) -> None:
        self.slots: list[int] = []

    def act(self, observation: np.ndarray, action_mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        slots = (rng.random(len(action_mask)) * action_mask.sum(axis=1)).astype(np.int64)
        self.slots += slots.tolist()
        return slots


class Counting:
    """A policy whose slot follows from its view alone, so that it plays alike in any batch."""

    def act(self, observation: np.ndarray, action_mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return np.asarray(np.count_nonzero(observation, axis=1) % action_mask.sum(axis=1), np.int64)


def drawn_opponent(rng: random.Random) -> Any:
    """One policy, or a mix of them."""
    names = rng.sample([*SCRIPTED], rng.randint(1, 3))
    return rng.choice(
        [names[0], {name: rng.random() + 0.01 for name in names}, Counting(), {Counting(): 1, "random": 2}]
    )


def drawn_arguments(rng: random.Random) -> dict[str, Any]:
    """Arguments that `WarEnv` and `WarVectorEnv` take."""
    rules = drawn_rules(rng, must_end=True)
    many = [drawn_opponent(rng) for _ in range(rules.players - 1)]
    return {
        "preset": rules,
        "opponent": rng.choice([many, many[0]]),
        "seat": rng.randrange(rules.players),
        "reward": rng.choice(["win", "margin", "capture"]),
        "memory": rng.random() < 0.7,
        "illegal_action": rng.choice(["highest", "highest", "raise"]),
    }


def drawn_casino_arguments(rng: random.Random) -> dict[str, Any]:
    """Arguments that `CasinoWarEnv` and `CasinoWarVectorEnv` take."""
    rules = CasinoRules(
        packs=rng.randint(1, 8),
        bonus=rng.randint(0, 1),
        tie_pays=rng.choice([1, 10, 1000]),
        rounds=rng.choice([1, 2, 7, 30]),
        penetration=rng.choice([0.0, 0.3, 0.75, 1.0]),
        surrender=rng.random() < 0.5,
        bet_levels=rng.randint(1, 10),
    )
    return {"preset": rules, "illegal_action": rng.choice(["smallest", "smallest", "raise"])}


def lost_rows(lanes: Any) -> np.ndarray:
    """The lanes in which a card is missing or doubled."""
    if isinstance(lanes, CasinoLanes):
        return lost_shoes(lanes.records, lanes.rules)
    return lost_games(lanes.records.fields, lanes.rules)


def generators(env: Any) -> list[Any]:
    """The states of all of NumPy's generators in an environment."""
    found = [env._np_random, env._lanes.rng, getattr(env, "_sampler", None)]
    return [None if generator is None else generator.bit_generator.state for generator in found]


def memory_of(env: Any) -> bytes:
    """The records of an environment."""
    records = env._lanes.records
    return (records if isinstance(records, np.ndarray) else records.words).tobytes()


class EnvMachine(RuleBasedStateMachine):
    """One environment, and copies of it that must go on alike; what was done, so that it can be done again."""

    env: gym.Env | None = None

    def make(self, rng: random.Random) -> gym.Env:
        raise NotImplementedError

    @initialize(seed=SEEDS)
    def begin(self, seed: int) -> None:
        self.env = self.make(random.Random(seed))
        self.untouched = copy.deepcopy(self.env)
        self.copies: list[gym.Env] = []
        self.log: list[tuple[str, Any]] = []
        with pytest.raises(FinishedError, match="never started"):
            self.env.step(0)
        self.do("reset", seed)
        TRIED["environments"] += 1

    def do(self, what: str, value: Any) -> Any:
        """Reset or step, the copies too."""
        self.log.append((what, value))
        results = [env.reset(seed=value) if what == "reset" else env.step(value) for env in (self.env, *self.copies)]
        for other in results[1:]:
            assert_same(other, results[0])
        observation, info = results[0][0], results[0][-1]
        if what == "reset":
            self.is_on, self.terminated, self.rewards = True, False, []
            assert info["illegal_action"] is False
        else:
            _, reward, self.terminated, truncated, _ = results[0]
            assert type(reward) is float
            assert type(self.terminated) is type(truncated) is type(info["illegal_action"]) is bool
            assert not truncated
            self.is_on = not self.terminated
            self.rewards.append(reward)
            TRIED["steps"] += 1
        assert self.env.observation_space.contains(observation)
        ends = self.env._lanes.end_keys if self.terminated else ()
        assert set(info) == {"action_mask", "illegal_action", *ends}
        self.mask = info["action_mask"]
        assert self.mask.dtype == np.int8
        assert np.array_equal(self.mask, self.env.action_masks())
        assert self.mask.any() or not self.is_on
        return results[0]

    def step(self, action: int) -> None:
        is_legal = bool(self.mask[action])
        self.note(action)
        *_, info = self.do("step", action)
        assert info["illegal_action"] == (not is_legal)
        if self.terminated:
            self.compare(info)

    def note(self, action: int) -> None:
        """Called before a step."""

    def compare(self, info: dict[str, Any]) -> None:
        """Called at an episode's end."""

    @rule(seed=st.none() | SEEDS)
    def reset(self, seed: int | None) -> None:
        self.do("reset", seed)

    @rule(seed=SEEDS, count=st.integers(1, 25))
    def play(self, seed: int, count: int) -> None:
        rng = random.Random(seed)
        for _ in range(count):
            if not self.is_on:
                self.do("reset", None)
            only_legal = self.env._is_strict or rng.random() < 0.8
            actions = np.flatnonzero(self.mask).tolist() if only_legal else range(len(self.mask))
            self.step(rng.choice(list(actions)))

    @rule(kind=st.sampled_from(["deepcopy", "pickle"]))
    def copy(self, kind: str) -> None:
        made = copy.deepcopy(self.env) if kind == "deepcopy" else pickle.loads(pickle.dumps(self.env))
        self.copies = [*self.copies, made][-2:]

    @rule(seed=SEEDS)
    def refuse(self, seed: int) -> None:
        rng = random.Random(seed)
        masked = np.flatnonzero(self.mask == 0).tolist() if self.env._is_strict else []
        wrong = rng.choice([*WRONG_ACTIONS, len(self.mask), *masked])
        before = memory_of(self.env), generators(self.env)
        with pytest.raises(IllegalActionError if self.is_on else FinishedError):
            self.env.step(wrong)
        assert (memory_of(self.env), generators(self.env)) == before
        TRIED["wrong actions"] += 1

    @invariant()
    def keeps_its_cards(self) -> None:
        if self.env is not None:
            assert not lost_rows(self.env._lanes).size
            for other in self.copies:
                assert memory_of(other) == memory_of(self.env)
                assert generators(other) == generators(self.env)

    def teardown(self) -> None:
        """An untouched copy in which the same is done ends in the same state."""
        if self.env is None:
            return
        again = self.untouched
        for what, value in self.log:
            again.reset(seed=value) if what == "reset" else again.step(value)
        assert memory_of(again) == memory_of(self.env)
        assert generators(again) == generators(self.env)
        TRIED["equal runs"] += 1


class WarEnvMachine(EnvMachine):
    """`WarEnv`; where all others are recorders the slow twin plays each game again."""

    def make(self, rng: random.Random) -> WarEnv:
        arguments = drawn_arguments(rng)
        self.recorded = rng.random() < 0.7
        if self.recorded:
            arguments["opponent"] = [Recorder() for _ in range(arguments["preset"].players - 1)]
        self.reward = arguments["reward"]
        return WarEnv(**arguments)

    def recorders(self) -> dict[int, Recorder]:
        """The recorder of each other seat."""
        env = self.env
        others = [seat for seat in range(env.rules.players) if seat != env.seat]
        return dict(zip(others, env._lanes._policies.values(), strict=True))

    def do(self, what: str, value: Any) -> Any:
        if what == "reset":
            if value is not None:
                self.lane, self.number = int(draw_keys(np.random.default_rng(value))), -1
            self.number += 1
            self.slots: list[int] = []
            for env in (self.env, *self.copies):
                for policy in env._lanes._policies.values():
                    getattr(policy, "slots", []).clear()
        return super().do(what, value)

    def note(self, action: int) -> None:
        self.slots.append(min(action, int(self.mask.sum()) - 1))

    def compare(self, info: dict[str, Any]) -> None:
        env, held = self.env, info["held"].tolist()
        rules, key = env.rules, stream_start(self.lane, self.number)
        stocks = deal(key, list(rules.cards), rules.players)
        start = [0 if rules.goal == "stock_out" else len(stock) for stock in stocks]
        worth = {"margin": self.margin(held), "capture": self.margin(held) - self.margin(start)}
        worth = {name: value / len(rules.cards) for name, value in worth.items()}
        worth["win"] = -1.0 if info["winner"] != env.seat else 1.0
        if info["winner"] == -1 and info["reason"] != ELIMINATED:
            worth["win"] = 0.0
        assert sum(self.rewards) == pytest.approx(worth[self.reward])
        if self.recorded and info["reason"] not in (ELIMINATED, "loop"):
            self.compare_twin(info, key, stocks)

    def margin(self, held: list[int]) -> int:
        """Cards of the learner less the largest other's."""
        return held[self.env.seat] - max(count for seat, count in enumerate(held) if seat != self.env.seat)

    def compare_twin(self, info: dict[str, Any], key: int, stocks: list[list[int]]) -> None:
        """The slow twin plays the game once more, with the slots that were played."""
        rules = self.env.rules
        chosen = {seat: list(policy.slots) for seat, policy in self.recorders().items()} | {self.env.seat: self.slots}
        twin = play_twin(rules, key, stocks, lambda seat, *_: chosen[seat].pop(0))
        if twin.reason == "loop":
            assert info["reason"] in ("max_battles", "max_seconds", "unfinished")
            return
        assert (info["winner"], info["reason"]) == (-1 if twin.winner is None else twin.winner, twin.reason)
        assert (info["battles"], info["comparisons"], info["wars"]) == (twin.battles, twin.comparisons, twin.wars)
        assert info["held"].tolist() == list(twin.held)
        assert not rules.has_choices or not any(chosen.values())
        TRIED["twin games"] += 1


class CasinoEnvMachine(EnvMachine):
    """`CasinoWarEnv`; an episode's rewards are the units it won."""

    def make(self, rng: random.Random) -> CasinoWarEnv:
        return CasinoWarEnv(**drawn_casino_arguments(rng))

    def compare(self, info: dict[str, Any]) -> None:
        assert sum(self.rewards) == pytest.approx(info["units"])
        assert info["rounds"] == self.env.rules.rounds
        TRIED["casino episodes"] += 1
