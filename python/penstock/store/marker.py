"""``store.json``: in which format a store is written, so that an older version leaves it alone."""

from __future__ import annotations

import json
import os
import stat
from typing import TYPE_CHECKING

from penstock import _core
from penstock.errors import InputError, StoreError
from penstock.printable import path_text
from penstock.store.folder import located, synchronise, write
from penstock.store.sealed import FORMAT

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.store.folder import Folder

__all__ = ["Marker", "newer"]

_LARGEST = 4096


class Marker:
    """The format of a store, looked at once.

    Parameters
    ----------
    disk : Folder
        The store's.
    """

    def __init__(self, disk: Folder) -> None:
        self._disk = disk
        self._path = disk.path / "store.json"
        self._format: int | None = None

    def check(self) -> None:
        """Refuses a store of a newer format.

        Raises
        ------
        StoreError
            If it is one.
        OSError
            If that cannot be looked at.
        """
        if self._format is None:
            self._format = self._read()
        if self._format > FORMAT:
            raise newer(self._path, self._format)

    def keep(self) -> None:
        """Writes the format of this version, unless it is there.

        Raises
        ------
        OSError
            If it cannot be written.
        """
        if self._read() >= FORMAT:
            return
        content = json.dumps({"format": FORMAT, "version": _core.version()}) + "\n"
        with self._disk.opened(create=True) as root:
            write(root, self._path, content.encode())
            synchronise(root, self._disk.path)
        self._format = FORMAT

    def _read(self) -> int:
        """The format that is written there; 0 if none can be read, which is made good when a run is kept."""
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
        try:
            with self._disk.opened() as root, located(self._path):
                file = os.open(self._path.name, flags, dir_fd=root)
        except FileNotFoundError:
            return 0
        try:
            if not stat.S_ISREG(os.fstat(file).st_mode):
                return 0
            written = json.loads(os.read(file, _LARGEST))["format"]
        except (ValueError, TypeError, KeyError, RecursionError, OSError):
            return 0
        finally:
            os.close(file)
        return written if type(written) is int else 0


def newer(place: Path, written: int) -> StoreError:
    """What is said of something that a newer version has written."""
    error = StoreError(
        f"{path_text(place)} was written by a newer version of Penstock (format {written}; this one reads up to "
        f"{FORMAT}), and is left as it is.\n"
        "Use that version, or choose another folder with --store DIR or PENSTOCK_STORE."
    )
    error.exit_code = InputError.exit_code
    return error
