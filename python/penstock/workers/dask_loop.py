"""Patience with the thread of Dask's event loop."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["begun"]

T = TypeVar("T")
STARTS = 3
"""So often a loop is started before it is given up."""


def begun(start: Callable[[], T]) -> T:
    """What `start` makes of Dask; it is asked again if the loop's thread was not there in time.

    Dask waits ten seconds for that thread, by the clock, and asserts that it runs then. A machine that stood still for
    so long has not let it begin. A thread that comes later idles until the process ends.

    Raises
    ------
    AssertionError
        If the last of `STARTS` attempts ends in the same way.
    """
    for _ in range(STARTS - 1):
        with suppress(AssertionError):
            return start()
    return start()
