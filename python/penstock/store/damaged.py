"""Damaged files of a store, which are moved to ``damaged/``; none is removed."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from penstock.printable import path_text, printable_lines
from penstock.store.folder import make_new, move, open_below
from penstock.store.runfile import DamagedError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from penstock.store.folder import Folder

__all__ = ["Damaged"]

Content = TypeVar("Content")


class Damaged:
    """The damaged files.

    Parameters
    ----------
    disk : Folder
        The store's.
    warn : callable, optional
        Told of each of them once; on standard error if left out.
    """

    def __init__(self, disk: Folder, warn: Callable[[str], None] | None = None) -> None:
        self._disk = disk
        self._warn = warn if warn is not None else _warn

    def set_aside(
        self, file: Path, reason: str, outcome: str, load: Callable[[int, Path], Content | None]
    ) -> Content | None:
        """Moves a file of the store out of the way, and tells of it.

        Parameters
        ----------
        file : Path
            What is damaged.
        reason, outcome : str
            What is wrong with it, and what becomes of what it held, for people.
        load : callable
            Reads a file in an open folder, and raises or gives None if it is not in one piece. Another process may have
            replaced what was damaged: then the file goes back, and nothing is told.

        Returns
        -------
        object or None
            What `load` gave if the file is in one piece after all.

        Raises
        ------
        OSError
            If it cannot be moved.
        """
        names = file.parent.relative_to(self._disk.path).parts
        with self._disk.opened(*names) as source, self._disk.opened("damaged", create=True) as damaged:
            place = make_new(damaged, self._disk.path / "damaged" / file.stem[:16])
            target = open_below(damaged, place)
            try:
                move(source, file, target, place / file.name)
                with suppress(DamagedError, OSError):
                    kept = load(target, place / file.name)
                    if kept is not None:
                        move(target, place / file.name, source, file)
                        return kept
            finally:
                os.close(target)
                with suppress(OSError):  # it is not empty, usually
                    os.rmdir(place.name, dir_fd=damaged)
        self._warn(f"{path_text(file)} {reason}. It was moved to {path_text(place)} {outcome}.")
        return None

    def count(self) -> int:
        """How many there are.

        Raises
        ------
        OSError
            If their folder cannot be read.
        """
        try:
            with self._disk.opened("damaged") as folder:
                return sum(1 for _ in os.scandir(folder))
        except FileNotFoundError:
            return 0


def _warn(message: str) -> None:
    print(f"warning: {printable_lines(message)}", file=sys.stderr, flush=True)
