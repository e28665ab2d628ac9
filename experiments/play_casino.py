"""`CasinoSession`: a person at the table of Casino War, as plain data; the counterpart of `PlaySession`."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from agents.casino import Counter
from experiments.play_cards import rank_data
from war_env import __version__
from war_env.cards import RANK_NAMES
from war_env.casino_lanes import CasinoLanes
from war_env.casino_rules import CasinoRules
from war_env.casino_state import CASINO
from war_env.errors import FinishedError, IllegalActionError, NotationError, checked_int, refused, shown
from war_env.files import parsed_json
from war_env.seeding import lane_start, tagged_generator

CASINO_RECORD_FORMAT = 1
HISTORY = 60  # deals that a view tells of
_RECORD_KEYS = {"format", "version", "game", "rules", "seed", "actions"}
_HINT_TAG = 13


def _card(number: Any) -> dict[str, Any]:
    return rank_data(RANK_NAMES[int(number) - 1])


def units_text(half_units: int) -> str:
    """An amount with its sign: `+1`, `−0.5`, `0`."""
    return f"{half_units / 2:+g}".replace("-", "−") if half_units else "0"


def _won_text(half_units: int, is_tie: bool) -> str:
    """What a deal brought, in words: `you win 1`, `a tie, you win 10 on it`."""
    won = f"{'win' if half_units > 0 else 'lose'} {abs(half_units) / 2:g}"
    if is_tie:
        return f"a tie, you {won} on it" if half_units else "a tie"
    return f"you {won}" if half_units else "nothing won or lost"


class CasinoSession:
    """Casino War in progress: the table that `CasinoWarEnv`, reset with this seed, deals.

    Args:
        rules: the rules.
        seed: a non-negative integer.
    """

    def __init__(self, rules: CasinoRules, seed: int) -> None:
        self.rules, self.seed = rules, seed
        self._lanes = CasinoLanes(rules, 1)
        self._lanes.seed(self._lanes.all_rows, np.array([lane_start(seed)], np.uint64))
        self._lanes.reset()
        self._actions: list[int] = []
        self._history: deque[dict[str, Any]] = deque(maxlen=HISTORY)

    @property
    def _shoe(self) -> Any:
        return self._lanes.records[0]

    @property
    def is_over(self) -> bool:
        """Whether all rounds are played."""
        return bool(self._lanes.over[0])

    @property
    def may_choose(self) -> bool:
        """Whether the table waits for the person: always, until the end."""
        return not self.is_over

    def legal_actions(self) -> list[int]:
        """The actions that apply now; empty at the end."""
        return [] if self.is_over else np.flatnonzero(self._lanes.observe()[1][0]).tolist()

    def step(self, slot: int | None = None) -> None:
        """Bet, or answer a tie.

        Raises:
            IllegalActionError: the action does not apply now. FinishedError: all rounds are played.
        """
        if self.is_over:
            raise FinishedError("the episode is over: start another.")
        legal = self.legal_actions()
        if type(slot) is not int or slot not in legal:
            raise refused("slot", slot, f"one of {legal}", IllegalActionError)
        label, round_number, before = self.label(slot), int(self._shoe["round"]) + 1, int(self._shoe["half_units"])
        self._actions.append(slot)
        self._lanes.step(np.array([slot], np.int64))
        self._note(label, round_number, int(self._shoe["half_units"]) - before)

    def _note(self, label: str, round_number: int, won: int) -> None:
        player, dealer = _card(self._shoe["last_player"]), _card(self._shoe["last_dealer"])
        is_tie = bool(self._shoe["phase"])
        text = f"Round {round_number}, {label}: you: {player['label']}, dealer: {dealer['label']} – "
        text += _won_text(won, is_tie)
        event = {"number": len(self._actions), "round": round_number, "is_tie": is_tie, "units": won / 2}
        self._history.append({**event, "plays": [player, dealer], "label": label, "text": f"{text}."})

    def label(self, action: int) -> str:
        """What an action does."""
        if action == self.rules.surrender_action:
            return "surrender"
        if action == self.rules.war_action:
            return "go to war"
        amount = action % self.rules.bet_levels + 1
        return f"ante {amount}" + (" with a tie bet" if action >= self.rules.bet_levels else "")

    def view(self) -> dict[str, Any]:
        """All that is shown, as plain JSON values."""
        shoe = self._shoe
        has_cards = bool(shoe["last_player"])
        return {
            "game": CASINO,
            "headline": self._headline(),
            "comparisons": len(self._actions),
            "round": int(shoe["round"]) + (not self.is_over),
            "rounds": self.rules.rounds,
            "units": int(shoe["half_units"]) / 2,
            "units_text": units_text(int(shoe["half_units"])),
            "stake": int(shoe["stake"]),
            "cards_left": int(shoe["left"]),
            "may_choose": self.may_choose,
            "is_over": self.is_over,
            "is_war": bool(shoe["phase"]),
            "cards": [_card(shoe["last_player"]), _card(shoe["last_dealer"])] if has_cards else [],
            "actions": [{"slot": slot, "label": self.label(slot)} for slot in self.legal_actions()],
            "history": list(self._history),
        }

    def _headline(self) -> str:
        shoe = self._shoe
        if self.is_over:
            return f"{self.rules.rounds} rounds played: {units_text(int(shoe['half_units']))} units"
        head = f"Round {int(shoe['round']) + 1} of {self.rules.rounds}"
        return f"{head} – a tie: surrender or go to war" if shoe["phase"] else f"{head} – place your bet"

    def hint(self) -> dict[str, Any]:
        """What the exact card counter would do: keys agent, slot, text.

        Raises:
            IllegalActionError: all rounds are played.
        """
        if self.is_over:
            raise IllegalActionError("a hint is not allowed now: there is nothing to choose.")
        observations, masks = self._lanes.observe()
        rng = tagged_generator(self.seed, len(self._actions), _HINT_TAG)
        slot = int(Counter(self.rules).act(observations, masks, rng)[0])
        return {"agent": "counter", "slot": slot, "text": f"counter would {self.label(slot)}."}

    def known(self) -> dict[str, Any]:
        """The cards that were not seen since the shuffle, by rank: keys seats (none), unlocated (none), unseen."""
        counts = self._lanes.layout.unseen(self._lanes.observe()[0])[0].tolist()
        unseen = [{"rank": rank, "count": count} for rank, count in zip(RANK_NAMES, counts, strict=True) if count]
        return {"seats": [], "unlocated": [], "unseen": unseen[::-1]}

    def record(self) -> dict[str, Any]:
        """The game so far as one JSON object that `from_record` plays again."""
        parts = {"format": CASINO_RECORD_FORMAT, "version": __version__, "game": CASINO, "rules": self.rules.to_dict()}
        return {**parts, "seed": self.seed, "actions": list(self._actions)}

    @classmethod
    def from_record(cls, record: Any, actions: int | None = None) -> CasinoSession:
        """The game that a record describes, played again; only its first `actions` when given.

        Raises:
            NotationError: it is not a record of Casino War. RulesError, IllegalActionError, FinishedError: its rules,
                an action, or one after the end is not allowed.
        """
        if not isinstance(record, dict) or set(record) != _RECORD_KEYS or record["game"] != CASINO:
            raise NotationError(
                f"record is not allowed: it must be a JSON object with {', '.join(sorted(_RECORD_KEYS))}."
            )
        if record["format"] != CASINO_RECORD_FORMAT:
            raise NotationError(
                f"record: format={shown(record['format'])} is not allowed: this version reads {CASINO_RECORD_FORMAT}."
            )
        if not isinstance(record["rules"], dict) or not isinstance(record["actions"], list):
            raise NotationError("record: rules must be an object of options, and actions a list.")
        session = cls(CasinoRules().replace(**record["rules"]), checked_int("record: seed", record["seed"], 0))
        for action in record["actions"][:actions]:
            session.step(action)
        return session


def casino_record_of(text: str) -> dict[str, Any] | None:
    """The record of Casino War that a text holds; None if it is something else."""
    try:
        record = parsed_json(text, "record")
    except NotationError:
        return None
    return record if isinstance(record, dict) and record.get("game") == CASINO else None
