"""Fuzzing `WarVectorEnv` and `CasinoWarVectorEnv` beside `SyncVectorEnv` over single environments."""

from __future__ import annotations

import copy
import pickle
import random
from typing import Any

import gymnasium as gym
import hypothesis.strategies as st
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv
from gymnasium.wrappers import TimeLimit
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tests.comparing import assert_same
from tests.fuzz_env import drawn_arguments, drawn_casino_arguments, generators, lost_rows, memory_of
from tests.fuzz_game import SEEDS, TRIED
from war_env import (
    ArgumentError,
    CasinoWarEnv,
    CasinoWarVectorEnv,
    FinishedError,
    IllegalActionError,
    WarEnv,
    WarVectorEnv,
)

MODES = list(AutoresetMode)


class VectorMachine(RuleBasedStateMachine):
    """A vector, copies of it that must go on alike, and Gymnasium's own vector of single environments."""

    envs: VectorEnv | None = None

    def kinds(self, rng: random.Random) -> tuple[type, type, dict[str, Any]]:
        """Vector environment, single environment, and arguments of both."""
        raise NotImplementedError

    @initialize(seed=SEEDS)
    def begin(self, seed: int) -> None:
        rng = random.Random(seed)
        vector, single, arguments = self.kinds(rng)
        self.mode, limit = rng.choice(MODES), rng.choice([None, None, 1, 5])
        self.rows = rng.choice([1, 2, 3, 5])

        def make() -> gym.Env:
            env = single(**arguments)
            return env if limit is None else TimeLimit(env, limit)

        self.envs = vector(num_envs=self.rows, autoreset_mode=self.mode, max_episode_steps=limit, **arguments)
        self.singles = SyncVectorEnv([make] * self.rows, autoreset_mode=self.mode)
        self.untouched = copy.deepcopy(self.envs)
        self.copies: list[VectorEnv] = []
        self.log: list[tuple[str, Any]] = []
        with pytest.raises(FinishedError, match="never started"):
            self.envs.step(np.zeros(self.rows, np.int64))
        self.over = np.zeros(self.rows, np.bool_)
        self.start(seed)
        TRIED["vectors"] += 1

    def start(self, seed: Any, mask: np.ndarray | None = None) -> None:
        """Reset everybody."""
        self.log.append(("reset", (seed, mask)))
        results = []
        for envs in (self.singles, self.envs, *self.copies):
            options = None if mask is None else {"reset_mask": mask.copy()}
            results.append(envs.reset(seed=seed, options=options))
        self.over &= False if mask is None else ~mask
        self.compare(results)

    def compare(self, results: list[Any]) -> None:
        for other in results[1:]:
            assert_same(other, results[0])
        observations, infos = results[1][0], results[1][-1]
        assert self.envs.observation_space.contains(observations)
        masks = self.envs.action_masks()
        told = infos["_action_mask"]
        assert np.array_equal(masks[told], infos["action_mask"][told] == 1)
        assert masks[~self.over].any(axis=1).all()
        self.masks = masks

    @rule(seed=st.none() | SEEDS)
    def reset(self, seed: int | None) -> None:
        self.start(seed)

    @rule(seed=SEEDS)
    def reset_some(self, seed: int) -> None:
        rng = random.Random(seed)
        mask = np.array([rng.random() < 0.5 for _ in range(self.rows)])
        mask[rng.randrange(self.rows)] = True
        seeds = rng.choice([None, [rng.choice([None, rng.randrange(2**32)]) for _ in range(self.rows)]])
        self.start(seeds, mask)

    @rule(seed=SEEDS, count=st.integers(1, 25))
    def play(self, seed: int, count: int) -> None:
        rng = random.Random(seed)
        for _ in range(count):
            if self.mode == AutoresetMode.DISABLED and self.over.any():
                self.start(None, self.over.copy())
            only_legal = self.envs._is_strict or rng.random() < 0.8
            masks = self.masks if only_legal else np.ones_like(self.masks)
            actions = np.array([rng.choice(np.flatnonzero(row).tolist() or [0]) for row in masks])
            self.step(actions)

    def step(self, actions: np.ndarray) -> None:
        self.log.append(("step", actions))
        results = [envs.step(actions) for envs in (self.singles, self.envs, *self.copies)]
        done = results[1][2] | results[1][3]
        self.over = done & (self.mode != AutoresetMode.SAME_STEP)
        self.compare(results)
        TRIED["vector rows stepped"] += self.rows

    @rule(kind=st.sampled_from(["deepcopy", "pickle"]))
    def copy(self, kind: str) -> None:
        made = copy.deepcopy(self.envs) if kind == "deepcopy" else pickle.loads(pickle.dumps(self.envs))
        self.copies = [*self.copies, made][-2:]

    @rule(seed=SEEDS)
    def refuse(self, seed: int) -> None:
        rng = random.Random(seed)
        right = np.argmax(self.masks, axis=1)
        on = np.flatnonzero(~self.over)
        wrong: list[Any] = [None, 0, right[:-1], right[:, None], right.astype(float), right == 0, [True] * self.rows]
        if on.size:
            one = right.copy()
            one[rng.choice(on.tolist())] = rng.choice([-1, self.masks.shape[1], 2**40])
            wrong.append(one)
        before = memory_of(self.envs), generators(self.envs)
        with pytest.raises((IllegalActionError, FinishedError)):
            self.envs.step(rng.choice(wrong))
        for options in ({"reset_mask": np.zeros(self.rows, np.bool_)}, {"reset_mask": np.ones(self.rows, int)}, 5):
            with pytest.raises(ArgumentError):
                self.envs.reset(seed=seed, options=options)
        for bad in (-1, 1.5, True, "0", [0] * (self.rows + 1), [-1] * self.rows):
            with pytest.raises(ArgumentError):
                self.envs.reset(seed=bad)
        assert (memory_of(self.envs), generators(self.envs)) == before
        TRIED["wrong vector calls"] += 10

    @invariant()
    def keeps_its_cards(self) -> None:
        if self.envs is not None:
            assert not lost_rows(self.envs._lanes).size
            for other in self.copies:
                assert memory_of(other) == memory_of(self.envs)
                assert generators(other) == generators(self.envs)

    def teardown(self) -> None:
        """An untouched copy in which the same is done ends in the same state."""
        if self.envs is None:
            return
        again = self.untouched
        for what, value in self.log:
            if what == "step":
                again.step(value)
            else:
                seed, mask = value
                again.reset(seed=seed, options=None if mask is None else {"reset_mask": mask})
        assert memory_of(again) == memory_of(self.envs)
        assert generators(again) == generators(self.envs)
        assert np.array_equal(again.sample_actions(), self.envs.sample_actions())
        TRIED["equal runs"] += 1


class WarVectorMachine(VectorMachine):
    """`WarVectorEnv`."""

    def kinds(self, rng: random.Random) -> tuple[type, type, dict[str, Any]]:
        return WarVectorEnv, WarEnv, drawn_arguments(rng)


class CasinoVectorMachine(VectorMachine):
    """`CasinoWarVectorEnv`."""

    def kinds(self, rng: random.Random) -> tuple[type, type, dict[str, Any]]:
        return CasinoWarVectorEnv, CasinoWarEnv, drawn_casino_arguments(rng)
