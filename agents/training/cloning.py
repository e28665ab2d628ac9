"""Behaviour cloning: a network learns to play as another policy does, as a start for what learns by itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn

from agents.solvers.strategies import known_probabilities
from agents.training.in_progress import GamesInProgress
from war_env.errors import checked_int, checked_number
from war_env.layout import Layout
from war_env.policy import Policy
from war_env.rules import MAX_COUNT


@dataclass(frozen=True)
class CloneConfig:
    """How a policy is copied.

    Attributes:
        views: views of games that the teacher plays, at least.
        lanes: games from which they are taken.
        exploration: share of random moves in these games, so that the copy knows what to do after them.
        doubt: share of probability that is spread over all cards, so that what learns from the copy still explores.
        epochs, batch_size, learning_rate: of Adam; the rate falls to 0.
    """

    views: int = 80_000
    lanes: int = 512
    exploration: float = 0.1
    doubt: float = 0.1
    epochs: int = 6
    batch_size: int = 1024
    learning_rate: float = 2e-3

    def check(self) -> None:
        """Refuse what cannot run.

        Raises:
            ArgumentError: the message names the field, its value and what is allowed.
        """
        for name in ("views", "lanes", "epochs", "batch_size"):
            checked_int(name, getattr(self, name), 1, MAX_COUNT)
        for name, high in (("exploration", 1.0), ("doubt", 1.0), ("learning_rate", 10.0)):
            checked_number(name, getattr(self, name), 0.0, high)


def clone(
    network: nn.Module,
    teacher: Policy,
    layout: Layout,
    opponent: Any,
    seed: int,
    config: CloneConfig | None = None,
    after_epoch: Callable[[int], None] = lambda epoch: None,
) -> float:
    """Teach a network of logits to play as `teacher`.

    Args:
        network: from observations to logits; changed in place.
        teacher: who is copied; its probabilities where they are known, else the cards that it plays.
        layout: the observations; two seats.
        opponent: who plays the other seat in the games that the copy learns from.
        seed: of deals, moves and batches.
        config: how.
        after_epoch: called with the passes over the views so far.

    Returns:
        Share of the views in which the copy's most likely card is the teacher's.
    """
    config = config or CloneConfig()
    config.check()
    torch.manual_seed(seed)
    views, masks, taught = (torch.as_tensor(part) for part in _lessons(teacher, layout, opponent, seed, config))
    legal = (masks > 0).float()
    targets = config.doubt * legal / legal.sum(1, keepdim=True) + (1 - config.doubt) * taught
    optimizer = torch.optim.Adam(network.parameters(), config.learning_rate)
    for epoch in range(config.epochs):
        optimizer.param_groups[0]["lr"] = config.learning_rate * (1 - epoch / config.epochs)
        for rows in torch.randperm(len(views)).split(config.batch_size):
            logits = network(views[rows]).masked_fill(legal[rows] == 0, -1e9)
            loss = -(targets[rows] * logits.log_softmax(1).clamp(min=-50)).sum(1).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        after_epoch(epoch + 1)
    with torch.no_grad():
        copied = network(views).masked_fill(legal == 0, -1e9).argmax(1)
    return float((copied == taught.argmax(1)).float().mean())


def _lessons(
    teacher: Policy, layout: Layout, opponent: Any, seed: int, config: CloneConfig
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Views float32 (n, d), masks int8 (n, a), and how the teacher plays in them, float32 (n, a)."""
    rng = np.random.default_rng(seed)
    games = GamesInProgress(teacher, layout.rules, opponent, config.lanes, config.exploration, rng)
    parts = []
    for _ in range(-(-config.views // config.lanes)):
        parts.append((games.observations, games.masks, _played(teacher, games.observations, games.masks, rng)))
        games.step()
    views, masks, taught = (np.concatenate(column) for column in zip(*parts, strict=True))
    return views, masks, taught


def _played(teacher: Policy, views: np.ndarray, masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    known = known_probabilities(teacher, views, masks)
    if known is None:
        known = np.eye(masks.shape[1])[np.asarray(teacher.act(views, masks, rng), np.int64)]
    return known.astype(np.float32)
