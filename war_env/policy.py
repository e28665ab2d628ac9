"""Policies: the protocol that every agent and opponent follows, the scripted ones, and networks played with NumPy."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np

from war_env.casino_rules import CasinoRules
from war_env.casino_state import CASINO, CasinoLayout
from war_env.errors import ArgumentError, NotationError, RulesError, WarEnvError, unknown_name
from war_env.files import written_whole
from war_env.layout import WAR, Layout
from war_env.policy_names import SCRIPTED, policy_code
from war_env.rules import Rules, check_options

WEIGHTS_FORMAT = 1
KIND = "mlp-relu"
_CARD = {"format": int, "kind": str, "shapes": list, "is_sampling": bool, "rules": dict, "memory": bool, "sha256": str}


@runtime_checkable
class Policy(Protocol):
    """Chooses slots for a batch of views; knows nothing else and keeps no state."""

    def act(self, observation: np.ndarray, action_mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Choose.

        Args:
            observation: float32, shape (n, d), rows as `Layout` describes them.
            action_mask: int8, shape (n, a), 1 for each slot that may be played.
            rng: the one source of randomness.

        Returns:
            Slots, int64, shape (n,).
        """
        ...


class ScriptedPolicy:
    """One of the compiled policies of opponents.py as a `Policy`.

    Args:
        name: random, greedy, lowest, median or reserve.
        layout: how observations are laid out.
    """

    def __init__(self, name: str, layout: Layout) -> None:
        if name not in SCRIPTED:
            raise unknown_name("policy", name, SCRIPTED)
        self.name = name
        self._code = np.uint64(policy_code(name))
        self._is_war = layout.slices["is_war"].start

    def act(self, observation: np.ndarray, action_mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Choose; see `Policy.act`."""
        from war_env.opponents import choose_slots

        count = len(observation)
        slots = np.empty(count, np.int64)
        words = rng.integers(0, 2**64, size=count if self.name == "random" else 1, dtype=np.uint64)
        words = np.broadcast_to(words, count).copy()
        is_war = np.ascontiguousarray(observation[:, self._is_war] > 0)
        choose_slots(self._code, action_mask.sum(axis=1, dtype=np.int64), is_war, words, slots)
        return slots


class NetworkPolicy:
    """A multilayer perceptron with ReLU that plays exported weights; needs no torch.

    Args:
        layers: weight (in, out) and bias (out,) of each layer, float32.
        is_sampling: whether it draws from its probabilities or takes the most likely slot.
        card: what the .json beside the weights says: rules, memory, and where the weights come from.
    """

    def __init__(
        self, layers: Sequence[tuple[np.ndarray, np.ndarray]], is_sampling: bool, card: dict[str, Any]
    ) -> None:
        self.layers = [(np.ascontiguousarray(weight), np.ascontiguousarray(bias)) for weight, bias in layers]
        self.is_sampling = is_sampling
        self.card = card

    def logits(self, observation: np.ndarray) -> np.ndarray:
        """Unmasked logits: float32, shape (n, a)."""
        hidden = observation
        for weight, bias in self.layers[:-1]:
            hidden = np.maximum(hidden @ weight + bias, 0.0)
        weight, bias = self.layers[-1]
        return np.asarray(hidden @ weight + bias)

    def act(self, observation: np.ndarray, action_mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Choose; see `Policy.act`."""
        logits = np.where(action_mask > 0, self.logits(observation), -np.inf)
        if self.is_sampling:
            logits = logits + rng.gumbel(size=logits.shape)  # the largest is a draw from the softmax
        return np.asarray(np.argmax(logits, axis=1))

    def check(self, layout: Layout | CasinoLayout) -> None:
        """Refuse a layout that the weights were not made for.

        Raises:
            RulesError: the message names each option that differs.
        """
        if "rules" not in self.card or "memory" not in self.card:
            raise RulesError(
                "weights have no card with the rules they were made for: save and load them, or fill `card`."
            )
        made_for, wanted = self.card["rules"], layout.rules.to_dict()
        if self.card.get("game", WAR) != layout.game:
            raise RulesError(
                f"weights={self.card.get('name')!r} were made for {self.card.get('game', WAR)}, not {layout.game}."
            )
        differing = [
            f"{name}={made_for.get(name)!r} (here {wanted[name]!r})"
            for name in wanted
            if made_for.get(name) != wanted[name]
        ]
        if self.card["memory"] != layout.memory:
            differing.append(f"memory={self.card['memory']!r} (here {layout.memory!r})")
        if differing:
            raise RulesError(f"weights={self.card.get('name')!r} were made for other rules: {', '.join(differing)}.")


def _arrays_hash(arrays: dict[str, np.ndarray]) -> str:
    digest = hashlib.sha256()
    for name in sorted(arrays):
        digest.update(f"{name}{arrays[name].shape}{arrays[name].dtype}".encode() + arrays[name].tobytes())
    return digest.hexdigest()


def weight_paths(path: str | os.PathLike[str]) -> tuple[Path, Path]:
    """The two files of exported weights, whichever of them is named: arrays (.npz) and card (.json)."""
    return Path(path).with_suffix(".npz"), Path(path).with_suffix(".json")


def save_network(path: str | os.PathLike[str], policy: NetworkPolicy, layout: Layout | CasinoLayout) -> None:
    """Write weights as `.npz` and `.json`, each whole or not at all.

    Args:
        path: either file's path.
        policy: the network; its card's own entries are kept.
        layout: what it was made for.
    """
    arrays_path, card_path = weight_paths(path)
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
        "sha256": _arrays_hash(arrays),
    }
    text = json.dumps(card, indent=2) + "\n"
    with written_whole(arrays_path) as partial, partial.open("wb") as file:
        np.savez(file, **arrays)
    with written_whole(card_path) as partial:
        partial.write_text(text)


def load_network(path: str | os.PathLike[str]) -> NetworkPolicy:
    """Read weights that `save_network` wrote; nothing in the files is executed.

    Raises:
        NotationError: a file is missing, malformed, of another format, or does not match its hash.
    """
    arrays_path, card_path = weight_paths(path)
    try:
        card = json.loads(card_path.read_text())
        with np.load(arrays_path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except Exception as error:  # every reader's own error, told as one of ours
        raise NotationError(f"weights={str(path)!r} cannot be read: {type(error).__name__}: {error}.") from error
    return _network_of(str(path), card, arrays)


def _network_of(path: str, card: Any, arrays: dict[str, np.ndarray]) -> NetworkPolicy:
    def refuse(why: str) -> NotationError:
        return NotationError(f"weights={path!r} cannot be used: {why}.")

    if not isinstance(card, dict) or any(not isinstance(card.get(key), kind) for key, kind in _CARD.items()):
        wanted = ", ".join(f"{key} ({kind.__name__})" for key, kind in _CARD.items())
        raise refuse(f"the .json must be an object with {wanted}")
    if card["format"] != WEIGHTS_FORMAT or isinstance(card["format"], bool) or card["kind"] != KIND:
        raise refuse(f"format {card['format']!r}, kind {card['kind']!r}; known: format {WEIGHTS_FORMAT}, kind {KIND!r}")
    if card["sha256"] != _arrays_hash(arrays):
        raise refuse("the arrays do not match the sha256 of the .json")
    layout = _layout_of(card, refuse)
    shapes = card["shapes"]
    widths = [layout.size, *(shape[1] if isinstance(shape, list) and len(shape) == 2 else None for shape in shapes)]
    if not shapes or shapes != [list(pair) for pair in pairwise(widths)] or widths[-1] != layout.num_actions:
        raise refuse(
            f"shapes {shapes!r} do not lead from the observation's {layout.size} numbers to {layout.num_actions} slots"
        )
    names = [f"{kind}{k}" for k in range(len(shapes)) for kind in ("weight", "bias")]
    if sorted(arrays) != sorted(names):
        raise refuse(f"it holds the arrays {sorted(arrays)}, declared are {sorted(names)}")
    layers = []
    for k, shape in enumerate(shapes):
        weight, bias = arrays[f"weight{k}"], arrays[f"bias{k}"]
        if list(weight.shape) != shape or bias.shape != (shape[1],):
            raise refuse(f"layer {k} is not of the declared shape {shape}")
        if (
            weight.dtype != np.float32
            or bias.dtype != np.float32
            or not (np.isfinite(weight).all() and np.isfinite(bias).all())
        ):
            raise refuse(f"layer {k} is not finite float32")
        layers.append((weight, bias))
    return NetworkPolicy(layers, card["is_sampling"], {"name": Path(path).stem, **card})


def _layout_of(card: dict[str, Any], refuse: Any) -> Layout | CasinoLayout:
    """The layout that weights were made for."""
    game = card.get("game", WAR)
    if game not in (WAR, CASINO):
        raise refuse(f"game {game!r}; known: {WAR!r}, {CASINO!r}")
    try:
        if game == CASINO:
            return CasinoLayout(CasinoRules().replace(**card["rules"]))
        check_options(card["rules"])
        return Layout(Rules(**card["rules"]), card["memory"])
    except WarEnvError as error:
        raise refuse(f"its rules are not known here: {error}") from None


def checked_slots(field: str, slots: Any, action_mask: np.ndarray) -> np.ndarray:
    """What a policy returned, as int64.

    Args:
        field: whose answer it is, for errors.
        slots: what `act` returned.
        action_mask: what it was shown, shape (n, a).

    Raises:
        ArgumentError: it is not n integers in 0..a-1. Masked slots are let through: they play the highest card.
    """
    count, size = action_mask.shape
    try:
        array = np.asarray(slots)
    except ValueError:
        array = np.asarray(None)
    if array.shape != (count,) or array.dtype.kind not in "iu" or (array < 0).any() or (array >= size).any():
        raise ArgumentError(
            f"{field} returned {slots!r}: act() must return integers from 0 to {size - 1} of shape ({count},)."
        )
    return array.astype(np.int64)


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
            f"{field}={spec!r} is not allowed: "
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
