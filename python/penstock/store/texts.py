"""The texts of scenarios that runs were made from, each once, named by its hash in ``scenarios/``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from penstock.store.folder import located, refuse_link, synchronise, write
from penstock.store.manifest import scenario_hash

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

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
    """

    def __init__(self, disk: Folder) -> None:
        self._disk = disk
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
            with self._disk.opened("scenarios") as folder, located(self.file(name)):
                file = os.open(
                    f"{name}.toml", os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder
                )
                try:
                    text = os.read(file, _LARGEST).decode("utf-8", "surrogatepass")
                finally:
                    os.close(file)
        except (OSError, UnicodeDecodeError):
            return None
        return text if scenario_hash.__wrapped__(text) == name else None
