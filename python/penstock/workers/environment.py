"""The environment of processes that make runs."""

from __future__ import annotations

import os
import sys

__all__ = ["environment"]

_TUNABLES = "GLIBC_TUNABLES"
_HUGE_PAGES = "glibc.malloc.hugetlb"
_ONE_ARENA = "glibc.malloc.arena_max"
"""What threads other than the first allocate comes from arenas of their own, which have no huge pages."""


def environment(**more: str) -> dict[str, str]:
    """The environment of this process, its folders of modules, and memory in huge pages where the C library has them.

    A large network's state is all over its memory, so most visits to a process miss the address translation's caches;
    pages of 2 MiB need fewer entries there. What the user has set of this stays.
    """
    paths = os.pathsep.join(path for path in sys.path if path)
    tunables = os.environ.get(_TUNABLES, "")
    if _HUGE_PAGES not in tunables:
        wanted = f"{_HUGE_PAGES}=1:{_ONE_ARENA}=1"
        tunables = f"{tunables}:{wanted}" if tunables else wanted
    return {**os.environ, **more, "PYTHONPATH": paths, _TUNABLES: tunables}
