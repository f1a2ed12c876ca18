"""Finds and keeps runs in a folder."""

import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from penstock.errors import InputError, StoreError
from penstock.printable import path_text, printable_lines
from penstock.records import Metric, RunRequest
from penstock.store.folder import (
    FORMAT,
    DamagedError,
    Failed,
    NewerError,
    Texts,
    names,
    opened,
    reported,
    sealed_json,
    write,
)
from penstock.store.history import History
from penstock.store.manifest import Made, Manifest, StoredRuns, merged, origin, origin_of
from penstock.store.runfile import Record, StoredRun, decode, encode


def default_folder() -> Path:
    """Returns the default store: PENSTOCK_STORE, or else penstock in the user's cache folder."""
    chosen = os.environ.get("PENSTOCK_STORE")
    return Path(chosen or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "penstock")


class Store:
    """A folder of finished runs.

    Every method that reads or writes raises StoreError if the folder cannot be used, or if a file was written by a
    newer version.

    Parameters
    ----------
    folder : str or Path, optional
        Created with the first run; :func:`default_folder` by default.
    warn : callable, optional
        Called with a message for each damaged file; prints to standard error by default.
    tell : callable, optional
        Called with the reason if runs are repeated because their scenario or the model has changed.
    """

    def __init__(
        self,
        folder: str | Path | None = None,
        warn: Callable[[str], None] | None = None,
        tell: Callable[[str], None] | None = None,
    ) -> None:
        self.folder = Path(folder) if folder is not None else default_folder()
        self._warn = warn if warn is not None else _print_warning
        self.texts = Texts(self.folder)
        self.history = History(self.folder, self.texts, tell)

    def prepare(self, requests: Iterable[RunRequest] = ()) -> None:
        """Creates the folder, checks that it is writable, and keeps the scenarios of the runs to be made."""
        requests = list(requests)
        runs = self.folder / "runs"
        with reported(self.folder):
            runs.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=runs):
                pass
            self.texts.keep({request.scenario for request in requests})
        self.history.note(requests)

    def get(self, key: str) -> StoredRun | None:
        """Returns the run called `key`; None if it is missing or damaged. A damaged file is moved to ``damaged/``."""
        found = self._load(key)
        return None if found is None else found[0]

    def content(self, key: str) -> bytes | None:
        """Returns the content of a run's file; None if it is missing or damaged."""
        found = self._load(key)
        return None if found is None else found[1]

    def find(self, wanted: Sequence[tuple[str, RunRequest]]) -> dict[str, StoredRun]:
        """Returns the stored ones of several runs by name; each is given by its name and request."""
        self.history.ask(request for _, request in wanted)
        return {key: run for key, _ in wanted if (run := self.get(key)) is not None}

    def manifests(self, prefix: str = "") -> list[Manifest]:
        """Returns what the runs whose names begin with `prefix` were made from, in the order of their names."""
        return [run.manifest for run, _ in self._all(prefix)]

    def stored_runs(self) -> list[StoredRuns]:
        """Returns the stored runs of each point together."""
        return merged((run.manifest, len(content)) for run, content in self._all())

    def damaged(self) -> int:
        """Returns the number of damaged files that were set aside."""
        with reported(self.folder):
            return len(names(self.folder / "damaged"))

    def has(self, key: str) -> bool:
        """Returns whether there is a file of the run called `key`, intact or not."""
        return self._file(key).is_file()

    def write(self, record: Record) -> None:
        """Keeps a finished run, replacing one of that name."""
        with reported(self.folder):
            write(self._file(record.key), record.content)

    def put(self, key: str, request: RunRequest, digest: str, packet_hops: int, metrics: Sequence[Metric]) -> None:
        """Keeps a finished run; :meth:`prepare` keeps the text of its scenario."""
        self.write(Record(key, encode(key, request, digest, packet_hops, metrics)))

    def verified_text(self, scenario: str) -> str | None:
        """Returns the text with this hash; None if it is missing or altered. An altered one is set aside."""
        file = self.texts.file(scenario)
        text = self.texts.get(scenario)
        if text is None and file.is_file():
            self._set_aside(file, "does not match its name", "the next run of that scenario writes it again")
        return text

    def keep_failed(
        self, key: str, request: RunRequest, message: str = "", *, ours: bool = False, attempts: int = 1
    ) -> str | None:
        """Records a failed run (`attempts` more); returns the file of its scenario, None if nothing can be written."""
        before, run = self._failure(key), origin(key, request, Made.now(0.0, request))
        known = {"message": message, "ours": ours, "attempts": attempts + (before.attempts if before else 0)}
        try:
            self.texts.keep([request.scenario])
            write(self._failed(key), sealed_json({"format": FORMAT, **run.members(), **known}))
        except OSError:
            return None
        return str(self.texts.file(run.scenario))

    def failures(self) -> list[Failed]:
        """Returns the failed runs that have not been repeated successfully."""
        with reported(self.folder):
            keys = [name.removesuffix(".json") for name in names(self.folder / "failed")]
            found = [self._failure(key) for key in keys if not self.has(key)]
        return [failed for failed in found if failed is not None]

    def forget_failure(self, key: str) -> None:
        """Removes the record of a failed run."""
        with reported(self.folder):
            self._failed(key).unlink(missing_ok=True)

    def _failed(self, key: str) -> Path:
        return self.folder / "failed" / f"{key}.json"

    def _failure(self, key: str) -> Failed | None:
        """Returns the record of a failed run; None if it is missing or damaged, which only costs the note."""
        try:
            data = opened(self._failed(key).read_bytes())
            return Failed(**origin_of(data), **{name: data[name] for name in ("message", "ours", "attempts")})
        except Exception:  # of the system or of a decoder
            return None

    def _file(self, key: str) -> Path:
        return Path(f"{self.folder}/runs/{key[:2]}/{key}.json")

    def _all(self, prefix: str = "") -> Iterator[tuple[StoredRun, bytes]]:
        """Yields the intact runs whose names begin with `prefix`, with the contents of their files."""
        runs = self.folder / "runs"
        with reported(self.folder):
            folders = [name for name in names(runs) if len(name) == 2 and name.startswith(prefix[:2])]
            keys = [name.removesuffix(".json") for folder in folders for name in names(runs / folder)]
        for key in keys:
            if len(key) == 64 and key.startswith(prefix) and (found := self._load(key)) is not None:
                yield found

    def _load(self, key: str) -> tuple[StoredRun, bytes] | None:
        file = self._file(key)
        with reported(self.folder):
            try:
                content = file.read_bytes()
            except FileNotFoundError:
                return None
        try:
            run = decode(content, key)
        except DamagedError as damage:
            self._set_aside(file, str(damage), "its run is repeated")
            return None
        except NewerError as newer:
            wrong = StoreError(
                f"{path_text(file)} was written by a newer version of Penstock (format {newer.format}; this one reads "
                f"{FORMAT}) and is left unchanged.\nUse that version, or choose another folder with --store DIR or "
                "PENSTOCK_STORE."
            )
            wrong.exit_code = InputError.exit_code
            raise wrong from None
        return None if run is None else (run, content)

    def _set_aside(self, file: Path, reason: str, outcome: str) -> None:
        place = self.folder / "damaged" / file.name
        try:
            with reported(self.folder):
                place.parent.mkdir(exist_ok=True)
                file.replace(place)
        except StoreError as error:
            if not file.exists():  # another process has moved it
                return
            raise StoreError(f"{path_text(file)} {reason}, and cannot be moved away:\n{error}") from error
        self._warn(f"{path_text(file)} {reason}. It was moved to {path_text(place)}; {outcome}.")


def _print_warning(message: str) -> None:
    print(f"warning: {printable_lines(message)}", file=sys.stderr, flush=True)
