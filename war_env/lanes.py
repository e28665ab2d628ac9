"""`Lanes`: N games stepped together; finished ones wait for their reset, or start anew in the next step."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any

import numpy as np

from war_env.base_lanes import BaseLanes
from war_env.errors import RulesError, checked_int, refused
from war_env.lane_kernels import note_endings, reset_rows, show_rows, step_row, step_rows
from war_env.layout import Layout
from war_env.opponent_spec import read_opponents
from war_env.plan import REWARDS, make_plan, set_lineup
from war_env.policy import Policy, checked_slots
from war_env.policy_names import FIRST_EXTERNAL, MAX_POLICIES
from war_env.render.scene import Position, Scene, war_scene
from war_env.row_threads import row_threads
from war_env.rules import MAX_HAND, Rules
from war_env.state import REASONS, Records

ELIMINATED = "eliminated"


class Lanes(BaseLanes):
    """N games of one learner against policies that play the other seats.

    Args:
        rules: the rules; they must make every game end.
        num_lanes: number of games, at least 1.
        seat: the learner's seat.
        opponent: who plays the others, see `read_opponents`.
        reward: win, margin or capture.
        memory: whether observations hold what an attentive player remembers.
        max_episode_steps: steps after which an episode is truncated; None for never.
        next_step: whether a finished lane starts anew in the next step.
        num_threads: threads that step the lanes side by side, each a block of them; 1 for none.
    """

    fallback = "highest"
    end_keys = ("winner", "reason", "battles", "comparisons", "wars", "held")

    def __init__(
        self,
        rules: Rules,
        num_lanes: int,
        *,
        seat: int = 0,
        opponent: Any = "random",
        reward: str = "win",
        memory: bool = True,
        max_episode_steps: int | None = None,
        next_step: bool = False,
        num_threads: int = 1,
    ) -> None:
        rules.require_ending()
        self.rules = rules
        self.seat = checked_int("seat", seat, 0, rules.players - 1)
        if not isinstance(reward, str) or reward not in REWARDS:
            raise refused("reward", reward, f"one of {', '.join(REWARDS)}")
        self.layout = Layout(rules, memory)
        super().__init__(num_lanes, self.layout, rules.hand_size, max_episode_steps)
        self.plan = make_plan(self.layout, self.seat, reward, max_episode_steps, next_step)
        self.records = Records(rules, self.num_lanes)
        self.records.fields["game"]["over"] = 1
        self._threads = row_threads(num_threads, self.num_lanes)
        self._policies: dict[int, Policy] = {}
        self._external = np.zeros(1, np.int64)
        masks = np.tri(MAX_HAND + 1, rules.hand_size, -1, np.int8)
        masks.flags.writeable = False  # `step_one` hands out its rows: row k allows the lowest k slots
        self._masks = list(masks)
        self._before: np.ndarray | None = None
        self.set_opponent(opponent)

    # -- who plays -----------------------------------------------------------------------------------------------

    def set_opponent(self, opponent: Any) -> None:
        """Change who plays the other seats, from each lane's next episode on."""
        mixes = read_opponents(opponent, self.rules, self.layout.memory)
        in_use = set(np.unique(self.records.fields["seats"]["policy"]).tolist())
        kept = {code: policy for code, policy in self._policies.items() if code in in_use}
        others = [number for number in range(self.rules.players) if number != self.seat]
        lineups = {}
        for number, mix in zip(others, mixes, strict=True):
            lineups[number] = [
                (_code_for(share.policy, kept) if share.code is None else share.code, share.weight) for share in mix
            ]
        self._policies = kept
        for number, lineup in lineups.items():
            set_lineup(self.plan, number, lineup)
        if kept and self._external.size == 1:
            self._external = np.zeros(self.num_lanes * self.rules.players, np.int64)

    def _ask(self, rows: np.ndarray) -> None:
        """Let the policies that Python plays choose in the lanes `rows`, where they are fighters."""
        fields = self.records.fields[rows]
        for number in range(self.rules.players):
            if number == self.seat:
                continue
            codes = fields["seats"]["policy"][:, number]
            chooses = (fields["game"]["fighters"] >> np.uint64(number) & np.uint64(1)).astype(bool)
            for code, policy in self._policies.items():
                asked = rows[chooses & (codes == code)]
                if asked.size:
                    observations, masks = self.observe(asked, number)
                    slots = checked_slots(
                        f"opponent of seat {number}", policy.act(observations, masks, self.rng), masks
                    )
                    self._external[asked * self.rules.players + number] = slots

    def branched(self, rows: np.ndarray) -> Lanes:
        """New lanes that go on from copies of the games in `rows`, int64; a row may be named several times.

        Cards, shuffles and compiled opponents go on alike in all copies of a game until the learner's choices differ.
        """
        twin = copy(self)
        twin.num_lanes, twin.all_rows = len(rows), np.arange(len(rows), dtype=np.int64)
        twin._seeded, twin._threads, twin._before = self._seeded[rows], None, None
        twin.records = Records(self.rules, len(rows))
        twin.records.fields[:] = self.records.fields[rows]
        twin.plan, twin._policies = self.plan.copy(), dict(self._policies)
        twin._external = np.zeros(len(rows) * self.rules.players if self._external.size > 1 else 1, np.int64)
        return twin

    # -- stepping ------------------------------------------------------------------------------------------------

    @property
    def header(self) -> np.ndarray:
        """The games' headers, structured, shape (n,)."""
        return np.asarray(self.records.fields["game"])

    def reset(self, rows: np.ndarray | None = None) -> None:
        """Start the next game in all lanes, or in `rows`, int64."""
        reset_rows(*self._memory, self.all_rows if rows is None else rows)

    def observe(self, rows: np.ndarray | None = None, seat: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Fresh observations, float32 (k, d), and masks, int8 (k, a), of the learner or another seat."""
        rows = self.all_rows if rows is None else rows
        observations = np.empty((len(rows), self.layout.size), np.float32)
        masks = np.empty((len(rows), self.rules.hand_size), np.int8)
        observer = np.uint64(self.seat if seat is None else seat)
        show_rows(*self._memory, rows, observer, observations.reshape(-1), masks.reshape(-1))
        return observations, masks

    def step_into(
        self, actions: np.ndarray, observations: np.ndarray, masks: np.ndarray, rewards: np.ndarray, flags: np.ndarray
    ) -> None:
        """See `BaseLanes.step_into`."""
        if self._policies:
            self._ask(np.flatnonzero(self.records.fields["game"]["over"] == 0))
        arrays = (*self._memory, actions, self._external, observations, masks, rewards, flags)
        waiting = self._step_rows(arrays, False)
        while waiting:
            self._ask(np.flatnonzero(self.records.fields["game"]["waiting"]))
            waiting = self._step_rows(arrays, True)

    def _step_rows(self, arrays: tuple[np.ndarray, ...], is_resumed: bool) -> int:
        """Step all rows, by several threads where there are several; returns how many lanes wait for Python."""
        step: Callable[..., int] = step_rows
        if self._threads is None:
            return step(*arrays, 0, self.num_lanes, is_resumed)
        return sum(self._threads.map(lambda first, last: step(*arrays, first, last, is_resumed)))

    def step_one(self, action: int, observation: np.ndarray) -> tuple[np.ndarray, float, bool, bool, bool]:
        """See `BaseLanes.step_one`."""
        if self._policies:
            return super().step_one(action, observation)
        reward, ends = step_row(self.records.words, self.plan, observation, action)
        return self._masks[ends >> 3], reward, ends & 1 == 1, ends & 2 == 2, ends & 4 == 4

    @property
    def _memory(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self.records.words, self.records.octets, self.plan

    def endings(self, rows: np.ndarray) -> dict[str, np.ndarray]:
        """How the episodes of the lanes `rows` ended.

        Returns:
            winner, battles, comparisons, wars: int64, shape (n,), winner -1 for nobody; reason: object, shape (n,), a
            reason of `Outcome`, or `eliminated` for a learner who is out of a game that goes on; held: int64, shape
            (n, players), cards that count for each seat.
        """
        numbers = np.zeros((5 + self.rules.players) * self.num_lanes, np.int64)
        counts = numbers[: 5 * self.num_lanes].reshape(5, -1)
        held = numbers[5 * self.num_lanes :].reshape(-1, self.rules.players)
        note_endings(*self._memory, rows, counts.reshape(-1), held.reshape(-1))
        reason = np.empty(self.num_lanes, dtype=object)  # all None; far faster than np.full
        reason[rows] = _REASON_NAMES[counts[1, rows]]
        values = (counts[0], reason, counts[2], counts[3], counts[4], held)
        return dict(zip(self.end_keys, values, strict=True))

    def remember(self) -> None:
        """See `BaseLanes.remember`."""
        self._before = self.records.fields.copy()

    def scene(self, row: int) -> Scene:
        """See `BaseLanes.scene`."""
        before = None if self._before is None else self._before[row]
        now = self.records.fields[row]
        earlier = None if before is None else Position(before["game"], before["seats"])
        return war_scene(Position(now["game"], now["seats"]), self.rules, self.seat, earlier)


_REASON_NAMES = np.array([*REASONS, ELIMINATED], dtype=object)


def _code_for(policy: Policy | None, kept: dict[int, Policy]) -> int:
    """The code of a policy that Python plays, given to it in `kept` where it has none yet."""
    assert policy is not None
    for code, known in kept.items():
        if known is policy:
            return code
    for code in range(int(FIRST_EXTERNAL), MAX_POLICIES + 1):
        if code not in kept:
            kept[code] = policy
            return code
    raise RulesError(f"opponent: at most {MAX_POLICIES - int(FIRST_EXTERNAL) + 1} policies may be in play at once.")
