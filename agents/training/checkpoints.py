"""Checkpoints: what resuming needs, as plain arrays and a JSON description in one file; no pickle anywhere."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from war_env.errors import NotationError, shown
from war_env.files import arrays_hash, parsed_json, read_arrays, read_json, told, write_arrays

FORMAT = 1
_DESCRIPTION = "description"
_MOST = 2**34  # bytes of one checkpoint
Apply = Callable[[Any], Any]


def save_state(path: Path, state: Any) -> None:
    """Write dicts, lists, tuples, numbers, texts and tensors, whole or not at all."""
    arrays: dict[str, np.ndarray] = {}
    tree = _described(state, arrays)
    text = json.dumps({"format": FORMAT, "sha256": arrays_hash(arrays), "state": tree})
    write_arrays(path, {**arrays, _DESCRIPTION: np.frombuffer(text.encode(), np.uint8)})


def load_state(path: Path, apply: Apply) -> Any:
    """Read what `save_state` wrote and hand it on.

    Args:
        path: the file.
        apply: takes the state over; what it returns is returned.

    Raises:
        NotationError: the file is damaged, of another format, or of another training.
    """
    what = f"checkpoint={str(path)!r}"
    arrays = read_arrays(path, what, most=_MOST)
    text = arrays.pop(_DESCRIPTION, np.zeros(0, np.uint8)).tobytes().decode(errors="replace")
    description = parsed_json(text, what)
    if not isinstance(description, dict) or description.get("format") != FORMAT:
        raise NotationError(f"{what} cannot be used: this version reads format {FORMAT}.")
    if description.get("sha256") != arrays_hash(arrays):
        raise NotationError(f"{what} cannot be used: the arrays do not match their sha256.")
    try:
        return apply(_restored(description["state"], arrays))
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, RuntimeError) as error:
        raise NotationError(f"{what} is not of this training: {told(error)}.") from error


def _described(value: Any, arrays: dict[str, np.ndarray]) -> Any:
    """The value as JSON, in which tensors are named and put into `arrays`."""
    if isinstance(value, torch.Tensor):
        name = f"tensor{len(arrays)}"
        arrays[name] = value.detach().numpy()
        return {"tensor": name}
    if isinstance(value, dict):
        return {"dict": [[_described(key, arrays), _described(entry, arrays)] for key, entry in value.items()]}
    if isinstance(value, list | tuple):
        return {type(value).__name__: [_described(entry, arrays) for entry in value]}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"{type(value).__name__} has no place in a checkpoint")


def _restored(tree: Any, arrays: dict[str, np.ndarray]) -> Any:
    if not isinstance(tree, dict):
        return tree
    ((kind, content),) = tree.items()
    if kind == "tensor":
        return torch.from_numpy(arrays[content])
    if kind == "dict":
        return {_restored(key, arrays): _restored(entry, arrays) for key, entry in content}
    return {"list": list, "tuple": tuple}[kind](_restored(entry, arrays) for entry in content)


def load_curve(path: Path, key: str) -> list[dict[str, Any]]:
    """The points of a learning curve that was kept, none where there is no file.

    Raises:
        NotationError: the file is damaged: it is no list of objects, each with the number `key`.
    """
    if not path.exists():
        return []
    what = f"curve={str(path)!r}"
    curve = read_json(path, what, is_strict=False)
    if not isinstance(curve, list) or not all(isinstance(p, dict) and type(p.get(key)) in (int, float) for p in curve):
        raise NotationError(f"{what} is not allowed: it must be a list of objects with the number {shown(key)}.")
    return curve
