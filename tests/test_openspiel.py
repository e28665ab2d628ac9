"""Small games in OpenSpiel: its best responses against ours, and its playthroughs against our games.

An independent check of the information sets and of the best response; only the engine that plays is the same.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

from agents.solvers.best_response import Payoffs, agent_exploitability
from agents.solvers.build import build_game
from agents.solvers.equilibrium import ObservationTable
from war_env import get_rules

pyspiel = pytest.importorskip("pyspiel")
from open_spiel.python.algorithms import exploitability as theirs  # noqa: E402
from open_spiel.python.policy import Policy  # noqa: E402

from agents.solvers.openspiel_game import load_game  # noqa: E402

VARIANTS = {
    "3 x 2": {"ranks": 3},
    "stakes": {"ranks": 3, "face_down": 1},
    "hand of three": {"ranks": 3, "hand_size": 3},
    "uneven seats": {"ranks": 5, "suits": 1, "uneven": "extra_card"},
    "played on": {
        "ranks": 3, "goal": "all_cards", "winnings": "winner_first", "run_out": "last_card_stands",
        "face_down": 1, "max_battles": 3,
    },
}  # fmt: skip


@pytest.mark.parametrize("options", VARIANTS.values(), ids=list(VARIANTS))
def test_openspiel_finds_the_same_exploitability(options: dict[str, Any]) -> None:
    """Its best response, on the game as our engine plays it: random play, and two random tables of observations."""
    rules = get_rules("mini", **options)
    payoffs, game = Payoffs(build_game(rules)), load_game(rules)

    class Played(Policy):  # type: ignore[misc]
        """A table of observations as OpenSpiel asks for it."""

        def __init__(self, table: ObservationTable) -> None:
            super().__init__(game, [0, 1])
            self.table = table

        def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
            position, player = state.position, state.current_player()
            mask = position.game.action_mask(player)
            slots = self.table.probabilities(position.game.observation(player)[None], mask[None])[0]
            ends = [*position.actions[1:], int(mask.sum())]
            return {start: slots[start:end].sum() for start, end in zip(position.actions, ends, strict=True)}

    rng = np.random.default_rng(0)
    masks = payoffs.game.action_masks
    for draw in range(3):
        slots = masks * (rng.random(masks.shape) if draw else 1.0)
        table = ObservationTable(payoffs.game.observations, slots / slots.sum(axis=1, keepdims=True))
        ours = agent_exploitability(payoffs, table)
        assert theirs.exploitability(game, Played(table)) / 2 == pytest.approx(ours, abs=1e-6)
    assert pyspiel.load_game("war_env").num_players() == 2


@pytest.mark.skipif("WAR_ENV_OPENSPIEL" not in os.environ, reason="takes minutes: WAR_ENV_OPENSPIEL=1 asks for it")
def test_openspiel_finds_the_same_exploitability_on_the_preset() -> None:
    game = load_game(get_rules("mini"))
    uniform = pyspiel.UniformRandomPolicy(game)
    assert pyspiel.exploitability(game, uniform) / 2 == pytest.approx(61 / 1008, abs=1e-6)


def test_a_game_in_openspiel_is_our_game() -> None:
    """200 random playthroughs: the same hands and outcome as our own game with the same cards and choices."""
    rules = get_rules("mini", face_down=1)
    game, rng = load_game(rules), np.random.default_rng(1)
    for _ in range(200):
        state = game.new_initial_state()
        deal = int(rng.integers(len(state.chance_outcomes())))
        state.apply_action(deal)
        ours = game.deal(deal)
        choices: list[int] = []
        while not state.is_terminal():
            choices.append(int(rng.choice(state.legal_actions())))
            state.apply_action(choices[-1])
            if len(choices) == 2:
                ours.play(choices)
                choices = []
                assert state.position.game.hands == ours.hands
        assert ours.outcome is not None
        assert state.returns() == {0: [1.0, -1.0], 1: [-1.0, 1.0], None: [0.0, 0.0]}[ours.outcome.winner]
        assert state.position.game.outcome == ours.outcome
