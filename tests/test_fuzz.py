"""A share of the fuzzing of `make fuzz` that is the same in every run, and kernels that check every index.

WAR_ENV_FUZZ_EXAMPLES sets how many sequences of calls each machine plays.
"""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

from experiments.reliability_parts.conservation import card_counts, lost_games, lost_shoes
from tests.fuzz import MACHINES, budget
from tests.test_first_use import PACKAGE
from war_env import CasinoWarVectorEnv, WarVectorEnv

EXAMPLES = int(os.environ.get("WAR_ENV_FUZZ_EXAMPLES", "15"))
# A kernel is handed a record that is too short for it.
TOO_SHORT = """
import numpy as np
from war_env import _jit
from war_env.engine.entries import clear
from war_env.rules import Rules
from war_env.state import Records
records = Records(Rules(), 1)
try:
    clear(records.words[:{words}], records.octets, Rules().encode(), np.uint64(1))
    print("accepted", _jit.cache_folder().name)
except IndexError as error:
    print("refused", _jit.cache_folder().name)
"""


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.__name__)
def test_any_sequence_of_calls_keeps_every_promise(machine: type[RuleBasedStateMachine]) -> None:
    """Cards, observations, masks, infos, copies, rows, the slow twin, generators: see the machines."""
    run_state_machine_as_test(machine, settings=budget(EXAMPLES, derandomize=True))


def test_lost_and_doubled_cards_are_noticed() -> None:
    """What the machines ask is able to say no."""
    envs = WarVectorEnv("strategic", 3)
    envs.reset(seed=0)
    fields = envs._lanes.records.fields
    assert (card_counts(fields).sum(axis=1) == 52).all()
    assert lost_games(fields, envs.rules).size == 0
    fields["seats"]["stock"][1, 0] -= 1
    fields["seats"]["hand"][2, 1] |= fields["seats"]["hand"][2, 0]
    assert lost_games(fields, envs.rules).tolist() == [1, 2]
    tables = CasinoWarVectorEnv(num_envs=3)
    tables.reset(seed=0)
    assert lost_shoes(tables._lanes.records, tables.rules).size == 0
    tables._lanes.records["shoe"][0, 3] -= 1
    tables._lanes.records["left"][2] += 1
    assert lost_shoes(tables._lanes.records, tables.rules).tolist() == [0, 2]


def test_checked_kernels_check_and_have_a_cache_of_their_own() -> None:
    """numba neither checks bare pointers nor tells checked code in a cache from other code."""
    said = []
    for words, checks in ((1_000, "1"), (10, "1"), (1_000, "0")):
        code = TOO_SHORT.format(words=words)
        result = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "NUMBA_BOUNDSCHECK": checks, "PYTHONPATH": str(PACKAGE.parent)},
            capture_output=True,
            text=True,
            check=True,
        )
        said.append(result.stdout.split())
    assert [word for word, _ in said] == ["accepted", "refused", "accepted"]
    assert said[0][1] == said[1][1] == f"{said[2][1]}-checked"
    assert np.all([folder.startswith("war_env-") for _, folder in said])
