"""Names and codes of the compiled scripted policies, known without compiling anything."""

from __future__ import annotations

import numpy as np

SCRIPTED = {
    "random": "a uniformly random card of the hand",
    "greedy": "always the highest card",
    "lowest": "always the lowest card",
    "median": "the middle card: slot h // 2 of h cards",
    "reserve": "the lowest card in a battle, the highest in a war",
}
RANDOM, GREEDY, LOWEST, MEDIAN, RESERVE = (np.uint64(code) for code in range(len(SCRIPTED)))
FIRST_EXTERNAL = np.uint64(16)  # codes from here on are policies that Python plays
MAX_POLICIES = 255


def policy_code(name: str) -> int:
    """Code of a scripted policy."""
    return list(SCRIPTED).index(name)
