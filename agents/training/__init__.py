"""Training of agents; needs the extra `sb3`."""

from importlib.util import find_spec

if not find_spec("sb3_contrib"):
    raise ImportError("training needs sb3-contrib and torch: pip install 'war_env[sb3]'")
