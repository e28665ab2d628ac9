"""Play in two rooms: one small network for battles, one for wars, and both together as one exported network.

A phase without a network is played as *reserve* plays it: the lowest card in a battle, the highest in a war.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from war_env.errors import refused
from war_env.layout import Layout
from war_env.policy import NetworkPolicy

PHASES = ("battle", "war")
_CLOSED = 50.0  # subtracted from what a unit sums up in the other phase, so that it gives 0 there
_RESERVE = 10.0  # between the logits of neighbouring slots where a phase has no network


@dataclass(frozen=True)
class Block:
    """The network of one phase: one hidden layer with ReLU.

    Attributes:
        weight, bias: float32 (d, h) and (h,).
        out_weight, out_bias: float32 (h, a) and (a,).
    """

    weight: np.ndarray
    bias: np.ndarray
    out_weight: np.ndarray
    out_bias: np.ndarray

    def scores(self, observations: np.ndarray) -> np.ndarray:
        """One number per slot, float32 (n, a)."""
        return np.asarray(np.maximum(observations @ self.weight + self.bias, 0.0) @ self.out_weight + self.out_bias)


def reference_slots(masks: np.ndarray, is_war: np.ndarray) -> np.ndarray:
    """The slots that *reserve* plays, int64 (n,), for masks (n, a) and bools (n,)."""
    return np.where(is_war, masks.sum(axis=1, dtype=np.int64) - 1, 0)


@dataclass(frozen=True, eq=False)
class PhasedPolicy:
    """A policy with a network for some phases; a `Policy`.

    Attributes:
        layout: how observations are laid out.
        blocks: the networks by phase.
    """

    layout: Layout
    blocks: Mapping[str, Block] = field(default_factory=dict)

    def is_war(self, observations: np.ndarray) -> np.ndarray:
        """Which views are of a war: bool (n,)."""
        return np.asarray(observations[:, self.layout.slices["is_war"].start] > 0)

    def act(self, observation: np.ndarray, action_mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Choose; see `war_env.policy.Policy.act`."""
        is_war = self.is_war(observation)
        slots = reference_slots(action_mask, is_war)
        for phase, block in self.blocks.items():
            rows = np.flatnonzero(is_war == (phase == "war"))
            if rows.size:
                scores = np.where(action_mask[rows] > 0, block.scores(observation[rows]), -np.inf)
                slots[rows] = scores.argmax(axis=1)
        return slots

    def with_block(self, phase: str, block: Block) -> PhasedPolicy:
        """The same with another network for one phase."""
        if phase not in PHASES:
            raise refused("phase", phase, f"one of {', '.join(PHASES)}")
        return replace(self, blocks={**self.blocks, phase: block})

    def joined(self, **card: Any) -> NetworkPolicy:
        """One network with one hidden layer that plays alike.

        The units of a phase are closed in the other one, and one unit more for each phase, which gives 1 in it and 0
        in the other, carries what is added to the logits there.
        """
        place = self.layout.slices["is_war"].start
        slots = np.arange(self.layout.num_actions, dtype=np.float32)
        parts: list[tuple[np.ndarray, ...]] = []
        for phase, sign in zip(PHASES, (-1.0, 1.0), strict=True):
            gate = np.zeros((self.layout.size, 1), np.float32)
            gate[place] = sign
            is_open_at_0 = np.float32(phase == "battle")
            block = self.blocks.get(phase)
            if block is None:
                parts.append((gate, np.array([is_open_at_0]), (sign * _RESERVE * slots)[None]))
                continue
            weight = block.weight.copy()
            weight[place] += _CLOSED * sign
            bias = block.bias - _CLOSED * (1 - is_open_at_0)
            parts.append((weight, bias, block.out_weight))
            parts.append((gate, np.array([is_open_at_0]), block.out_bias[None]))
        weights, biases, out_weights = (list(group) for group in zip(*parts, strict=True))
        first = np.concatenate(weights, axis=1), np.concatenate(biases)
        second = np.concatenate(out_weights, axis=0), np.zeros(self.layout.num_actions)
        card |= {"rules": self.layout.rules.to_dict(), "memory": self.layout.memory}
        card["phases"] = {phase: len(block.bias) for phase, block in self.blocks.items()}
        return NetworkPolicy([(w.astype(np.float32), b.astype(np.float32)) for w, b in (first, second)], False, card)

    @classmethod
    def split(cls, network: NetworkPolicy, layout: Layout) -> PhasedPolicy:
        """The policy of which `network` was joined."""
        (weight, bias), (out_weight, _) = network.layers
        place, start, blocks = layout.slices["is_war"].start, 0, {}
        for phase, sign in zip(PHASES, (-1.0, 1.0), strict=True):
            units = network.card["phases"].get(phase, 0)
            rows = slice(start, start + units)
            if units:
                own = weight[:, rows].copy()
                own[place] -= _CLOSED * sign
                own_bias = bias[rows] + np.float32(_CLOSED * (phase == "war"))
                blocks[phase] = Block(own, own_bias, out_weight[rows].copy(), out_weight[start + units].copy())
            start += units + 1
        return cls(layout, blocks)
