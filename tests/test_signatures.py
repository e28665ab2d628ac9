"""Every public function and option with arguments of the wrong type, range and shape: one test over all signatures.

`CALLS` holds for each public callable arguments that are right. Each argument in turn is given everything in `WRONG`
but what it may be by `FINE`; the answer must be an error of this project that names the argument and the value, and
must leave the object that was called as it was.
"""

from __future__ import annotations

import dataclasses
import inspect
import math
import pickle
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import war_env
from agents import registry
from agents.casino import Counter, FixedBettor
from agents.counter import CounterPolicy
from agents.search import SearchPolicy
from agents.threshold import ThresholdPolicy
from war_env import (
    CasinoRules,
    CasinoWarEnv,
    CasinoWarVectorEnv,
    Game,
    Rules,
    WarEnv,
    WarVectorEnv,
    get_rules,
    simulate,
)
from war_env.casino_env import get_casino_rules
from war_env.casino_state import CasinoLayout
from war_env.errors import WarEnvError, shown
from war_env.layout import Layout
from war_env.opponent_spec import read_opponents
from war_env.parallel_env import WarParallelEnv, parallel_env
from war_env.playouts import Playouts
from war_env.policy import NetworkPolicy, ScriptedPolicy
from war_env.presets import get_preset
from war_env.record import read_record
from war_env.sb3 import WarVecEnv
from war_env.truth import TruthLayout
from war_env.weights import get_policy, load_network, save_network

MINI, CLASSIC, CASINO = get_rules("mini"), get_rules("classic"), CasinoRules()
LAYOUT = Layout(MINI)
VIEWS, MASKS = np.zeros((2, LAYOUT.size), np.float32), np.ones((2, 2), np.int8)
LAYERS = [(np.zeros((LAYOUT.size, 2), np.float32), np.zeros(2, np.float32))]
RNG = np.random.default_rng(0)


class _Unshowable:
    def __repr__(self) -> str:
        raise RuntimeError("no")


WRONG: dict[str, Any] = {
    "none": None,
    "true": True,
    "numpy true": np.True_,
    "half": 1.5,
    "whole float": 1.0,
    "nan": math.nan,
    "infinite": math.inf,
    "minus": -1,
    "huge": 10**30,
    "minus huge": -(10**30),
    "beyond floats": 10**400,
    "beyond text": 10**5_000,
    "numpy float": np.float64(1.0),
    "numpy minus": np.int8(-1),
    "numpy large": np.uint64(2**64 - 1),
    "fraction": Fraction(1, 3),
    "complex": 1j,
    "empty": "",
    "text": "nonsense",
    "digits": "1",
    "surrogate": "\ud800",
    "nul": "a\0b",
    "long": "x" * 100_000,
    "bytes": b"x",
    "two bytes": b"\0\0",
    "list": [1],
    "list of none": [None, None],
    "ragged": [[1], [2, 3]],
    "tuple": (),
    "dict": {},
    "set": set(),
    "long list": [0] * 100_000,
    "scalar array": np.array(1),
    "float array": np.array([0.0, 1.0]),
    "bool array": np.array([True, False]),
    "large array": np.array([2, 2**62]),
    "matrix": np.zeros((2, 3), np.int64),
    "object array": np.array([None, object()], dtype=object),
    "text array": np.array(["a", "b"]),
    "dates": np.array(["2020-01-01"] * 2, "datetime64[D]"),
    "object": object(),
    "unshowable": _Unshowable(),
    "type": int,
}
NUMBERS = {"half", "whole float", "numpy float", "fraction"}


@dataclass
class Call:
    """A callable, arguments that are right, and for each argument the wrong values that it may have after all."""

    function: Callable[..., Any]
    good: dict[str, Any]
    fine: dict[str, set[str]] = dataclasses.field(default_factory=dict)
    names: dict[str, str] = dataclasses.field(default_factory=dict)  # what messages call an argument
    on: Any = None  # the object that must stay as it was


def started(env: Any) -> Any:
    env.reset(seed=0)
    return env


GAME, ENV, VECTOR = Game.deal(MINI), started(WarEnv("mini")), started(WarVectorEnv("mini", 2))
TABLES = started(CasinoWarVectorEnv(num_envs=2))
PARALLEL, SB3 = started(WarParallelEnv("mini")), WarVecEnv("mini", 2)
SB3.seed(0)
SB3.reset()
STATISTICS, PLAYOUTS, NETWORK = simulate(CLASSIC, 4), Playouts(LAYOUT), NetworkPolicy(LAYERS, False, {})
SEED = {"huge", "beyond floats", "beyond text", "numpy large"}
ANY_SEED = SEED | {"none", "scalar array"}
TEXTS = {"empty", "text", "digits", "surrogate", "nul", "long"}
BOOLS = {"true", "numpy true"}
ENVS = {"memory": BOOLS, "render_mode": {"none"}, "max_episode_steps": {"none"}}
ACT = {"observation": VIEWS, "action_mask": MASKS, "rng": RNG}


def method(on: Any, name: str, good: dict[str, Any], **more: Any) -> Call:
    return Call(getattr(on, name), good, on=on, **more)


CALLS: dict[str, Call] = {
    "get_rules": Call(get_rules, {"preset": "mini"}),
    "get_preset": Call(get_preset, {"name": "mini"}, names={"name": "preset"}),
    "get_casino_rules": Call(get_casino_rules, {"preset": "casino"}),
    "Rules": Call(
        Rules,
        {entry.name: getattr(CLASSIC, entry.name) for entry in dataclasses.fields(Rules)},
        {
            "max_battles": {"none"},
            "max_seconds": {"none"},
            "clock": {"none"},
            "two_beats_ace": BOOLS,
            "reaction": {"whole float", "numpy float"},
        },
    ),
    "CasinoRules": Call(
        CasinoRules,
        CASINO.to_dict(),
        {"surrender": BOOLS, "penetration": {"whole float", "numpy float", "fraction"}},
    ),
    "Game.deal": Call(Game.deal, {"rules": MINI, "seed": 0}, {"seed": SEED}),
    "Game.from_stocks": Call(
        Game.from_stocks,
        {"texts": ["7 2", "8 3"], "rules": CLASSIC, "piles": None, "hands": None, "seed": 0},
        {"piles": {"none"}, "hands": {"none"}, "seed": SEED},
        {name: f"{name}|card" for name in ("texts", "piles", "hands")},
    ),
    "Game.from_record": Call(
        Game.from_record,
        {"record": GAME.record(), "comparisons": 0},
        {"comparisons": {"none", *SEED}},
    ),
    "read_record": Call(read_record, {"record": GAME.record()}),
    "Game.play": method(GAME, "play", {"choices": [0, 0]}),
    "Game.play_battle": method(GAME, "play_battle", {"agents": ["random", "random"], "seed": 0}, fine={"seed": SEED}),
    "Game.play_out": method(GAME, "play_out", {"agents": ["random", "random"], "seed": 0}, fine={"seed": SEED}),
    "Game.choose": method(
        GAME,
        "choose",
        {"policies": [None, ScriptedPolicy("random", LAYOUT)], "rng": RNG},
        fine={"policies": {"list of none"}},
    ),
    "Game.determinize": method(GAME, "determinize", {"seat": 0, "seed": 0}, fine={"seed": SEED}),
    "Game.scene": method(GAME, "scene", {"seat": 0, "before": None}, fine={"before": {"none"}}),
    **{
        f"Game.{name}": method(GAME, name, {"seat": 0})
        for name in ("laid", "hand_cards", "legal_actions", "observation", "action_mask", "view")
    },
    "simulate": Call(
        simulate,
        {"rules": CLASSIC, "games": 2, "seed": 0, "stocks": None, "first": 0, "progress": False},
        {"seed": SEED, "stocks": {"none"}, "progress": {"none", *BOOLS}},
    ),
    "GameStatistics.summary": method(
        STATISTICS,
        "summary",
        {"unit": "battles", "label": ""},
        fine={"label": TEXTS},
    ),
    "WarEnv": Call(
        WarEnv,
        {
            **{"preset": "mini", "opponent": "random", "seat": 0, "reward": "win", "memory": True},
            **{"illegal_action": "highest", "render_mode": None},
        },
        ENVS,
    ),
    "WarVectorEnv": Call(
        WarVectorEnv,
        {
            **{"preset": "mini", "num_envs": 2, "opponent": "random", "seat": 0, "reward": "win", "memory": True},
            **{"illegal_action": "highest", "autoreset_mode": "NextStep", "max_episode_steps": None, "num_threads": 1},
            **{"render_mode": None},
        },
        ENVS,
    ),
    "CasinoWarEnv": Call(CasinoWarEnv, {"preset": "casino", "illegal_action": "smallest", "render_mode": None}, ENVS),
    "CasinoWarVectorEnv": Call(
        CasinoWarVectorEnv,
        {
            **{"preset": "casino", "num_envs": 2, "illegal_action": "smallest", "autoreset_mode": "NextStep"},
            **{"max_episode_steps": None, "render_mode": None},
        },
        ENVS,
    ),
    "WarVecEnv": Call(WarVecEnv, {"preset": "mini", "num_envs": 2, "seat": 0, "opponent": "random"}),
    "WarParallelEnv": Call(
        WarParallelEnv,
        {
            **{"preset": "mini", "reward": "win", "memory": True, "illegal_action": "highest", "render_mode": None},
            **{"render_seat": 0},
        },
        ENVS,
    ),
    "parallel_env": Call(parallel_env, {"preset": "mini"}),
    "WarEnv.reset": method(
        ENV, "reset", {"seed": 0, "options": None}, fine={"seed": ANY_SEED, "options": {"none", "dict"}}
    ),
    "WarEnv.step": method(ENV, "step", {"action": 0}, fine={"action": {"scalar array"}}),
    "WarEnv.set_opponent": method(ENV, "set_opponent", {"opponent": "random"}),
    "WarVectorEnv.reset": method(
        VECTOR,
        "reset",
        {"seed": 0, "options": None},
        fine={"seed": ANY_SEED | {"large array", "list of none"}, "options": {"none", "dict"}},
    ),
    "WarVectorEnv.step": method(VECTOR, "step", {"actions": np.zeros(2, np.int64)}, names={"actions": "action"}),
    "WarVectorEnv.set_opponent": method(VECTOR, "set_opponent", {"opponent": "random"}),
    "CasinoWarVectorEnv.step": method(TABLES, "step", {"actions": np.zeros(2, np.int64)}, names={"actions": "action"}),
    "WarParallelEnv.reset": method(
        PARALLEL, "reset", {"seed": 0, "options": None}, fine={"seed": ANY_SEED, "options": {"none", "dict"}}
    ),
    "WarParallelEnv.step": method(
        PARALLEL, "step", {"actions": {"seat_0": 0, "seat_1": 0}}, names={"actions": "action"}
    ),
    "WarParallelEnv.observation_space": method(PARALLEL, "observation_space", {"agent": "seat_0"}),
    "WarParallelEnv.action_space": method(PARALLEL, "action_space", {"agent": "seat_0"}),
    "WarVecEnv.step": method(SB3, "step", {"actions": np.zeros(2, np.int64)}, names={"actions": "action"}),
    "WarVecEnv.seed": method(SB3, "seed", {"seed": 0}, fine={"seed": ANY_SEED}),
    "WarVecEnv.set_options": method(
        SB3, "set_options", {"options": None}, fine={"options": {"none", "dict", "list of none", "long list"}}
    ),
    "WarVecEnv.get_attr": method(
        SB3,
        "get_attr",
        {"attr_name": "seat", "indices": None},
        # a name that is no attribute is an AttributeError, by which stable-baselines3's has_attr knows
        fine={
            "attr_name": {"empty", "text", "digits", "surrogate", "nul", "long"},
            "indices": {"none", "list", "tuple", "long list"},
        },
    ),
    "WarVecEnv.env_method": method(
        SB3,
        "env_method",
        {"method_name": "action_masks", "indices": None},
        fine={"indices": {"none", "list", "tuple", "long list"}},
    ),
    "Layout": Call(Layout, {"rules": MINI, "memory": True}, {"memory": BOOLS}),
    "Layout.named": method(LAYOUT, "named", {"observation": VIEWS}),
    "Layout.describe": method(LAYOUT, "describe", {"observation": VIEWS[0]}),
    "TruthLayout": Call(TruthLayout, {"rules": MINI}),
    "CasinoLayout": Call(CasinoLayout, {"rules": CASINO, "memory": True}, {"memory": BOOLS}),
    "CasinoLayout.unseen": method(CasinoLayout(CASINO), "unseen", {"observation": np.zeros((1, 19), np.float32)}),
    "CasinoLayout.describe": method(CasinoLayout(CASINO), "describe", {"observation": np.zeros(19, np.float32)}),
    "Playouts": Call(
        Playouts,
        {"layout": LAYOUT, "own": "reserve", "other": "reserve", "hoard": 0.0},
        {"hoard": {"whole float", "numpy float", "fraction"}},
    ),
    "Playouts.try_slots": method(
        PLAYOUTS, "try_slots", {"observations": VIEWS, "keys": np.zeros(2, np.uint64), "samples": 1}
    ),
    "ScriptedPolicy": Call(ScriptedPolicy, {"name": "random", "layout": LAYOUT}),
    "ScriptedPolicy.act": method(ScriptedPolicy("random", LAYOUT), "act", ACT),
    "NetworkPolicy": Call(
        NetworkPolicy, {"layers": LAYERS, "is_sampling": False, "card": {}}, {"is_sampling": BOOLS, "card": {"dict"}}
    ),
    "NetworkPolicy.act": method(NETWORK, "act", ACT),
    "load_network": Call(load_network, {"path": Path("none.npz")}, names={"path": ""}),
    "save_network": Call(
        save_network,
        {"path": Path("none.npz"), "policy": NETWORK, "layout": LAYOUT},
        {"path": {"text", "digits", "surrogate", "long"}},  # what a file system takes or refuses itself
    ),
    "get_policy": Call(
        partial(get_policy, "spec"), {"spec": "random", "rules": MINI, "memory": True}, {"memory": BOOLS}
    ),
    "read_opponents": Call(
        read_opponents, {"spec": "random", "rules": MINI, "memory": True}, {"memory": BOOLS}, {"spec": "opponent"}
    ),
    "Deck": Call(type(MINI.deck), {"ranks": 13, "suits": 4, "jokers": 0}),
    "Deck.name": method(CLASSIC.deck, "name", {"card": 0, "suits": True}, fine={"suits": BOOLS}),
    "Deck.rank": method(CLASSIC.deck, "rank", {"card": 0}),
    "Deck.cards_of": method(CLASSIC.deck, "cards_of", {"rank": 0}),
    "Deck.text": method(
        CLASSIC.deck,
        "text",
        {"cards": [0, 1], "suits": True},
        fine={"suits": BOOLS, "cards": {"empty", "list", "tuple", "dict", "set", "long list", "two bytes"}},
        names={"cards": "card"},
    ),
    "Deck.parse": method(
        CLASSIC.deck,
        "parse",
        {"texts": ["A"], "among": None},
        fine={"texts": {"tuple", "dict", "set"}, "among": {"none"}},
        names={"texts": "texts|card", "among": "among|card"},
    ),
    "get_agent": Call(
        registry.get_agent, {"name": "random", "rules": MINI, "memory": True}, {"memory": BOOLS}, {"name": "agent"}
    ),
    "get_entry": Call(registry.get_entry, {"name": "random", "rules": MINI}, names={"name": "agent"}),
    "get_entries": Call(registry.get_entries, {"names": ["random", "greedy"], "rules": MINI}, names={"names": "agent"}),
    "fitting_agents": Call(registry.fitting_agents, {"rules": CLASSIC}),
    "strongest_agent": Call(registry.strongest_agent, {"rules": CLASSIC}),
    "SearchPolicy": Call(
        SearchPolicy,
        {
            **{"layout": LAYOUT, "samples": 1, "seconds": None, "own": "reserve", "other": "reserve"},
            **{"hoard": 0.0, "caution": 1.0},
        },
        {"seconds": NUMBERS | {"none"}, "hoard": NUMBERS - {"half"}, "caution": NUMBERS},
    ),
    "CounterPolicy": Call(
        CounterPolicy,
        {"layout": LAYOUT, "model": "random", "thrift": 1.0, "steepness": 1.0, "quality": 0.0},
        dict.fromkeys(("thrift", "steepness", "quality"), NUMBERS),
    ),
    "ThresholdPolicy": Call(
        ThresholdPolicy,
        {"layout": LAYOUT, "attack": 1.0, "spare": 1.0, "enough": 1.0, "big_pot": 3.0, "late": 0.0},
        {
            **dict.fromkeys(("attack", "spare", "enough"), NUMBERS),
            "late": NUMBERS - {"half"},
            "big_pot": NUMBERS | {"infinite", "huge", "numpy large"},
        },
    ),
    "FixedBettor": Call(
        FixedBettor, {"rules": CASINO, "surrenders": False, "tie_bet": False}, {"surrenders": BOOLS, "tie_bet": BOOLS}
    ),
    "Counter": Call(Counter, {"rules": CASINO}),
    **{
        f"{type(policy).__name__}.act": method(policy, "act", ACT)
        for policy in (SearchPolicy(LAYOUT, 1), registry.get_agent("counter", MINI).policy, ThresholdPolicy(LAYOUT))
    },
    "Agent.act": method(registry.get_agent("greedy", MINI), "act", ACT),
}
"""Public callables by name, with arguments that are right."""


@pytest.mark.parametrize("name", CALLS)
def test_wrong_arguments_are_errors_of_ours_that_name_them(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    call = CALLS[name]
    found = []
    for argument in call.good:
        said = call.names.get(argument, argument)
        for title, value in WRONG.items():
            if title in call.fine.get(argument, ()):
                continue
            before = None if call.on is None else pickle.dumps(call.on)
            try:
                call.function(**{**call.good, argument: value})
                found.append(f"{argument}={title}: accepted")
            except WarEnvError as error:
                if not re.search(said, str(error)) or len(str(error)) > 1_000:
                    found.append(f"{argument}={title}: {ascii(str(error))[:150]}")
            except Exception as error:
                found.append(f"{argument}={title}: {type(error).__name__}: {ascii(str(error))[:100]}")
            if before is not None and pickle.dumps(call.on) != before:
                found.append(f"{argument}={title}: {name} changed its object")
    assert not found, "\n".join(found)


def test_every_public_name_is_called() -> None:
    """What `war_env` exports and what its classes offer with arguments has its place in `CALLS`."""
    data = {"PRESETS", "__version__", "GameStatistics", "Outcome"}
    for name in war_env.__all__:
        exported = getattr(war_env, name)
        is_error = inspect.isclass(exported) and issubclass(exported, Exception)
        if name not in data and not is_error and inspect.signature(exported).parameters:
            assert name in CALLS or f"{name}.deal" in CALLS, name
    for kind in (
        Game,
        WarEnv,
        WarVectorEnv,
        WarParallelEnv,
        WarVecEnv,
        Layout,
        CasinoLayout,
        Playouts,
        type(MINI.deck),
    ):
        for attribute, value in vars(kind).items():
            if attribute.startswith("_") or not callable(getattr(kind, attribute, None)) or isinstance(value, type):
                continue
            arguments = [one for one in inspect.signature(getattr(kind, attribute)).parameters if one != "self"]
            if arguments and (kind.__name__, attribute) not in LATER:
                assert f"{kind.__name__}.{attribute}" in CALLS, (kind.__name__, attribute)


LATER = {
    ("WarVecEnv", "step_async"),  # checked by `step_wait`
    ("WarVecEnv", "set_attr"),  # always refused
    ("WarVecEnv", "env_is_wrapped"),  # no row is wrapped, whatever is asked for
}


def test_messages_quote_any_value_in_bounded_length() -> None:
    for value in WRONG.values():
        assert 0 < len(shown(value)) <= 300
    assert shown("seven") == "'seven'"
    assert shown([1, 2]) == "[1, 2]"
