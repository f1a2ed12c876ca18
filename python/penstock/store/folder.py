"""The store's folder on disk: nothing below it is reached through a symbolic link, and what is written lasts.

Whoever may write into a store could otherwise lead Penstock out of it. Folders are opened one below the other from
the store's own, which may be a link, and files by their names in an open folder.
"""

from __future__ import annotations

import errno
import itertools
import os
import stat
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from penstock.errors import InputError, StoreError
from penstock.printable import path_text

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "Folder",
    "failure",
    "located",
    "make_new",
    "move",
    "open_below",
    "refuse_link",
    "synchronise",
    "write",
]

TEMPORARY = ".writing-"
"""How names of files begin that are not finished."""

_NO_FOLDER = (errno.EEXIST, errno.ENOTDIR)
"""What the system says where a file stands in a folder's place."""
_PREFIX = 2
"""Characters of the names of the folders that runs are spread over."""
_CANNOT_SYNCHRONISE = (errno.EINVAL, errno.ENOTSUP)
"""What file systems say that cannot synchronise a folder, or need not."""


class Folder:
    """The store's folder.

    Parameters
    ----------
    path : Path
        Where it is, or will be.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @contextmanager
    def opened(self, *names: str, create: bool = False) -> Iterator[int]:
        """Opens the folder `names` below the store's.

        Parameters
        ----------
        *names : str
            One below the other; the store's folder itself if there are none.
        create : bool
            Whether missing ones are made.

        Raises
        ------
        OSError
            With the place in ``filename``; ELOOP for a symbolic link below the store's folder.
        """
        here = self._open_root(create=create)
        try:
            path = self.path
            for name in names:
                path = path / name
                below = open_below(here, path, create=create)
                os.close(here)
                here = below
            yield here
        finally:
            os.close(here)

    def refuse_links(self, name: str) -> None:
        """Raises ELOOP if the folder `name`, or one of those that runs are spread over in it, is a symbolic link."""
        with suppress(FileNotFoundError), self.opened(name) as folder, os.scandir(folder) as entries:
            for entry in entries:
                if len(entry.name) == _PREFIX and entry.is_symlink():
                    raise OSError(errno.ELOOP, "is a symbolic link", self.path / name / entry.name)

    def synchronise_above(self) -> None:
        """Makes the entries of `runs`, of the store's folder and of its parent last."""
        with self.opened("runs") as runs:
            synchronise(runs, self.path / "runs")
        with self.opened() as root:
            synchronise(root, self.path)
        self._synchronise_path(Path(os.path.realpath(self.path)).parent)

    def _open_root(self, *, create: bool) -> int:
        with located(self.path):
            try:
                return os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            except FileNotFoundError:
                if not create:
                    raise
            self._make(self.path)
            return os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)

    def _make(self, path: Path) -> None:
        """Makes the store's folder and its parents, so that they last; the last one's parent: `synchronise_above`."""
        if not path.parent.exists():
            self._make(path.parent)
            self._synchronise_path(path.parent.parent)
        try:
            os.mkdir(path)  # noqa: PTH102, all that touches the disk goes through os, which tests stand in for
        except FileExistsError:
            if not path.is_dir():
                raise

    def _synchronise_path(self, path: Path) -> None:
        # Perhaps not ours to open, and then not made by us.
        with located(path), suppress(PermissionError):
            folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                synchronise(folder, path)
            finally:
                os.close(folder)


def open_below(folder: int, path: Path, *, create: bool = False) -> int:
    """Opens the folder at `path`, of which `folder` is the open parent, unless it is a symbolic link."""
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    with located(path):
        try:
            return os.open(path.name, flags, dir_fd=folder)
        except FileNotFoundError:
            if not create:
                raise
        except NotADirectoryError:
            refuse_link(folder, path)
            raise
        with suppress(FileExistsError):
            os.mkdir(path.name, dir_fd=folder)
        return os.open(path.name, flags, dir_fd=folder)


def refuse_link(folder: int, path: Path) -> None:
    """Raises ELOOP if the entry at `path` is a symbolic link."""
    with suppress(FileNotFoundError):
        if stat.S_ISLNK(os.stat(path.name, dir_fd=folder, follow_symlinks=False).st_mode):
            raise OSError(errno.ELOOP, "is a symbolic link", path)


def write(folder: int, path: Path, content: bytes) -> None:
    """Writes all of the file at `path` or nothing of it; it lasts once its folder is synchronised too.

    Parameters
    ----------
    folder : int
        The open folder of `path`.
    path : Path
        Where; what is there is replaced.
    content : bytes
        All of it.

    Raises
    ------
    OSError
        With the place in ``filename``.
    """
    temporary = f"{TEMPORARY}{os.urandom(8).hex()}"
    with located(path):
        refuse_link(folder, path)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        file = os.open(temporary, flags, 0o666, dir_fd=folder)
        try:
            try:
                left = memoryview(content)
                while left:
                    left = left[os.write(file, left) :]
                # Before the new name: a name that lasts must not stand for content that does not.
                os.fsync(file)
            finally:
                os.close(file)
            os.rename(temporary, path.name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary, dir_fd=folder)
            raise


def make_new(folder: int, path: Path) -> Path:
    """Makes a folder in an open one, named as `path` and a number; gives what it is called."""
    for number in itertools.count(1):
        new = path.with_name(f"{path.name}-{number}")
        with located(new), suppress(FileExistsError):
            os.mkdir(new.name, dir_fd=folder)
            break
    return new


def move(source: int, path: Path, target: int, new: Path) -> None:
    """Moves the entry at `path`, whatever it is, to `new`; both folders are open."""
    with located(path):
        os.rename(path.name, new.name, src_dir_fd=source, dst_dir_fd=target)


def synchronise(folder: int, path: Path) -> None:
    """Makes the entries of an open folder last."""
    with located(path):
        try:
            os.fsync(folder)
        except OSError as error:
            if error.errno not in _CANNOT_SYNCHRONISE:
                raise


@contextmanager
def located(path: Path) -> Iterator[None]:
    """Puts the path into the system's errors, which know a name in a folder or nothing; the innermost place stays."""
    try:
        yield
    except OSError as error:
        if not isinstance(error.filename, Path):
            error.filename = path
        raise


def failure(error: OSError, folder: Path) -> StoreError:
    """What is wrong with the store in `folder`, and what to do about it."""
    file = error.filename if isinstance(error.filename, Path) else folder
    place, shown = path_text(file), path_text(folder)
    elsewhere = "Choose another folder with --store DIR or PENSTOCK_STORE."
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return StoreError(
            f"the disk is full: {place} could not be written.\n"
            f"All runs finished before it are kept in {shown}; "
            "free some space and give the same command again to go on from there.\n"
            f"{elsewhere}"
        )
    if error.errno == errno.ELOOP and file != folder:
        return StoreError(
            f"{place} is a symbolic link, and nothing is read or written through links below the folder of a store.\n"
            f"Put what it stands for in its place, or make {shown} itself the link. {elsewhere}"
        )
    if error.errno in _NO_FOLDER:
        culprit = next((path for path in (file, *file.parents) if path.exists() and not path.is_dir()), file)
        wrong = StoreError(f"the store of results must be a folder, but {path_text(culprit)} is a file.\n{elsewhere}")
        if culprit == folder or culprit in folder.parents:
            wrong.exit_code = InputError.exit_code
        return wrong
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return StoreError(f"the store of results in {shown} may not be used: {place}: {error.strerror}.\n{elsewhere}")
    return StoreError(
        f"the store of results in {shown} cannot be used: {place}: {error.strerror or error}.\n{elsewhere}"
    )
