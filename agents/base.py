"""What an agent is: a `Policy` with a name and a description."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from war_env.policy import Policy, check_views
from war_env.rules import Rules


@dataclass(frozen=True)
class Agent:
    """A policy that can be entered in a comparison; itself a `Policy`.

    Attributes:
        name: unique, as tables show it.
        description: one line.
        policy: what plays.
        is_trained: whether its play was learned.
    """

    name: str
    description: str
    policy: Policy
    is_trained: bool = False

    def act(self, observation: np.ndarray, action_mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Choose slots for a batch of views; see `war_env.policy.Policy.act`."""
        check_views(observation, action_mask, rng, None, None)
        return self.policy.act(observation, action_mask, rng)


@dataclass(frozen=True)
class AgentSpec:
    """How to make an agent for some rules; each module of this package lists its own in `AGENTS`.

    Attributes:
        name: unique, as commands take it.
        description: one line.
        make: from the rules, and whether observations hold memory, to the policy.
        is_trained: whether its play was learned.
        weights: from the rules to the path of its exported weights, where it has them.
        is_slow: whether it thinks a hundred times longer than scripted play, so that comparisons give it few games.
        is_quick: whether it is made within seconds for some rules; where it is not, it plays only if asked for by name.
    """

    name: str
    description: str
    make: Callable[[Rules, bool], Policy]
    is_trained: bool = False
    weights: Callable[[Rules], Path] | None = None
    is_slow: bool = False
    is_quick: Callable[[Rules], bool] = lambda rules: True
