"""Shared fixtures: every registered id, and the options that tests combine with it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

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


@pytest.fixture
def client() -> Iterator[Any]:
    """A client of the page's server."""
    from experiments.play_web import create_app

    with create_app().test_client() as made:
        yield made
