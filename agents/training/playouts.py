"""Better play by paired playouts.

At a decision every card is tried in a copy of the game, and each copy is played out. Hidden cards, shuffles and
compiled opponents are the same in all copies, so that the difference between two cards shows above the luck of the
deal. From many such decisions a network learns what each card gains over the card that *reserve* plays, and the next
policy plays another card where that gain is large enough.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from agents.training.in_progress import GamesInProgress
from agents.training.nets import multilayer
from agents.training.phases import PHASES, Block, PhasedPolicy, reference_slots
from war_env.errors import NotationError, checked_int, checked_number, refused
from war_env.files import read_arrays, write_arrays
from war_env.lanes import Lanes
from war_env.policy import Policy
from war_env.rules import MAX_COUNT

_SPACING = (6, 14)  # steps between two harvests, so that they do not repeat each other


@dataclass(frozen=True)
class PlayoutConfig:
    """How decisions are gathered and learned from.

    Attributes:
        decisions: decisions tried in a round, at least.
        lanes: games from which they are taken.
        most: decisions taken from the lanes at once; those of a moment are spread over all stages of the game.
        exploration: share of the moves between that are uniformly random.
        hidden: units of the network's hidden layer.
        epochs, batch_size, learning_rate, decay: of AdamW; the rate falls to 0.
        threshold: gain in win rate from which another card than *reserve*'s is played.
    """

    decisions: int = 50_000
    lanes: int = 16_384
    most: int = 3_000
    exploration: float = 0.05
    hidden: int = 128
    epochs: int = 8
    batch_size: int = 512
    learning_rate: float = 2e-3
    decay: float = 1e-2
    threshold: float = 0.04

    def quick(self) -> PlayoutConfig:
        """The same, small."""
        return replace(self, decisions=400, lanes=256, most=100, epochs=1)

    def check(self) -> None:
        """Refuse what cannot run.

        Raises:
            ArgumentError: the message names the field, its value and what is allowed.
        """
        for name in ("decisions", "lanes", "most", "hidden", "epochs", "batch_size"):
            checked_int(name, getattr(self, name), 1, MAX_COUNT)
        for name, high in (("exploration", 1.0), ("learning_rate", 10.0), ("decay", 10.0), ("threshold", 1.0)):
            checked_number(name, getattr(self, name), 0.0, high)


@dataclass(frozen=True)
class Trials:
    """Decisions and what came of each card.

    Attributes:
        observations: float32 (n, d).
        masks: bool (n, a).
        scores: float32 (n, a), score of the game after each slot: 1 won, 1/2 drawn, 0 lost.
        reference: int64 (n,), the slot that gains are measured from.
    """

    observations: np.ndarray
    masks: np.ndarray
    scores: np.ndarray
    reference: np.ndarray

    @property
    def gains(self) -> np.ndarray:
        """What each slot gained over the reference: float32 (n, a), 0 where there is no card."""
        base = np.take_along_axis(self.scores, self.reference[:, None], axis=1)
        return np.where(self.masks, self.scores - base, 0.0).astype(np.float32)

    @staticmethod
    def joined(parts: list[Trials]) -> Trials:
        """Several of them as one."""
        return Trials(*(np.concatenate([getattr(part, name) for part in parts]) for name in _COLUMNS))

    def save(self, path: Path) -> None:
        """Write them as plain arrays, whole or not at all."""
        write_arrays(path, {name: getattr(self, name) for name in _COLUMNS})

    @staticmethod
    def load(path: Path) -> Trials:
        """Read what `save` wrote.

        Raises:
            NotationError: the file is damaged.
        """
        what = f"trials={str(path)!r}"
        arrays = read_arrays(path, what, _COLUMNS.__contains__, most=_MOST_TRIALS)
        lengths = {len(array) for array in arrays.values() if array.ndim}
        if set(arrays) != set(_COLUMNS) or len(lengths) != 1:
            raise NotationError(f"{what} is not allowed: it must hold {', '.join(_COLUMNS)}, each of one length.")
        return Trials(*(arrays[name] for name in _COLUMNS))


_MOST_TRIALS = 2**34  # bytes
_COLUMNS = ("observations", "masks", "scores", "reference")


def play_out(lanes: Lanes, policy: Policy, actions: np.ndarray) -> np.ndarray:
    """Play all lanes to their ends.

    Args:
        lanes: games with reward `win`, none of them over.
        policy: the learner's, after the first step.
        actions: the learner's first slots, int64 (n,).

    Returns:
        The learner's scores, float64 (n,).
    """
    total = np.zeros(lanes.num_lanes)
    actions = actions.copy()
    while True:
        result = lanes.step(actions)
        total += result.rewards
        rows = np.flatnonzero(~lanes.over)
        if not rows.size:
            return (total + 1.0) / 2.0
        actions[rows] = policy.act(result.observations[rows], result.masks[rows], lanes.rng)


def try_all(lanes: Lanes, rows: np.ndarray, policy: Policy) -> np.ndarray:
    """Score of each slot in the lanes `rows`, float32 (len(rows), a); the lanes stay as they are."""
    slots = lanes.num_actions
    branches = lanes.branched(np.tile(rows, slots))
    scores = play_out(branches, policy, np.repeat(np.arange(slots), len(rows)))
    return scores.reshape(slots, len(rows)).T.astype(np.float32)


def gather(
    policy: PhasedPolicy, opponent: Any, phase: str, config: PlayoutConfig, rng: np.random.Generator, report: Any
) -> Trials:
    """Try every card in many decisions of one phase.

    Args:
        policy: who plays, before the decision and after it.
        opponent: who plays the other seat, as environments take it.
        phase: battle or war.
        config: how many, and from which games.
        rng: the one source of randomness.
        report: called with the number of decisions tried so far.
    """
    if phase not in PHASES:
        raise refused("phase", phase, f"one of {', '.join(PHASES)}")
    games = GamesInProgress(policy, policy.layout.rules, opponent, config.lanes, config.exploration, rng)
    parts, done = [], 0
    while done < config.decisions:
        for _ in range(int(rng.integers(*_SPACING))):
            games.step()
        rows = games.choices(config.lanes)
        rows = rows[policy.is_war(games.observations[rows]) == (phase == "war")][: config.most]
        observations, masks = games.observations[rows], games.masks[rows] > 0
        reference = reference_slots(masks, np.full(len(rows), phase == "war"))
        parts.append(Trials(observations, masks, try_all(games.lanes, rows, policy), reference))
        done += len(rows)
        report(done)
    return Trials.joined(parts)


def fit_gains(trials: Trials, phase: str, config: PlayoutConfig, seed: int) -> Block:
    """A network for the gains, with the threshold added to the score of the reference's slot in a full hand."""
    torch.manual_seed(seed)
    gains, masks = torch.as_tensor(trials.gains), torch.as_tensor(trials.masks)
    views, reference = torch.as_tensor(trials.observations), torch.as_tensor(trials.reference)[:, None]
    slots = gains.shape[1]
    net = multilayer(views.shape[1], (config.hidden,), slots)
    optimizer = torch.optim.AdamW(net.parameters(), config.learning_rate, weight_decay=config.decay)
    for epoch in range(config.epochs):
        optimizer.param_groups[0]["lr"] = config.learning_rate * (1 - epoch / config.epochs)
        for rows in torch.randperm(len(views)).split(config.batch_size):
            scores = net(views[rows])
            errors = scores - scores.gather(1, reference[rows]) - gains[rows]
            loss = (errors**2 * masks[rows]).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    arrays = [value.detach().numpy().copy() for value in net.parameters()]
    arrays[3][slots - 1 if phase == "war" else 0] += config.threshold
    return Block(arrays[0].T.copy(), arrays[1], arrays[2].T.copy(), arrays[3])
