"""A client of a Dask scheduler that never closes itself from the garbage collector."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from distributed import Client

from penstock.workers.dask_loop import begun


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
