"""The connection to a Dask cluster, which is started here if there is none yet."""

from __future__ import annotations

import importlib
import logging
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from penstock.errors import InputError, PenstockError
from penstock.workers.dask_loop import begun
from penstock.workers.local_cluster import LocalWorkers
from penstock.workers.remote import cancel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.workers.place import Place

__all__ = ["Connection"]

# Not by reference to a function of ours: a worker without the package could not even read what it is asked.
_VERSION = "__import__('penstock.workers.remote', fromlist=['version']).version()"


class Connection:
    """A cluster, and a client of it; a worker is named by its address.

    Parameters
    ----------
    place : Place
        Which cluster.
    count : int
        How many workers, if they are started here.

    Raises
    ------
    PenstockError
        If the cluster cannot be reached or started.
    """

    ANSWER = 10.0
    """Seconds in which a scheduler has to answer."""
    RETURN = 60.0
    """Seconds in which a scheduler that was there has to be there again."""

    def __init__(self, place: Place, count: int) -> None:
        import distributed

        self._place = place
        self._levels = _quiet()
        self._local: LocalWorkers | None = None
        self._cluster: Any = None
        self.client: Any = None
        try:
            if place.deployer:
                self._cluster = _deployed(place)
            elif not place.address:
                self._local = LocalWorkers(count)
                self._cluster = self._local.cluster
            where = self._cluster or place.address
            self.client = begun(lambda: distributed.Client(where, timeout=self.ANSWER, set_as_default=False))
        except PenstockError:
            self.close()
            raise
        except Exception as error:
            self.close()
            why = "no Dask scheduler answers" if place.address else "the cluster cannot be started"
            raise PenstockError(f"{self.name}: {why}: {_told(error)}.") from error

    @property
    def name(self) -> str:
        """What the cluster is called in messages."""
        return self._place.address or self._place.deployer or "local cluster"

    @property
    def waits(self) -> bool:
        """Whether workers may be in somebody's queue for long."""
        return bool(self._place.deployer)

    @property
    def dashboard(self) -> str | None:
        """Where the cluster shows what it does, if it does."""
        with suppress(Exception):  # a scheduler may have none
            if "dashboard" in self.client.scheduler_info()["services"]:
                return str(self.client.dashboard_link)
        return None

    def expect(self, count: int) -> None:
        """There are to be at least so many workers, if they are started here."""
        if self._local is not None:
            self._local.expect(count)

    def workers(self) -> dict[str, int]:
        """The workers that are there, and how many runs each makes at the same time."""
        if self._local is not None:
            self._local.tend()
        return dict(self.client.nthreads())

    def versions(self, workers: Sequence[str]) -> dict[str, Any]:
        """What each of some workers has, or the exception that says that it has none."""
        return dict(self.client.run(eval, _VERSION, workers=list(workers), on_error="return"))

    def proven(self) -> None:
        """Runs come back."""
        if self._local is not None:
            self._local.proven()

    def reopen(self, is_stopped: Callable[[], bool]) -> None:
        """Looks for the scheduler again, which has gone away.

        Raises
        ------
        PenstockError
            If it does not come back.
        """
        import distributed

        if not self._place.address:
            raise PenstockError(f"{self.name}: its scheduler has ended; finished runs are kept.")
        self._close_client()
        end = time.monotonic() + self.RETURN
        while not is_stopped():
            try:
                self.client = distributed.Client(self._place.address, timeout=2.0, set_as_default=False)
            except Exception as error:  # Dask has several for it
                if time.monotonic() > end:
                    raise PenstockError(
                        f"{self.name}: its scheduler has gone and was not back within {self.RETURN:.0f} s "
                        f"({_told(error)}); finished runs are kept."
                    ) from error
                time.sleep(0.2)
            else:
                return

    def cancel(self, study: str) -> None:
        """Ends what is under way of a study."""
        with suppress(Exception):  # then nobody is there
            # Waits, since what has not been sent when the client closes is not sent at all.
            self.client.run(cancel, study)

    def close(self) -> None:
        """Leaves the cluster, and ends it if it was started here."""
        self._close_client()
        if self._local is not None:
            self._local.close()
        elif self._cluster is not None:
            with suppress(Exception):  # it has no more than has been taken from it
                self._cluster.close()
        for logger, level in self._levels.items():
            logging.getLogger(logger).setLevel(level)

    def _close_client(self) -> None:
        if self.client is not None:
            with suppress(Exception):  # perhaps nobody is there any more
                self.client.close(timeout=2)


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
    """Lets Dask say nothing by itself, since what it could say is told; gives what is to be put back."""
    names = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] == "distributed"]
    levels = {name: logging.getLogger(name).level for name in names}
    for name in levels:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    logging.getLogger("asyncio").addFilter(_is_of_use)
    return levels


def _is_of_use(record: logging.LogRecord) -> bool:
    """Not that Dask has stopped gathering results when a worker ended: nobody asks for that exception any more."""
    kind = record.exc_info[0] if record.exc_info else None
    return kind is None or (kind.__module__, kind.__name__) != ("distributed.client", "AllExit")
