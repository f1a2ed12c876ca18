"""A lab's file and its running looks, one for each open page."""

from __future__ import annotations

import hashlib
from threading import Lock
from typing import TYPE_CHECKING, Any

from penstock.cli.files import read_text
from penstock.errors import InputError, PenstockError
from penstock.lab.look import Asked, Look
from penstock.printable import path_text
from penstock.whole_file import write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

MOST_RUNS = 1000
"""Maximum runs of a setting; `penstock run` makes more."""


class ChangedError(PenstockError):
    """The file on disk differs from the version that the page has read."""


class Session:
    """A scenario file and the looks at it."""

    def __init__(
        self, file: Path, runs: int, jobs: int | None, store: Path | None, sets: Sequence[tuple[str, str]] = ()
    ) -> None:
        self.file = file
        self._runs = runs
        self._jobs = jobs
        self._store = store
        self._sets = list(sets)
        self._looks: dict[str, Look] = {}
        self._lock = Lock()

    def beginning(self) -> dict[str, Any]:
        """Returns the initial state of a page."""
        about = {"file": path_text(self.file), "runs": self._runs, "sets": self._sets, "most": MOST_RUNS}
        return {**about, **self.on_disk()}

    def on_disk(self) -> dict[str, Any]:
        """Returns the file's text and its digest, or why it cannot be read."""
        try:
            text = read_text(self.file)
        except InputError as error:
            return {"text": None, "digest": None, "why": str(error)}
        return {"text": text, "digest": _digest(text), "why": None}

    def save(self, text: str, known: str | None) -> str:
        """Writes the text into the file, and returns its digest.

        `known` is the digest of the version that the page has read; None overwrites any version. Raises ChangedError if
        the file has changed since, PenstockError if it cannot be written.
        """
        there = self.on_disk()["digest"]
        if known is not None and there is not None and there != known:
            raise ChangedError(f"{path_text(self.file)} has changed on disk since this page has read it.")
        try:
            write_whole(self.file, text.encode("utf-8"))
        except OSError as error:
            raise PenstockError(f"{path_text(self.file)}: cannot be written: {error.strerror or error}.") from None
        return _digest(text)

    def look(self, page: str, asked: Asked, tell: Callable[[dict[str, Any] | None], None]) -> Look:
        """Starts a look of a page and cancels its previous one."""
        look = Look(self.file, asked, self._jobs, self._store, tell)
        with self._lock:
            earlier, self._looks[page] = self._looks.get(page), look
        if earlier is not None:
            earlier.cancel()
        look.start()
        return look

    def ended(self, page: str, look: Look) -> None:
        """Removes a look; cancels it if it is still running."""
        look.cancel()
        with self._lock:
            if self._looks.get(page) is look:
                del self._looks[page]

    def close(self) -> None:
        """Cancels all looks and waits until finished runs are stored."""
        with self._lock:
            looks = list(self._looks.values())
        for look in looks:
            look.cancel()
        for look in looks:
            look.join(timeout=10)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
