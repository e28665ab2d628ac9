"""Files: written whole or not at all, and read without trust. A file is data: no pickle is loaded, nothing executed."""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from war_env.errors import NotationError, shown

MAX_TEXT = 64_000_000  # bytes of a text that is read
MAX_ARRAYS = 2**30  # bytes of the arrays of one file, unpacked
_HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
_MOST_TOLD = 300  # characters
_SPARE = 2**16  # bytes of an array's header, and of each entry in the table of a file


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


def parsed_json(text: str, what: str, is_strict: bool = True) -> Any:
    """The value that a JSON text describes.

    Args:
        text: the text.
        what: what messages begin with.
        is_strict: whether NaN and infinities are refused, which JSON does not know.

    Raises:
        NotationError: it is not JSON, is too long or too deep, or names a key twice.
    """
    if len(text) > MAX_TEXT:
        raise NotationError(f"{what} has {len(text)} characters: at most {MAX_TEXT} are read.")
    try:
        if is_strict:
            return json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_finite)
        return json.loads(text, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        raise NotationError(f"{what} is not JSON: {told(error)}.") from None


def told(error: Exception) -> str:
    """An error of another package in bounded length."""
    text = str(error)
    return f"{type(error).__name__}: {text if len(text) <= _MOST_TOLD else text[:_MOST_TOLD] + '...'}"


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"the key {shown(next(name for name in names if names.count(name) > 1))} stands there twice")
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number in JSON")


def _finite(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError(f"the number {shown(text)} is too large")
    return number


def read_text(path: Path, what: str) -> str:
    """The text of a file, UTF-8.

    Raises:
        NotationError: it cannot be read, is too long or is not UTF-8; the message begins with `what`.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_TEXT + 1)
        if len(data) > MAX_TEXT:
            raise NotationError(f"{what} is longer than the {MAX_TEXT} bytes that are read.")
        return data.decode()
    except NotationError:
        raise
    except (OSError, ValueError) as error:
        raise NotationError(f"{what} cannot be read: {told(error)}.") from None


def read_json(path: Path, what: str, is_strict: bool = True) -> Any:
    """The value in a JSON file; see `read_text` and `parsed_json`."""
    return parsed_json(read_text(path, what), what, is_strict)


def arrays_hash(arrays: Mapping[str, np.ndarray]) -> str:
    """SHA-256 of names, shapes, dtypes and contents."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        digest.update(f"{name}{arrays[name].shape}{arrays[name].dtype}".encode() + arrays[name].tobytes())
    return digest.hexdigest()


def write_arrays(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Write an `.npz`, whole or not at all."""
    with written_whole(path) as partial, partial.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)


def read_arrays(
    path: Path, what: str, names: Callable[[str], bool] | None = None, most: int = MAX_ARRAYS
) -> dict[str, np.ndarray]:
    """The arrays of an `.npz`: bools, integers and floats alone.

    Sizes are taken from the headers and checked before anything is unpacked, so that a small file cannot fill the
    memory; members are found by their names and never written anywhere.

    Args:
        path: the file.
        what: what messages begin with.
        names: which names an array may have; any when None.
        most: bytes of all arrays together.

    Raises:
        NotationError: the file cannot be read, or holds something else.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            total = sum(member.file_size for member in members)
            if total > most + _SPARE * len(members):
                raise ValueError(f"its arrays take {total} bytes, at most {most} are read")
            arrays: dict[str, np.ndarray] = {}
            for member in members:
                name = member.filename.removesuffix(".npy")
                if name in arrays or name == member.filename or not (names is None or names(name)):
                    raise ValueError(f"a member is called {shown(member.filename)}, or so twice")
                arrays[name] = _read_member(archive, member)
            return arrays
    except Exception as error:  # every reader's own error, told as one of ours
        raise NotationError(f"{what} cannot be read: {told(error)}.") from error


def _read_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> np.ndarray:
    with archive.open(member) as file:
        version = np.lib.format.read_magic(file)
        if version not in _HEADERS:
            raise ValueError(f"{member.filename} is of version {version} of the format")
        shape, is_by_columns, dtype = _HEADERS[version](file)
        if dtype.kind not in "biuf":
            raise ValueError(f"{member.filename} holds {dtype}, not numbers")
        size = dtype.itemsize
        for length in shape:
            if length < 0:
                raise ValueError(f"{member.filename} has a negative length")
            size *= length
        if size > member.file_size:
            raise ValueError(f"{member.filename} holds less than its shape {shown(shape)} needs")
        data = file.read(size + 1)
    if len(data) != size:
        raise ValueError(f"{member.filename} does not hold what its shape {shown(shape)} needs")
    return np.frombuffer(bytearray(data), dtype).reshape(shape, order="F" if is_by_columns else "C")
