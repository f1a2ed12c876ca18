"""Failed runs: what they were made from and why they failed, so that they can be repeated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from penstock import _core
from penstock.records import RunRequest
from penstock.store.folder import names, write
from penstock.store.manifest import Made, Origin, members_of, origin_of
from penstock.store.sealed import FORMAT, opened, sealed_json


@dataclass(frozen=True, slots=True)
class Failed(Origin):
    """A failed run; `made` says where and when it was last tried."""

    message: str  # why it failed
    ours: bool  # whether the fault is the simulator's
    attempts: int  # number of attempts

    def data(self) -> dict[str, Any]:
        """Returns the JSON form."""
        return self.described(message=self.message, ours=self.ours, attempts=self.attempts)


class Failures:
    """The records of a store's failed runs, one file each in ``failed/``."""

    def __init__(self, store: Path) -> None:
        self._folder = store / "failed"

    def file(self, key: str) -> Path:
        """Returns the path of the record of a run."""
        return self._folder / f"{key}.json"

    def keep(self, key: str, request: RunRequest, message: str, *, ours: bool, attempts: int) -> str:
        """Writes the record and returns the hash of the run's scenario. Raises OSError if it cannot be written.

        `ours` says whether the fault is the simulator's; `attempts` is added to the attempts on record.
        """
        before = self._read(key)
        record = {
            "format": FORMAT,
            "key": key,
            "model_version": _core.MODEL_VERSION,
            **members_of(request, Made.now(0.0, request)),
            "message": message,
            "ours": ours,
            "attempts": attempts + (before.attempts if before is not None else 0),
        }
        write(self.file(key), sealed_json(record))
        return str(record["scenario"])

    def all(self) -> Iterator[Failed]:
        """Yields the readable records in the order of their keys."""
        for name in names(self._folder):
            if name.endswith(".json") and (record := self._read(name.removesuffix(".json"))) is not None:
                yield record

    def _read(self, key: str) -> Failed | None:
        """Returns the record of a run; None if it is missing or damaged, which only costs the note."""
        try:
            data = opened(self.file(key).read_bytes())
            message, attempts = data["message"], data["attempts"]
            if data["key"] == key and type(message) is str and type(attempts) is int:
                return Failed(*origin_of(data), message, data["ours"] is True, attempts)
        except Exception:  # of the system or of a decoder
            return None
        return None
