"""Runs that failed: what they were to be made from and why they ended, so that they can be tried again."""

from __future__ import annotations

import os
import re
import stat
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock import _core
from penstock.store.folder import located, write
from penstock.store.manifest import Made, Origin, members_of, origin_of
from penstock.store.sealed import FORMAT, DamagedError, content_of, decoded, sealed_json

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from penstock.records import RunRequest
    from penstock.store.folder import Folder

__all__ = ["Failed", "Failures"]

_LARGEST = 1 << 26
_NAME = re.compile(r"([0-9a-f]{64})\.json")


@dataclass(frozen=True, slots=True)
class Failed(Origin):
    """A run that failed.

    Parameters
    ----------
    key, model_version, seed, replication, name, scenario, settings, version, made
        As in :class:`~penstock.store.manifest.Origin`; where and when it was tried last.
    message : str
        Why.
    ours : bool
        Whether the fault is the simulator's.
    attempts : int
        How often it was tried.
    """

    message: str
    ours: bool
    attempts: int

    def data(self) -> dict[str, Any]:
        """As JSON has it."""
        return self.described(message=self.message, ours=self.ours, attempts=self.attempts)


class Failures:
    """The records of a store's failed runs, a file each in ``failed/``.

    Parameters
    ----------
    disk : Folder
        The store's.
    """

    def __init__(self, disk: Folder) -> None:
        self._disk = disk
        self._path = disk.path / "failed"

    def keep(self, key: str, request: RunRequest, message: str, *, ours: bool, attempts: int) -> Path:
        """Writes the record, and the scenario beside it, so that the run can be repeated alone.

        Parameters
        ----------
        key : str
            The name that the run's result would have.
        request : RunRequest
            What was to be run.
        message : str
            Why it failed.
        ours : bool
            Whether the fault is the simulator's.
        attempts : int
            How often it was tried now; those of earlier records are added.

        Returns
        -------
        Path
            The scenario's file.

        Raises
        ------
        OSError
            If it cannot be written.
        """
        scenario = self._path / f"{key[:16]}.toml"
        with self._disk.opened("failed", create=True) as folder:
            write(folder, scenario, request.scenario.encode())
            before = self._read(folder, key)
            record = {
                "format": FORMAT,
                "key": key,
                "model_version": _core.MODEL_VERSION,
                **members_of(request, Made.now(0.0, request)),
                "message": message,
                "ours": ours,
                "attempts": attempts + (before.attempts if before is not None else 0),
            }
            write(folder, self._path / f"{key}.json", sealed_json(record))
        return scenario

    def all(self) -> Iterator[Failed]:
        """The records that can be read, in the order of their keys."""
        with suppress(FileNotFoundError), self._disk.opened("failed") as folder:
            for name in sorted(entry.name for entry in os.scandir(folder)):
                if found := _NAME.fullmatch(name):
                    record = self._read(folder, found[1])
                    if record is not None:
                        yield record

    def forget(self, key: str) -> None:
        """Removes the record of a run, and the scenario that was kept with it."""
        with suppress(FileNotFoundError), self._disk.opened("failed") as folder:
            for name in (f"{key}.json", f"{key[:16]}.toml"):
                with suppress(FileNotFoundError), located(self._path / name):
                    os.unlink(name, dir_fd=folder)

    def _read(self, folder: int, key: str) -> Failed | None:
        """The record of a run; None if there is none, or not in one piece: it is not worth more."""
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
        try:
            file = os.open(f"{key}.json", flags, dir_fd=folder)
        except OSError:
            return None
        try:
            status = os.fstat(file)
            if not stat.S_ISREG(status.st_mode):
                return None
            data = decoded(content_of(file, status.st_size, _LARGEST))
            return _failed(data, key)
        except (DamagedError, OSError):
            return None
        except Exception:  # whatever a decoder may raise; NewerError is among it
            return None
        finally:
            os.close(file)


def _failed(data: dict[str, Any], key: str) -> Failed:
    name, scenario, settings, version, made = origin_of(data)
    seed, replication, attempts = data["seed"], data["replication"], data["attempts"]
    message, model_version = data["message"], data["model_version"]
    if data["key"] != key or any(type(it) is not int for it in (seed, replication, attempts)):
        raise TypeError("head")
    if type(message) is not str or type(model_version) is not str:
        raise TypeError("message")
    origin = (key, model_version, seed, replication, name, scenario, settings, version, made)
    return Failed(*origin, message, data["ours"] is True, attempts)
