"""What is built for others to install, and what is asked for where an extra is missing; `make wheel` goes further."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import war_env

ROOT = Path(war_env.__file__).parent.parent


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with both distributions, built as pip would build them."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return folder


def test_the_wheel_holds_the_package_and_nothing_else(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as file:
        names = set(file.namelist())
        info = f"war_env-{war_env.__version__}.dist-info"
        metadata = file.read(f"{info}/METADATA").decode()
    sources = {str(path.relative_to(ROOT)) for path in (ROOT / "war_env").rglob("*.py")}
    about = {f"{info}/{name}" for name in ("METADATA", "RECORD", "WHEEL", "licenses/LICENSE")}
    assert names == sources | {"war_env/py.typed"} | about
    for line in ("Name: war_env", "License-Expression: MIT", "Requires-Python: >=3.11", "Classifier: Typing :: Typed"):
        assert line in metadata.splitlines()
    always = [line for line in metadata.splitlines() if line.startswith("Requires-Dist") and "extra ==" not in line]
    assert sorted(line.split()[1].split(">")[0].split("<")[0] for line in always) == ["gymnasium", "numba", "numpy"]


def test_the_source_distribution_can_run_its_tests(built: Path) -> None:
    (source,) = built.glob("*.tar.gz")
    with tarfile.open(source) as file:
        names = {name.split("/", 1)[1] for name in file.getnames()}
    needed = ["pyproject.toml", "README.md", "LICENSE", "Makefile", "requirements.lock", "docs/data/champion.json"]
    needed += ["agents/trained/champion/War-v0.npz", "experiments/templates/report.html", "tests/golden_games/mini.txt"]
    assert set(needed) <= names
    assert not [name for name in names if name.startswith((".venv", "results", "site/")) or "__pycache__" in name]


@pytest.mark.parametrize(
    ("package", "module", "extra"),
    [
        ("tyro", "experiments.tournament", "experiments"),
        ("sb3_contrib", "agents.training.ppo", "sb3"),
        ("stable_baselines3", "war_env.sb3", "sb3"),
        ("pettingzoo", "war_env.parallel_env", "pettingzoo"),
    ],
)
def test_a_missing_package_is_named_with_its_extra(package: str, module: str, extra: str) -> None:
    code = f"import sys; sys.modules[{package!r}] = None; import {module}"
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert f"pip install 'war_env[{extra}]'" in result.stderr.splitlines()[-1]
