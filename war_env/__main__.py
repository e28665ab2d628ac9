"""`python -m war_env warmup` compiles the kernels ahead of time; `python -m war_env presets` lists the rule sets."""

from __future__ import annotations

import argparse
import time

from war_env import __version__
from war_env.casino_rules import CASINO_ID, CASINO_NAME, CASINO_SUMMARY
from war_env.output import tidy_output
from war_env.presets import PRESETS


def warm_up() -> str:
    """Compile every kernel into the cache; returns a line about it."""
    start = time.perf_counter()
    from war_env._jit import cache_folder
    from war_env.warmup import compile_all

    compile_all()
    folder = cache_folder()
    place = "nowhere: no folder can be written, so that each process compiles anew" if folder is None else str(folder)
    return f"war_env {__version__}: kernels ready after {time.perf_counter() - start:.1f} s, kept in {place}."


def list_presets() -> str:
    """A line per preset: name, id, summary."""
    rows = [(preset.name, preset.id, preset.summary) for preset in PRESETS]
    rows.append((CASINO_NAME, CASINO_ID, CASINO_SUMMARY))
    return "\n".join(f"{name:<12} {env_id:<18} {summary}" for name, env_id, summary in rows)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m war_env", description=__doc__)
    parser.add_argument("command", choices=["warmup", "presets"])
    parser.add_argument("--version", action="version", version=__version__)
    with tidy_output():
        command = parser.parse_args().command
        print(warm_up() if command == "warmup" else list_presets())


if __name__ == "__main__":
    main()
