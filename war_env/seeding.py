"""From a user's seed to the 64-bit numbers from which streams start."""

from __future__ import annotations

from typing import Any

import numpy as np

from war_env.errors import ArgumentError, checked_int, refused


def tagged_generator(seed: int | None, *numbers: int) -> np.random.Generator:
    """A generator for a purpose of its own.

    NumPy pads seeds with zeros, so that s, [s] and [s, 0] give the same numbers; the tag at the end keeps purposes
    apart from each other and from the generators that environments seeded s draw from.

    Args:
        seed: a non-negative integer, or None for fresh entropy.
        numbers: what the generator is for; the last one must not be 0.
    """
    assert numbers[-1] != 0
    return np.random.default_rng(None if seed is None else [seed, *numbers])


def draw_keys(generator: np.random.Generator, count: int | None = None) -> Any:
    """One uint64, or `count` of them, from a NumPy generator."""
    return generator.integers(0, 2**64, size=count, dtype=np.uint64)


def lane_start(seed: int) -> np.uint64:
    """Where the stream of a lane seeded `seed` starts: the first draw of `numpy.random.default_rng(seed)`."""
    checked_int("seed", seed, 0)
    return np.uint64(draw_keys(np.random.default_rng(int(seed))))


def checked_seed(seed: Any) -> int | None:
    """A seed as Gymnasium takes it: None or a non-negative integer."""
    if seed is None:
        return None
    if isinstance(seed, np.ndarray) and seed.ndim == 0:
        seed = seed[()]
    try:
        return checked_int("seed", seed, 0)
    except ArgumentError:
        raise refused("seed", seed, "None or an integer >= 0") from None
