"""A worker of the local Dask cluster, with one core; it ends with the process that started it, however that ends."""

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

__all__ = ["SETTINGS", "main", "security"]

SETTINGS = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
}
"""Dask watches itself: it samples stacks a hundred times a second, and looks whether its loop is late fifty times. That
takes 4 % of a core in each worker, all the time, and tells nothing of runs, which are no Python."""


def security(folder: ClusterFolder) -> Any:
    """All of a cluster show its one certificate, and talk to nobody who has another."""
    from distributed import Security

    certificate, key = str(folder.certificate), str(folder.key)
    shown = {f"tls_{role}_cert": certificate for role in ("client", "scheduler", "worker")}
    keys = {f"tls_{role}_key": key for role in ("client", "scheduler", "worker")}
    return Security(require_encryption=True, tls_ca_file=certificate, **shown, **keys)


def main() -> None:
    """Works for the scheduler whose address is read from standard input, after the folder of the cluster."""
    # Who started it decides when it ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    asked = sys.stdin.buffer
    folder = ClusterFolder(Path(receive(asked)))
    try:
        address = receive(asked)
    except EOFError:
        folder.remove()
        return
    Thread(target=_watch, args=(asked, folder), daemon=True).start()
    # Strangers who knock are no concern of whoever reads the terminal; results tell what matters.
    logging.disable(logging.CRITICAL)
    asyncio.run(_work(address, folder))


def _watch(asked: IO[bytes], folder: ClusterFolder) -> None:
    """Ends the process, whatever it does, once whoever started it is gone, and leaves nothing behind."""
    asked.read()
    folder.remove()
    os._exit(0)


async def _work(address: str, folder: ClusterFolder) -> None:
    import dask
    from distributed import Worker

    class Quiet(Worker):  # type: ignore[misc]
        """Without the HTTP server."""

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
        # Dask looks for modules in its folder; who finds it removed could make it again.
        sys.path[:] = [each for each in sys.path if each in path]
        await worker
        await worker.finished()


if __name__ == "__main__":
    main()
