"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def partial_name(name: str, writer: int | str) -> str:
    """What a file is called while the process `writer` writes it; other patterns of names never match it."""
    return f".{name}.{writer}.tmp"


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """Gives a path to write to, which takes the place of `path` when all is written, and vanishes if it is not."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(partial_name(path.name, os.getpid()))
    try:
        yield partial
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)
