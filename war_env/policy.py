"""Policies: the protocol that every agent and opponent follows, the scripted ones, and networks played with NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from war_env.casino_state import CasinoLayout
from war_env.errors import (
    ArgumentError,
    RulesError,
    checked_array,
    checked_bool,
    checked_kind,
    refused,
    shown,
    unknown_name,
)
from war_env.layout import WAR, Layout
from war_env.policy_names import SCRIPTED, policy_code


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


def check_views(observation: Any, action_mask: Any, rng: Any, size: int | None, num_actions: int | None) -> None:
    """Refuse a batch of views that a policy cannot play from.

    Args:
        observation, action_mask, rng: what `act` was given.
        size, num_actions: the width of observations and of masks, None where any goes.

    Raises:
        ArgumentError: the message names the argument and what it must be.
    """
    width = "d" if size is None else size
    views = checked_array("observation", observation, (None, size), "f", f"floats of shape (n, {width})")
    width = "a" if num_actions is None else num_actions
    rows = len(views)
    checked_array("action_mask", action_mask, (rows, num_actions), "ib", f"integers 0 or 1 of shape ({rows}, {width})")
    for name, given in (("observation", observation), ("action_mask", action_mask)):
        checked_kind(name, given, np.ndarray, "an array")
    checked_kind("rng", rng, np.random.Generator, "a numpy.random.Generator")


class ScriptedPolicy:
    """One of the compiled policies of opponents.py as a `Policy`.

    Args:
        name: random, greedy, lowest, median or reserve.
        layout: how observations are laid out.
    """

    def __init__(self, name: str, layout: Layout) -> None:
        if not isinstance(name, str) or name not in SCRIPTED:
            raise unknown_name("name", name, SCRIPTED)
        checked_layout(layout)
        self.name = name
        self._size, self._num_actions = layout.size, layout.num_actions
        self._code = np.uint64(policy_code(name))
        self._is_war = layout.slices["is_war"].start

    def act(self, observation: np.ndarray, action_mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Choose; see `Policy.act`."""
        from war_env.opponents import choose_slots

        check_views(observation, action_mask, rng, self._size, self._num_actions)
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
        self.layers = _chained(layers)
        self.is_sampling = checked_bool("is_sampling", is_sampling)
        self.card = checked_kind("card", card, dict, "a dict")

    def logits(self, observation: np.ndarray) -> np.ndarray:
        """Unmasked logits: float32, shape (n, a)."""
        hidden = observation
        for weight, bias in self.layers[:-1]:
            hidden = np.maximum(hidden @ weight + bias, 0.0)
        weight, bias = self.layers[-1]
        return np.asarray(hidden @ weight + bias)

    def act(self, observation: np.ndarray, action_mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Choose; see `Policy.act`."""
        (weight, _), (_, bias) = self.layers[0], self.layers[-1]
        check_views(observation, action_mask, rng, len(weight), len(bias))
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
            f"{name}={shown(made_for.get(name))} (here {shown(wanted[name])})"
            for name in wanted
            if made_for.get(name) != wanted[name]
        ]
        if self.card["memory"] != layout.memory:
            differing.append(f"memory={shown(self.card['memory'])} (here {shown(layout.memory)})")
        if differing:
            raise RulesError(f"weights={self.card.get('name')!r} were made for other rules: {', '.join(differing)}.")


def _chained(layers: Any) -> list[tuple[np.ndarray, np.ndarray]]:
    """Layers each of which takes what the one before gives."""
    allowed = "a list of pairs of arrays, weight (in, out) and bias (out,), each in what the one before gives"
    if not isinstance(layers, list | tuple) or not layers:
        raise refused("layers", layers, allowed)
    chained: list[tuple[np.ndarray, np.ndarray]] = []
    for k, layer in enumerate(layers):
        if not isinstance(layer, list | tuple) or len(layer) != 2:
            raise refused(f"layers[{k}]", layer, allowed)
        before = chained[-1][1].shape[0] if chained else None
        weight = checked_array(f"weight of layers[{k}]", layer[0], (before, None), "f", allowed)
        bias = checked_array(f"bias of layers[{k}]", layer[1], (weight.shape[1],), "f", allowed)
        chained.append((np.ascontiguousarray(weight), np.ascontiguousarray(bias)))
    return chained


def checked_layout(layout: Any) -> Layout:
    """`layout` if it is one of War's, else an ArgumentError."""
    return checked_kind("layout", layout, Layout, "a Layout")


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
            f"{field} returned {shown(slots)}: act() must return integers from 0 to {size - 1} of shape ({count},)."
        )
    return array.astype(np.int64)
