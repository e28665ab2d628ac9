"""How large a small game is, said before it is solved."""

from __future__ import annotations

from dataclasses import dataclass

from war_env.errors import RulesError, WarEnvError
from war_env.rules import Rules

DEFAULT_BYTES = 8 * 10**9


class GameTooLargeError(WarEnvError):
    """A game needs more memory than was allowed."""


@dataclass(frozen=True)
class GameSize:
    deals: int
    histories: int
    information_sets: int
    sequences: int
    terminal_pairs: int
    is_exact: bool


def check_rules(rules: Rules) -> None:
    pass

def checked_size(rules, max_bytes):
    pass
