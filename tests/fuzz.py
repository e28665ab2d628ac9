"""Fuzzing on demand: `python -m tests.fuzz --seconds 600` plays random sequences of calls until the time is over.

Every round has a seed of its own, told when it fails: `python -m tests.fuzz --seed SEED --seconds 0` plays it again.
"""

from __future__ import annotations

import argparse
import json
import time
import traceback
from pathlib import Path

from hypothesis import HealthCheck, Phase, settings
from hypothesis import seed as seeded
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

from tests.fuzz_env import CasinoEnvMachine, WarEnvMachine
from tests.fuzz_game import TRIED, GameMachine
from tests.fuzz_vector import CasinoVectorMachine, WarVectorMachine

MACHINES: tuple[type[RuleBasedStateMachine], ...] = (
    *(GameMachine, WarEnvMachine, WarVectorMachine),
    *(CasinoEnvMachine, CasinoVectorMachine),
)
STEPS = 30


def budget(examples: int, **others: object) -> settings:
    """How many sequences of calls are tried, of at most `STEPS` each."""
    return settings(
        max_examples=examples,
        stateful_step_count=STEPS,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        **others,
    )


def play_round(seed: int, examples: int) -> list[str]:
    """One round of every machine; returns the tracebacks of what failed."""
    failures = []
    for machine in MACHINES:
        chosen = seeded(seed)(type(machine.__name__, (machine,), {}))
        try:
            run_state_machine_as_test(chosen, settings=budget(examples, phases=(Phase.generate, Phase.shrink)))
        except Exception:
            failures.append(f"seed {seed}, {machine.__name__}:\n{traceback.format_exc()}")
    return failures


def main() -> None:
    """Play rounds until the time is over, or one fails; tell, and write, what was tried."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0, help="time after which no round is begun")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first round; the others count on")
    parser.add_argument("--examples", type=int, default=10, help="sequences of each machine in a round")
    parser.add_argument("--out", type=Path, help="a JSON file for what was tried")
    arguments = parser.parse_args()
    until, seed, failures = time.monotonic() + arguments.seconds, arguments.seed, []
    while not failures and (seed == arguments.seed or time.monotonic() < until):
        failures = play_round(seed, arguments.examples)
        seed += 1
    tried = {"rounds": seed - arguments.seed, **TRIED}
    if arguments.out is not None:
        arguments.out.write_text(json.dumps({"tried": tried, "failures": failures}))
    print(json.dumps(tried))
    if failures:
        raise SystemExit("\n".join(failures))


if __name__ == "__main__":
    main()
