"""Checkpoints as files."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import torch

from war_env.files import written_whole


def save_tensors(path: Path, state: dict[str, Any]) -> None:
    """Write what torch saves whole or not at all; a full disk is an OSError, as for any other file."""
    buffer = io.BytesIO()
    torch.save(state, buffer)
    with written_whole(path) as partial:
        partial.write_bytes(buffer.getbuffer())
