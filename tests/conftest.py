"""Shared fixtures: every registered id, and the options that tests combine with it."""

from __future__ import annotations

import os

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import pytest  # noqa: E402

from war_env import PRESETS  # noqa: E402

IDS = [preset.id for preset in PRESETS]


@pytest.fixture(params=IDS)
def env_id(request: pytest.FixtureRequest) -> str:
    """Each environment id of the package."""
    return str(request.param)
