"""`WarEnv`: one game of War as a Gymnasium environment."""

from __future__ import annotations

from typing import Any

from war_env.lane_env import LaneEnv, check_arguments
from war_env.lanes import Lanes
from war_env.presets import get_rules
from war_env.rules import Rules


class WarEnv(LaneEnv):
    """A game of War against compiled or given opponents; a step is one comparison of cards.

    Action space: `Discrete(hand_size)`; action k turns up the k-th lowest card in hand. Towards the end the hand
    shrinks: `info["action_mask"]`, int8 (hand_size,), says which slots hold a card, and a masked action plays the
    highest card and sets `info["illegal_action"]`, unless `illegal_action="raise"`.
    Observation space: a float32 `Box` in [0, 1]; `env.unwrapped.layout.slices` names its parts and
    `env.unwrapped.layout.describe(observation)` prints one. The observation at reset is that of the first decision.
    Episode end: `terminated` by a win, a draw or a limit of the rules; nothing truncates but a user's TimeLimit.
    Infos: `action_mask` and `illegal_action` always; at the end `winner` (-1 for none), `reason`, `battles`,
    `comparisons`, `wars` and `held`, int64 (players,).

    Args:
        preset: a preset's name, its id, or a `Rules`.
        opponent: who plays the other seats: a scripted name, `{name: weight}` drawn per episode, a path to exported
            weights, a policy object, or a list with one of these per other seat.
        seat: the learner's seat.
        reward: `"win"` gives +1 to the winner, -1 to the others and 0 on a draw at the end; `"margin"` own cards less
            the largest other's, over the deck, at the end; `"capture"` the change of that margin at each step.
        memory: whether the observation holds what an attentive player remembers.
        illegal_action: `"highest"` or `"raise"`.
        render_mode: None, `"ansi"`, `"rgb_array"` or `"human"`.
        **options: options of `Rules` to override.
    """

    def __init__(
        self,
        preset: str | Rules = "strategic",
        *,
        opponent: Any = "random",
        seat: int = 0,
        reward: str = "win",
        memory: bool = True,
        illegal_action: str = "highest",
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        check_arguments(type(self), options, Rules)
        self.rules = get_rules(preset, **options)
        self._lanes: Lanes = Lanes(self.rules, 1, seat=seat, opponent=opponent, reward=reward, memory=memory)
        self.layout = self._lanes.layout
        self._set_up(self._lanes, illegal_action, render_mode)

    @property
    def seat(self) -> int:
        """The learner's seat."""
        return self._lanes.seat

    def set_opponent(self, opponent: Any) -> None:
        """Change who plays the other seats, from the next episode on; see the class's argument."""
        self._lanes.set_opponent(opponent)
