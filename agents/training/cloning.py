"""Behaviour cloning: a network learns to play as another policy does, as a start for what learns by itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn

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
    network: nn.Module, teacher: Policy, layout: Layout, opponent: Any, seed: int, config: CloneConfig | None = None
) -> float:
    """Teach a network of logits to play as `teacher`.

    Args:
        network: from observations to logits; changed in place.
        teacher: who is copied.
        layout: the observations; two seats.
        opponent: who plays the other seat in the games that the copy learns from.
        seed: of deals, moves and batches.
        config: how.

    Returns:
        Share of the views in which the copy's most likely card is the teacher's.
    """
    config = config or CloneConfig()
    config.check()
    torch.manual_seed(seed)
    views, masks, slots = (torch.as_tensor(part) for part in _lessons(teacher, layout, opponent, seed, config))
    legal = (masks > 0).float()
    targets = config.doubt * legal / legal.sum(1, keepdim=True)
    targets.scatter_add_(1, slots[:, None], torch.full((len(slots), 1), 1 - config.doubt))
    optimizer = torch.optim.Adam(network.parameters(), config.learning_rate)
    for epoch in range(config.epochs):
        optimizer.param_groups[0]["lr"] = config.learning_rate * (1 - epoch / config.epochs)
        for rows in torch.randperm(len(views)).split(config.batch_size):
            logits = network(views[rows]).masked_fill(legal[rows] == 0, -1e9)
            loss = -(targets[rows] * logits.log_softmax(1).clamp(min=-50)).sum(1).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    with torch.no_grad():
        copied = network(views).masked_fill(legal == 0, -1e9).argmax(1)
    return float((copied == slots).float().mean())


def _lessons(
    teacher: Policy, layout: Layout, opponent: Any, seed: int, config: CloneConfig
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Views float32 (n, d), masks int8 (n, a), and the teacher's slots int64 (n,)."""
    rng = np.random.default_rng(seed)
    games = GamesInProgress(teacher, layout.rules, opponent, config.lanes, config.exploration, rng)
    parts = []
    for _ in range(-(-config.views // config.lanes)):
        slots = teacher.act(games.observations, games.masks, rng)
        parts.append((games.observations, games.masks, np.asarray(slots, np.int64)))
        games.step()
    views, masks, slots = (np.concatenate(column) for column in zip(*parts, strict=True))
    return views, masks, slots
