"""`simulate`: whole games without choices, by the million, and their statistics."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from war_env.engine.whole import RESULT_FIELDS, simulate_games
from war_env.errors import (
    ArgumentError,
    RulesError,
    checked_bool,
    checked_choice,
    checked_int,
    checked_kind,
    shown,
)
from war_env.rules import Rules, checked_rules
from war_env.seeding import lane_start
from war_env.state import NOBODY, REASONS, Records

CHUNK = 16_384  # games between two steps of the progress bar
MAX_GAMES = 2**31 - 1  # in one call
UNITS = ("battles", "comparisons", "plays", "seconds")
_NO_CARD = 255


@dataclass(frozen=True)
class GameStatistics:
    """What came of many games, one entry per game.

    Attributes:
        rules: the rules they were played by.
        winner: int64, shape (games,); -1 for nobody.
        reason: object, shape (games,); see `Outcome`.
        battles, comparisons, wars: int64, shape (games,).
        plays: float64, shape (games,): cards laid per seat.
        held: int64, shape (games, players): cards that count for each seat at the end.
        aces: int64, shape (games, players): cards of the highest rank (jokers apart) dealt to each seat.
        period: int64, shape (games,): least period of a loop in battles, 0 without one.
        seconds: float64, shape (games,): time on the game's clock, 0 without a clock.
    """

    rules: Rules
    winner: np.ndarray
    reason: np.ndarray
    battles: np.ndarray
    comparisons: np.ndarray
    wars: np.ndarray
    plays: np.ndarray
    held: np.ndarray
    aces: np.ndarray
    period: np.ndarray
    seconds: np.ndarray

    @property
    def games(self) -> int:
        """Number of games."""
        return len(self.winner)

    @property
    def is_finished(self) -> np.ndarray:
        """Which games ended with a verdict, neither by a loop nor unfinished: bool, shape (games,)."""
        return np.asarray((self.reason != "loop") & (self.reason != "unfinished"))

    def summary(self, unit: str = "battles", label: str = "") -> dict[str, Any]:
        """Length and ends of the games.

        Args:
            unit: what the length counts: battles, comparisons, plays (cards laid per seat) or seconds.
            label: what the row is called.

        Returns:
            rules (the label), games, unit, mean, sd, median, p95, p99, min, max and standard_error over finished
            games (None where there are none), wars_per_game over finished games, loop_share, unfinished_share, and
            draw_share without loops and unfinished games.
        """
        checked_choice("unit", unit, UNITS)
        checked_kind("label", label, str, "text")
        finished = self.is_finished
        counts = {"loop": int(np.sum(self.reason == "loop")), "unfinished": int(np.sum(self.reason == "unfinished"))}
        counts["draw"] = int(np.sum(finished & (self.winner < 0)))
        return summarize(label, unit, self.games, getattr(self, unit)[finished], self.wars[finished], counts)


def summarize(
    label: str, unit: str, games: int, lengths: np.ndarray, wars: np.ndarray, counts: dict[str, int]
) -> dict[str, Any]:
    """A row of `GameStatistics.summary` from lengths and wars of the finished games, in any order.

    Args:
        label, unit: what the row is called and what lengths count.
        games: all games.
        lengths, wars: of the finished games.
        counts: games that ended by `loop`, `unfinished`, and as a `draw`.
    """
    row: dict[str, Any] = {"rules": label, "games": games, "unit": unit} | _length_of(lengths)
    row["wars_per_game"] = float(wars.mean()) if wars.size else None
    row |= {f"{name}_share": counts[name] / games for name in ("loop", "unfinished", "draw")}
    row["standard_error"] = None if lengths.size < 2 else row["sd"] / math.sqrt(lengths.size)
    return row


def _length_of(lengths: np.ndarray) -> dict[str, Any]:
    names = ("mean", "sd", "median", "p95", "p99", "min", "max")
    if not lengths.size:
        return dict.fromkeys(names)
    median, p95, p99 = np.percentile(lengths, [50, 95, 99])
    values = (
        lengths.mean(),
        lengths.std(ddof=min(1, lengths.size - 1)),
        median,
        p95,
        p99,
        lengths.min(),
        lengths.max(),
    )
    return {name: float(value) for name, value in zip(names, values, strict=True)}


def simulate(
    rules: Rules,
    games: int | None = None,
    seed: int = 0,
    *,
    stocks: Any = None,
    first: int = 0,
    progress: bool | None = None,
) -> GameStatistics:
    """Play many games without choices.

    Game number k of a seed is the k-th episode of an environment reset with that seed, whatever the number of games
    and however they are cut into runs. The result and what it is made from take some 180 bytes a game: cut very many
    into runs with `first`.

    Args:
        rules: the rules; `hand_size` must be 1.
        games: number of games; not needed with `stocks`.
        seed: a non-negative integer.
        stocks: chosen deals: card numbers (rank * suits + suit, lowest first), integers, shape (games, players, cards),
            top card first, -1 behind a shorter stock's last card.
        first: number of the first game.
        progress: whether to show a progress bar (needs rich); by default on a terminal, for long runs.

    Raises:
        RulesError: there is something to choose.
        ArgumentError: an argument has the wrong type, range or shape, or a card is named twice or not in the deck.
    """
    checked_rules(rules)
    if rules.has_choices:
        raise RulesError(
            f"hand_size={rules.hand_size} is not allowed: simulate() plays games without choices, hand_size=1."
        )
    deals = None if stocks is None else _checked_stocks(stocks, rules)
    if deals is None:
        count = checked_int("games", games, 1, MAX_GAMES)
    elif games is not None and checked_int("games", games, 1) != len(deals):
        raise ArgumentError(f"games={shown(games)} is not allowed: stocks holds {len(deals)} games.")
    else:
        count = len(deals)
    checked_int("first", first, 0, 2**63 - 1)
    if progress is not None:
        checked_bool("progress", progress)
    start = lane_start(seed)
    try:
        results = np.empty((count, len(RESULT_FIELDS) + 2 * rules.players), np.int64)
    except MemoryError:
        raise ArgumentError(f"games={count} is not allowed: there is no memory for their results.") from None
    with _progress(count, progress) as advance:
        _play(rules, start, int(first), deals, results, advance)
    return _statistics(rules, results)


def _play(
    rules: Rules,
    lane: np.uint64,
    first: int,
    deals: np.ndarray | None,
    results: np.ndarray,
    advance: Callable[[int], None],
) -> None:
    records, table = Records(rules, 1), rules.encode()
    length = np.uint64(0 if deals is None else deals.shape[2])
    for start in range(0, len(results), CHUNK):
        stop = min(start + CHUNK, len(results))
        chosen = np.zeros(1, np.uint8) if deals is None else deals[start:stop].reshape(-1)
        simulate_games(
            records.words,
            records.octets,
            table,
            lane,
            np.uint64(first + start),
            chosen,
            length,
            results[start:stop].reshape(-1),
        )
        advance(stop - start)


def _checked_stocks(stocks: Any, rules: Rules) -> np.ndarray:
    try:
        array = np.asarray(stocks)
    except ValueError:
        raise ArgumentError("stocks is ragged: fill shorter stocks with -1 behind the last card.") from None
    if array.dtype.kind not in "iu" or array.ndim != 3 or array.shape[1] != rules.players or 0 in array.shape:
        raise ArgumentError(
            f"stocks of shape {array.shape}, dtype {array.dtype} are not allowed: they must be integers of shape "
            f"(games, {rules.players}, cards), none of them 0."
        )
    cards = array.astype(np.int64)
    is_card = cards >= 0
    if (cards < -1).any() or not np.isin(cards[is_card], rules.cards).all():
        wrong = cards[(cards < -1) | (is_card & ~np.isin(cards, rules.cards))][0]
        raise ArgumentError(
            f"stocks holds {wrong}, which is no card in play: those are {rules.cards[0]}..{rules.cards[-1]}, or -1."
        )
    if (is_card[:, :, 1:] & ~is_card[:, :, :-1]).any() or not is_card[:, :, 0].all():
        raise ArgumentError("stocks has a seat without cards, or a card behind a -1: each seat's cards come first.")
    ordered = np.sort(cards.reshape(len(cards), -1), axis=1)
    if ((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)).any():
        raise ArgumentError("stocks names a card twice in one game.")
    return np.ascontiguousarray(np.where(is_card, cards, _NO_CARD).astype(np.uint8))


def _statistics(rules: Rules, results: np.ndarray) -> GameStatistics:
    column = {name: results[:, k] for k, name in enumerate(RESULT_FIELDS)}
    width, players = len(RESULT_FIELDS), rules.players
    winner = np.where(column["winner"] == int(NOBODY), -1, column["winner"])
    return GameStatistics(
        rules=rules,
        winner=winner,
        reason=np.array(REASONS, dtype=object)[column["reason"]],
        battles=column["battles"].copy(),
        comparisons=column["comparisons"].copy(),
        wars=column["wars"].copy(),
        plays=column["plays"] / players,
        held=results[:, width : width + players].copy(),
        aces=results[:, width + players :].copy(),
        period=column["period"].copy(),
        seconds=column["nanos"] / 1e9,
    )


class _progress:  # noqa: N801
    """A progress bar if one is wanted and can be had; advanced by a number of games."""

    def __init__(self, total: int, wanted: bool | None) -> None:
        self.bar: Any = None
        if wanted or (wanted is None and total > 4 * CHUNK and sys.stderr.isatty()):
            try:
                from rich.console import Console
                from rich.progress import Progress
            except ImportError:
                if wanted:
                    raise ArgumentError("progress=True needs rich: pip install 'war_env[experiments]'.") from None
                return
            self.bar = Progress(console=Console(stderr=True))
            self.task = self.bar.add_task("games", total=total)

    def __enter__(self) -> Callable[[int], None]:
        if self.bar is None:
            return lambda games: None
        self.bar.start()
        return lambda games: self.bar.advance(self.task, games)

    def __exit__(self, *exception: Any) -> None:
        if self.bar is not None:
            self.bar.stop()
