"""The generated parts of the pages that show kept results: summaries of runs in docs/data/."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from agents.registry import get_entry
from experiments.leaderboard_page import board_head, board_rows, games_note
from war_env.policy_names import SCRIPTED
from war_env.presets import get_rules

SHIPPED_SEED = 0  # of the champions in agents/trained/champion: the first, not the luckiest
DATA = Path(__file__).parent.parent / "docs" / "data"


def kept(name: str) -> dict[str, Any]:
    """A run's summary that is kept with the pages."""
    summary: dict[str, Any] = json.loads((DATA / f"{name}.json").read_text())
    return summary


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """A Markdown table."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def speed_head() -> str:
    """On what machine, and with what, the kept speeds were measured."""
    summary = kept("speed")
    versions = summary["versions"]
    parts = [f"{name} {versions[name]}" for name in ("python", "numpy", "numba", "gymnasium", "stable-baselines3")]
    compiler = summary["compiler"].split("(")[0].strip() + " " + summary["compiler"].split(") ")[-1]
    return f"(two shared cores, {summary['processor']}; {', '.join(parts)}; {compiler}):"


def speed() -> str:
    """Every ratio beside what it is meant to be."""
    rows = []
    for row in kept("speed")["rows"]:
        span = "" if row["low"] == row["high"] else f"{row['low']:.3g} to {row['high']:.3g}"
        met = "" if row["met"] else "missed"
        rows.append((row["id"].split("_")[0], row["what"], f"{row['ratio']:.3g}", span, row["must"], met))
    return table(("", "what", "ratio", "range", "meant to be", ""), rows)


def speed_items() -> str:
    """Time per unit of every item."""
    summary = kept("speed")
    rows = []
    for name, ns in summary["items"].items():
        unit = summary["units"].get(name, "run")
        rows.append((name, unit, f"{ns:,.0f} ns" if ns < 1e7 else f"{ns / 1e9:.2f} s"))
    rows += [(name, "skipped", reason) for name, reason in summary["skipped"].items()]
    return table(("item", "per", "CPU time"), rows)


def speed_training() -> str:
    """Where the time of learning goes."""
    summary = kept("speed")
    rows = [(row["part"], f"{row['us_per_step']:.2f}", f"{100 * row['share']:.0f} %") for row in summary["training"]]
    threads = summary["two_threads"]
    note = (
        f"Two threads, 16,384 rows, by the clock on the wall in the same run: {threads['ratio']:.2f} times "
        f"({threads['low']:.2f} to {threads['high']:.2f})."
    )
    return table(("MaskablePPO on WarVecEnv(1024)", "us per step", "share"), rows) + "\n\n" + note


def speed_missed() -> str:
    """Which ratios miss what they are meant to be."""
    missed = dict.fromkeys(row["id"].split("_")[0] for row in kept("speed")["rows"] if not row["met"])
    return f"Missed in this run: {', '.join(missed)}." if missed else "All are met in this run."


def leaderboard(preset: str) -> str:
    """A preset's leaderboard, the reference to beat and the champion first."""
    summary = kept("leaderboard")
    board = summary["boards"][preset]
    note = f"{preset}: {games_note(board, summary['config'])}."
    if summary["entries"][f"champion on {preset}"] != get_entry("champion", get_rules(preset)).identity:
        note += " The champion's weights are newer than this table."
    rows = [(f"`{name}`", *cells) for name, *cells in board_rows(board)]
    return f"{note}\n\n{table(tuple(board_head(board)), rows)}"


def champion_rates() -> str:
    """What the champions of all seeds win against scripted agents, and their means with the spread."""
    summary = kept("champion")
    rows = []
    for preset in ("War-v0", "WarOnePass-v0"):
        made = summary[preset]
        for one in made:
            shipped = " (shipped)" if one["seed"] == SHIPPED_SEED else ""
            cells = (f"{100 * one['rates'][name]['win_rate']:.1f}" for name in SCRIPTED)
            rows.append((f"{preset}, seed {one['seed']}{shipped}", *cells))
        spreads = (_spread([100 * one["rates"][name]["win_rate"] for one in made], 1) for name in SCRIPTED)
        rows.append((f"**{preset}, mean of {len(made)}**", *spreads))
    return table(("", *SCRIPTED), rows)


def _spread(values: list[float], digits: int) -> str:
    """The mean and, of several values, the least and the largest."""
    mean = f"{sum(values) / len(values):.{digits}f}"
    return mean if len(values) == 1 else f"{mean} ({min(values):.{digits}f} to {max(values):.{digits}f})"


def trained_rates() -> str:
    """What agents trained by several seeds win against scripted agents, each with its command."""
    rows = []
    for row in kept("trained")["trained"]:
        cells = (_spread([100 * rate for rate in row["rates"][name]], 1) for name in SCRIPTED)
        rows.append((row["preset"], row["title"], str(len(row["seeds"])), *cells, f"`{row['command']}`"))
    return table(("preset", "trained", "seeds", *SCRIPTED, "command"), rows)


def trained_on_the_miniature() -> str:
    """How exploitable agents that were trained on WarMini-v0 are, each with its command."""
    rows = [
        (row["title"], str(len(row["exploitability"])), _spread(row["exploitability"], 5), f"`{row['command']}`")
        for row in kept("trained")["miniature"]
    ]
    return table(("trained", "seeds", "a best response gains", "command"), rows)


def reliability() -> str:
    """What was tried, how often, and what happened."""
    summary = kept("reliability")
    rows = [
        (row["part"], row["what"], f"{row['tries']:,} {row['unit']}", str(row["failed"]), row["happened"])
        for row in summary["rows"]
    ]
    versions = ", ".join(f"{name} {summary['versions'][name]}" for name in ("python", "numpy", "numba", "gymnasium"))
    note = f"{summary['failed']} failures in this run ({versions})."
    return table(("part", "tried", "how often", "failed", "what happened"), rows) + "\n\n" + note


PARTS = {
    "trained_rates": trained_rates,
    "trained_on_the_miniature": trained_on_the_miniature,
    "leaderboard_war": lambda: leaderboard("War-v0"),
    "leaderboard_one_pass": lambda: leaderboard("WarOnePass-v0"),
    "reliability": reliability,
    "champion_rates": champion_rates,
    "speed_head": speed_head,
    "speed": speed,
    "speed_items": speed_items,
    "speed_training": speed_training,
    "speed_missed": speed_missed,
}
