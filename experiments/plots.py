"""The plots of the experiments; each is drawn from values that stand in the run's files.

Each is written twice: as PNG on white, for papers, and as SVG, whose colours are those of `THEME`, so that a page can
give them others in dark mode. All are narrow enough to be read on a phone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from cycler import cycler

from war_env.files import written_whole

# Every colour of the plots by name: on light and on dark ground.
THEME = {
    "ink": ("#1d2320", "#e9eee9"),
    "good": ("#2f7d55", "#5fc48f"),
    "bad": ("#b4483c", "#ef8a7c"),
    "even": ("#7a827d", "#98a29c"),
    "line-1": ("#1f6fb2", "#6cb6f5"),
    "line-2": ("#c2570c", "#f5a05a"),
    "line-3": ("#2b8a5a", "#63d09b"),
    "line-4": ("#a8356f", "#f08bbd"),
    "line-5": ("#6a51b8", "#b39cf5"),
    "line-6": ("#8a6d00", "#dcbf4e"),
    "line-7": ("#12818c", "#5fd0da"),
    "line-8": ("#555f59", "#b7c1bb"),
}
INK, GOOD, BAD, EVEN = (THEME[name][0] for name in ("ink", "good", "bad", "even"))
LINES = [light for name, (light, _) in THEME.items() if name.startswith("line-")]
WIDTH = 4.6  # inches: a phone's width shows the text at three quarters of its size
_STYLE = {
    "figure.facecolor": "white",
    "figure.constrained_layout.use": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.prop_cycle": cycler(color=LINES),
    **dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), INK),
    "grid.color": INK,
    "grid.alpha": 0.2,
    "font.size": 10,
    "svg.fonttype": "none",
}


def _save(figure: Any, path: Path) -> Path:
    """Write a figure as PNG and as SVG beside it."""
    with written_whole(path) as partial:
        figure.savefig(partial, dpi=170, format="png")
    with written_whole(path.with_suffix(".svg")) as partial, plt.rc_context({"svg.hashsalt": path.stem}):
        figure.savefig(partial, format="svg", transparent=True, metadata={"Date": None})
    plt.close(figure)
    return path


def _legend(axes: Any, columns: int = 3, title: str | None = None) -> None:
    """A legend above the axes, where it takes no width."""
    axes.legend(
        title=title, frameon=False, fontsize=9, ncols=columns, loc="lower left", bbox_to_anchor=(0, 1), borderpad=0.1
    )


def learning_curve(curves: Sequence[list[dict[str, float]]], opponents: list[str], path: Path) -> Path:
    """Win rate against each opponent over environment steps: mean of several trainings, least to largest shaded."""
    with plt.rc_context(_STYLE):
        figure, axes = plt.subplots(figsize=(WIDTH, 3.4))
        for opponent in opponents:
            _curve(axes, curves, opponent, opponent)
        axes.axhline(50, color=INK, linewidth=1)
        axes.set(ylabel="win rate of the learner, %", ylim=(0, 100))
        _legend(axes, title="against")
        return _save(figure, path)


_PROGRESS = {
    "steps": (1e6, "environment steps, millions"),
    "round": (1, "round"),
    "iteration": (1, "iteration"),
    "epochs": (1, "passes over the views"),
}


def _curve(axes: Any, curves: Sequence[list[dict[str, float]]], key: str, label: str) -> None:
    """One quantity, in %, over what its points count: mean of the curves, least to largest shaded."""
    counted = next(name for name in _PROGRESS if name in curves[0][0])
    scale, text = _PROGRESS[counted]
    progress = [point[counted] / scale for point in curves[0]]
    values = np.array([[100 * point[key] for point in curve] for curve in curves])
    [line] = axes.plot(progress, values.mean(axis=0), marker="o", markersize=3, label=label)
    axes.fill_between(progress, values.min(axis=0), values.max(axis=0), color=line.get_color(), alpha=0.2, lw=0)
    axes.set(xlabel=text)


def several_curves(curves: dict[str, list[dict[str, float]]], key: str, what: str, path: Path) -> Path:
    """The same quantity of several learners, by their labels."""
    with plt.rc_context(_STYLE):
        figure, axes = plt.subplots(figsize=(WIDTH, 3.2))
        for label, curve in curves.items():
            _curve(axes, [curve], key, label)
        if key != "exploitability":
            axes.axhline(50, color=INK, linewidth=1)
        axes.set(ylabel=what)
        axes.set_ylim(bottom=0)
        _legend(axes)
        return _save(figure, path)


def memory_bars(cells: dict[bool, dict[str, list[float]]], path: Path) -> Path:
    """Win rates with and without memory against each opponent: means as bars, each seed as a point."""
    with plt.rc_context(_STYLE):
        figure, axes = plt.subplots(figsize=(WIDTH, 3.2))
        for place, (memory, rates) in enumerate(cells.items()):
            places = np.arange(len(rates)) + 0.4 * place - 0.2
            label = f"{'with' if memory else 'without'} memory"
            means = [100 * np.mean(values) for values in rates.values()]
            axes.bar(places, means, 0.38, label=label, color=(LINES[0], EVEN)[place])
            for x, values in zip(places, rates.values(), strict=True):
                axes.plot([x] * len(values), [100 * value for value in values], ".", color=INK, markersize=4)
        axes.set_xticks(range(len(rates)), list(rates))
        axes.set(ylabel="win rate, %", ylim=(0, 100))
        axes.grid(axis="x", visible=False)
        _legend(axes)
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
        figure, axes = plt.subplots(figsize=(WIDTH, 0.7 + 0.4 * len(bars)))
        for place, (_, rate, low, high) in enumerate(reversed(bars)):
            color = GOOD if low > 0.5 else BAD if high < 0.5 else EVEN
            axes.barh(place, 100 * rate, color=color)
            axes.errorbar(100 * rate, place, xerr=[[100 * (rate - low)], [100 * (high - rate)]], color=INK, capsize=3)
            axes.text(102, place, f"{100 * rate:.1f}", va="center")
        axes.axvline(50, color=INK, linewidth=1)
        axes.set_yticks(range(len(bars)), [f"against {name}" for name, *_ in reversed(bars)])
        axes.set(xlim=(0, 116), xlabel=f"win rate of {agent}, %, 95 % interval", xticks=range(0, 101, 25))
        axes.grid(axis="y", visible=False)
        return _save(figure, path)


def rating_points(ratings: dict[str, dict[str, float]], path: Path) -> Path:
    """Every agent's rating with its 95 % interval, strongest first."""
    with plt.rc_context(_STYLE):
        figure, axes = plt.subplots(figsize=(WIDTH, 0.8 + 0.36 * len(ratings)))
        for place, (_name, values) in enumerate(reversed(ratings.items())):
            below, above = values["rating"] - values["low"], values["high"] - values["rating"]
            axes.errorbar(values["rating"], place, xerr=[[below], [above]], fmt="o", color=LINES[0], capsize=4)
            axes.annotate(
                f"{values['rating']:.0f}", (values["rating"], place), (0, 6), textcoords="offset points", ha="center"
            )
        axes.set_yticks(range(len(ratings)), list(reversed(ratings)))
        axes.set(xlabel="rating, points, 95 % interval", ylim=(-0.6, len(ratings) - 0.2))
        axes.margins(x=0.08)
        return _save(figure, path)


def length_histogram(lengths: dict[str, np.ndarray], unit: str, path: Path) -> Path:
    """Share of games by length, a line for each label, from the least 1st to the largest 99th percentile."""
    with plt.rc_context(_STYLE):
        figure, axes = plt.subplots(figsize=(WIDTH, 3.4))
        filled = {label: values for label, values in lengths.items() if values.size}
        spans = [np.percentile(values, [1, 99]) for values in filled.values()] or [np.array([0.0, 1.0])]
        first, last = min(low for low, _ in spans), max(high for _, high in spans)
        width = max(1, math.ceil((last - first) / 60))
        edges = np.arange(math.floor(first), last + width + 1, width)
        for number, (label, values) in enumerate(filled.items()):
            shares = np.histogram(values, edges)[0] / values.size
            dashes = ("-", "--", ":")[number // len(LINES) % 3]
            axes.stairs(100 * shares, edges, label=label, color=LINES[number % len(LINES)], linestyle=dashes)
        axes.set(xlabel=f"length of a game, {unit}", ylabel="games, %", xlim=(edges[0], edges[-1]))
        axes.set_ylim(bottom=0)
        longest = max(map(len, filled), default=0)
        _legend(axes, columns=1 if longest > 25 else 2 if longest > 14 else 3)
        return _save(figure, path)


def casino_edges(rows: list[dict[str, Any]], path: Path) -> Path:
    """Exact edge by packs as lines, simulated with four standard errors as points; the tie bet has axes of its own."""
    with plt.rc_context(_STYLE):
        figure, both = plt.subplots(2, 1, figsize=(WIDTH, 6.0))
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
            _legend(axes)
        return _save(figure, path)


def casino_counting(rows: list[dict[str, Any]], path: Path) -> Path:
    """The counter's win per 100 rounds by penetration, and what of it counting earns, with 95 % intervals."""
    shares = [100 * row["penetration"] for row in rows]
    with plt.rc_context(_STYLE):
        figure, both = plt.subplots(2, 1, figsize=(WIDTH, 5.4))
        keys = (("win_per_100", "low", "high"), ("counting_per_100", "counting_low", "counting_high"))
        for axes, (middle, low, high), title in zip(both, keys, ("the counter", "of it by counting"), strict=True):
            values = [row[middle] for row in rows]
            errors = [[row[middle] - row[low] for row in rows], [row[high] - row[middle] for row in rows]]
            axes.errorbar(shares, values, yerr=errors, fmt="o-", capsize=4)
            axes.axhline(0, color=INK, linewidth=1)
            axes.set(xlabel="share of the shoe dealt, %", ylabel="units per 100 rounds", title=title)
        return _save(figure, path)


def exploitability_bars(rows: list[dict[str, Any]], path: Path) -> Path:
    """What a best response gains over each agent, with its interval where it is not exact."""
    with plt.rc_context(_STYLE):
        figure, axes = plt.subplots(figsize=(WIDTH, 0.9 + 0.4 * len(rows)))
        for place, row in enumerate(reversed(rows)):
            gained, low, high = (100 * row[key] for key in ("exploitability", "low", "high"))
            axes.barh(place, gained, color=BAD)
            if high > low:
                axes.errorbar(gained, place, xerr=[[gained - low], [high - gained]], color=INK, capsize=3)
            axes.annotate(f"{gained:.3f}", (max(gained, high), place), (6, 0), textcoords="offset points", va="center")
        axes.set_yticks(range(len(rows)), [row["agent"] for row in reversed(rows)])
        axes.set(xlabel="gain over one half, percentage points")
        axes.margins(x=0.18)
        axes.grid(axis="y", visible=False)
        return _save(figure, path)


def speed_bars(rows: list[dict[str, Any]], path: Path) -> Path:
    """Each ratio against what it must be, on a scale where 1 is the target; ratios that must stay low are inverted."""
    with plt.rc_context(_STYLE):
        figure, axes = plt.subplots(figsize=(WIDTH, 0.8 + 0.34 * len(rows)))
        for place, row in enumerate(reversed(rows)):
            bound = float(row["must"].split()[-1])
            reached = [value / bound for value in (row["ratio"], row["low"], row["high"])]
            if row["must"].startswith("at most"):
                reached = [1 / value for value in reached]
            middle, low, high = reached[0], min(reached), max(reached)
            axes.barh(place, middle, color=GOOD if row["met"] else BAD)
            axes.errorbar(middle, place, xerr=[[middle - low], [high - middle]], color=INK, capsize=3)
            text = f"{row['ratio']:.3g} ({row['must']})"
            axes.annotate(text, (high, place), (6, 0), textcoords="offset points", va="center", fontsize=8)
        axes.axvline(1, color=INK, linewidth=1)
        axes.set_yticks(range(len(rows)), [row["id"].replace("_", " ") for row in reversed(rows)])
        axes.set(xlabel="times the target, least to largest of the rounds")
        axes.margins(x=0.4)
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
        figure, each = plt.subplots(2, 2, figsize=(WIDTH, 4.2))
        for axes, (what, (label, unit, is_log)) in zip(each.flat, _GROWTH.items(), strict=True):
            chosen = [row for row in rows if row["what"] == what]
            axes.plot([row["value"] for row in chosen], [row["ns"] for row in chosen], marker="o", markersize=4)
            axes.set(xlabel=label, ylabel=unit, ylim=(0, 1.15 * max(row["ns"] for row in chosen)))
            if is_log:
                axes.set_xscale("log", base=2)
        return _save(figure, path)
