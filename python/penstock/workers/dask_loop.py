"""Retries the start of Dask's event loop."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")
STARTS = 3
"""Number of attempts."""


def begun(start: Callable[[], T]) -> T:
    """Returns the result of `start`, which is called again if the thread of Dask's event loop was late.

    Dask asserts that this thread runs within ten seconds, which fails on a machine that was suspended or overloaded. A
    late thread idles until the process ends.

    Raises AssertionError if the last of `STARTS` attempts fails in the same way.
    """
    for _ in range(STARTS - 1):
        with suppress(AssertionError):
            return start()
    return start()
