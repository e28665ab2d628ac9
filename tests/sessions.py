"""Pages whose blocks go on from each other: they run in order in one session, with what each prints below it."""

from __future__ import annotations

import io
import re
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent.parent / "docs"
SESSIONS = (DOCS / "tutorial.md", DOCS / "seeding.md")
BLOCK = re.compile(r"```python\n(?P<code>.*?)```\n(?:\n```text\n.*?```\n)?", re.DOTALL)


def with_outputs(text: str) -> str:
    """The page with what every block prints written anew below it; an error of a block is an error here."""
    session: dict[str, Any] = {"__name__": "session"}

    def run(match: re.Match[str]) -> str:
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec(compile(match["code"], "page", "exec"), session)
        lines = "".join(f"{line.rstrip()}\n" for line in printed.getvalue().splitlines())
        shown = f"\n```text\n{lines}```\n" if lines.strip() else ""
        return f"```python\n{match['code']}```\n{shown}"

    return BLOCK.sub(run, text)
