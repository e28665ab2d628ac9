"""A leaderboard as rows of text, and the page over all presets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from experiments.page import Cell, Group, Table, figure, write_page
from experiments.ratings import rank_text, rates_and_halves
from experiments.report_tables import exact_table, win_matrix
from war_env.presets import get_preset

FIRST = ("reserve", "champion")  # the hard reference, then the strongest


def ordered(board: dict[str, Any]) -> list[str]:
    """The agents: those of `FIRST`, then the others by rating."""
    return [*_first(board), *(name for name in board["ratings"] if name not in FIRST)]


def _first(board: dict[str, Any]) -> list[str]:
    return [name for name in FIRST if name in board["ratings"]]


def board_head(board: dict[str, Any]) -> list[str]:
    """The heads of `board_rows`."""
    return ["agent", "rank", "rating", *(f"against {name}, %" for name in _first(board)), "exploitable by, points"]


def gain_text(bound: dict[str, Any]) -> str:
    """How exploitable an agent is, and how that is known."""
    if bound["method"] == "exact":
        if bound["asked"]:
            return f"{100 * bound['gain']:.2f}, asked {bound['asked']:,} times"
        return f"{100 * bound['gain']:.2f} = {bound['fraction']}" if bound["gain"] > 1e-9 else "0"
    by = bound["by"]
    if bound["method"] == "learned":
        start = "a copy of it" if by == "agent" else by
        by = f"a response learned from {start}, {bound['steps'] / 1e6:.3g} million steps, {bound['games']:,} games"
    if bound["low"] <= 0:
        return "none shown"
    return f"at least {100 * bound['gain']:.1f} ({100 * bound['low']:.1f} to {100 * bound['high']:.1f}), by {by}"


def board_rows(board: dict[str, Any]) -> list[tuple[str, ...]]:
    """The cells under `board_head` for each agent."""
    cells, ratings = rates_and_halves(board["pairs"]), board["ratings"]

    def against(name: str, other: str) -> str:
        return "" if (name, other) not in cells else "{:.1f} ± {:.1f}".format(*(100 * x for x in cells[name, other]))

    rows = []
    for name in ordered(board):
        values = ratings[name]
        rating = f"{values['rating']:.0f} ({values['low']:.0f} to {values['high']:.0f})"
        rates = (against(name, other) for other in _first(board))
        rows.append((name, rank_text(ratings, name), rating, *rates, gain_text(board["gains"][name])))
    return rows


def games_note(board: dict[str, Any], config: dict[str, Any]) -> str:
    """How many games each two agents played."""
    slow = f", {config['slow_games']:,} with {' and '.join(board['slow'])}" if board["slow"] else ""
    return (
        f"{config['games']:,} paired games of each trained agent with each scripted one, {config['other_games']:,} of "
        f"other two{slow}"
    )


def board_group(folder: Path, preset: str, board: dict[str, Any], config: dict[str, Any]) -> Group:
    """One preset's part of the page."""
    caption = (
        f"{games_note(board, config)}. Ratings with 95 % intervals: agents whose intervals overlap share a rank (=). "
        "Win rates with half the width of their 95 % interval, clustered by pair. Exploitable by: what a best response "
        "gains over one half, in percentage points; exact where the game is solved, elsewhere the surest lower bound "
        "of a learned response or of an opponent here, the best of several. The reference to beat stands first."
    )
    rows = [[Cell(text) for text in row] for row in board_rows(board)]
    plot = figure(folder / f"ratings_{preset}.svg", "Ratings", "Points with 95 % intervals, the mean is 1500.")
    more = [exact_table(board["exact"])] if board["exact"] else []
    return Group(
        preset,
        lead=[f"{get_preset(preset).summary[0].upper()}{get_preset(preset).summary[1:]}."],
        tables=[Table("Leaderboard", caption, board_head(board), rows), win_matrix(board["pairs"], ordered(board))],
        figures=[plot],
        more=more,
        key=get_preset(preset).name,
    )


def write_leaderboard(folder: Path) -> Path:
    """Write the page of a finished run; returns its path."""
    summary = json.loads((folder / "summary.json").read_text())
    config = json.loads((folder / "config.json").read_text())
    groups = [board_group(folder, preset, board, summary["config"]) for preset, board in summary["boards"].items()]
    return write_page(folder / "leaderboard.html", "Leaderboard", groups, config)
