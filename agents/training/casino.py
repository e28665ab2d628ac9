"""MaskablePPO on Casino War. Rounds do not depend on each other but for the cards left, so that gamma is 0."""

from __future__ import annotations

from collections.abc import Callable

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

from agents.training.ppo import to_network
from war_env.casino_rules import CASINO_ID, CasinoRules
from war_env.policy import NetworkPolicy
from war_env.sb3 import WarVecEnv

STEPS = 2_000_000


class _Reporter(BaseCallback):
    def __init__(self, report: Callable[[int], None]) -> None:
        super().__init__()
        self.report = report

    def _on_step(self) -> bool:
        return True

    def _on_rollout_start(self) -> None:
        self.report(self.num_timesteps)


def train_casino(
    rules: CasinoRules, steps: int = STEPS, seed: int = 0, report: Callable[[int], None] = lambda steps: None
) -> NetworkPolicy:
    """Learn to play from nothing, by units won.

    Args:
        rules: the table.
        steps: environment steps over 1,024 tables.
        seed: of networks, shoes and updates.
        report: called with the steps done so far.
    """
    torch.set_num_threads(1)
    env = WarVecEnv(rules, 1024)
    env.seed(seed)
    model = MaskablePPO(
        "MlpPolicy",
        env,
        learning_rate=lambda remaining: 1e-3 * remaining,
        n_steps=64,
        batch_size=16_384,
        n_epochs=2,
        gamma=0.0,
        gae_lambda=0.0,
        ent_coef=0.0,
        policy_kwargs={"net_arch": [32], "activation_fn": torch.nn.ReLU},
        seed=seed,
        device="cpu",
    )
    model.learn(steps, callback=_Reporter(report))
    return to_network(model, description=f"MaskablePPO on {CASINO_ID}, {steps:,} steps", steps=steps)
