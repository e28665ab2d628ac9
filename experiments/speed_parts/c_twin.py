"""The C twin of classic War, compiled when it is needed by the machine's own compiler."""

from __future__ import annotations

import ctypes
import os
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from war_env.errors import ArgumentError
from war_env.seeding import lane_start

_SOURCE = Path(__file__).with_name("classic.c")
FLAGS = ("-O3", "-march=native")
SUMS = ("wins_0", "wins_1", "battles", "comparisons", "wars")


class CTwin:
    """Plays the games that `simulate(get_rules("classic"), games, seed)` plays.

    Raises:
        ArgumentError: there is no C compiler, or it refuses the source.
    """

    def __init__(self) -> None:
        found = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
        command = shlex.split(os.environ.get("CC", "")) or ([found] if found else [])
        if not command:
            raise ArgumentError("there is no C compiler here (cc, gcc or clang; CC names another).")
        with tempfile.TemporaryDirectory() as folder:
            library = Path(folder) / "classic.so"
            arguments = [*command, *FLAGS, "-shared", "-fPIC", "-o", str(library), str(_SOURCE)]
            try:
                subprocess.run(arguments, check=True, capture_output=True, text=True)
                version = subprocess.run([*command, "--version"], check=True, capture_output=True, text=True).stdout
                self._play = ctypes.CDLL(str(library)).play_games
            except (OSError, subprocess.CalledProcessError) as error:
                reason = getattr(error, "stderr", error)
                raise ArgumentError(f"{shlex.join(command)} cannot make the C twin: {reason}") from None
        self.compiler = f"{version.splitlines()[0]} {' '.join(FLAGS)}"
        self._play.argtypes = [ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_void_p]
        self._play.restype = None

    def play(self, games: int, seed: int, first: int = 0) -> dict[str, int]:
        """Sums over games number first, first + 1, … of a seed: wins of either seat, battles, comparisons, wars."""
        sums = np.zeros(len(SUMS), np.int64)
        self._play(int(lane_start(seed)), first, games, sums.ctypes.data)
        return dict(zip(SUMS, sums.tolist(), strict=True))
