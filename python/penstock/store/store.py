"""Finding and keeping runs in a folder."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from penstock.errors import StoreError
from penstock.printable import path_text
from penstock.store.commit import GroupCommit, Record
from penstock.store.damaged import Damaged
from penstock.store.failed import Failures
from penstock.store.folder import Folder, failure, located, refuse_link
from penstock.store.history import History
from penstock.store.index import LEAST
from penstock.store.listing import stored_runs
from penstock.store.manifest import Made
from penstock.store.many import Finder, manifests, seen_files
from penstock.store.marker import Marker, newer
from penstock.store.place import default_folder
from penstock.store.runfile import DamagedError, NewerError, StoredRun, encode, load_below
from penstock.store.sealed import read
from penstock.store.texts import Texts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from penstock.records import Decided, Metric, RunRequest
    from penstock.store.failed import Failed
    from penstock.store.kept import KeptRuns, NamedPoint
    from penstock.store.listing import StoredRuns
    from penstock.store.manifest import Manifest
    from penstock.store.measured import Measured
    from penstock.store.points import PointOf
    from penstock.store.stale import Why

__all__ = ["Store"]


class Store:
    """A folder of finished runs.

    Parameters
    ----------
    folder : str or Path, optional
        Made when the first run is kept; the default folder if left out.
    warn : callable, optional
        Told of each damaged file once; on standard error if left out.
    tell : callable, optional
        Told why runs are made anew of which earlier ones are there, if their scenario or the model has changed.
    """

    def __init__(
        self,
        folder: str | Path | None = None,
        warn: Callable[[str], None] | None = None,
        tell: Callable[[str], None] | None = None,
    ) -> None:
        self.folder = Path(folder) if folder is not None else default_folder()
        self.disk = Folder(self.folder)
        self._damaged = Damaged(self.disk, warn)
        self._marker = Marker(self.disk)
        self.texts = Texts(self.disk, self._damaged)
        self._failures = Failures(self.disk)
        self._history = History(self.disk, self.texts, tell)
        self._finder = Finder(self.disk, self.get)

    def prepare(self, requests: Iterable[RunRequest] = ()) -> None:
        """Makes the folder and tries to write in it, so that no run is made in vain.

        Parameters
        ----------
        requests : iterable of RunRequest
            The runs that are to be made; their scenarios are kept from now on.

        Raises
        ------
        StoreError
            If it cannot be written, or was written by a newer version.
        """
        requests = list(requests)
        try:
            self._marker.check()
            with self.disk.opened("runs", create=True) as runs:
                path = self.folder / "runs" / f".writing-{os.urandom(8).hex()}"
                with located(path):
                    os.close(os.open(path.name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, dir_fd=runs))
                    os.unlink(path.name, dir_fd=runs)
            with self.disk.opened() as root:
                for name in ("damaged", "failed", "scenarios"):
                    refuse_link(root, self.folder / name)
            self._marker.keep()
            self.texts.keep({request.scenario for request in requests})
        except OSError as error:
            raise failure(error, self.folder) from error
        self._history.note(requests)

    def get(self, key: str) -> StoredRun | None:
        """The run called `key`, or None if it is not there in one piece.

        A damaged file is moved to ``damaged/``, of which ``warn`` is told. Nothing is written otherwise.

        Raises
        ------
        StoreError
            If the file is there but may not be read, is damaged and cannot be moved, or was written by a newer version.
        """
        try:
            self._marker.check()
            try:
                with self.disk.opened("runs", key[:2]) as folder:
                    return load_below(folder, self._file(key), key)
            except FileNotFoundError:
                return None
            except DamagedError as damage:
                reason = str(damage)
            except NewerError as later:
                raise newer(self._file(key), later.format) from None
        except OSError as error:
            raise failure(error, self.folder) from error
        try:
            outcome = "and counts as missing: its run is made again"
            return self._damaged.set_aside(
                self._file(key), reason, outcome, lambda folder, path: load_below(folder, path, key)
            )
        except FileNotFoundError:  # another process has moved it
            return None
        except OSError as error:
            why = failure(error, self.folder)
            raise StoreError(
                f"{path_text(self._file(key))} {reason}, and could not be moved out of the way:\n{why}"
            ) from error

    def find(self, wanted: Sequence[tuple[str, RunRequest]]) -> dict[str, StoredRun]:
        """Those of many runs that are there; sooner than :meth:`get` one after the other.

        Parameters
        ----------
        wanted : sequence of (str, RunRequest)
            Their names, and what they are made from.

        Returns
        -------
        dict
            The runs by name, some without their manifests.

        Raises
        ------
        StoreError
            As :meth:`get`.
        """
        self._history.ask(request for _, request in wanted)
        try:
            self._marker.check()
            return self._finder.find((key, request.scenario) for key, request in wanted)
        except OSError as error:
            raise failure(error, self.folder) from error

    def find_points(self, points: Sequence[NamedPoint]) -> list[KeptRuns | None]:
        """The runs of points of which all are known without opening a file; what :meth:`find` would take longer for.

        Parameters
        ----------
        points : sequence of NamedPoint
            What is wanted.

        Returns
        -------
        list
            The runs of each point; None where a run is missing, or has to be read from its own file.

        Raises
        ------
        StoreError
            As :meth:`get`.
        """
        self._history.ask(point.first for point in points)
        try:
            self._marker.check()
            return self._finder.whole(points)
        except OSError as error:
            raise failure(error, self.folder) from error

    def gather(self, kept: Sequence[tuple[str, RunRequest]]) -> None:
        """Has many runs that were just kept in the index too, so that they are soon found; see :meth:`find`."""
        if len(kept) >= LEAST:
            self.find(kept)

    def manifests(self) -> list[Manifest]:
        """What all runs in the store were made from.

        Raises
        ------
        StoreError
            As :meth:`get`.
        """
        try:
            self._marker.check()
            return list(manifests(self.disk, self.get))
        except OSError as error:
            raise failure(error, self.folder) from error

    def stored_runs(self) -> list[StoredRuns]:
        """What the store holds, runs of one point together as far as an index knows them: sooner than all manifests.

        Raises
        ------
        StoreError
            As :meth:`get`.
        """
        try:
            self._marker.check()
            return stored_runs(self.disk, self.get)
        except OSError as error:
            raise failure(error, self.folder) from error

    def beginning_with(self, prefix: str) -> list[Manifest]:
        """What the runs were made from whose names begin so; at least two digits.

        Raises
        ------
        StoreError
            As :meth:`get`.
        """
        try:
            names = [key for key, _ in seen_files(self.disk, prefix[:2]) if key.startswith(prefix)]
        except OSError as error:
            raise failure(error, self.folder) from error
        found = (self.get(key) for key in names)
        return [run.manifest for run in found if run is not None and run.manifest is not None]

    def content(self, key: str) -> bytes | None:
        """What the run's file holds, if it is there in one piece.

        Raises
        ------
        StoreError
            As :meth:`get`.
        """
        if self.get(key) is None:
            return None
        try:
            with self.disk.opened("runs", key[:2]) as folder, located(self._file(key)):
                file = os.open(f"{key}.json", os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
                try:
                    return read(file, os.fstat(file).st_size)
                finally:
                    os.close(file)
        except OSError as error:
            raise failure(error, self.folder) from error

    def damaged(self) -> int:
        """How many damaged files were set aside."""
        try:
            return self._damaged.count()
        except OSError as error:
            raise failure(error, self.folder) from error

    def why(self, requests: Iterable[RunRequest]) -> dict[tuple[str, PointOf], Why]:
        """Why runs are not in the store although some like them are: what has changed since those were made.

        Parameters
        ----------
        requests : iterable of RunRequest
            Runs that are not in the store.

        Returns
        -------
        dict
            By the name of the scenario and the point; only where there is something like them.
        """
        return self._history.why(requests)

    def encode(
        self,
        key: str,
        request: RunRequest,
        digest: str,
        packet_hops: int,
        metrics: Iterable[Metric],
        seconds: float | None = None,
        measured: Measured | None = None,
        decided: Sequence[Decided] | None = None,
    ) -> Record:
        """A finished run as it is written; see :meth:`put`. It has ended just now if it says how long it took."""
        made = None if seconds is None else Made.now(seconds, request)
        return Record(key, encode(key, request, digest, packet_hops, metrics, made, measured, decided))

    def group(self) -> GroupCommit:
        """What writes many runs at less cost than :meth:`put` each of them."""
        return GroupCommit(self.disk)

    def put(self, key: str, request: RunRequest, digest: str, packet_hops: int, metrics: Sequence[Metric]) -> None:
        """Keeps a finished run under the name `key`; it is on the disk on return.

        Parameters
        ----------
        key : str
            See :func:`~penstock.store.keys.run_key`.
        request : RunRequest
            Written too: all that the run was made from. Its scenario's text is kept by :meth:`prepare`.
        digest : str
            Hash of everything that happened.
        packet_hops : int
            Packets that reached the far end of a link.
        metrics : sequence of Metric
            The numbers.

        Raises
        ------
        StoreError
            If the file cannot be written; says which, and what is kept.
        """
        group = self.group()
        group.add(self.encode(key, request, digest, packet_hops, metrics), lambda: None)
        group.commit()

    def keep_failed(
        self, key: str, request: RunRequest, message: str = "", *, ours: bool = False, attempts: int = 1
    ) -> str | None:
        """Notes a run that failed, with its scenario, so that it can be repeated alone and tried again.

        Parameters
        ----------
        key : str
            See :func:`~penstock.store.keys.run_key`.
        request : RunRequest
            What was to be run.
        message : str
            Why it failed.
        ours : bool
            Whether the fault is the simulator's.
        attempts : int
            How often it was tried now; earlier ones are added.

        Returns
        -------
        str or None
            The scenario's file; None if it could not be written, which is no reason to hide the failure itself.
        """
        try:
            self.texts.keep([request.scenario])
            return str(self._failures.keep(key, request, message, ours=ours, attempts=attempts))
        except OSError:
            return None

    def failures(self) -> list[Failed]:
        """The runs that failed and have not been made since.

        Raises
        ------
        StoreError
            If the store cannot be read.
        """
        try:
            self._marker.check()
            return [failed for failed in self._failures.all() if not self.has(failed.key)]
        except OSError as error:
            raise failure(error, self.folder) from error

    def forget_failure(self, key: str) -> None:
        """Removes the note of a run that failed.

        Raises
        ------
        StoreError
            If it cannot be removed.
        """
        try:
            self._failures.forget(key)
        except OSError as error:
            raise failure(error, self.folder) from error

    def has(self, key: str) -> bool:
        """Whether there is a file of the run called `key`, in one piece or not."""
        try:
            with self.disk.opened("runs", key[:2]) as folder:
                return stat.S_ISREG(os.stat(f"{key}.json", dir_fd=folder, follow_symlinks=False).st_mode)
        except OSError:
            return False

    def _file(self, key: str) -> Path:
        return self.folder / "runs" / key[:2] / f"{key}.json"
