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


@contextmanager
def whole_path(path: str | Path, *, new: bool = False) -> Iterator[Path]:
    """Yields the path of an empty file, which is renamed to `path` at the end, or removed after an exception.

    A pipe or a device, such as ``/dev/stdout``, is written directly, since it cannot be replaced. For a symbolic link,
    its target is replaced.

    `new`: whether the name must be free; FileExistsError is raised at the end if it is taken.
    """
    path = Path(path) if new else Path(os.path.realpath(path))
    if not new and path.exists() and not path.is_file():
        yield path
        return
    name = os.fsencode(path.name)[:_LONGEST].decode(errors="ignore")
    part = path.with_name(f".{name}.{os.urandom(8).hex()}.part")
    try:
        try:
            with part.open("xb") as file, suppress(OSError):  # `path` does not exist, or the system has no such rights
                os.fchmod(file.fileno(), stat.S_IMODE(path.stat().st_mode))
            yield part
            if new:
                _link(part, path)
            else:
                part.replace(path)
        finally:
            _remove(part)
    except KeyboardInterrupt:
        # Inside polars, polars and Python each report the same interruption; the second may come before the removal.
        _remove(part)
        raise


@contextmanager
def whole_file(path: str | Path, *, new: bool = False) -> Iterator[IO[bytes]]:
    """Opens a file for bytes that gets its name at the end; see :func:`whole_path`."""
    with whole_path(path, new=new) as place, place.open("wb") as file:
        yield file


def write_whole(path: str | Path, content: bytes, *, new: bool = False) -> None:
    """Writes a file with this content; see :func:`whole_path`."""
    with whole_file(path, new=new) as file:
        file.write(content)


def _link(part: Path, path: Path) -> None:
    """Gives a file a second name, which must be free; the only one if the file system has no hard links."""
    try:
        os.link(part, path)
    except FileExistsError:
        raise
    except OSError:
        if os.path.lexists(path):
            raise FileExistsError(path) from None
        part.rename(path)


def _remove(part: Path) -> None:
    with suppress(OSError):
        part.unlink()
