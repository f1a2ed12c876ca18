"""Program of a worker of the local Dask cluster, with one core; ends when its parent does, for whatever reason."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from pathlib import Path
from threading import Thread
from typing import IO, Any

from penstock.workers.cluster_folder import ClusterFolder
from penstock.workers.pipe import receive

SETTINGS = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
}
"""Dask's profiling and monitoring are off: they take 4 % of a core per worker and cannot see into runs."""


def security(folder: ClusterFolder) -> Any:
    """Returns settings by which all members of a cluster require its one certificate."""
    from distributed import Security

    certificate, key = str(folder.certificate), str(folder.key)
    shown = {f"tls_{role}_cert": certificate for role in ("client", "scheduler", "worker")}
    keys = {f"tls_{role}_key": key for role in ("client", "scheduler", "worker")}
    return Security(require_encryption=True, tls_ca_file=certificate, **shown, **keys)


def main() -> None:
    """Works for a scheduler; standard input has the folder of the cluster and then the scheduler's address."""
    # The parent decides when this process ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    asked = sys.stdin.buffer
    folder = ClusterFolder(Path(receive(asked)))
    try:
        address = receive(asked)
    except EOFError:
        folder.remove()
        return
    Thread(target=_watch, args=(asked, folder), daemon=True).start()
    # Refused connections are of no interest to the user.
    logging.disable(logging.CRITICAL)
    asyncio.run(_work(address, folder))


def _watch(asked: IO[bytes], folder: ClusterFolder) -> None:
    """Removes the folder and ends the process, even during a run, when the parent has ended."""
    asked.read()
    # Another program takes this one's place, since a worker that is just beginning would create the folder again.
    program = [sys.executable, "-P", "-m", "penstock.workers.cluster_folder", str(folder.path)]
    os.execv(sys.executable, program)


async def _work(address: str, folder: ClusterFolder) -> None:
    import dask
    from distributed import Worker

    class Quiet(Worker):  # type: ignore[misc]
        """A worker without HTTP server."""

        def start_http_server(self, *_: Any, **__: Any) -> None:
            pass

    path = list(sys.path)
    with dask.config.set(SETTINGS):
        worker = Quiet(
            address,
            host="tls://127.0.0.1",
            nthreads=1,
            memory_limit=0,
            dashboard=False,
            local_directory=str(folder.path),
            security=security(folder),
            death_timeout=60,
        )
        # Dask adds its folder to the module path; another user could create it again once it is removed.
        sys.path[:] = [each for each in sys.path if each in path]
        await worker
        await worker.finished()


if __name__ == "__main__":
    main()
