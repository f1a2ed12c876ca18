"""A client of a Dask scheduler that never closes itself from the garbage collector, and starts of Dask's event loop."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from distributed import Client

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")
STARTS = 3
"""Number of attempts to start the event loop of Dask."""


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


class _Client(Client):  # type: ignore[misc]  # Dask has no types
    """A client whose owner closes it.

    Dask's own finalizer closes a client and takes a lock that is not reentrant. A collection may begin in the thread
    that holds this lock, since starting an event loop allocates memory under it, and the process would wait for itself.
    """

    def start(self, **options: Any) -> None:
        """Connects; closes the client if no scheduler answers, since the constructor then returns none to close."""
        try:
            super().start(**options)
        except BaseException:
            with suppress(Exception):
                self.close(timeout=2)
            raise

    def __del__(self) -> None:
        """Does nothing."""


def connected(where: Any, timeout: float) -> Client:
    """Returns a client of the scheduler `where`, an address or a cluster, that answers within `timeout` seconds."""
    return begun(lambda: _Client(where, timeout=timeout, set_as_default=False))
