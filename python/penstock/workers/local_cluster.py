"""A Dask cluster on this machine: a scheduler in this process, and workers that are replaced when they end."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from contextlib import suppress
from typing import Any

from penstock.errors import PenstockError
from penstock.workers.environment import environment

__all__ = ["LocalWorkers", "command"]

SETTINGS = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
}
"""Dask watches itself: it samples stacks a hundred times a second, and looks whether its loop is late fifty times. That
takes 4 % of a core in each worker, all the time, and tells nothing of runs, which are no Python."""
STARTS = 10
"""So many more workers than runs have been lost may end before none is started any more."""


def command(address: str, folder: str) -> list[str]:
    """What is started: an interpreter that looks for no modules in the current folder, and has one core."""
    alone = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--memory-limit", "0")
    options = (*alone, "--local-directory", folder, "--death-timeout", "60")
    return [sys.executable, "-P", "-m", "distributed.cli.dask_worker", address, *options]


class LocalWorkers:
    """A scheduler and so many workers.

    Dask's own local workers run the program that starts them a second time, as `multiprocessing` does; these do not.

    Parameters
    ----------
    count : int
        How many, with one core each.
    """

    def __init__(self, count: int) -> None:
        import dask
        from distributed import LocalCluster

        self._count = count
        self._deaths = 0
        self._workers: list[subprocess.Popen[bytes]] = []
        self._folder = tempfile.TemporaryDirectory(prefix="penstock-dask-", ignore_cleanup_errors=True)
        with dask.config.set(SETTINGS):
            self.cluster: Any = LocalCluster(
                n_workers=0, processes=True, dashboard_address="127.0.0.1:0", silence_logs=False, protocol="tcp://"
            )
        self.tend()

    def expect(self, count: int) -> None:
        """There are to be at least so many workers."""
        self._count = max(self._count, count)

    def tend(self) -> None:
        """Starts a worker in the place of each that has ended.

        Raises
        ------
        PenstockError
            If they keep ending, or none can be started.
        """
        ended = [worker for worker in self._workers if worker.poll() is not None]
        self._workers = [worker for worker in self._workers if worker not in ended]
        self._deaths += len(ended)
        if self._deaths >= STARTS:
            code = ended[-1].returncode if ended else 0
            raise PenstockError(f"workers of the local cluster keep ending, the last one with exit code {code}.")
        while len(self._workers) < self._count:
            self._workers.append(self._opened())

    def proven(self) -> None:
        """The workers get to work, so those that ended did so for reasons of their runs."""
        self._deaths = 0

    def close(self) -> None:
        """Ends all of them."""
        for worker in self._workers:
            worker.kill()
        for worker in self._workers:
            worker.wait()
        self._workers = []
        with suppress(Exception):  # it has no more than has been taken from it
            self.cluster.close(timeout=5)
        self._folder.cleanup()

    def _opened(self) -> subprocess.Popen[bytes]:
        quiet = {"DASK_LOGGING__DISTRIBUTED": "critical", "DASK_DISTRIBUTED__WORKER__DAEMON": "True"}
        quiet |= {
            f"DASK_{name.replace('.', '__').replace('-', '_').upper()}": str(each) for name, each in SETTINGS.items()
        }
        try:
            return subprocess.Popen(
                command(self.cluster.scheduler_address, self._folder.name),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env=environment(**quiet),
                # A terminal sends Ctrl-C to all of a group, and it is the first process that ends the others.
                process_group=0,
            )
        except OSError as error:
            raise PenstockError(f"no worker can be started: {error.strerror or error}.") from error
