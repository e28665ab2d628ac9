"""Compiling once what numba would compile at every level of the calls.

numba turns each function into machine code of its own, with everything that it calls linked in and optimised anew.
Kernels call each other many levels deep, and nothing but an entry is ever called from Python. A part is therefore only
lowered to LLVM's intermediate code; the entry that it is linked into is optimised, inlined and compiled once, which
takes a third of the time and gives the same speed.

This stands on names that numba does not promise to keep. Where one is missing, parts are compiled in numba's own way.
"""

from __future__ import annotations

import ctypes
from typing import Any

from numba import config

PART_OPTIONS: dict[str, Any] = {}  # what njit takes besides, for a function that only kernels call

try:
    from numba.core.codegen import JITCodeLibrary
    from numba.core.compiler import Compiler

    _IS_KNOWN = all(
        hasattr(JITCodeLibrary, name)
        for name in (
            "codegen",
            "get_pointer_to_function",
            "_ensure_finalized",
            "_finalize_dynamic_globals",
            "_finalize_final_module",
            "_optimize_final_module",
        )
    )
except ImportError:
    _IS_KNOWN = False

if _IS_KNOWN and not config.DISABLE_JIT:

    class _Nowhere:
        """Takes the environment of a function that has no machine code: only object mode would read it."""

        def set_env(self, name: str, environment: Any) -> None:
            return

    class _Part(JITCodeLibrary):  # type: ignore[misc]
        """The code of a function that is only ever linked into others."""

        def _optimize_final_module(self) -> None:
            return

        def _finalize_final_module(self) -> None:
            self._finalize_dynamic_globals()
            self._finalized = True

        def get_pointer_to_function(self, name: str) -> int | None:
            """There is no machine code: what Python finds here raises TypeError."""
            self._ensure_finalized()
            return ctypes.cast(ctypes.pythonapi.PyErr_BadArgument, ctypes.c_void_p).value

        @property
        def codegen(self) -> _Nowhere:
            return _Nowhere()

    class _PartCompiler(Compiler):  # type: ignore[misc]
        """numba's compiler, with a `_Part` as what it compiles into."""

        def __init__(self, typingctx: Any, targetctx: Any, library: Any, *arguments: Any) -> None:
            super().__init__(typingctx, targetctx, library or _Part(targetctx.codegen(), "part"), *arguments)

    PART_OPTIONS = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "pipeline_class": _PartCompiler}
