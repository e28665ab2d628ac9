"""Strategies over information sets: from an agent's probabilities, and as plans over sequences."""

from __future__ import annotations

import numpy as np

from agents.base import Agent
from agents.solvers.sequence_kernels import plan_of
from agents.solvers.small_game import SeatForm, SmallGame
from war_env.errors import ArgumentError, shown
from war_env.policy import NetworkPolicy, Policy, ScriptedPolicy, checked_slots
from war_env.weights import Forgetful

SAMPLES = 1_000
_SAMPLING_SEED = 0
_NOTHING = 1e-12  # a plan below counts as never coming here


def known_probabilities(policy: Policy, observations: np.ndarray, masks: np.ndarray) -> np.ndarray | None:
    """With what probability a policy plays each slot, where that can be told without trying; else None.

    A policy with a method `probabilities(observations, masks)` is asked; scripted policies and networks are known.

    Args:
        policy: the policy.
        observations, masks: float32 (n, d) and int8 (n, a).

    Returns:
        float64, shape (n, a).
    """
    if isinstance(policy, Agent):
        return known_probabilities(policy.policy, observations, masks)
    if isinstance(policy, Forgetful):
        return known_probabilities(policy.network, observations[:, policy.columns], masks)
    if callable(getattr(policy, "probabilities", None)):
        found = np.asarray(policy.probabilities(observations, masks), np.float64)
        if found.shape != masks.shape or (found < 0).any() or not np.allclose(found.sum(axis=1), 1):
            raise ArgumentError(f"probabilities() of {shown(policy)} must return rows of probabilities, {masks.shape}.")
        return found
    if isinstance(policy, ScriptedPolicy) and policy.name == "random":
        return np.asarray(masks / masks.sum(axis=1, keepdims=True))
    if isinstance(policy, NetworkPolicy) and policy.is_sampling:
        logits = np.where(masks > 0, policy.logits(observations), -np.inf).astype(np.float64)
        found = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(found / found.sum(axis=1, keepdims=True))
    if isinstance(policy, ScriptedPolicy | NetworkPolicy):
        return _frequencies(policy, observations, masks, 1)
    return None


def slot_probabilities(policy: Policy, observations: np.ndarray, masks: np.ndarray, samples: int) -> np.ndarray:
    """With what probability a policy plays each slot: known, or how often it did when asked `samples` times.

    Returns:
        float64, shape (n, a); what is masked plays the highest card and counts there.
    """
    found = known_probabilities(policy, observations, masks)
    return _legal(_frequencies(policy, observations, masks, samples) if found is None else found, masks)


def _frequencies(policy: Policy, observations: np.ndarray, masks: np.ndarray, samples: int) -> np.ndarray:
    counts = np.zeros(masks.shape)
    rng = np.random.default_rng(_SAMPLING_SEED)
    rows = np.arange(len(masks))
    for _ in range(samples):
        counts[rows, checked_slots("policy", policy.act(observations, masks, rng), masks)] += 1
    return counts / samples


def _legal(found: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """What lies on masked slots moved to the highest card."""
    legal = np.where(masks > 0, found, 0.0)
    legal[np.arange(len(masks)), masks.sum(axis=1) - 1] += found.sum(axis=1) - legal.sum(axis=1)
    return legal


def strategy_of(game: SmallGame, seat: int, slots: np.ndarray) -> np.ndarray:
    """A strategy over information sets from the probabilities of slots at each observation.

    Args:
        game: the game.
        seat: whose information sets.
        slots: float64, shape (observations, hand size).

    Returns:
        The probability of each sequence's last action, float64, shape (sequences,); 1 for the empty one.
    """
    form = game.seats[seat]
    strategy = np.zeros(form.num_sequences)
    strategy[0] = 1.0
    sequence = sequence_of_slot(form)
    has_card = form.slots > 0
    np.add.at(strategy, sequence[has_card], slots[form.observation][has_card])
    return strategy


def is_lowest_of_rank(form: SeatForm) -> np.ndarray:
    """Which slots hold the lowest card of a rank: bool, shape (i, hand size)."""
    is_lowest = form.slots > 0
    is_lowest[:, 1:] &= form.slots[:, 1:] != form.slots[:, :-1]
    return is_lowest


def sequence_of_slot(form: SeatForm) -> np.ndarray:
    """The sequence that playing each slot makes, int64, shape (i, hand size); meaningless where no card is."""
    return np.asarray(form.first[:, None] + np.cumsum(is_lowest_of_rank(form), axis=1) - 1)


def uniform(form: SeatForm) -> np.ndarray:
    """The strategy that plays every rank in hand equally often."""
    return np.concatenate([[1.0], np.repeat(1.0 / form.actions, form.actions)])


def agent_strategies(game: SmallGame, policy: Policy, samples: int = SAMPLES) -> tuple[np.ndarray, np.ndarray]:
    """A policy's strategies in both seats; see `slot_probabilities` and `strategy_of`."""
    slots = slot_probabilities(policy, game.observations, game.action_masks, samples)
    return strategy_of(game, 0, slots), strategy_of(game, 1, slots)


def plan(form: SeatForm, strategy: np.ndarray) -> np.ndarray:
    """The plan of a strategy: float64, shape (sequences,)."""
    made = np.empty(form.num_sequences)
    plan_of(form.parent, form.first, form.actions, strategy, 1.0, made)
    return made


def strategy_of_plan(form: SeatForm, made: np.ndarray) -> np.ndarray:
    """The strategy behind a plan; uniform over actions where the plan never comes."""
    strategy = uniform(form)
    sets = form.information_set[1:]
    total = np.bincount(sets, made[1:], form.num_information_sets)[sets]
    np.divide(made[1:], total, out=strategy[1:], where=total > _NOTHING)
    return strategy
