"""Pages that stand alone: plots, tables and heat-map matrices in one HTML file that loads nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from experiments.harness import write_text
from experiments.plots import THEME

LONG = 24  # characters of a cell whose text may be broken into lines


@dataclass(frozen=True)
class Cell:
    """A cell of a table.

    Attributes:
        text: what it says.
        more: said smaller beneath.
        shade: from -1 (lost everything) over 0 to 1 (won everything), None for no colour.
    """

    text: str
    more: str = ""
    shade: float | None = None


@dataclass(frozen=True)
class Figure:
    """A plot with its title and what has to be known to read it."""

    title: str
    caption: str
    svg: Markup


@dataclass(frozen=True)
class Table:
    """A table whose first column names its rows.

    Attributes:
        title, caption: above it.
        columns: heads.
        rows: cells of each row, as many as columns.
        is_matrix: whether columns are as narrow as their numbers.
    """

    title: str
    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    is_matrix: bool = False

    def is_words(self, place: int) -> bool:
        """Whether a column holds words, which stand at its left, and not numbers."""
        texts = [row[place].text for row in self.rows]
        return any(len(text) > LONG for text in texts) or not any(char.isdigit() for char in "".join(texts))


@dataclass(frozen=True)
class Group:
    """A part of a page, one of those between which a reader chooses where there are several."""

    title: str
    lead: Sequence[str] = ()
    tables: Sequence[Table] = ()
    figures: Sequence[Figure] = ()
    more: Sequence[Table] = ()
    key: str = field(default="all")


Column = tuple[str, Callable[[Mapping[str, Any]], str]]


def table_of(title: str, caption: str, rows: Iterable[Mapping[str, Any]], columns: Sequence[Column]) -> Table:
    """A table from rows of values and, for each column, its head and what it says of a row."""
    cells = [[Cell(text(row)) for _, text in columns] for row in rows]
    return Table(title, caption, [head for head, _ in columns], cells)


def number(value: Any, digits: int = 6) -> str:
    """A value as people read it: thousands apart, so many digits that count, nothing for None."""
    if value is None or value != value:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer() and abs(value) < 1e15):
        return f"{int(value):,}"
    return f"{value:.{digits}g}" if isinstance(value, float) else str(value)


def plain(key: str) -> Column:
    """A column that shows a value as it is."""
    return key.replace("_", " "), lambda row: number(row.get(key))


def turned(title: str, caption: str, rows: Sequence[Mapping[str, Any]], columns: Sequence[Column]) -> Table:
    """`table_of` with its columns as rows: for few rows of many values."""
    head, *others = columns
    body = [[Cell(name), *(Cell(text(row)) for row in rows)] for name, text in others]
    return Table(title, caption, [head[0], *(head[1](row) for row in rows)], body)


def percent(head: str, key: str, digits: int = 1) -> Column:
    """A column that shows a share in percent."""
    return f"{head}, %", lambda row: "" if row.get(key) is None else f"{100 * row[key]:.{digits}f}"


def interval(digits: int = 1, scale: float = 100, low: str = "low", high: str = "high") -> Column:
    """A column that shows the ends of a 95 % interval."""
    return "95 % interval", lambda row: f"{scale * row[low]:.{digits}f} to {scale * row[high]:.{digits}f}"


_VARIABLES = {light: f"var(--{name})" for name, (light, _) in THEME.items()}
_LIGHT = re.compile("|".join(_VARIABLES))


def inline_svg(path: Path, label: str) -> Markup:
    """A plot of `experiments.plots` as a part of a page: its colours are the page's, its width that of its place."""
    text = path.read_text()
    size = re.search(r'viewBox="([^"]+)"', text)
    if size is None:
        raise ValueError(f"{path} has no viewBox")
    body = text[text.index(">", text.index("<svg")) + 1 :]
    body = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>|<!--.*?-->", "", body, flags=re.DOTALL)
    body = re.sub(r'<g id="[^"]*"', "<g", body)
    body = _LIGHT.sub(lambda match: _VARIABLES[match[0]], body)
    head = f'<svg class="plot" role="img" viewBox="{size[1]}" aria-label="{Markup.escape(label)}">'
    return Markup(head + re.sub(r">\s+<", "><", body))


def figure(path: Path, title: str, caption: str) -> Figure:
    """A plot from its SVG file."""
    return Figure(title, caption, inline_svg(path, f"{title}. {caption}"))


def write_page(path: Path, title: str, groups: Sequence[Group], config: Mapping[str, Any]) -> Path:
    """Write a page.

    Args:
        path: where.
        title: its title.
        groups: its parts; a reader chooses between several.
        config: config.json of the run.
    """
    template = Environment(loader=PackageLoader("experiments"), autoescape=True).get_template("report.html")
    settings = {name: _setting(value) for name, value in config["settings"].items()}
    weights = {title: name for title, name in config["entries"].items() if not title.startswith(name)}
    page = template.render(
        title=title, groups=groups, config=config, settings=settings, weights=weights, theme=THEME, long=LONG
    )
    write_text(path, page)
    return path


def _setting(value: Any) -> str:
    """A setting's value in words."""
    if isinstance(value, dict):
        given = {name: one for name, one in value.items() if one not in ([], None)}
        return ", ".join(f"{name}={_setting(one)}" for name, one in given.items()) or "as by default"
    if isinstance(value, list):
        return ", ".join(map(_setting, value)) or "as by default"
    return "none" if value is None else number(value)
