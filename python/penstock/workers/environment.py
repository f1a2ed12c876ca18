"""Environment of worker processes."""

from __future__ import annotations

import os
import sys

from penstock.huge_pages import tunables


def environment(**more: str) -> dict[str, str]:
    """Returns the environment of this process with its module path, and with huge pages enabled."""
    paths = os.pathsep.join(path for path in sys.path if path)
    return {**os.environ, **more, "PYTHONPATH": paths, **tunables(os.environ)}
