"""`Lanes`: N games stepped together; finished ones wait for their reset, or start anew in the next step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from war_env.errors import ArgumentError, RulesError, checked_int
from war_env.lane_kernels import note_endings, reset_rows, show_rows, step_rows
from war_env.layout import Layout
from war_env.opponent_spec import read_opponents
from war_env.plan import REWARDS, make_plan, set_lineup
from war_env.policy import Policy, checked_slots
from war_env.policy_names import FIRST_EXTERNAL, MAX_POLICIES
from war_env.rules import Rules
from war_env.seeding import draw_keys
from war_env.state import OVER, REASONS, Records

ELIMINATED = "eliminated"


@dataclass
class LaneStep:
    """What one step of all lanes gives; fresh arrays.

    Attributes:
        observations: float32, shape (n, d).
        masks: int8, shape (n, a).
        rewards: float64, shape (n,).
        terminated, truncated, illegal: bool, shape (n,).
    """

    observations: np.ndarray
    masks: np.ndarray
    rewards: np.ndarray
    terminated: np.ndarray
    truncated: np.ndarray
    illegal: np.ndarray


@dataclass
class Endings:
    """How the episodes of some lanes ended; zeros and None in all other rows.

    Attributes:
        winner: int64, shape (n,); -1 for nobody.
        reason: object, shape (n,): a reason of `Outcome`, `eliminated` for a learner who is out of a game that goes on.
        battles, comparisons, wars: int64, shape (n,).
        held: int64, shape (n, players), cards that count for each seat.
    """

    winner: np.ndarray
    reason: np.ndarray
    battles: np.ndarray
    comparisons: np.ndarray
    wars: np.ndarray
    held: np.ndarray


class Lanes:
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
    """

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
    ) -> None:
        rules.require_ending()
        self.rules = rules
        self.num_lanes = checked_int("num_envs", num_lanes, 1)
        self.seat = checked_int("seat", seat, 0, rules.players - 1)
        if not isinstance(reward, str) or reward not in REWARDS:
            raise ArgumentError(f"reward={reward!r} is not allowed: it must be one of {', '.join(REWARDS)}.")
        if max_episode_steps is not None:
            checked_int("max_episode_steps", max_episode_steps, 1, 2**31 - 1)
        self.layout = Layout(rules, memory)
        self.plan = make_plan(self.layout, self.seat, reward, max_episode_steps, next_step)
        self.records = Records(rules, self.num_lanes)
        self.records.fields["game"]["over"] = 1
        self.rng = np.random.default_rng(0)  # what opponents that Python plays draw from; whoever seeds lanes sets it
        self._seeded = np.zeros(self.num_lanes, np.bool_)
        self._policies: dict[int, Policy] = {}
        self._external = np.zeros(1, np.int64)
        self._all_rows = np.arange(self.num_lanes, dtype=np.int64)
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

    # -- stepping ------------------------------------------------------------------------------------------------

    def seed(self, rows: np.ndarray, keys: np.ndarray) -> None:
        """Set where the streams of some lanes start; uint64, shape (len(rows),)."""
        self.records.fields["game"]["lane"][rows] = keys
        self._seeded[rows] = True

    def reset(self, rows: np.ndarray | None = None) -> None:
        """Start the next game in all lanes, or in `rows`, int64."""
        reset_rows(*self._memory, self._all_rows if rows is None else rows)

    def observe(self, rows: np.ndarray | None = None, seat: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Fresh observations, float32 (k, d), and masks, int8 (k, a), of the learner or another seat."""
        rows = self._all_rows if rows is None else rows
        observations = np.empty((len(rows), self.layout.size), np.float32)
        masks = np.empty((len(rows), self.rules.hand_size), np.int8)
        observer = np.uint64(self.seat if seat is None else seat)
        show_rows(*self._memory, rows, observer, observations.reshape(-1), masks.reshape(-1))
        return observations, masks

    def step(self, actions: np.ndarray) -> LaneStep:
        """Step all lanes.

        Args:
            actions: the learner's slots, int64, C-contiguous, shape (n,), already checked to be in the action space.
        """
        total = self.num_lanes
        observations = np.empty((total, self.layout.size), np.float32)
        masks = np.empty((total, self.rules.hand_size), np.int8)
        rewards = np.zeros(total)
        flags = np.zeros((3, total), np.uint8)
        self.step_into(actions, observations.reshape(-1), masks.reshape(-1), rewards, flags.reshape(-1))
        return LaneStep(observations, masks, rewards, *flags.view(np.bool_))

    def step_into(
        self, actions: np.ndarray, observations: np.ndarray, masks: np.ndarray, rewards: np.ndarray, flags: np.ndarray
    ) -> None:
        """`step` into given flat arrays: float32 (n * d,), int8 (n * a,), float64 (n,), uint8 (3 * n,).

        The flags are terminated, truncated and illegal, one after another. Rows of lanes that are over and wait for
        their reset are left as they are.
        """
        if self._policies:
            self._ask(np.flatnonzero(self.records.fields["game"]["over"] == 0))
        records, plan, external = self.records, self.plan, self._external
        outputs = (observations, masks, rewards, flags)
        waiting = step_rows(records.words, records.octets, plan, actions, external, *outputs, False)
        while waiting:
            self._ask(np.flatnonzero(records.fields["game"]["waiting"]))
            waiting = step_rows(records.words, records.octets, plan, actions, external, *outputs, True)

    @property
    def _memory(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self.records.words, self.records.octets, self.plan

    @property
    def over(self) -> np.ndarray:
        """Which lanes wait for their reset: bool, shape (n,)."""
        return self.records.fields["game"]["over"].astype(np.bool_)

    def is_over(self) -> bool:
        """Whether the first lane waits for its reset."""
        return bool(self.records.words[OVER])

    def is_seeded(self, row: int) -> bool:
        """Whether a lane's stream was ever started."""
        return bool(self._seeded[row])

    def endings(self, rows: np.ndarray) -> Endings:
        """How the episodes of the lanes `rows`, int64, ended; zeros and None for all others."""
        counts = np.zeros((5, self.num_lanes), np.int64)
        held = np.zeros((self.num_lanes, self.rules.players), np.int64)
        note_endings(*self._memory, rows, counts.reshape(-1), held.reshape(-1))
        reason = np.full(self.num_lanes, None, dtype=object)
        reason[rows] = _REASON_NAMES[counts[1, rows]]
        return Endings(counts[0], reason, counts[2], counts[3], counts[4], held)

    def start_streams(self, generators: list[np.random.Generator], rows: np.ndarray | None = None) -> None:
        """Seed lanes from one NumPy generator each."""
        rows = self._all_rows if rows is None else rows
        self.seed(rows, np.array([draw_keys(generator) for generator in generators], np.uint64))


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
