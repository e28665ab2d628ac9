"""One page per run: report.html, self-contained, from the files of the run's folder alone."""

from __future__ import annotations

import base64
import json
import math
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Environment, PackageLoader

from experiments.harness import write_text

_TITLES = {
    "win_bars.png": "The trained agent against each other agent",
    "win_rates.png": "Every agent against every other",
    "ratings.png": "Ratings",
    "learning_curve.png": "Learning curve",
    "lengths.png": "Length of games",
    "casino_edges.png": "Edge of the house, exact (lines) and simulated (points, four standard errors)",
    "casino_counting.png": "Does counting pay?",
    "exploitability.png": "What a best response gains",
    "speed.png": "Every ratio beside what it must be",
    "growth.png": "How the cost grows",
}


def _picture(path: Path) -> dict[str, str]:
    data = base64.b64encode(path.read_bytes()).decode()
    return {"title": _TITLES.get(path.name, path.stem), "source": f"data:image/png;base64,{data}"}


# Lists of rows in a summary that the page shows, with their titles.
_TABLES = {
    "agents": "Agents",
    "counting": "The counter",
    "known": "Known numbers beside ours",
    "training": "Where time goes",
}


def _table(title: str, frame: pd.DataFrame) -> dict[str, Any]:
    return {"title": title, "columns": list(frame.columns), "rows": frame.map(_readable).to_numpy().tolist()}


def _has_rows(summary: dict[str, Any], name: str) -> bool:
    return isinstance(summary.get(name), list) and bool(summary[name])


def _readable(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def write_report(folder: Path) -> Path:
    """Write the page for a finished run; returns its path."""
    summary = json.loads((folder / "summary.json").read_text())
    config = json.loads((folder / "config.json").read_text())
    pictures = [_picture(folder / name) for name in _TITLES if (folder / name).exists()]
    template = Environment(loader=PackageLoader("experiments"), autoescape=True).get_template("report.html")
    page = template.render(
        experiment=summary["experiment"],
        summary=summary,
        command=config["command"],
        config=json.dumps(config["settings"], indent=2),
        versions=config["versions"],
        pictures=pictures,
        tables=[
            _table("Results", pd.read_csv(folder / "rows.csv")),
            *(
                _table(title, pd.DataFrame(summary[name]))
                for name, title in _TABLES.items()
                if _has_rows(summary, name)
            ),
        ],
    )
    write_text(folder / "report.html", page)
    return folder / "report.html"
