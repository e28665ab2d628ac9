"""What a player sees in the terminal: the tables of War and Casino War, drawn with rich from a session's view."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from experiments.play_cards import counts_text

_SYMBOLS = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
_RED = ("d", "h")
_BACK = "▒▒"
_RESULTS = {"won": "bold green", "lost": "bold red", "draw": "bold yellow"}
_KEY_HELP = "[bold]?[/] help  [bold]q[/] quit"


def card_name(card: dict[str, Any] | None) -> str:
    """A card in two or three places: `7♥`; a face-down one as its back."""
    if card is None:
        return _BACK
    return str(card["rank"]) + _SYMBOLS.get(card["suit"], card["suit"] or "")


def _style(card: dict[str, Any] | None) -> str:
    if card is None:
        return "dim"
    return "bold red" if card["suit"] in _RED else "bold"


def _row(cards: Iterable[dict[str, Any] | None]) -> Text:
    return Text(" ").join(Text(card_name(card), _style(card)) for card in cards)


def card_boxes(cards: list[dict[str, Any]], marked: int | None = None) -> Text:
    """Cards side by side in frames, with the key of each below; `marked` is the slot of a hint."""
    lines = [Text() for _ in range(4)]
    for card in cards:
        name = card_name(card)
        style = _style(card)
        frame = "bold yellow" if card["slot"] == marked else "dim"
        lines[0].append(" ╭─────╮", frame)
        lines[1].append(" │", frame).append(f"{name:^5}", style).append("│", frame)
        lines[2].append(" ╰─────╯", frame)
        key = f"{card['slot'] + 1}{'*' if card['slot'] == marked else ''}"
        lines[3].append(f"{key:^8}", frame if card["slot"] == marked else "bold cyan")
    return Text("\n").join(lines)


def known_table(known: dict[str, Any]) -> Table:
    """What is known of the cards."""
    table = Table(title="What an attentive player knows", title_justify="left", show_header=False)
    for seat in known["seats"]:
        title = "known to be yours" if seat["name"] == "you" else f"known to be with {seat['name']}"
        table.add_row(title, counts_text(seat["cards"]))
    if known["seats"]:
        table.add_row("seen, whereabouts unknown", counts_text(known["unlocated"]))
    table.add_row("never seen", counts_text(known["unseen"]))
    return table


class WarScreen:
    """The table of War."""

    def draw(self, view: dict[str, Any], hint: dict[str, Any] | None) -> RenderableType:
        """The table, the last comparison and the hand."""
        parts: list[RenderableType] = [self._table(view)]
        if view["history"]:
            parts.append(Text(view["history"][-1]["text"], "italic"))
        if view["is_over"]:
            parts.append(Text(view["outcome"]["detail"], "bold"))
        if view["is_war"] and view["may_choose"]:
            parts.append(Text("WAR! Choose the card that you turn up.", "bold red"))
        if view["hand"] and not view["is_over"]:
            parts.append(card_boxes(view["hand"], hint and hint["slot"]))
        if hint:
            parts.append(Text(hint["text"], "yellow"))
        style = _RESULTS[view["outcome"]["result"]] if view["is_over"] else "bold red" if view["is_war"] else "green"
        return Panel(Group(*parts), title=Text(view["headline"], style), border_style=style)

    def _table(self, view: dict[str, Any]) -> Table:
        table = Table(box=None, pad_edge=False)
        pile = view["seats"][0]["pile_name"]
        columns = {
            "stock": "stock",
            **({"pile": pile} if pile else {}),
            **({"hand": "hand"} if view["has_choices"] else {}),
        }
        table.add_column("")
        for title in columns.values():
            table.add_column(title, justify="right")
        table.add_column("last battle" if view["is_settled"] else f"on the table ({view['pot']})")
        for seat, cards in zip(view["seats"], view["table"], strict=True):
            name = Text(seat["name"], "bold" if seat["is_person"] else "")
            if seat["is_out"]:
                name.append(" (out)", "dim")
            laid = _row(cards)
            if view["is_settled"] and view["history"][-1]["seat"] == seat["seat"]:
                laid.append("  ◀ takes", "green")
            table.add_row(name, *(str(seat[key] or "-") for key in columns), laid)
        return table

    def keys(self, view: dict[str, Any]) -> str:
        """The keys that do something now, as markup."""
        if view["may_choose"]:
            last = len(view["hand"])
            return f"[bold]1{f'–{last}' if last > 1 else ''}[/] play  [bold]h[/] hint  [bold]k[/] known  {_KEY_HELP}"
        return f"[bold]Enter[/] next battle  [bold]a[/] play on  [bold]k[/] known  {_KEY_HELP}"

    def slot(self, key: str, view: dict[str, Any]) -> int | None:
        """The slot that a key plays."""
        is_slot = view["may_choose"] and len(key) == 1 and key in "12345678"[: len(view["hand"])]
        return int(key) - 1 if is_slot else None

    def toggles(self, key: str) -> bool:
        """Whether a key changes something on the screen alone."""
        return False


class CasinoScreen:
    """The table of Casino War.

    Args:
        bet_levels: antes that may be chosen.
    """

    def __init__(self, bet_levels: int) -> None:
        self._levels = bet_levels
        self._has_tie_bet = False

    def draw(self, view: dict[str, Any], hint: dict[str, Any] | None) -> RenderableType:
        """The open cards, the units, what may be done."""
        parts: list[RenderableType] = []
        if view["cards"]:
            names = [f"{card_name(card):^5}" for card in view["cards"]]
            parts.append(
                Text("   you     dealer\n ╭─────╮   ╭─────╮\n │" + "│   │".join(names) + "│\n ╰─────╯   ╰─────╯")
            )
        if view["history"]:
            parts.append(Text(view["history"][-1]["text"], "italic"))
        parts.append(Text(f"{view['units_text']} units, {view['cards_left']} cards in the shoe"))
        if not view["is_war"] and not view["is_over"]:
            parts.append(
                Text(f"tie bet {'ON' if self._has_tie_bet else 'off'}", "yellow" if self._has_tie_bet else "dim")
            )
        if hint:
            parts.append(Text(hint["text"], "yellow"))
        style = "bold red" if view["is_war"] else "bold" if view["is_over"] else "green"
        return Panel(Group(*parts), title=Text(view["headline"], style), border_style=style)

    def keys(self, view: dict[str, Any]) -> str:
        """The keys that do something now, as markup."""
        names = "[bold]s[/] surrender  [bold]w[/] go to war" if view["is_war"] else self._bet_keys()
        return f"{names}  [bold]h[/] hint  [bold]k[/] cards left  {_KEY_HELP}"

    def _bet_keys(self) -> str:
        keys = "1" if self._levels == 1 else f"1–{self._levels % 10}"
        return f"[bold]{keys}[/] ante  [bold]t[/] tie bet on or off"

    def slot(self, key: str, view: dict[str, Any]) -> int | None:
        """The action that a key takes: digits ante (0 is ten units), s surrenders, w goes to war."""
        if view["is_war"]:
            slot = {"s": 2 * self._levels, "w": 2 * self._levels + 1}.get(key)
        else:
            level = "1234567890"[: self._levels].find(key) if len(key) == 1 else -1
            slot = None if level < 0 else level + self._levels * self._has_tie_bet
        return slot if any(action["slot"] == slot for action in view["actions"]) else None

    def toggles(self, key: str) -> bool:
        """`t` lays and takes back the tie bet of the antes to come."""
        self._has_tie_bet ^= key == "t"
        return key == "t"
