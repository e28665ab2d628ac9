"""First use: the cache of compiled kernels in read-only installs, without a home, among processes, after edits.

A kernel of three files that compiles in a moment stands for all: what is tested is where its code is kept.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import war_env

PACKAGE = Path(war_env.__file__).parent
SMALL_KERNEL = """
from war_env import _jit
from war_env.engine.entries import game_key
import numpy as np
print(int(game_key(np.uint64(7), 3)), _jit.cache_folder())
"""
OTHER_KERNEL = """
import numpy as np
from war_env.engine.entries import clear
from war_env.rules import Rules
from war_env.state import Records
records = Records(Rules(), 1)
clear(records.words, records.octets, Rules().encode(), np.uint64(1))
"""
# Which kernels that Python calls were not called by the warm-up, and how many there are.
AFTER_WARMUP = """
from war_env import _jit
made, entry = [], _jit.entry
def noted(function):
    made.append(entry(function))
    return made[-1]
_jit.entry = noted
from war_env.warmup import compile_all
compile_all()
print(len(made), [one.__name__ for one in made if not getattr(one, "compiled", one).signatures])
"""


def mixed(value: int) -> int:
    """SplitMix64's finaliser in Python's own integers."""
    most = 2**64 - 1
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & most
    value = (value ^ value >> 27) * 0x94D049BB133111EB & most
    return value ^ value >> 31


EXPECTED = mixed((7 + 4 * 0x9E3779B97F4A7C15) % 2**64)


@pytest.fixture
def install(tmp_path: Path) -> Path:
    """A folder that holds a copy of the package, as an installation does, without compiled code."""
    site = tmp_path / "site"
    shutil.copytree(PACKAGE, site / "war_env", ignore=shutil.ignore_patterns("__pycache__"))
    return site


def start(site: Path, code: str = SMALL_KERNEL, **environment: str) -> subprocess.Popen:
    """A fresh interpreter that finds the package in `site` alone."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("NUMBA", "XDG_CACHE", "PYTHON"))}
    return subprocess.Popen(
        [sys.executable, "-c", code],
        env=kept | {"PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1"} | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=site,
    )


def result_of(process: subprocess.Popen) -> tuple[int, str]:
    """The key that it found, and the folder of its cache."""
    out, error = process.communicate(timeout=300)
    assert process.returncode == 0, error
    key, folder = out.split()
    return int(key), folder


def test_an_installation_keeps_its_code_beside_itself(install: Path) -> None:
    key, folder = result_of(start(install))
    assert key == EXPECTED
    assert Path(folder).parent == install / "war_env" / "__pycache__"
    assert list(Path(folder).rglob("*.nbi"))


def test_a_read_only_installation_uses_the_home(install: Path, tmp_path: Path) -> None:
    """numba keeps nothing where it cannot write; a file in the way stands for that."""
    (install / "war_env" / "__pycache__").write_text("")  # holds for the superuser too, unlike permissions
    home = tmp_path / "home"
    home.mkdir()
    key, folder = result_of(start(install, HOME=str(home)))
    assert key == EXPECTED
    assert Path(folder).is_relative_to(home)


def test_a_read_only_installation_without_a_home_compiles_anew(install: Path, tmp_path: Path) -> None:
    (install / "war_env" / "__pycache__").write_text("")
    (tmp_path / "nothing").write_text("")
    key, folder = result_of(start(install, HOME=str(tmp_path / "nothing" / "home")))
    assert (key, folder) == (EXPECTED, "None")


def test_numba_cache_dir_is_the_root(install: Path, tmp_path: Path) -> None:
    key, folder = result_of(start(install, NUMBA_CACHE_DIR=str(tmp_path / "chosen")))
    assert key == EXPECTED
    assert Path(folder).parent == tmp_path / "chosen"


def test_a_full_disk_compiles_anew(install: Path) -> None:
    """numba would raise; files that may not grow beyond a kilobyte stand for the disk."""
    limited = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))"
    assert result_of(start(install, limited + SMALL_KERNEL))[0] == EXPECTED
    assert result_of(start(install))[0] == EXPECTED


def test_a_damaged_cache_is_written_anew(install: Path) -> None:
    """An index that is cut off, and code that is."""
    key, folder = result_of(start(install))
    for ending in ("nbi", "nbc"):
        (path,) = Path(folder).rglob(f"*_key_of*.{ending}")
        path.write_bytes(path.read_bytes()[:50])
        assert result_of(start(install)) == (key, folder)
        assert path.stat().st_size > 50


def test_eight_processes_at_once_with_a_cold_cache(install: Path) -> None:
    processes = [start(install) for _ in range(8)]
    results = [result_of(process) for process in processes]
    assert {key for key, _ in results} == {EXPECTED}
    assert len({folder for _, folder in results}) == 1
    assert result_of(start(install)) == results[0]


def test_an_edited_helper_is_compiled_anew(install: Path) -> None:
    """numba watches the file that defines a kernel, not those of its helpers."""
    key, folder = result_of(start(install))
    assert key == EXPECTED
    helper = install / "war_env" / "engine" / "rng.py"
    text = helper.read_text()
    assert "0xBF58476D1CE4E5B9" in text
    helper.write_text(text.replace("0xBF58476D1CE4E5B9", "0xBF58476D1CE4E5BB"))
    edited, other = result_of(start(install))
    assert edited != EXPECTED
    assert other != folder
    helper.write_text(text)
    assert result_of(start(install)) == (EXPECTED, folder)


def test_each_kernel_that_is_compiled_is_told_of_in_one_line(install: Path) -> None:
    """Also where the code of other kernels is in the cache already."""
    for code in (SMALL_KERNEL, OTHER_KERNEL):
        told = [start(install, code).communicate(timeout=300)[1].count("compiling the kernels") for _ in range(2)]
        assert told == [1, 0]


def test_the_warm_up_compiles_every_kernel() -> None:
    entries = sum(path.read_text().count("\n@entry\n") for path in PACKAGE.rglob("*.py"))
    result = subprocess.run(
        [sys.executable, "-c", AFTER_WARMUP], capture_output=True, text=True, check=True, cwd=PACKAGE.parent
    )
    assert result.stdout.split(maxsplit=1) == [str(entries), "[]\n"]
