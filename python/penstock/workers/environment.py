"""The environment of processes that make runs."""

from __future__ import annotations

import os
import sys

from penstock.huge_pages import tunables

__all__ = ["environment"]


def environment(**more: str) -> dict[str, str]:
    """The environment of this process, its folders of modules, and memory in huge pages."""
    paths = os.pathsep.join(path for path in sys.path if path)
    return {**os.environ, **more, "PYTHONPATH": paths, **tunables(os.environ)}
