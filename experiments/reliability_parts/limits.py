"""The largest sizes that are allowed, and how much memory they take.

python -m experiments.reliability_parts.limits games 10000000 1000000
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from experiments.reliability_parts.children import last_line, run, told
from experiments.reliability_parts.conservation import lost_games
from war_env import Rules, RulesError, WarEnv, WarVectorEnv, get_rules, simulate
from war_env.cards import MAX_CARDS
from war_env.rules import MAX_PLAYERS, RUN_OUT, UNEVEN, WAR_PARTIES, WINNINGS

MEGABYTE = 2**20


def peak_memory() -> float:
    """The most memory that this process has had so far, megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def play_rows(rules: Rules, rows: int, steps: int, seed: int, checked: int = 8) -> list[str]:
    """Step a vector at random beside some single environments; returns what is wrong."""
    rng = np.random.default_rng(seed)
    options: dict[str, Any] = {"opponent": {"random": 1, "reserve": 1}, "reward": "capture"}
    envs = WarVectorEnv(rules, rows, autoreset_mode="SameStep", **options)
    chosen = np.unique(rng.integers(0, rows, checked))
    singles = [WarEnv(rules, **options) for _ in chosen]
    observations, _ = envs.reset(seed=seed)
    failures = []
    for row, env in zip(chosen, singles, strict=True):
        if not np.array_equal(env.reset(seed=seed + int(row))[0], observations[row]):
            failures.append(f"row {row}: another start")
    for _ in range(steps):
        actions = rng.integers(0, rules.hand_size, rows)
        observations, rewards, terminated, _, _ = envs.step(actions)
        if lost_games(envs._lanes.records.fields, rules).size:
            failures.append("lost cards")
        if not ((observations >= 0) & (observations <= 1)).all() or not envs.action_masks().any(axis=1).all():
            failures.append("an observation out of its space, or an empty mask")
        for row, env in zip(chosen, singles, strict=True):
            observation, reward, is_over, _, _ = env.step(int(actions[row]))
            if is_over:
                observation, _ = env.reset()
            same = np.array_equal(observation, observations[row]) and reward == rewards[row]
            if not same or is_over != terminated[row]:
                failures.append(f"row {row}: another game")
    return [f"{text} ({rules})" for text in dict.fromkeys(failures)]


def most_rows(rows: int, steps: int) -> dict[str, Any]:
    """As many rows as a training may have."""
    failures = play_rows(get_rules("strategic"), rows, steps, 0, checked=64)
    size = WarVectorEnv("strategic", rows)._lanes.records.words.nbytes / MEGABYTE
    text = f"64 rows equal single environments, no card lost; {size:.0f} MB of records"
    return told(rows * steps, f"steps of {rows:,} rows", failures, text)


def most_seats(steps: int) -> dict[str, Any]:
    """Ten seats under every way to run out, every winnings, every war party, with and without choices."""
    failures, tries = [], 0
    for run_out, winnings, party, hand in product(RUN_OUT, WINNINGS, WAR_PARTIES, (1, 3)):
        options: dict[str, Any] = {"run_out": run_out, "winnings": winnings, "war_party": party, "hand_size": hand}
        options["goal"] = "stock_out" if winnings == "captured" else "all_cards"
        try:
            rules = Rules(players=MAX_PLAYERS, max_battles=100, **options)
        except RulesError:
            continue
        failures += play_rows(rules, 16, steps, tries, checked=1)
        tries += 1
    return told(tries, "sets of rules", failures, f"{16 * steps:,} steps each, no card lost, rows equal single ones")


def decks() -> Iterator[Rules]:
    """Every deck of 4 to 64 cards of any ranks, suits and jokers, for two seats."""
    for ranks, suits, jokers in product(range(1, MAX_CARDS + 1), range(1, MAX_CARDS + 1), range(5)):
        if 4 <= ranks * suits + jokers <= MAX_CARDS:
            options: dict[str, Any] = {"ranks": ranks, "suits": suits, "jokers": jokers, "max_battles": 200}
            yield Rules(uneven=UNEVEN[1], **options)


def every_deck(steps: int, every: int) -> dict[str, Any]:
    """One deck in `every` of all that are allowed: whole games without choices, and steps with a hand of three."""
    failures, tries = [], 0
    for number, rules in enumerate(decks()):
        if number % every:
            continue
        stats = simulate(rules, 20, number, progress=False)
        if (stats.held.sum(axis=1) != len(rules.cards)).any():
            failures.append(f"held cards do not add up ({rules})")
        if len(rules.cards) >= 6:
            failures += play_rows(rules.replace(hand_size=3), 8, steps, number, checked=1)
        tries += 1
    return told(tries, "decks", failures, f"20 whole games and {8 * steps:,} steps each, no card lost")


def many_games(games: int, block: int) -> dict[str, Any]:
    """So many games at once and in blocks, in processes of their own: the same sums, and the memory they take."""
    found = {}
    for name, size in (("at once", games), ("in blocks", block)):
        result = run(["-m", "experiments.reliability_parts.limits", "games", str(games), str(size)])
        if result.returncode:
            return told(1, "games", [f"{name}: {last_line(result)}"], "")
        *sums, peak = result.stdout.split()
        found[name] = (sums, float(peak))
    failures = [] if found["at once"][0] == found["in blocks"][0] else ["other sums in blocks"]
    peaks = {name: peak for name, (_, peak) in found.items()}
    text = f"at once {peaks['at once']:,.0f} MB, in blocks of {block:,} {peaks['in blocks']:,.0f} MB, the same sums"
    return told(games, "games", failures, text)


def _sum_games(games: int, block: int) -> None:
    sums = np.zeros(3, np.int64)
    for first in range(0, games, block):
        stats = simulate(get_rules("classic"), min(block, games - first), 0, first=first, progress=False)
        sums += (stats.battles.sum(), stats.wars.sum(), (stats.winner == 0).sum())
    print(*sums.tolist(), peak_memory())


if __name__ == "__main__":
    _sum_games(int(sys.argv[2]), int(sys.argv[3]))
