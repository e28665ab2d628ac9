"""The plots of the experiments; each is drawn from values that stand in the run's files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from war_env.files import written_whole

_STYLE = {
    "figure.facecolor": "white",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "font.size": 10,
}


def _save(figure: Any, path: Path) -> Path:
    with written_whole(path) as partial:
        figure.savefig(partial, dpi=120, format="png", bbox_inches="tight")
    plt.close(figure)
    return path


def _names(rows: list[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys([row["a"] for row in rows] + [row["b"] for row in rows]))


def win_matrix(rows: list[dict[str, Any]], path: Path) -> Path:
    """Win rates of all pairs as a coloured matrix, row against column."""
    names = _names(rows)
    matrix = np.full((len(names), len(names)), np.nan)
    for row in rows:
        a, b = names.index(row["a"]), names.index(row["b"])
        matrix[a, b], matrix[b, a] = row["win_rate"], 1 - row["win_rate"]
    with plt.rc_context(_STYLE | {"axes.grid": False}):
        figure, axes = plt.subplots(figsize=(1.6 + 0.8 * len(names), 1.2 + 0.6 * len(names)))
        axes.imshow(matrix, cmap="RdYlGn", vmin=0, vmax=1)
        for a, b in np.argwhere(~np.isnan(matrix)):
            axes.text(b, a, f"{100 * matrix[a, b]:.1f}", ha="center", va="center")
        axes.set_xticks(range(len(names)), names, rotation=35, ha="right")
        axes.set_yticks(range(len(names)), names)
        axes.set_title("win rate of the row against the column, %")
        return _save(figure, path)


def learning_curve(curves: Sequence[list[dict[str, float]]], opponents: list[str], path: Path) -> Path:
    """Win rate against each opponent over environment steps: mean of several trainings, least to largest shaded."""
    with plt.rc_context(_STYLE):
        figure, axes = plt.subplots(figsize=(6.4, 3.8))
        steps = [point["steps"] / 1e6 for point in curves[0]]
        for opponent in opponents:
            rates = np.array([[100 * point[opponent] for point in curve] for curve in curves])
            [line] = axes.plot(steps, rates.mean(axis=0), marker="o", markersize=3, label=opponent)
            axes.fill_between(steps, rates.min(axis=0), rates.max(axis=0), color=line.get_color(), alpha=0.2, lw=0)
        axes.axhline(50, color="grey", linewidth=1)
        axes.set(xlabel="environment steps, millions", ylabel="win rate of the learner, %", ylim=(0, 100))
        axes.legend(title="against", loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
        return _save(figure, path)


def win_bars(rows: list[dict[str, Any]], agent: str, path: Path) -> Path:
    """Win rate of one agent against each other, with its 95 % interval."""
    bars = []
    for row in rows:
        if row["a"] == agent:
            bars.append((row["b"], row["win_rate"], row["low"], row["high"]))
        elif row["b"] == agent:
            bars.append((row["a"], 1 - row["win_rate"], 1 - row["high"], 1 - row["low"]))
    with plt.rc_context(_STYLE):
        figure, axes = plt.subplots(figsize=(6.4, 0.5 + 0.45 * len(bars)))
        for place, (_, rate, low, high) in enumerate(reversed(bars)):
            color = "#4c9f70" if low > 0.5 else "#c25b4e" if high < 0.5 else "#888888"
            axes.barh(place, 100 * rate, color=color)
            axes.errorbar(
                100 * rate, place, xerr=[[100 * (rate - low)], [100 * (high - rate)]], color="black", capsize=3
            )
            axes.text(102, place, f"{100 * rate:.1f}", va="center")
        axes.axvline(50, color="black", linewidth=1)
        axes.set_yticks(range(len(bars)), [f"against {name}" for name, *_ in reversed(bars)])
        axes.set(xlim=(0, 110), xlabel=f"win rate of {agent}, %, 95 % interval", xticks=range(0, 101, 25))
        axes.grid(axis="y", visible=False)
        return _save(figure, path)


def rating_points(ratings: dict[str, dict[str, float]], path: Path) -> Path:
    """Every agent's rating with its 95 % interval, strongest first."""
    with plt.rc_context(_STYLE):
        figure, axes = plt.subplots(figsize=(6.4, 0.8 + 0.4 * len(ratings)))
        for place, (_name, values) in enumerate(reversed(ratings.items())):
            below, above = values["rating"] - values["low"], values["high"] - values["rating"]
            axes.errorbar(values["rating"], place, xerr=[[below], [above]], fmt="o", color="#33658a", capsize=4)
            axes.annotate(f"{values['rating']:.0f}", (values["rating"], place), (0, 7), textcoords="offset points")
        axes.set_yticks(range(len(ratings)), list(reversed(ratings)))
        axes.set(xlabel="Bradley-Terry rating, points, 95 % interval", ylim=(-0.6, len(ratings) - 0.3))
        axes.margins(x=0.08)
        return _save(figure, path)


def length_histogram(lengths: dict[str, np.ndarray], unit: str, path: Path) -> Path:
    """Share of games by length, a line for each set of rules, up to the 99th percentile of the longest."""
    with plt.rc_context(_STYLE):
        figure, axes = plt.subplots(figsize=(7.2, 4.0))
        filled = {label: values for label, values in lengths.items() if values.size}
        end = max((float(np.percentile(values, 99)) for values in filled.values()), default=1.0)
        edges = np.linspace(0, max(end, 1.0), 61)
        for label, values in filled.items():
            shares = np.histogram(values, edges)[0] / values.size
            axes.stairs(100 * shares, edges, label=label)
        axes.set(xlabel=f"length of a game, {unit}", ylabel="games, %", xlim=(0, edges[-1]))
        axes.legend(frameon=False, fontsize=8)
        return _save(figure, path)


def casino_edges(rows: list[dict[str, Any]], path: Path) -> Path:
    """Exact edge by packs as lines, simulated with four standard errors as points; the tie bet has axes of its own."""
    with plt.rc_context(_STYLE):
        figure, both = plt.subplots(1, 2, figsize=(9.6, 3.8), layout="constrained")
        kinds = dict.fromkeys(
            (row["policy"], row["bonus"]) for row in rows if row["policy"] == "war" or not row["bonus"]
        )
        for policy, bonus in kinds:
            chosen = [row for row in rows if (row["policy"], row["bonus"]) == (policy, bonus)]
            axes = both[int(policy == "tie_bet")]
            packs = [row["packs"] for row in chosen]
            line = axes.plot(
                packs, [100 * row["edge"] for row in chosen], label=policy + (", bonus 1" if bonus else "")
            )[0]
            errors = [400 * row["standard_error"] for row in chosen]
            simulated = [100 * row["simulated"] for row in chosen]
            axes.errorbar(packs, simulated, yerr=errors, fmt="o", markersize=4, capsize=3, color=line.get_color())
        for axes in both:
            axes.set(xlabel="packs", ylabel="edge of the house, %", xticks=sorted({row["packs"] for row in rows}))
            axes.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, 1.16), ncols=3, fontsize=8)
        return _save(figure, path)


def casino_counting(rows: list[dict[str, Any]], path: Path) -> Path:
    """The counter's win per 100 rounds by penetration, and what of it counting earns, with 95 % intervals."""
    shares = [100 * row["penetration"] for row in rows]
    with plt.rc_context(_STYLE):
        figure, both = plt.subplots(1, 2, figsize=(9.6, 3.4), layout="constrained")
        keys = (("win_per_100", "low", "high"), ("counting_per_100", "counting_low", "counting_high"))
        for axes, (middle, low, high), title in zip(both, keys, ("the counter", "of it by counting"), strict=True):
            values = [row[middle] for row in rows]
            errors = [[row[middle] - row[low] for row in rows], [row[high] - row[middle] for row in rows]]
            axes.errorbar(shares, values, yerr=errors, fmt="o-", capsize=4)
            axes.axhline(0, color="black", linewidth=1)
            axes.set(xlabel="share of the shoe dealt, %", ylabel="units per 100 rounds", title=title)
        return _save(figure, path)


def exploitability_bars(rows: list[dict[str, Any]], path: Path) -> Path:
    """What a best response gains over each agent, with its interval where it is not exact."""
    with plt.rc_context(_STYLE):
        figure, axes = plt.subplots(figsize=(6.4, 0.8 + 0.45 * len(rows)))
        for place, row in enumerate(reversed(rows)):
            gained, low, high = (100 * row[key] for key in ("exploitability", "low", "high"))
            axes.barh(place, gained, color="#c25b4e")
            if high > low:
                axes.errorbar(gained, place, xerr=[[gained - low], [high - gained]], color="black", capsize=3)
            axes.annotate(f"{gained:.3f}", (max(gained, high), place), (6, 0), textcoords="offset points", va="center")
        axes.set_yticks(range(len(rows)), [row["agent"] for row in reversed(rows)])
        axes.set(xlabel="what a best response gains over one half, percentage points")
        axes.margins(x=0.12)
        axes.grid(axis="y", visible=False)
        return _save(figure, path)


def speed_bars(rows: list[dict[str, Any]], path: Path) -> Path:
    """Each ratio against what it must be, on a scale where 1 is the target; ratios that must stay low are inverted."""
    with plt.rc_context(_STYLE):
        figure, axes = plt.subplots(figsize=(8.6, 0.8 + 0.42 * len(rows)))
        for place, row in enumerate(reversed(rows)):
            bound = float(row["must"].split()[-1])
            reached = [value / bound for value in (row["ratio"], row["low"], row["high"])]
            if row["must"].startswith("at most"):
                reached = [1 / value for value in reached]
            middle, low, high = reached[0], min(reached), max(reached)
            axes.barh(place, middle, color="#4c9f70" if row["met"] else "#c25b4e")
            axes.errorbar(middle, place, xerr=[[middle - low], [high - middle]], color="black", capsize=3)
            text = f"{row['ratio']:.3g} ({row['must']})"
            axes.annotate(text, (high, place), (6, 0), textcoords="offset points", va="center", fontsize=8)
        axes.axvline(1, color="black", linewidth=1)
        axes.set_yticks(range(len(rows)), [f"{row['what']}  {row['id'].split('_')[0]}" for row in reversed(rows)])
        axes.set(xlabel="times the target, least to largest of the rounds")
        axes.margins(x=0.25)
        axes.grid(axis="y", visible=False)
        return _save(figure, path)


_GROWTH = {
    "rows": ("rows", "ns a step", True),
    "hand_size": ("cards in hand", "ns a step", False),
    "max_battles": ("battles a game", "ns a step", True),
    "players": ("seats", "ns a battle", False),
}


def growth_lines(rows: list[dict[str, Any]], path: Path) -> Path:
    """How the cost of a step, or of a battle, grows with the size of a thing."""
    with plt.rc_context(_STYLE):
        figure, each = plt.subplots(1, len(_GROWTH), figsize=(12.8, 3.0), layout="constrained")
        for axes, (what, (label, unit, is_log)) in zip(each, _GROWTH.items(), strict=True):
            chosen = [row for row in rows if row["what"] == what]
            axes.plot([row["value"] for row in chosen], [row["ns"] for row in chosen], marker="o", markersize=4)
            axes.set(xlabel=label, ylabel=unit, ylim=(0, 1.15 * max(row["ns"] for row in chosen)))
            if is_log:
                axes.set_xscale("log", base=2)
        return _save(figure, path)
