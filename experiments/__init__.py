"""Experiments on War: `python -m experiments.NAME --help`."""

import os
from importlib.util import find_spec

for _name in ("tyro", "rich", "pandas", "joblib", "matplotlib", "scipy", "choix", "jinja2"):
    if find_spec(_name) is None:
        raise ImportError(f"the experiments need {_name}, which is not here: pip install 'war_env[experiments]'")

# Before NumPy loads: one thread of linear algebra per process, so that results do not depend on the machine's cores.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
