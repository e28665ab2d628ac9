"""Games of all kinds as one digest each, to compare kernels that were compiled, checked and not compiled.

python -m tests.game_digest --seed 0 --count 20
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
from typing import Any

import numpy as np

from tests.fuzz_env import drawn_arguments, drawn_casino_arguments
from tests.fuzz_game import drawn_rules, legal_choices
from war_env import CasinoWarEnv, CasinoWarVectorEnv, Game, WarEnv, WarVectorEnv, simulate

STEPS = 20


def game_bytes(seed: int) -> bytes:
    """A game of any rules, its observations and imagined games among it."""
    rng = random.Random(seed)
    game = Game.deal(drawn_rules(rng), seed)
    parts = []
    for _ in range(STEPS):
        if not game.is_over:
            game.play(legal_choices(game, rng))
            seat = rng.randrange(game.rules.players)
            parts += [game._records.words, game.observation(seat), game.determinize(seat, seed)._records.words]
    return b"".join(part.tobytes() for part in parts)


def simulated_bytes(seed: int) -> bytes:
    """Two whole games without choices."""
    rng = random.Random(seed)
    while (rules := drawn_rules(rng)).has_choices:
        pass
    stats = simulate(rules, 2, seed)
    return b"".join(array.tobytes() for array in (stats.winner, stats.battles, stats.wars, stats.held, stats.seconds))


def env_bytes(env: Any, seed: int, rows: int) -> bytes:
    """Some steps of an environment, single (0 rows) or of several rows."""
    rng = np.random.default_rng(seed)
    observation, info = env.reset(seed=seed)
    parts = [observation]
    actions = (env.single_action_space if rows else env.action_space).n
    for _ in range(STEPS):
        action = rng.integers(0, actions, rows) if rows else int(rng.integers(0, actions))
        observation, reward, terminated, _, info = env.step(action)
        parts += [observation, np.array(reward), np.array(terminated), info["action_mask"]]
        if not rows and terminated:
            parts.append(env.reset()[0])
    return b"".join(part.tobytes() for part in parts)


def digests(seed: int, count: int) -> dict[str, str]:
    """A digest of each kind of games, of `count` drawn settings."""
    found = {}
    for name in ("games", "simulated", "WarEnv", "WarVectorEnv", "CasinoWarEnv", "CasinoWarVectorEnv"):
        digest = hashlib.sha256()
        for number in range(seed, seed + count):
            rng = random.Random(number)
            arguments = drawn_casino_arguments(rng) if name.startswith("Casino") else drawn_arguments(rng)
            arguments["illegal_action"] = "smallest" if name.startswith("Casino") else "highest"
            if name == "games":
                digest.update(game_bytes(number))
            elif name == "simulated":
                digest.update(simulated_bytes(number))
            else:
                kinds = {env.__name__: env for env in (WarEnv, WarVectorEnv, CasinoWarEnv, CasinoWarVectorEnv)}
                rows = 3 if "Vector" in name else 0
                digest.update(env_bytes(kinds[name](**arguments, **({"num_envs": 3} if rows else {})), number, rows))
        found[name] = digest.hexdigest()[:16]
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0, help="the first of the drawn settings")
    parser.add_argument("--count", type=int, default=20, help="how many settings are drawn of each kind")
    given = parser.parse_args()
    print(json.dumps(digests(given.seed, given.count)))
