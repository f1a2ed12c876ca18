"""Connects to a Dask cluster, or starts one."""

import importlib
import logging
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from distributed import Client

from penstock.errors import InputError, PenstockError
from penstock.workers.local_cluster import LocalWorkers, begun
from penstock.workers.place import Place
from penstock.workers.remote import cancel

# Not a reference to a function of the package: a worker without it could not unpickle the request.
_VERSION = "__import__('penstock.workers.remote', fromlist=['version']).version()"


class Connection:
    """A cluster (with `count` workers if it is local) and its client. Raises PenstockError if it cannot be reached."""

    ANSWER = 10.0  # seconds within which a scheduler must answer
    RETURN = 60.0  # seconds within which a lost scheduler must return

    def __init__(self, place: Place, count: int) -> None:
        self._place = place
        self._levels = _quiet()
        self.local: LocalWorkers | None = None
        self._cluster: Any = None
        self.client: Any = None
        try:
            if place.deployer:
                self._cluster = _deployed(place)
            elif not place.address:
                self.local = LocalWorkers(count)
                self._cluster = self.local.cluster
            self.client = _connected(self._cluster or place.address, self.ANSWER)
        except PenstockError:
            self.close()
            raise
        except Exception as error:
            self.close()
            why = "no Dask scheduler answers" if place.address else "the cluster cannot be started"
            raise PenstockError(f"{self.name}: {why}: {_told(error)}.") from error

    @property
    def name(self) -> str:
        """Name of the cluster in messages."""
        return self._place.address or self._place.deployer or "local cluster"

    @property
    def dashboard(self) -> str | None:
        """Address of the cluster's dashboard; None if it has none."""
        with suppress(Exception):
            if "dashboard" in self.client.scheduler_info()["services"]:
                return str(self.client.dashboard_link)
        return None

    def workers(self) -> dict[str, int]:
        """Returns the connected workers with their numbers of cores."""
        if self.local is not None:
            self.local.tend()
        return dict(self.client.nthreads())

    def versions(self, workers: Sequence[str]) -> dict[str, Any]:
        """Returns the version of each worker, or the exception of one without the package."""
        return dict(self.client.run(eval, _VERSION, workers=list(workers), on_error="return"))

    def reopen(self, is_stopped: Callable[[], bool]) -> None:
        """Reconnects to a lost scheduler; raises PenstockError if it does not return."""
        if not self._place.address:
            raise PenstockError(f"{self.name}: its scheduler has ended; finished runs are kept.")
        self._close_client()
        end = time.monotonic() + self.RETURN
        while not is_stopped():
            try:
                self.client = _connected(self._place.address, 2.0)
                return
            except Exception as error:  # of several types
                if time.monotonic() > end:
                    raise PenstockError(
                        f"{self.name}: its scheduler has gone and was not back within {self.RETURN:.0f} s "
                        f"({_told(error)}); finished runs are kept."
                    ) from error
                time.sleep(0.2)

    def cancel(self, study: str) -> None:
        """Stops the runs of a study on all workers."""
        with suppress(Exception):  # no scheduler is left
            # Waits, since a closing client drops unsent messages.
            self.client.run(cancel, study)

    def close(self) -> None:
        """Disconnects, and ends the cluster if it was started here."""
        self._close_client()
        if self.local is not None:
            self.local.close()
        elif self._cluster is not None:
            with suppress(Exception):  # all results have been taken
                self._cluster.close()
        for logger, level in self._levels.items():
            logging.getLogger(logger).setLevel(level)

    def _close_client(self) -> None:
        if self.client is not None:
            with suppress(Exception):  # the scheduler may be gone
                self.client.close(timeout=2)


class _Client(Client):  # type: ignore[misc]  # Dask has no types
    """A client that the garbage collector never closes: Dask would take a lock that the same thread may hold."""

    def start(self, **options: Any) -> None:
        """Connects; closes the client if no scheduler answers."""
        try:
            super().start(**options)
        except BaseException:
            with suppress(Exception):
                self.close(timeout=2)
            raise

    def __del__(self) -> None:
        """Does nothing."""


def _connected(where: Any, timeout: float) -> Client:
    """Returns a client of the scheduler `where`, an address or a cluster, that answers within `timeout` seconds."""
    return begun(lambda: _Client(where, timeout=timeout, set_as_default=False))


def _deployed(place: Place) -> Any:
    module, _, name = place.deployer.rpartition(".")
    try:
        deployer = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise InputError(f"deployer {place.deployer}: {error}; install the package that has it.") from None
    cluster = begun(lambda: deployer(**place.options))
    if place.workers is not None:
        cluster.scale(place.workers)
    return cluster


def _told(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0].rstrip(".")


def _quiet() -> dict[str, int]:
    """Silences the logs of Dask, and of Tornado about refused connections; returns the levels to restore."""
    names = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] in ("distributed", "tornado")]
    levels = {name: logging.getLogger(name).level for name in names}
    for name in levels:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    logging.getLogger("asyncio").addFilter(_is_of_use)
    return levels


def _is_of_use(record: logging.LogRecord) -> bool:
    """Drops the record of an exception in Dask that a dead worker causes and that nobody awaits."""
    kind = record.exc_info[0] if record.exc_info else None
    return kind is None or (kind.__module__, kind.__name__) != ("distributed.client", "AllExit")
