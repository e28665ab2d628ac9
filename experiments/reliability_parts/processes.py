"""Processes and threads, caches and installations, and what happens without an extra."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

from experiments.reliability_parts.children import ROOT, environment, last_line, mounted, remount, run, told

_WORKERS = "experiments.reliability_parts.workers"
_FIRST_GAME = """
import gymnasium, sys
env = gymnasium.make("war_env:War-v0")
env.reset(seed=0)
print(env.step(0)[1], sys.modules["war_env"].__file__)
"""
_BLOCKED = """
import runpy, sys
class Without:
    def __init__(self, finder):
        self.finder = finder
    def __getattr__(self, name):
        return getattr(self.finder, name)
    def find_spec(self, name, path=None, target=None):
        return None if name.split(".")[0] in {names!r} else self.finder.find_spec(name, path, target)
sys.meta_path[:] = [Without(finder) for finder in sys.meta_path]
sys.argv[1:] = []
"""
_TORCH = ["torch", "stable_baselines3", "sb3_contrib"]
_ALL = [*_TORCH, "pygame", "scipy", "pettingzoo", "pyspiel", "flask", "rich", "pandas", "tyro", "joblib", "matplotlib"]
_MODULE = "runpy.run_module({!r}, run_name='__main__', alter_sys=True)"
_PLAY = """
import gymnasium, war_env
for name in [key for key in gymnasium.registry if "War" in key]:
    env = gymnasium.make(name, render_mode="ansi")
    env.reset(seed=0)
    assert env.render() and env.step(0)
    gymnasium.make_vec(name, num_envs=3).reset(seed=0)
war_env.Game.deal(war_env.get_rules("mini")).play_out(["greedy", "random"])
war_env.simulate(war_env.get_rules("classic"), 10)
"""
_TRAINED = "import agents.registry, war_env; agents.registry.get_agent('champion', war_env.get_rules('strategic'))"
# What is missing, what is done, and what must be said; nothing where it must work.
MISSING: list[tuple[str, list[str], str, str]] = [
    ("every extra: environments, games, simulations", _ALL, _PLAY, ""),
    (
        "pygame: pictures",
        ["pygame"],
        "import gymnasium as g; g.make('war_env:War-v0', render_mode='rgb_array')",
        "render",
    ),
    ("torch: agents with exported weights", _TORCH, _TRAINED, ""),
    ("torch: WarVecEnv", _TORCH, "import war_env.sb3", "sb3"),
    ("torch: training", _TORCH, _MODULE.format("experiments.train"), "sb3"),
    ("torch: benchmark", _TORCH, _MODULE.format("experiments.benchmark"), "sb3"),
    ("torch: speed", _TORCH, _MODULE.format("experiments.speed"), "sb3"),
    ("scipy: a tournament", ["scipy"], _MODULE.format("experiments.tournament"), "experiments"),
    ("scipy: a linear program", ["scipy"], "import agents.solvers.linear as a; a.solve_linear(None)", "exact"),
    ("PettingZoo: parallel_env", ["pettingzoo"], "import war_env.parallel_env", "pettingzoo"),
    ("OpenSpiel: its view of the game", ["pyspiel"], "import agents.solvers.openspiel_game", "openspiel"),
    ("tyro: any experiment", ["tyro"], _MODULE.format("experiments.game_length"), "experiments"),
]


def many(kind: str, context: str, count: int, is_cold: bool = False) -> dict[str, Any]:
    """One kind of processes or threads of workers.py beside this process alone, with an empty cache if wanted."""
    with tempfile.TemporaryDirectory() as folder:
        cache = {"NUMBA_CACHE_DIR": folder} if is_cold else {}
        result = run(["-m", _WORKERS, kind, context, str(count)], env=environment(**cache))
    failures = [] if result.stdout.strip() == "True" else [last_line(result) or "other games"]
    return told(count, "threads" if kind == "threads" else "processes", failures, "the same games as in one process")


def read_only(is_quick: bool) -> dict[str, Any]:
    """A game with an installation that cannot be written to, and no home to write to instead."""
    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder)
        shutil.copytree(ROOT / "war_env", site / "war_env", ignore=shutil.ignore_patterns("__pycache__"))
        changes = {"PYTHONPATH": folder, "HOME": f"{folder}/home", "XDG_CACHE_HOME": None, "NUMBA_CACHE_DIR": None}
        code = "import war_env._jit as j; print(j.cache_folder(), j.__file__)" if is_quick else _FIRST_GAME
        with mounted(site, "--bind", folder) as is_mounted:
            if not (is_mounted and remount(site, "bind,ro")):
                return told(0, "first games", [], "not tried: it needs the right to mount")
            result = run(["-c", code], cwd=site, env=environment(**changes))
    failures = [] if result.returncode == 0 and folder in result.stdout else [last_line(result)]
    return told(1, "first games", failures, "works; the kernels are compiled for this process alone")


def missing(is_quick: bool) -> dict[str, Any]:
    """What each missing package stops, and what is said of it."""
    failures = []
    cases = MISSING[1:5] if is_quick else MISSING
    for what, names, code, extra in cases:
        result = run(["-c", _BLOCKED.format(names=names) + code])
        is_right = f"war_env[{extra}]" in result.stderr if extra else result.returncode == 0
        if not is_right or (extra and result.returncode == 0):
            failures.append(f"without {what}: {last_line(result)}")
    return told(len(cases), "packages and uses", failures, "works, or names the extra to install")
