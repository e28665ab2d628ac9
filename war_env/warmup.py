"""Calling every kernel once, so that its compiled code is in the cache."""

from __future__ import annotations

import numpy as np

from war_env.casino_env import CasinoWarEnv
from war_env.casino_rules import CasinoRules
from war_env.casino_state import RECORD_WORDS, make_plan
from war_env.engine.casino_simulation import ALWAYS_WAR, SUMS, simulate_rounds
from war_env.env import WarEnv
from war_env.game import Game
from war_env.lanes import Lanes
from war_env.playouts import Playouts
from war_env.policy import ScriptedPolicy
from war_env.presets import get_rules
from war_env.simulation import simulate
from war_env.table_kernels import open_table, play_table, write_truth
from war_env.truth import TruthLayout


def compile_all() -> None:
    """Compile all kernels that Python calls."""
    env = WarEnv("mini")
    observation, info = env.reset(seed=0)
    env.step(0)
    table = CasinoWarEnv()
    table.reset(seed=0)
    table.step(0)
    words, sums = np.zeros(int(RECORD_WORDS), np.uint64), np.zeros(len(SUMS), np.int64)
    simulate_rounds(words, make_plan(CasinoRules()), ALWAYS_WAR, np.uint64(1), True, np.uint64(1), sums)
    rules = get_rules("classic")
    game = Game.from_stocks(["2 3", "4 5"], rules)
    game.play()
    Game.deal(rules)
    simulate(rules, 1)
    _compile_lanes()
    Playouts(env.layout).try_slots(observation[None], np.zeros(1, np.uint64), 1)
    policy = ScriptedPolicy("random", env.layout)
    policy.act(observation[None], info["action_mask"][None], np.random.default_rng(0))


def _compile_lanes() -> None:
    """The kernels of vectors, and those of `parallel_env`, which itself needs PettingZoo."""
    lanes = Lanes(get_rules("mini"), 1)
    players, actions = lanes.rules.players, lanes.num_actions
    memory = lanes.records.words, lanes.records.octets, lanes.plan
    slots, margins = np.zeros((2, players), np.int64)
    seen, masks = np.empty(players * lanes.size, np.float32), np.empty(players * actions, np.int8)
    lanes.reset()
    lanes.step(np.zeros(1, np.int64))
    lanes.endings(lanes.all_rows)
    open_table(*memory, margins, seen, masks)
    play_table(*memory, slots, margins, seen, masks, np.zeros(players), np.zeros(2 * players, np.uint8))
    truth = TruthLayout(lanes.rules)
    write_truth(*memory, truth.encode(), np.zeros(truth.size, np.float32))
