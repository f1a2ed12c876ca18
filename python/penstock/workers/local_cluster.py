"""A Dask cluster on this machine: a scheduler in this process, and worker processes that are replaced when they die.

They listen on the loopback interface only, without HTTP, and require a certificate that only the user can read.
"""

import secrets
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import dask
from distributed import Scheduler, SpecCluster

from penstock.errors import PenstockError
from penstock.workers.dask_worker import SETTINGS, ClusterFolder
from penstock.workers.pipe import STARTS, close, opened, program, send

T = TypeVar("T")
LOOPS = 3  # number of attempts to start the event loop of Dask


def command() -> list[str]:
    """Returns the command of a worker."""
    return program("penstock.workers.dask_worker")


class LocalWorkers:
    """A scheduler and its workers, which do not import the main program again, as Dask's own do."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._deaths = 0
        self._workers: list[subprocess.Popen[bytes]] = []
        self._waiting: list[subprocess.Popen[bytes]] = []
        self._folder = ClusterFolder(Path(tempfile.gettempdir()) / f"penstock-dask-{secrets.token_hex(8)}")
        self.cluster: Any = None
        try:
            # The first worker learns of the folder before it exists, and removes it if this process is killed.
            self._waiting.append(self._opened())
            self._folder.make()
            self.cluster = _scheduler(self._folder)
            self.tend()
        except BaseException:
            self.close()
            raise

    def expect(self, count: int) -> None:
        """Raises the number of workers to at least `count`."""
        self._count = max(self._count, count)

    def tend(self) -> None:
        """Replaces workers that have ended; raises PenstockError if they keep ending or none can be started."""
        ended = [worker for worker in self._workers if worker.poll() is not None]
        self._workers = [worker for worker in self._workers if worker not in ended]
        for worker in ended:
            close(worker)
        self._deaths += len(ended)
        if self._deaths >= STARTS:
            code = ended[-1].returncode if ended else 0
            raise PenstockError(f"workers of the local cluster keep ending, the last one with exit code {code}.")
        while len(self._workers) < self._count:
            worker = self._waiting.pop() if self._waiting else self._opened()
            self._workers.append(worker)
            with suppress(OSError):  # a worker that has ended is replaced later
                send(worker.stdin, self.cluster.scheduler_address)

    def proven(self) -> None:
        """Notes that results arrive, so workers that ended did so because of their runs."""
        self._deaths = 0

    def close(self) -> None:
        """Ends the cluster and removes its folder."""
        workers, self._workers, self._waiting = self._workers + self._waiting, [], []
        for worker in workers:
            worker.kill()
        for worker in workers:
            close(worker)
        if self.cluster is not None:
            with suppress(Exception):  # all results have been taken
                self.cluster.close(timeout=5)
        self._folder.remove()

    def _opened(self) -> subprocess.Popen[bytes]:
        """Starts a worker, which waits for the address of the scheduler."""
        try:
            worker = opened(command(), subprocess.DEVNULL)
        except OSError as error:
            raise PenstockError(f"no worker can be started: {error.strerror or error}.") from error
        with suppress(OSError):
            send(worker.stdin, str(self._folder.path))
        return worker


def begun(start: Callable[[], T]) -> T:
    """Returns the result of `start`, called up to `LOOPS` times: Dask asserts that its loop runs within ten seconds."""
    for _ in range(LOOPS - 1):
        with suppress(AssertionError):
            return start()
    return start()


class _Quiet(Scheduler):  # type: ignore[misc]  # Dask has no types
    """A scheduler without HTTP server, which would show the runs to other users of this machine."""

    def start_http_server(self, *_: Any, **__: Any) -> None:
        pass


def _scheduler(folder: ClusterFolder) -> Any:
    """Returns a cluster with a scheduler in this process and no workers of Dask's own."""
    identity = folder.security()
    options = {"host": "127.0.0.1", "protocol": "tls://", "port": 0, "security": identity, "dashboard": False}
    options["local_directory"] = str(folder.path)
    path = list(sys.path)
    with dask.config.set(SETTINGS):
        scheduler = {"cls": _Quiet, "options": options}
        cluster = begun(lambda: SpecCluster(workers={}, scheduler=scheduler, security=identity, silence_logs=False))
    # Dask adds its folder to the module path; another user could create it again once it is removed.
    sys.path[:] = [each for each in sys.path if each in path]
    return cluster
