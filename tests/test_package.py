"""The package as a whole: what imports what, what loads when, compiled and plain kernels, the cache."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import njit

import war_env
from war_env import _jit, _parts
from war_env.state import record_dtype

ROOT = Path(war_env.__file__).parent
ORDER = (
    ("errors", "_parts", "_jit", "_version", "files", "output", "policy_names", "row_threads"),
    ("cards",),
    ("rules", "casino_rules"),
    ("presets", "state", "layout", "truth", "seeding", "record", "holdings"),
    ("plan",),
    ("casino_state",),
    ("engine",),
    ("observation", "opponents"),
    ("seat_kernels", "policy"),
    ("lane_kernels",),
    ("table_kernels",),
    ("weights",),
    ("opponent_spec", "view_kernels", "playout_kernels"),
    ("base_lanes", "playouts", "imagine", "simulation", "render"),
    ("lanes", "casino_lanes", "lane_env"),
    ("lane_vector_env",),
    ("env", "game_view", "vector_env", "casino_env"),
    ("game",),
    ("sb3", "parallel_env", "warmup"),
)


def imported_by(path: Path) -> set[str]:
    """The modules of war_env that a source imports, by their first name below the package."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("war_env"):
            parts = (node.module or "").split(".")
            names |= {parts[1]} if len(parts) > 1 else {alias.name for alias in node.names}
    return names


def test_nothing_imports_backwards() -> None:
    """Rules, engine, observation, opponents, lanes, environments: each knows only what stands before it."""
    level = {name: k for k, names in enumerate(ORDER) for name in names}
    for path in ROOT.rglob("*.py"):
        own = path.relative_to(ROOT).parts[0].removesuffix(".py")
        if own in ("__init__", "__main__"):
            continue
        assert own in level, f"{own} has no place in the order of modules"
        for other in imported_by(path) - {own}:
            assert level[other] <= level[own], f"{path.name} imports {other}"


def test_the_package_knows_nothing_of_agents_and_experiments_nor_the_engine_of_gymnasium() -> None:
    for path in ROOT.rglob("*.py"):
        text = path.read_text()
        assert "import agents" not in text
        assert "from agents" not in text
        assert "experiments" not in imported_by(path)
        if "engine" in path.parts:
            assert "gymnasium" not in text.replace("Gymnasium", "")


def test_agents_do_not_know_the_experiments() -> None:
    for path in (ROOT.parent / "agents").rglob("*.py"):
        text = path.read_text()
        assert "import experiments" not in text
        assert "from experiments" not in text


def run(code: str, **environment: str) -> str:
    """Run code in a fresh interpreter; returns what it prints."""
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        env={**os.environ, "PYTHONPATH": str(ROOT.parent), **environment},
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT.parent,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_importing_compiles_nothing_and_loads_nothing_heavy() -> None:
    """openai/gym#2658."""
    heavy = run(
        "import sys, war_env; print([m for m in ('numba', 'torch', 'pygame', 'scipy', 'rich') if m in sys.modules])"
    )
    assert heavy.strip() == "[]"


@pytest.mark.skipif(not _jit.IS_COMPILED, reason="nothing is compiled")
def test_parts_have_no_machine_code_of_their_own_and_numbas_own_way_gives_the_same() -> None:
    """A chain of functions, compiled as parts and as numba would: the same result."""

    def chain(options: dict[str, Any]) -> tuple[Any, Any]:
        @njit(**options)
        def inner(x: Any) -> Any:
            return x * 3 + 1

        @njit(**options)
        def outer(x: Any) -> Any:
            total = 0
            for k in range(x):
                total += inner(k) if k % 2 else inner(x - k)
            return total

        return njit(lambda x: outer(x) - inner(x)), outer

    assert _parts.PART_OPTIONS, "this numba lacks a name that parts stand on: compiling takes three times as long"
    entry, part = chain(_parts.PART_OPTIONS)
    plain, outer = chain({})
    assert [entry(x) for x in range(20)] == [plain(x) for x in range(20)]
    assert outer(5) == entry(5) + 16
    with pytest.raises(TypeError):
        part(5)


def test_registration_happens_once_and_every_preset_has_its_id() -> None:
    out = run(
        """
        import importlib, warnings
        warnings.simplefilter("error")
        import war_env, gymnasium
        importlib.reload(war_env)
        print(sorted(i for i in gymnasium.registry if i.startswith("War")))
        """
    )
    assert ast.literal_eval(out) == sorted(preset.id for preset in war_env.PRESETS)


PLAY = """
    import hashlib, json, numpy as np
    from war_env import Rules, WarVectorEnv, get_rules, simulate
    digest = hashlib.sha256()
    for preset in ("strategic", "one_pass", "mini", "senso"):
        envs = WarVectorEnv(preset, 3, opponent={"random": 1, "reserve": 1}, reward="capture")
        obs, _ = envs.reset(seed=1)
        rng = np.random.default_rng(0)
        for _ in range(40):
            obs, rewards, terminated, _, _ = envs.step(rng.integers(0, envs.single_action_space.n, 3))
            digest.update(obs.tobytes() + rewards.tobytes() + terminated.tobytes())
    for options in ({}, {"winnings": "interleaved", "max_battles": 40}, {"players": 3, "winnings": "pile_shuffled"},
                    {"clock": "exponential", "max_seconds": 20.0}, {"run_out": "last_card_stands", "jokers": 2}):
        stats = simulate(get_rules("classic", **options), 2, seed=3)
        digest.update(json.dumps([stats.battles.tolist(), stats.winner.tolist(), stats.wars.tolist()]).encode())
    print(digest.hexdigest())
"""


def test_plain_python_plays_the_same_games_as_compiled_code() -> None:
    """numba/numba#7715, numba/numba#10033: NUMBA_DISABLE_JIT=1, bit for bit."""
    assert run(PLAY, NUMBA_DISABLE_JIT="1") == run(PLAY)


def test_nothing_is_kept_where_nothing_can_be_written(tmp_path: Path) -> None:
    """Compiling without a cache works; the reason is that the root of the cache is a file."""
    blocker = tmp_path / "file"
    blocker.write_text("")
    code = """
        from war_env import _jit
        assert _jit.cache_folder() is None
        import numpy as np
        from war_env._jit import entry
        @entry
        def double(x):
            return x + x
        print(double(np.uint64(21)))
    """
    assert run(code, NUMBA_CACHE_DIR=str(blocker / "below")).strip() == "42"


def test_the_cache_is_named_after_every_source_of_a_kernel() -> None:
    """An edit in any file that reaches a kernel names another folder; only those files count."""
    sources = {path for pattern in _jit._SOURCES for path in ROOT.glob(pattern)}
    for path in ROOT.rglob("*.py"):
        text = path.read_text()
        uses_kernels = any(f"@{name}\n" in text for name in ("kernel", "inline", "entry"))
        assert not uses_kernels or path in sources, f"{path.name} defines kernels but is not in _SOURCES"
    reached = set()
    for path in sources:
        reached |= imported_by(path)
    named = {path.relative_to(ROOT).parts[0].removesuffix(".py") for path in sources}
    assert reached <= named | {"errors"}, reached - named


def test_a_game_takes_at_most_512_bytes() -> None:
    assert record_dtype(war_env.get_rules("strategic")).itemsize <= 512


def test_first_compilation_is_announced_in_one_line(tmp_path: Path) -> None:
    code = "from war_env import simulate, Rules; simulate(Rules(), 1)"
    result = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(ROOT.parent), "NUMBA_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stderr.count("compiling the kernels") == 1
    assert len(result.stderr.splitlines()) == 1
    assert len(list(tmp_path.glob("war_env-*"))) == 1


def test_commands_of_the_package() -> None:
    out = subprocess.run(
        [sys.executable, "-m", "war_env", "presets"], capture_output=True, text=True, check=True, cwd=ROOT.parent
    )
    for preset in war_env.PRESETS:
        assert preset.id in out.stdout


def test_versions_agree() -> None:
    from importlib import metadata

    assert metadata.version("war_env") == war_env.__version__
    assert json.loads(json.dumps(war_env.__version__)).count(".") == 2


@pytest.mark.parametrize("name", war_env.__all__)
def test_public_names_exist_and_are_documented(name: str) -> None:
    assert set(war_env._LAZY) <= set(war_env.__all__)
    value = getattr(war_env, name)
    assert np.isscalar(value) or isinstance(value, tuple) or value.__doc__


def test_a_numba_that_refuses_numpy_is_told_and_the_import_stands(tmp_path: Path) -> None:
    """numba/numba#10033: importing works, and the first environment passes on what numba says."""
    (tmp_path / "numba").mkdir()
    (tmp_path / "numba" / "__init__.py").write_text(
        "raise ImportError('Numba needs NumPy 2.4 or less. Got NumPy 2.9.')"
    )
    code = """
        import sys
        sys.path.insert(0, {!r})
        import war_env
        try:
            war_env.WarEnv("mini")
        except ImportError as error:
            print(error)
    """
    assert "Numba needs NumPy 2.4 or less" in run(code.format(str(tmp_path)))


def test_gymnasium_alone_is_imported() -> None:
    """stable-baselines3#1588: no source imports the older gym."""
    for folder in (ROOT, ROOT.parent / "agents", ROOT.parent / "experiments"):
        for path in folder.rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                modules += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
                assert "gym" not in {module.split(".")[0] for module in modules}, path


@pytest.mark.parametrize("command", ["-m war_env presets", "-m experiments.train --help"])
@pytest.mark.parametrize("lines", [0, 1])
def test_a_reader_that_goes_away_ends_a_command_without_a_traceback(command: str, lines: int) -> None:
    """As `head` does; and where the disk is full, one line says so."""
    shell = f"{sys.executable} {command} | head -n {lines}; exit ${{PIPESTATUS[0]}}"
    result = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, cwd=ROOT.parent, check=False)
    assert result.returncode in (0, 141)
    assert "Traceback" not in result.stderr
    assert "Exception" not in result.stderr
    if Path("/dev/full").exists() and not lines:
        shell = f"{sys.executable} {command} > /dev/full"
        full = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, cwd=ROOT.parent, check=False)
        assert full.returncode == 2
        assert full.stderr.strip().endswith("No space left on device")
        assert len(full.stderr.splitlines()) == 1
