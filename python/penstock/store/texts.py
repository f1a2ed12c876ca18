"""The texts of scenarios that runs were made from, each once, named by its hash in ``scenarios/``."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from penstock.store.folder import failure, located, refuse_link, synchronise, write
from penstock.store.manifest import scenario_hash

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from penstock.store.damaged import Damaged
    from penstock.store.folder import Folder

__all__ = ["Texts"]

_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_LARGEST = 1 << 27


class Texts:
    """The scenarios of a store.

    Parameters
    ----------
    disk : Folder
        The store's.
    damaged : Damaged
        Where those go that are not what their names say.
    """

    def __init__(self, disk: Folder, damaged: Damaged) -> None:
        self._disk = disk
        self._damaged = damaged
        self._path = disk.path / "scenarios"

    def file(self, name: str) -> Path:
        """Where the text with this hash is."""
        return self._path / f"{name}.toml"

    def keep(self, texts: Iterable[str]) -> None:
        """Writes those that are not there in one piece; they are on the disk on return.

        Raises
        ------
        OSError
            If one cannot be written.
        """
        named = {scenario_hash(text): text.encode("utf-8", "surrogatepass") for text in texts}
        if not named:
            return
        with self._disk.opened("scenarios", create=True) as folder:
            for name in named:
                refuse_link(folder, self.file(name))
            missing = [name for name in named if self.get(name) is None]
            for name in missing:
                write(folder, self.file(name), named[name])
            if missing:
                synchronise(folder, self._path)
        if missing:
            with self._disk.opened() as root:
                synchronise(root, self._disk.path)

    def get(self, name: str) -> str | None:
        """The text with this hash; None if it is not there in one piece."""
        try:
            with self._disk.opened("scenarios") as folder:
                return self._load(folder, self.file(name), name)
        except OSError:
            return None

    def verified(self, name: str) -> str | None:
        """As :meth:`get`; a text that is there and not in one piece is set aside.

        Raises
        ------
        StoreError
            If it cannot be moved.
        """
        text = self.get(name)
        if text is not None or not self._has(name):
            return text
        try:
            return self._damaged.set_aside(
                self.file(name),
                "does not match its name",
                "and is written again with the next run that is made of it",
                lambda folder, path: self._load(folder, path, name),
            )
        except FileNotFoundError:  # another process has moved it
            return None
        except OSError as error:
            raise failure(error, self._disk.path) from error

    def _has(self, name: str) -> bool:
        """Whether there is a file for the text with this hash, in one piece or not."""
        try:
            with self._disk.opened("scenarios") as folder:
                return stat.S_ISREG(os.stat(f"{name}.toml", dir_fd=folder, follow_symlinks=False).st_mode)
        except OSError:
            return False

    def _load(self, folder: int, path: Path, name: str) -> str | None:
        """The text in the file at `path` of an open folder; None if its hash is not `name`.

        Raises
        ------
        OSError
            If it cannot be read.
        """
        with located(path):
            file = os.open(path.name, _FLAGS, dir_fd=folder)
            try:
                content = os.read(file, _LARGEST)
            finally:
                os.close(file)
        try:
            text = content.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            return None
        return text if scenario_hash.__wrapped__(text) == name else None
