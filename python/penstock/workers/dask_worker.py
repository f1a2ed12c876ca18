"""Program of a one-core worker of the local Dask cluster, which ends with its parent; and the folder of all workers."""

import asyncio
import logging
import os
import shutil
import signal
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import IO, Any

from penstock.workers.pipe import program, receive

SETTINGS = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
}
"""Dask's profiling and monitoring are off: they take 4 % of a core per worker and cannot see into runs."""
_PATIENCE = 2.0  # seconds for removing the folder while other workers that are ending still write there


@dataclass(frozen=True)
class ClusterFolder:
    """Folder of a local Dask cluster that only its user can enter: its certificate, and Dask's own files."""

    path: Path  # path of the folder

    @property
    def identity(self) -> Path:
        """The only certificate that members of the cluster show and accept, with its private key."""
        return self.path / "identity.pem"

    def make(self) -> None:
        """Creates the folder with a new certificate."""
        from distributed import Security

        made = Security.temporary()
        self.path.mkdir(mode=0o700)
        self.identity.touch(mode=0o600, exist_ok=False)
        self.identity.write_text(f"{made.tls_ca_file}{made.tls_client_key}", encoding="ascii")

    def security(self) -> Any:
        """Returns settings by which all members of the cluster require its one certificate."""
        from distributed import Security

        members = ("client", "scheduler", "worker")
        shown = {f"tls_{role}_{part}": str(self.identity) for role in members for part in ("cert", "key")}
        return Security(require_encryption=True, tls_ca_file=str(self.identity), **shown)

    def remove(self) -> None:
        """Removes the folder with its content."""
        end = time.monotonic() + _PATIENCE
        while os.path.lexists(self.path) and time.monotonic() < end:
            with suppress(OSError):
                shutil.rmtree(self.path)
                return
            time.sleep(0.01)


def main() -> None:
    """Works for the scheduler that standard input names after the folder; an argument is a folder to remove instead."""
    if len(sys.argv) > 1:
        ClusterFolder(Path(sys.argv[1])).remove()
        return
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
    os.execv(sys.executable, [*program("penstock.workers.dask_worker"), str(folder.path)])


async def _work(address: str, folder: ClusterFolder) -> None:
    import dask
    from distributed import Worker

    class Quiet(Worker):  # type: ignore[misc]
        """A worker without HTTP server."""

        def start_http_server(self, *_: Any, **__: Any) -> None:
            pass

    path = list(sys.path)
    with dask.config.set(SETTINGS):
        options = {"local_directory": str(folder.path), "security": folder.security(), "death_timeout": 60}
        worker = Quiet(address, host="tls://127.0.0.1", nthreads=1, memory_limit=0, dashboard=False, **options)
        # Dask adds its folder to the module path; another user could create it again once it is removed.
        sys.path[:] = [each for each in sys.path if each in path]
        await worker
        await worker.finished()


if __name__ == "__main__":
    main()
