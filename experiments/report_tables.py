"""What the pages of comparisons have in common: the matrix of win rates, ratings, results, exploitability."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from experiments.page import Cell, Column, Table, interval, number, percent, plain, table_of
from experiments.ratings import games_text, names_of, rank_text, rates_and_halves
from experiments.statistics import CARDS, card_shares

PAIRED = (
    "Games are paired: each deal is played twice with the seats swapped. A draw counts one half. Intervals are 95 %, "
    "clustered by pair."
)
Rows = Sequence[Mapping[str, Any]]


def win_matrix(rows: list[dict[str, Any]], names: Sequence[str] = ()) -> Table:
    """Win rates of all pairs as a heat map, row against column."""
    names, cells = names or names_of(rows), rates_and_halves(rows)

    def cell(a: str, b: str) -> Cell:
        if (a, b) not in cells:
            return Cell("" if a == b else "–")
        rate, half = cells[a, b]
        return Cell(f"{100 * rate:.1f}", f"± {100 * half:.1f}", 2 * rate - 1)

    caption = (
        f"Win rate of the row against the column in %, with half the width of its interval; {games_text(rows)} games "
        f"for each two. {PAIRED}"
    )
    body = [[Cell(a), *(cell(a, b) for b in names)] for a in names]
    return Table("Win rates, every agent against every other", caption, ["", *names], body, is_matrix=True)


def rating_table(ratings: dict[str, dict[str, float]]) -> Table:
    """Ranks and ratings, the strongest first."""
    caption = (
        "Bradley-Terry strengths of all win rates together: 400 points are odds of ten to one, the mean is 1500. "
        "Intervals are 95 %, by bootstrap over the results; agents whose intervals overlap, or are linked by "
        "others', share a rank (=)."
    )
    columns: list[Column] = [
        ("agent", lambda row: row["agent"]),
        ("rank", lambda row: rank_text(ratings, row["agent"])),
        ("rating", lambda row: f"{row['rating']:.0f}"),
        interval(0, 1),
    ]
    return table_of("Ratings", caption, [{"agent": name, **values} for name, values in ratings.items()], columns)


RATE_COLUMNS: list[Column] = [
    percent("win rate", "win_rate"),
    interval(),
    percent("draws", "draw_rate"),
    plain("games"),
]


def pair_table(rows: Rows) -> Table:
    """Every result with its interval, and what pairing was worth."""
    caption = (
        f"{PAIRED} The last column is the variance of the win rate with paired deals over that of as many games with "
        "independent deals: below 1 pairing helps."
    )
    paired = ("variance ratio", lambda row: number(row["variance_ratio"], 2))
    columns = [("agent", lambda row: row["a"]), ("against", lambda row: row["b"]), *RATE_COLUMNS, paired]
    return table_of("Results", caption, rows, columns)


def card_table(usage: Mapping[str, Mapping[str, int]]) -> Table:
    """Which card each agent plays, in battles and in wars."""
    caption = (
        "Shares of an agent's decisions in battles and of those in wars, over all games that were played, those of the "
        "last block that do not count included. The lowest and the "
        "highest card of the hand are its first and its last by rank; a single card in hand is no choice and does not "
        "count."
    )
    columns: list[Column] = [plain("agent"), *(percent(name.replace("_", " "), name) for name in CARDS)]
    rows: list[Mapping[str, Any]] = [{"agent": agent, **card_shares(counts)} for agent, counts in usage.items()]
    return table_of("Which card is played", caption, rows, columns)


def exact_table(rows: Rows) -> Table:
    """What a best response gains over each agent, exactly."""
    caption = (
        "What an opponent who knows the agent gains over one half, mean over both seats, in percentage points; the "
        "rates are the best response's against the agent in that seat. Agents whose probabilities are not known were "
        "asked so many times at each observation that theirs are estimates."
    )
    columns: list[Column] = [
        ("agent", lambda row: row["agent"]),
        ("gain, points", lambda row: f"{100 * row['exploitability']:.4f}"),
        ("fraction", lambda row: row["fraction"] or ""),
        percent("against seat 0", "against_seat_0", 3),
        percent("against seat 1", "against_seat_1", 3),
        ("asked", lambda row: number(row["draws"])),
    ]
    return table_of("Exploitability, exact", caption, rows, columns)


def learned_table(rows: Rows, config: Mapping[str, Any]) -> Table:
    """What the best of several learned responses gains over each agent: a lower bound."""
    caption = (
        "What the best of several learned responses gains over one half, in percentage points: a lower bound of the "
        f"exploitability. Budget: {config['steps']:,} environment steps for each training with MaskablePPO, "
        f"{config['decisions']:,} decisions for each round of playouts; {config['games']:,} paired games of each "
        "response, 95 % intervals clustered by pair."
    )
    starts = dict.fromkeys(key for row in rows for key in row if key.startswith("from_"))
    columns: list[Column] = [
        ("agent", lambda row: row["agent"]),
        ("gain, points", lambda row: f"{100 * row['exploitability']:.1f}"),
        interval(),
        ("best start", lambda row: row["start"]),
        *(percent(f"win rate {key.replace('_', ' ')}", key) for key in starts),
    ]
    return table_of("Exploitability, a lower bound", caption, rows, columns)
