"""Compiling kernels with numba: where the compiled code is kept, and that it is never stale.

numba watches only the file that defines a cached function, not the helpers that it calls from others, so a digest
of every source that reaches a kernel names the cache folder. Nothing here may stop an import: where no folder can
be written, kernels are compiled anew in each process.

Environment variables: NUMBA_CACHE_DIR is the root of the cache when it is set; NUMBA_DISABLE_JIT=1 runs the same
kernels as plain Python, slowly; NUMBA_BOUNDSCHECK=1 compiles ones that check every index, in a folder of their own.
"""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

try:
    from llvmlite import ir
    from numba import config, njit, types
    from numba.extending import intrinsic

    from war_env._parts import PART_OPTIONS
except ImportError as error:  # numba itself names the NumPy versions it supports
    raise ImportError(
        f"war_env needs numba for its kernels, and numba cannot be imported beside NumPy {np.__version__}: {error}"
    ) from error

IS_COMPILED = not config.DISABLE_JIT
IS_CHECKED = IS_COMPILED and bool(config.BOUNDSCHECK)
_PACKAGE = Path(__file__).parent
_SOURCES = (
    "_jit.py",
    "_parts.py",
    "cards.py",
    "casino_rules.py",
    "casino_state.py",
    "rules.py",
    "state.py",
    "layout.py",
    "plan.py",
    "observation.py",
    "policy_names.py",
    "opponents.py",
    "seat_kernels.py",
    "lane_kernels.py",
    "view_kernels.py",
    "playout_kernels.py",
    "truth.py",
    "table_kernels.py",
    "engine/*.py",
)
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "boundscheck": None, "_nrt": False}
_KEPT_DIGESTS = 4
_PREFIX = "war_env-"

F = TypeVar("F", bound=Callable[..., Any])


def source_digest() -> str:
    """Digest of all sources that take part in a kernel: 16 hexadecimal digits."""
    digest = hashlib.sha256()
    for pattern in _SOURCES:
        for path in sorted(_PACKAGE.glob(pattern)):
            digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _roots() -> list[Path]:
    """Where a cache may be kept, best first."""
    if os.environ.get("NUMBA_CACHE_DIR"):
        return [Path(os.environ["NUMBA_CACHE_DIR"])]
    user = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return [_PACKAGE / "__pycache__", Path(user) / "war_env"]


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _prune(root: Path, keep: Path) -> None:
    """Remove the folders of older sources, but for the youngest few, which other checkouts may be using."""
    try:
        old = sorted(
            (path for path in root.glob(f"{_PREFIX}*") if path != keep), key=lambda path: -path.stat().st_mtime
        )
        for path in old[_KEPT_DIGESTS - 1 :]:
            shutil.rmtree(path, ignore_errors=True)
    except OSError:
        pass


@functools.cache
def cache_folder() -> Path | None:
    """The folder for this version's compiled kernels; None where nothing can be written."""
    for root in _roots():
        folder = root / f"{_PREFIX}{source_digest()}{'-checked' if IS_CHECKED else ''}"
        if _is_writable(folder):
            _prune(root, keep=folder)
            return folder
    return None


def kernel(function: F) -> F:
    """Compile a function that other kernels call; it is inlined wherever LLVM finds that worth it."""
    return njit(**_OPTIONS, **PART_OPTIONS)(function)  # type: ignore[no-any-return]


def inline(function: F) -> F:
    """Compile a small helper that is always inlined."""
    return njit(forceinline=True, **_OPTIONS, **PART_OPTIONS)(function)  # type: ignore[no-any-return]


def entry(function: F) -> F:
    """Compile a kernel that Python calls, and keep the compiled code; give its arguments always the same types."""
    if not IS_COMPILED:
        return _silently_wrapping(function)
    folder = cache_folder()
    before = config.CACHE_DIR
    try:
        config.CACHE_DIR = "" if folder is None else str(folder)
        try:
            compiled = njit(cache=folder is not None, **_OPTIONS)(function)
            _forgive(getattr(compiled, "_cache", None))
        except RuntimeError:  # numba found no place for its cache after all
            compiled = njit(**_OPTIONS)(function)
    finally:
        config.CACHE_DIR = before
    is_cold = folder is None or not any(folder.rglob(f"*.{function.__qualname__}-*.nbi"))
    return _announcing(compiled) if is_cold else compiled  # type: ignore[no-any-return]


def _forgive(cache: Any) -> None:
    """Let numba go on without its cache where the disk is full or a file of it is damaged, instead of raising."""
    load, save = getattr(cache, "load_overload", None), getattr(cache, "save_overload", None)
    if load is None or save is None:
        return

    def load_overload(*args: Any) -> Any:
        try:
            return load(*args)
        except Exception:
            with suppress(Exception):
                cache.flush()
            return None

    def save_overload(*args: Any) -> None:
        with suppress(OSError):
            save(*args)

    cache.load_overload, cache.save_overload = load_overload, save_overload


_announced = False


def _announcing(compiled: Any) -> Any:
    """Say once, in one line, why the first call takes a while."""

    @functools.wraps(compiled)
    def first(*args: Any) -> Any:
        global _announced
        if not _announced:
            _announced = True
            print("war_env: compiling the kernels, once per machine; this may take half a minute.", file=sys.stderr)
        return compiled(*args)

    first.compiled = compiled  # type: ignore[attr-defined]
    return first


def _silently_wrapping(function: F) -> F:
    """Plain NumPy scalars wrap around like compiled ones, but warn of it."""

    @functools.wraps(function)
    def run(*args: Any) -> Any:
        with np.errstate(over="ignore"):
            return function(*args)

    return run  # type: ignore[return-value]


if IS_COMPILED:

    @intrinsic
    def count_bits(typing: Any, mask: Any) -> Any:
        """Number of set bits of a uint64."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.ctpop(args[0])

        return types.uint64(types.uint64), generate

    @intrinsic
    def lowest_bit(typing: Any, mask: Any) -> Any:
        """Index of the lowest set bit of a uint64, which must not be 0."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.cttz(args[0], context.get_constant(types.boolean, False))

        return types.uint64(types.uint64), generate

else:

    def count_bits(mask: Any) -> Any:
        """Number of set bits of a uint64."""
        return np.uint64(int(mask).bit_count())

    def lowest_bit(mask: Any) -> Any:
        """Index of the lowest set bit of a uint64, which must not be 0."""
        mask = int(mask)
        return np.uint64((mask & -mask).bit_length() - 1)


if IS_COMPILED and not IS_CHECKED:

    @intrinsic
    def pointer(typing: Any, array: Any) -> Any:
        """A contiguous array as a bare pointer: cheap to pass on, indexed like the array."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return context.make_array(signature.args[0])(context, builder, args[0]).data

        return types.CPointer(array.dtype)(array), generate

    @intrinsic
    def octets_of(typing: Any, words: Any) -> Any:
        """The same memory, words behind a pointer, as bytes."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.bitcast(args[0], context.get_value_type(signature.return_type))

        return types.CPointer(types.uint8)(words), generate

    def _store_digits(width: int) -> Any:
        words, floats = ir.VectorType(ir.IntType(32), width), ir.VectorType(ir.FloatType(), width)

        def spread(builder: Any, value: Any, vector: Any) -> Any:
            lanes = ir.Constant(vector, ir.Undefined)
            for k in range(width):
                lanes = builder.insert_element(lanes, value, ir.Constant(ir.IntType(32), k))
            return lanes

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            array, at, digits, scale = args
            repeated = spread(builder, builder.trunc(digits, ir.IntType(32)), words)
            shifted = builder.lshr(repeated, ir.Constant(words, [4 * k for k in range(width)]))
            values = builder.sitofp(builder.and_(shifted, ir.Constant(words, [15] * width)), floats)
            place = builder.bitcast(builder.gep(array, [at]), floats.as_pointer())
            builder.store(builder.fmul(values, spread(builder, scale, floats)), place, align=4)
            return context.get_dummy_value()

        @intrinsic
        def store(typing: Any, array: Any, at: Any, digits: Any, scale: Any) -> Any:
            return types.void(array, types.uint64, types.uint64, types.float32), generate

        return store

else:

    def _store_digits(width: int) -> Any:
        @inline
        def store(array: Any, at: Any, digits: Any, scale: Any) -> None:
            for k in range(width):
                digit = (digits >> np.uint64(4 * k)) & np.uint64(15)
                array[at + np.uint64(k)] = np.float32(digit) * scale

        return store

    @inline
    def pointer(array: Any) -> Any:
        """The array itself."""
        return array

    @njit(inline="always")  # without numba's reference counts no function may return a new array
    def octets_of(words: Any) -> Any:
        """The same memory, words, as bytes."""
        return words.view(np.uint8)


# Store the lowest hexadecimal digits of a uint64, lowest first, times `scale`, as float32 from `array[at]` on:
# arguments array (pointer or array), at (uint64), digits (uint64), scale (float32).
store_4_digits, store_8_digits = _store_digits(4), _store_digits(8)
