"""Files that are there under their names only once they are whole, whatever ends the process."""

from __future__ import annotations

import os
import stat
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["WholeFile", "whole_file", "write_whole"]

_PLACE = 200
"""Bytes of a file's name that are in its temporary name, of which 255 bytes are allowed."""


class WholeFile:
    """A file that is written under a temporary name in its folder, and gets its own name at the end.

    It is opened by :meth:`open`, so that who is interrupted then has something to discard. A pipe or a device, such as
    ``/dev/stdout``, is written itself, since it cannot be replaced. Of a symbolic link, the file that it names is
    replaced.

    Parameters
    ----------
    path : path
        Its name in the end.
    new : bool
        Whether nothing may be there by that name.
    """

    def __init__(self, path: str | Path, *, new: bool = False) -> None:
        self.path = Path(path) if new else Path(os.path.realpath(path))
        self._new = new
        self._part: Path | None = None
        self._file: IO[bytes] | None = None

    def open(self) -> IO[bytes]:
        """Opens it for bytes.

        Raises
        ------
        OSError
            If it cannot be opened.
        """
        if not self._new and self.path.exists() and not self.path.is_file():
            self._file = self.path.open("wb")
            return self._file
        name = os.fsencode(self.path.name)[:_PLACE].decode(errors="ignore")
        self._part = self.path.with_name(f".{name}.{os.urandom(8).hex()}.part")
        self._file = self._part.open("xb")
        if not self._new:
            with suppress(OSError):  # then there is none, or it is of another system
                os.fchmod(self._file.fileno(), stat.S_IMODE(self.path.stat().st_mode))
        return self._file

    @property
    def place(self) -> Path:
        """Where it is written until it is kept."""
        return self._part or self.path

    def keep(self) -> None:
        """Gives the file its name.

        Raises
        ------
        FileExistsError
            If there is something by that name, and it was to be new.
        OSError
            If it cannot be written.
        """
        if self._file is not None:
            self._file.close()
        if self._part is None:
            return
        if self._new:
            _link(self._part, self.path)
        else:
            self._part.replace(self.path)
        self._part = None

    def discard(self) -> None:
        """Removes what has been written, unless it has its name."""
        if self._file is not None:
            with suppress(OSError):
                self._file.close()
        if self._part is not None:
            with suppress(OSError):
                self._part.unlink()
            self._part = None


@contextmanager
def whole_file(path: str | Path, *, new: bool = False) -> Iterator[IO[bytes]]:
    """Opens a :class:`WholeFile`, and keeps it if nothing is raised.

    Parameters
    ----------
    path, new
        As :class:`WholeFile`.

    Yields
    ------
    file
        Open for bytes.
    """
    made = WholeFile(path, new=new)
    try:
        try:
            yield made.open()
            made.keep()
        finally:
            made.discard()
    except KeyboardInterrupt:
        # Where polars was at work, it and Python each tell of one interruption: the second may come before the removal.
        made.discard()
        raise


def write_whole(path: str | Path, content: bytes, *, new: bool = False) -> None:
    """Writes a file with this content."""
    with whole_file(path, new=new) as file:
        file.write(content)


def _link(part: Path, path: Path) -> None:
    """Gives a file the name `path`, which nothing has; in two steps where a file system has no links."""
    try:
        os.link(part, path)
    except FileExistsError:
        raise
    except OSError:
        if os.path.lexists(path):
            raise FileExistsError(path) from None
        part.rename(path)
    else:
        part.unlink()
