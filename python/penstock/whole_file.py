"""Writes files under a temporary name and renames them when complete, so that no reader sees a partial file."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

UNFINISHED = ".*.part"
"""Pattern of temporary names."""

_LONGEST = 200
"""Maximum length in bytes of the part of a file's name that is in its temporary name; systems allow 255 in all."""


class WholeFile:
    """A file that is written under a temporary name in its folder and renamed at the end.

    It is opened by :meth:`open`, not by the constructor, so that an interruption in between leaves something to
    discard. A pipe or a device, such as ``/dev/stdout``, is written directly, since it cannot be replaced. For a
    symbolic link, its target is replaced.

    `new`: whether the name must be free.
    """

    def __init__(self, path: str | Path, *, new: bool = False) -> None:
        self.path = Path(path) if new else Path(os.path.realpath(path))
        self._new = new
        self._part: Path | None = None
        self._file: IO[bytes] | None = None

    def open(self) -> IO[bytes]:
        """Opens the file for bytes; raises OSError if that fails."""
        if not self._new and self.path.exists() and not self.path.is_file():
            self._file = self.path.open("wb")
            return self._file
        name = os.fsencode(self.path.name)[:_LONGEST].decode(errors="ignore")
        self._part = self.path.with_name(f".{name}.{os.urandom(8).hex()}.part")
        self._file = self._part.open("xb")
        if not self._new:
            with suppress(OSError):  # the file does not exist, or the system has no such rights
                os.fchmod(self._file.fileno(), stat.S_IMODE(self.path.stat().st_mode))
        return self._file

    @property
    def place(self) -> Path:
        """Path at which the file is written."""
        return self._part or self.path

    def keep(self) -> None:
        """Renames the file to its final name.

        Raises FileExistsError if it must be new and the name is taken; OSError if it cannot be written.
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
        """Removes the file unless it has its final name."""
        if self._file is not None:
            with suppress(OSError):
                self._file.close()
        if self._part is not None:
            with suppress(OSError):
                self._part.unlink()
            self._part = None


@contextmanager
def whole_file(path: str | Path, *, new: bool = False) -> Iterator[IO[bytes]]:
    """Opens a :class:`WholeFile` for bytes, and keeps it unless an exception is raised."""
    made = WholeFile(path, new=new)
    try:
        try:
            yield made.open()
            made.keep()
        finally:
            made.discard()
    except KeyboardInterrupt:
        # Inside polars, polars and Python each report the same interruption; the second may come before the removal.
        made.discard()
        raise


def write_whole(path: str | Path, content: bytes, *, new: bool = False) -> None:
    """Writes a file with this content; see :class:`WholeFile`."""
    with whole_file(path, new=new) as file:
        file.write(content)


def _link(part: Path, path: Path) -> None:
    """Renames a file to a free name; in two steps if the file system has no hard links."""
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
