"""Policies from names and files: exported weights, written and read without trust, and fitted to the rules at hand."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from war_env.casino_rules import CasinoRules
from war_env.casino_state import CASINO, CasinoLayout
from war_env.errors import (
    ArgumentError,
    NotationError,
    WarEnvError,
    checked_kind,
    refused,
    shown,
    unknown_name,
)
from war_env.files import arrays_hash, read_arrays, read_json, write_arrays, written_whole
from war_env.layout import WAR, Layout
from war_env.policy import NetworkPolicy, Policy, ScriptedPolicy
from war_env.policy_names import SCRIPTED
from war_env.rules import Rules, check_options

WEIGHTS_FORMAT = 1
KIND = "mlp-relu"
MAX_WIDTH = 65_536  # units of a layer
_CARD = {"format": int, "kind": str, "shapes": list, "is_sampling": bool, "rules": dict, "memory": bool, "sha256": str}


def weight_paths(path: str | os.PathLike[str]) -> tuple[Path, Path]:
    """The two files of exported weights, whichever of them is named: arrays (.npz) and card (.json)."""
    is_path = isinstance(path, str | os.PathLike) and "\0" not in str(path) and Path(path).name not in ("", "..")
    if not is_path:
        raise refused("path", path, "the path of a file")
    return Path(path).with_suffix(".npz"), Path(path).with_suffix(".json")


def save_network(path: str | os.PathLike[str], policy: NetworkPolicy, layout: Layout | CasinoLayout) -> None:
    """Write weights as `.npz` and `.json`, each whole or not at all.

    Args:
        path: either file's path.
        policy: the network; its card's own entries are kept.
        layout: what it was made for.
    """
    arrays_path, card_path = weight_paths(path)
    checked_kind("policy", policy, NetworkPolicy, "a NetworkPolicy")
    if not isinstance(layout, Layout | CasinoLayout):
        raise refused("layout", layout, "a Layout or a CasinoLayout")
    arrays: dict[str, Any] = {}
    for k, (weight, bias) in enumerate(policy.layers):
        arrays[f"weight{k}"], arrays[f"bias{k}"] = weight.astype(np.float32), bias.astype(np.float32)
    card = {
        **policy.card,
        "format": WEIGHTS_FORMAT,
        "game": layout.game,
        "kind": KIND,
        "shapes": [list(weight.shape) for weight, _ in policy.layers],
        "is_sampling": bool(policy.is_sampling),
        "rules": layout.rules.to_dict(),
        "memory": bool(layout.memory),
        "sha256": arrays_hash(arrays),
    }
    text = json.dumps(card, indent=2) + "\n"
    write_arrays(arrays_path, arrays)
    with written_whole(card_path) as partial:
        partial.write_text(text)


def load_network(path: str | os.PathLike[str]) -> NetworkPolicy:
    """Read weights that `save_network` wrote; nothing in the files is executed.

    Raises:
        NotationError: a file is missing, malformed, of another format, or does not match its hash.
    """
    arrays_path, card_path = weight_paths(path)
    what = f"weights={shown(str(path))}"
    card = read_json(card_path, what)

    def refuse(why: str) -> NotationError:
        return NotationError(f"{what} cannot be used: {why}.")

    shapes = _declared_shapes(card, refuse)
    size = sum(rows * columns + columns for rows, columns in shapes) * np.dtype(np.float32).itemsize
    arrays = read_arrays(arrays_path, what, most=size)
    return NetworkPolicy(
        _layers_of(card, shapes, arrays, refuse), card["is_sampling"], {"name": card_path.stem, **card}
    )


def _declared_shapes(card: Any, refuse: Callable[[str], NotationError]) -> list[list[int]]:
    """The shapes of the layers, which fit the layout that the card names."""
    if not isinstance(card, dict) or any(not isinstance(card.get(key), kind) for key, kind in _CARD.items()):
        wanted = ", ".join(f"{key} ({kind.__name__})" for key, kind in _CARD.items())
        raise refuse(f"the .json must be an object with {wanted}")
    if card["format"] != WEIGHTS_FORMAT or isinstance(card["format"], bool) or card["kind"] != KIND:
        raise refuse(
            f"format {shown(card['format'])}, kind {shown(card['kind'])}; known: format {WEIGHTS_FORMAT}, kind {KIND!r}"
        )
    layout = _layout_of(card, refuse)
    shapes: list[list[int]] = card["shapes"]
    if not shapes or not all(_is_shape(shape) for shape in shapes):
        raise refuse(f"shapes {shown(shapes)} are no pairs of numbers from 1 to {MAX_WIDTH}")
    widths = [layout.size, *(columns for _, columns in shapes)]
    if shapes != [list(pair) for pair in pairwise(widths)] or widths[-1] != layout.num_actions:
        raise refuse(
            f"shapes {shown(shapes)} do not lead from the observation's {layout.size} numbers "
            f"to {layout.num_actions} slots"
        )
    return shapes


def _is_shape(shape: Any) -> bool:
    is_pair = isinstance(shape, list) and len(shape) == 2
    return is_pair and all(type(length) is int and 1 <= length <= MAX_WIDTH for length in shape)


def _layers_of(
    card: dict[str, Any],
    shapes: list[list[int]],
    arrays: dict[str, np.ndarray],
    refuse: Callable[[str], NotationError],
) -> list[tuple[np.ndarray, np.ndarray]]:
    names = [f"{kind}{k}" for k in range(len(shapes)) for kind in ("weight", "bias")]
    if sorted(arrays) != sorted(names):
        raise refuse(f"it holds the arrays {shown(sorted(arrays))}, declared are {shown(sorted(names))}")
    layers = []
    for k, shape in enumerate(shapes):
        weight, bias = arrays[f"weight{k}"], arrays[f"bias{k}"]
        if list(weight.shape) != shape or bias.shape != (shape[1],):
            raise refuse(f"layer {k} is not of the declared shape {shape}")
        if weight.dtype != np.float32 or bias.dtype != np.float32:
            raise refuse(f"layer {k} is not finite float32")
        layers.append((weight, bias))
    if card["sha256"] != arrays_hash(arrays):
        raise refuse("the arrays do not match the sha256 of the .json")
    for k, layer in enumerate(layers):
        if not all(np.isfinite(array).all() for array in layer):
            raise refuse(f"layer {k} is not finite float32")
    return layers


def _layout_of(card: dict[str, Any], refuse: Callable[[str], NotationError]) -> Layout | CasinoLayout:
    """The layout that weights were made for."""
    game = card.get("game", WAR)
    if game not in (WAR, CASINO):
        raise refuse(f"game {shown(game)}; known: {WAR!r}, {CASINO!r}")
    try:
        if game == CASINO:
            return CasinoLayout(CasinoRules().replace(**card["rules"]))
        check_options(card["rules"])
        return Layout(Rules(**card["rules"]), card["memory"])
    except WarEnvError as error:
        raise refuse(f"its rules are not known here: {error}") from None


def is_weights_path(name: object) -> bool:
    """Whether a text or path names exported weights."""
    return isinstance(name, os.PathLike) or (isinstance(name, str) and name.endswith((".npz", ".json")))


def get_policy(field: str, spec: Any, rules: Rules, memory: bool = True) -> Policy:
    """A policy from a scripted name, a path to exported weights, or a policy itself.

    Args:
        field: name of the argument, for errors.
        spec: the name, path or object.
        rules: the rules it will play under.
        memory: whether observations hold the memory fields.

    Raises:
        UnknownNameError: no such name. ArgumentError: neither a name, a path nor a policy.
        RulesError: weights made for other rules.
    """
    layout = Layout(rules, memory)
    if isinstance(spec, str) and spec in SCRIPTED:
        return ScriptedPolicy(spec, layout)
    if is_weights_path(spec):
        return _fitted(load_network(spec), layout)
    if isinstance(spec, str):
        raise unknown_name(field, spec, [*SCRIPTED, "<path to weights>.npz"])
    if not callable(getattr(spec, "act", None)):
        raise ArgumentError(
            f"{field}={shown(spec)} is not allowed: "
            f"it must be one of {', '.join(SCRIPTED)}, a path to weights, or have act()."
        )
    policy: Policy = _fitted(spec, layout) if isinstance(spec, NetworkPolicy) else spec
    return policy


class Forgetful:
    """A network trained without memory among observations with memory: it sees its own fields only."""

    def __init__(self, network: NetworkPolicy, layout: Layout) -> None:
        self.network = network
        self.columns = np.concatenate(
            [np.arange(layout.size)[layout.slices[name]] for name in Layout(layout.rules, memory=False).slices]
        )

    def act(self, observation: np.ndarray, action_mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Choose; see `Policy.act`."""
        return self.network.act(observation[:, self.columns], action_mask, rng)


def _fitted(network: NetworkPolicy, layout: Layout) -> Policy:
    """The network for a layout; RulesError if it was made for other rules or needs the memory that the layout lacks."""
    if layout.memory and not network.card.get("memory", True):
        network.check(Layout(layout.rules, memory=False))
        return Forgetful(network, layout)
    network.check(layout)
    return network
