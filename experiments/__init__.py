"""Experiments on War: `python -m experiments.NAME --help`."""

import os

# Before NumPy loads: one thread of linear algebra per process, so that results do not depend on the machine's cores.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
