"""Experiments on War: `python -m experiments.NAME --help`."""

import os
from importlib.util import find_spec

_MISSING = [
    name for name in ("choix", "jinja2", "joblib", "matplotlib", "pandas", "rich", "tyro") if not find_spec(name)
]
if _MISSING:
    raise ImportError(f"experiments need {', '.join(_MISSING)}: pip install 'war_env[experiments]'")

# Before NumPy loads: one thread of linear algebra per process, so that results do not depend on the machine's cores.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
