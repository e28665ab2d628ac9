"""Deep equality of what environments give."""

from __future__ import annotations

import numpy as np


def assert_same(ours: object, theirs: object, path: str = "") -> None:
    """Equal in keys, types, dtypes, shapes and values, all the way down."""
    if isinstance(theirs, dict):
        assert isinstance(ours, dict)
        assert set(ours) == set(theirs), (path, set(ours) ^ set(theirs))
        for key in theirs:
            assert_same(ours[key], theirs[key], f"{path}.{key}")
    elif isinstance(theirs, tuple) or (isinstance(theirs, np.ndarray) and theirs.dtype == object):
        assert type(ours) is type(theirs), path
        assert getattr(ours, "dtype", None) == getattr(theirs, "dtype", None), path
        for k, (mine, other) in enumerate(zip(ours, theirs, strict=True)):
            assert_same(mine, other, f"{path}[{k}]")
    elif isinstance(theirs, np.ndarray):
        assert ours.dtype == theirs.dtype, path
        assert np.array_equal(ours, theirs), (path, ours, theirs)
    else:
        assert type(ours) is type(theirs), path
        assert ours == theirs, path
