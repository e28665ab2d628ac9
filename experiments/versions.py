"""What a result depends on beside its settings: versions of Python, of packages, and of this project's sources."""

from __future__ import annotations

import functools
import hashlib
import platform
from importlib import metadata
from pathlib import Path

_PACKAGES = ("gymnasium", "numpy", "numba", "stable-baselines3", "sb3-contrib", "torch")


@functools.cache
def source_digest() -> str:
    """Digest of the sources that decide results, as this process found them first: war_env, agents and experiments."""
    root = Path(__file__).parent.parent
    digest = hashlib.sha256()
    for folder in ("war_env", "agents", "experiments"):
        for path in sorted((root / folder).rglob("*.py")):
            digest.update(str(path.relative_to(root)).encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def versions() -> dict[str, str]:
    """Versions of Python, of this project's sources and of the packages that matter."""
    found = {"python": platform.python_version(), "sources": source_digest()}
    for name in ("war_env", *_PACKAGES):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "not installed"
    return found
