"""Training of agents; needs the extra `sb3`."""

from importlib.util import find_spec

for _name in ("torch", "stable_baselines3", "sb3_contrib"):
    if find_spec(_name) is None:
        raise ImportError(f"training needs {_name}, which is not here: pip install 'war_env[sb3]'")
