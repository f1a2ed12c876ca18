"""Memory in pages of 2 MiB, where Linux gives them to who asks.

A large network's state is all over its memory, so most visits to a process miss the address translation's caches;
pages of 2 MiB need fewer entries there. The C library reads whether it is to ask for them only when a process begins.
"""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["LARGE", "allow_restart", "restart_for", "tunables"]

LARGE = 32 * 2**20
"""Bytes from which on a run asks for huge pages.

A fat tree of 96 MB takes a seventh less time with them, 40 MB of TCP connections as much as without; short runs of a
few MB lose, as pages are cleared as a whole.
"""

_TUNABLES = "GLIBC_TUNABLES"
_HUGE_PAGES = "glibc.malloc.hugetlb"
_ONE_ARENA = "glibc.malloc.arena_max"
"""What threads other than the first allocate comes from arenas of their own, which have no huge pages."""

_may_restart = threading.Event()


def tunables(environment: Mapping[str, str]) -> dict[str, str]:
    """The variable that asks the C library for huge pages, beside what `environment` has of it, which stays."""
    old = environment.get(_TUNABLES, "")
    if _HUGE_PAGES in old:
        return {_TUNABLES: old}
    wanted = f"{_HUGE_PAGES}=1:{_ONE_ARENA}=1"
    return {_TUNABLES: f"{old}:{wanted}" if old else wanted}


def allow_restart() -> None:
    """Says that the process does nothing but one command, which may begin anew as long as nothing was written."""
    if sys.platform == "linux":
        _may_restart.set()


def restart_for(sizes: Iterable[int]) -> None:
    """Begins this process anew, with huge pages, if a run takes much memory; a process does so once at most.

    Without them it goes on where :func:`allow_restart` was not called, where the user has set the C library's
    ``GLIBC_TUNABLES`` for or against huge pages, and where the system starts no program.

    Parameters
    ----------
    sizes : iterable of int
        The bytes that single runs take, as estimated.
    """
    if not _may_restart.is_set() or _HUGE_PAGES in os.environ.get(_TUNABLES, "") or max(sizes, default=0) < LARGE:
        return
    with suppress(OSError):
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], {**os.environ, **tunables(os.environ)})
