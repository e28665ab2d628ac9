"""The tutorial's blocks, run in order in one session, with what each prints."""

from __future__ import annotations

import io
import re
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parent.parent / "docs" / "tutorial.md"
BLOCK = re.compile(r"```python\n(?P<code>.*?)```\n(?:\n```text\n.*?```\n)?", re.DOTALL)


def with_outputs(text: str) -> str:
    """The page with what every block prints written anew below it; an error of a block is an error here."""
    session: dict[str, Any] = {"__name__": "tutorial"}

    def run(match: re.Match[str]) -> str:
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec(compile(match["code"], PAGE.name, "exec"), session)
        lines = "".join(f"{line.rstrip()}\n" for line in printed.getvalue().splitlines())
        shown = f"\n```text\n{lines}```\n" if lines.strip() else ""
        return f"```python\n{match['code']}```\n{shown}"

    return BLOCK.sub(run, text)
