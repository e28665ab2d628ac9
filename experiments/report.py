"""One page per run: report.html, self-contained, from the files of the run's folder alone."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from experiments.page import (
    Cell,
    Column,
    Group,
    Table,
    figure,
    interval,
    number,
    percent,
    plain,
    table_of,
    turned,
    write_page,
)
from experiments.ratings import games_text
from experiments.report_tables import (
    PAIRED,
    RATE_COLUMNS,
    card_table,
    exact_table,
    learned_table,
    pair_table,
    rating_table,
    win_matrix,
)

# Plots in the order of the page: title, and what has to be known to read it.
_FIGURES = {
    "win_bars": (
        "The trained agent against each other agent",
        "Win rates, a draw counts one half; lines are 95 % intervals clustered by pair of games. Green wins more than "
        "one half, red less, grey is not told apart from it.",
    ),
    "learning_curve": (
        "Learning curve",
        "Win rate over the course of the training, in games on deals that no comparison uses; each point is 1,024 "
        "games, standard error at most 1.6 points. Where the game is solved: the exact exploitability.",
    ),
    "memory": ("With and without memory", "Bars are means over the seeds, points the single trainings."),
    "ratings": ("Ratings", "Points with 95 % intervals; 400 points are odds of ten to one."),
    "exploitability": (
        "What a best response gains",
        "Gain over one half; a line is a 95 % interval, where there is none the value is exact.",
    ),
    "lengths": (
        "Length of games",
        "Share of the games by length, from the least 1st to the largest 99th percentile. Of an agent: all games in "
        "which it took part.",
    ),
    "casino_edges": ("Edge of the house", "Lines are exact, points simulated with four standard errors."),
    "casino_counting": ("Does counting pay?", "Units per 100 rounds of one unit; 95 % intervals by shoe."),
    "speed": (
        "Every ratio beside what it is meant to be",
        "Right of the line is reached; the table says what each is.",
    ),
    "growth": ("How the cost grows", "CPU time by size, median of the rounds."),
}
# The experiments' own words for some figures.
_CAPTIONS = {
    ("best_response", "learning_curve"): (
        "Learning curves of the responses",
        "Win rate of each response trained with MaskablePPO, by where it started; each point is 1,024 games in seat 0.",
    ),
}


def _comparison(summary: dict[str, Any], rows: list[dict[str, Any]]) -> Group:
    return Group(
        "",
        lead=_training_lead(summary),
        tables=[win_matrix(summary["pairs"])],
        more=[rating_table(summary["ratings"]), card_table(summary["usage"]), pair_table(summary["pairs"])],
    )


def _training_lead(summary: dict[str, Any]) -> list[str]:
    if "training" not in summary:
        return []
    trainings = summary["training"] if isinstance(summary["training"], list) else [summary["training"]]
    return [
        *(
            f"Trained for {training['steps']:,} steps in {training['seconds']:.0f} s "
            f"({training['steps_per_second']:,.0f} steps per second{_of_seed(training)})."
            for training in trainings
        ),
        "random and greedy are weak references on War-v0: reserve, which plays its lowest card in a battle and its "
        "highest in a war, beats both in more than nineteen games of twenty there.",
    ]


def _of_seed(training: dict[str, Any]) -> str:
    return f", seed {training['seed']}" if "seed" in training else ""


def _train(summary: dict[str, Any], rows: list[dict[str, Any]]) -> Group:
    caption = "Win rates in % in seat 0 against each scripted agent; each is 1,024 games."
    points = [{"training": name, **point} for name, curve in summary["curves"].items() for point in curve]
    named = [key for key in points[0] if key not in ("training", "steps", "seconds", "return")]
    columns: list[Column] = [plain("training"), plain("steps")]
    columns += [("seconds", lambda row: f"{row['seconds']:.0f}"), *(percent(key, key) for key in named)]
    return Group(
        "",
        lead=_training_lead(summary),
        tables=[_seed_table("Trained agents by seed", rows)],
        more=[table_of("Points of the learning curves", caption, points, columns)],
    )


def _exploitability(summary: dict[str, Any], rows: list[dict[str, Any]]) -> Group:
    if summary["config"]["method"] == "learned":
        return Group("", tables=[learned_table(rows, summary["config"])])
    solution = summary["solution"]
    counts = {name: value for name, value in solution["size"].items() if not isinstance(value, bool)}
    size = ", ".join(f"{value:,} {name.replace('_', ' ')}" for name, value in counts.items())
    lead = (
        f"Value of the game for seat 0: {summary['value']:.6f}, found by {solution['method']}. Size: {size}. The "
        f"solution is exploitable over information sets by {solution['over_information_sets']:.1e}."
    )
    rows = [row | {"fraction": row["fraction"] if isinstance(row["fraction"], str) else ""} for row in rows]
    return Group("", lead=[lead], tables=[exact_table(rows)])


def _best_response(summary: dict[str, Any], rows: list[dict[str, Any]]) -> Group:
    gain = summary["win_rate"] - 0.5
    budget = summary["config"]
    lead = (
        f"Responses learned against {summary['agent']}: the best starts from {summary['start']} and wins "
        f"{100 * summary['win_rate']:.1f} % ({100 * summary['low']:.1f} to {100 * summary['high']:.1f}); its gain over "
        f"one half, {100 * gain:.1f} points, is a lower bound of the exploitability."
    )
    caption = (
        f"{PAIRED} Budget: {budget['steps']:,} steps of each training with MaskablePPO, {budget['decisions']:,} "
        "decisions of each round of playouts."
    )
    columns: list[Column] = [plain("start"), *RATE_COLUMNS]
    return Group("", lead=[lead], tables=[table_of("Responses", caption, rows, columns)])


def _champion(summary: dict[str, Any], rows: list[dict[str, Any]]) -> Group:
    lead = [
        f"Best: {summary['best']}. The learning curve is the mean of all seeds, least to largest shaded, where "
        "exploitability is not known."
    ]
    last = {name: curve[-1].get("exploitability") for name, curve in summary["curves"].items()}
    lead += [f"{name}: exploitability {value:.5f}." for name, value in last.items() if value is not None]
    return Group("", lead=lead, tables=[_seed_table("Champions by seed", rows)])


def _ablation(summary: dict[str, Any], rows: list[dict[str, Any]]) -> Group:
    kinds = {"With memory": True, "Without memory": False}
    tables = [_seed_table(title, [row for row in rows if row["memory"] == kind]) for title, kind in kinds.items()]
    return Group("", tables=tables)


def _seed_table(title: str, rows: list[dict[str, Any]]) -> Table:
    """Win rates of the trainings of several seeds against each agent, with their mean and spread."""
    seeds = sorted({row["seed"] for row in rows})
    caption = (
        f"Win rates in % by seed, with half the width of the interval, and their mean (least to largest); "
        f"{games_text(rows)} games each. {PAIRED}"
    )
    body = []
    for against in dict.fromkeys(row["against"] for row in rows):
        found = {row["seed"]: row for row in rows if row["against"] == against}
        rates = [100 * row["win_rate"] for row in found.values()]
        cells = [
            Cell(f"{100 * row['win_rate']:.1f}", f"± {50 * (row['high'] - row['low']):.1f}", 2 * row["win_rate"] - 1)
            for row in (found[seed] for seed in seeds)
        ]
        spread = Cell(f"{sum(rates) / len(rates):.1f}", f"{min(rates):.1f} to {max(rates):.1f}")
        body.append([Cell(against), spread, *cells])
    return Table(title, caption, ["against", "mean", *(f"seed {seed}" for seed in seeds)], body, is_matrix=True)


def _game_length(summary: dict[str, Any], rows: list[dict[str, Any]]) -> Group:
    caption = "Ours beside each number that is known for these rules; ± is our standard error."
    columns: list[Column] = [
        plain("rules"), plain("statistic"), plain("ours"), ("± se", lambda row: f"{row['standard_error']:.2g}"),
        ("known", plain("reference")[1]), plain("kind"), plain("agrees"), plain("source"),
    ]  # fmt: skip
    if "checks" in summary:
        return Group("", tables=[table_of("Known numbers", caption, summary["checks"], columns)])
    shares = ("loop_share", "unfinished_share", "draw_share")
    measured = [key for key in rows[0] if key not in ("rules", "games", "unit", *shares)]
    lengths: list[Column] = [("", plain("rules")[1]), plain("games")]
    lengths += [(key.replace("_", " "), partial(_measured, key)) for key in measured]
    lengths += [percent(key.removesuffix("_share").replace("_", " "), key, 2) for key in shares]
    unit = f"In {rows[0]['unit']}, over the games that ended; shares are of all games."
    found = [turned("Lengths and ends", unit, rows, lengths)]
    if summary["known"]:
        found.append(table_of("Known numbers beside ours", caption, summary["known"], columns))
    return Group("", tables=found)


def _measured(key: str, row: Mapping[str, Any]) -> str:
    return number(row[key], 5)


def _casino_edge(summary: dict[str, Any], rows: list[dict[str, Any]]) -> Group:
    edges: list[Column] = [
        ("policy", lambda row: row["policy"]), plain("packs"), plain("bonus"), plain("exact"),
        percent("exact", "edge", 4), percent("simulated", "simulated", 4), percent("± se", "standard_error", 4),
        plain("rounds"), plain("agrees"),
    ]  # fmt: skip
    agents: list[Column] = [
        plain("agent"), percent("units per 100 rounds", "per_round", 3), interval(3),
        percent("exact, full shoe", "exact_full_shoe", 3), percent("tie bets, of rounds", "tie_bet_share", 3),
        plain("episodes"),
    ]  # fmt: skip
    agents[1] = ("units per 100 rounds", agents[1][1])
    counting: list[Column] = [
        percent("shoe dealt", "penetration", 0), plain("packs"), ("units", lambda row: f"{row['win_per_100']:.3f}"),
        interval(3, 1), ("of it by counting", lambda row: f"{row['counting_per_100']:.4f}"),
        interval(4, 1, "counting_low", "counting_high"),
    ]  # fmt: skip
    shoe = "Units per 100 rounds of one unit; 95 % intervals by shoe."
    per_bet = "Edge of the house per unit of the bet named; agreement is within four standard errors."
    episodes = "Shoes dealt to the last ten cards; 95 % intervals over episodes."
    by_units = sorted(summary["agents"], key=lambda row: -row["per_round"])
    return Group(
        "",
        lead=[summary["verdict"]],
        tables=[table_of("Edges", per_bet, rows, edges)],
        more=[
            table_of("Agents", episodes, by_units, agents),
            table_of("The counter", shoe, summary["counting"], counting),
        ],
    )


def _speed(summary: dict[str, Any], rows: list[dict[str, Any]]) -> Group:
    ratios: list[Column] = [
        ("", lambda row: row["id"].replace("_", " ")), plain("what"), ("ratio", lambda row: f"{row['ratio']:.3g}"),
        ("range", lambda row: f"{row['low']:.3g} to {row['high']:.3g}"), ("meant to be", lambda row: row["must"]),
        ("", lambda row: "met" if row["met"] else "missed"),
    ]  # fmt: skip
    items = [
        {"item": name, "per": summary["units"].get(name, "run"), "ns": ns} for name, ns in summary["items"].items()
    ]
    times: list[Column] = [plain("item"), plain("per"), ("CPU time, ns", lambda row: f"{row['ns']:,.0f}")]
    parts: list[Column] = [
        plain("part"), ("us per step", lambda row: f"{row['us_per_step']:.2f}"), percent("share", "share", 0)
    ]  # fmt: skip
    skipped = [{"item": name, "why": why} for name, why in summary["skipped"].items()]
    more = [
        table_of("Time of each item", "CPU time, median of the rounds.", items, times),
        table_of("Where time goes in training", "MaskablePPO on WarVecEnv(1024).", summary["training"], parts),
    ]
    if skipped:
        more.append(table_of("Left out", "", skipped, [plain("item"), plain("why")]))
    lead = f"{summary['processor']}; C: {summary['compiler']}."
    caption = "Ratios of CPU time, median of the rounds with the least and the largest."
    return Group("", lead=[lead], tables=[table_of("Ratios", caption, rows, ratios)], more=more)


def _generic(summary: dict[str, Any], rows: list[dict[str, Any]]) -> Group:
    """The page of an experiment that has none of its own: its rows as they are."""
    table: Table = table_of("Results", "", rows, [plain(key) for key in rows[0]] if rows else [])
    return Group("", tables=[table])


# What the page of each experiment shows beside its plots, from its summary and its rows.
_PAGES: dict[str, Callable[[dict[str, Any], list[dict[str, Any]]], Group]] = {
    "benchmark": _comparison,
    "tournament": _comparison,
    "train": _train,
    "exploitability": _exploitability,
    "best_response": _best_response,
    "champion": _champion,
    "ablation": _ablation,
    "game_length": _game_length,
    "casino_edge": _casino_edge,
    "speed": _speed,
}


def figures_of(folder: Path, experiment: str, names: Sequence[str] = tuple(_FIGURES)) -> list[Any]:
    """The plots that a run has drawn, as parts of a page."""
    found = []
    for name in names:
        path = folder / f"{name}.svg"
        if path.exists():
            found.append(figure(path, *_CAPTIONS.get((experiment, name), _FIGURES[name])))
    return found


def write_report(folder: Path) -> Path:
    """Write the page for a finished run; returns its path."""
    summary = json.loads((folder / "summary.json").read_text())
    config = json.loads((folder / "config.json").read_text())
    experiment = summary["experiment"]
    rows = pd.read_csv(folder / "rows.csv").to_dict("records")
    group = _PAGES.get(experiment, _generic)(summary, rows)
    preset = summary["config"].get("preset")
    title = experiment.replace("_", " ").capitalize() + (f": {preset}" if preset else "")
    group = Group("", group.lead, group.tables, figures_of(folder, experiment), group.more)
    return write_page(folder / "report.html", title, [group], config)
