"""The compiled scripted policies. They know the observer's mask and whether it is a war, nothing else.

They are both the environments' built-in opponents and the scripted agents of agents/.
"""

from __future__ import annotations

import numpy as np

from war_env._jit import entry, inline
from war_env.policy_names import GREEDY, LOWEST, MEDIAN, RESERVE

_ZERO, _ONE, _S32 = np.uint64(0), np.uint64(1), np.uint64(32)


@inline
def choose_slot(policy, num_cards, is_war, word):
    """The slot that a scripted policy plays.

    Args:
        policy: its code, uint64.
        num_cards: cards in hand, uint64, 1..8.
        is_war: whether cards lie on the table already.
        word: 64 random bits.
    """
    highest = num_cards - _ONE
    if policy == GREEDY:
        return highest
    if policy == LOWEST:
        return _ZERO
    if policy == MEDIAN:
        return num_cards >> _ONE
    if policy == RESERVE:
        return highest if is_war else _ZERO
    return ((word >> _S32) * num_cards) >> _S32


@entry
def choose_slots(policy, num_cards, is_war, words, slots):
    """`choose_slot` for a batch.

    Args:
        policy: code, uint64.
        num_cards: int64, shape (n,).
        is_war: bool, shape (n,).
        words: random bits, uint64, shape (n,).
        slots: int64, shape (n,), written.
    """
    for i in range(slots.size):
        slots[i] = choose_slot(policy, np.uint64(num_cards[i]), is_war[i], words[i])
