"""How many processor cores this process may use."""

from __future__ import annotations

import os

__all__ = ["available", "usable"]


def available() -> int:
    """Returns the number of cores that this process may run on."""
    try:
        return len(os.sched_getaffinity(0))
    except (AttributeError, OSError):  # not on every system
        return os.cpu_count() or 1


def usable(threads: int) -> int:
    """Returns how many threads a run gets that asks for `threads`: more than there are cores wait for each other."""
    return min(threads, available())
