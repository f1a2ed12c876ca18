"""Export of stored runs into archives, and their verified import."""

from __future__ import annotations

import hashlib
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from penstock import _core
from penstock.cli.cores import cores_told
from penstock.errors import InputError, StoreError
from penstock.own.files import none_executed
from penstock.printable import path_text, quoted
from penstock.progress import Progress
from penstock.store import Record
from penstock.store.archive import LARGEST_TEXTS, Reading, write_archive
from penstock.store.checking import asked_for, made_again, measures_these, row_mistake, sample

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from penstock.records import RunRequest
    from penstock.store import Store, StoredRun
    from penstock.store.manifest import Manifest
    from penstock.store.selection import Selection


@dataclass(frozen=True, slots=True)
class Exported:
    """Result of an export; `left_out` counts runs that an archive cannot hold."""

    runs: int
    scenarios: int
    left_out: int
    digest: str

    def data(self) -> dict[str, Any]:
        """The JSON form."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Verification:
    """Verification of an archive: how many runs are repeated, which, and on how many cores; see :func:`sample`.

    Only with `allows_python` may a scenario of the archive execute a Python file of this machine.
    """

    sample: int
    pick: int
    digest: str | None = None
    jobs: int | None = None
    threads: int = 1
    allows_python: bool = False


@dataclass(frozen=True, slots=True)
class Imported:
    """Result of an import; `new` counts runs that were not in the store."""

    runs: int
    made_again: int
    new: int
    digest: str

    def data(self) -> dict[str, Any]:
        """The JSON form."""
        return asdict(self)


def export_runs(store: Store, chosen: Selection, archive: Path) -> Exported:
    """Writes the selected runs into an archive.

    Raises InputError if there are none, or there is something at `archive`; StoreError if it cannot be written, or the
    store cannot be read.
    """
    texts: dict[str, bytes] = {}
    runs: list[tuple[str, int, str]] = []
    left_out = total = 0
    for manifest in chosen.of(store.manifests()):
        text = store.texts.get(manifest.scenario) if manifest.scenario not in texts else ""
        content = store.content(manifest.key) if manifest.model_version == _core.MODEL_VERSION else None
        if text is None or content is None:
            left_out += 1
            continue
        texts.setdefault(manifest.scenario, text.encode("utf-8", "surrogatepass"))
        runs.append((manifest.key, len(content), hashlib.blake2b(content, digest_size=32).hexdigest()))
        total += len(texts[manifest.scenario]) if text else 0
        if total > LARGEST_TEXTS:
            raise InputError(
                f"the scenarios of these runs have more than {LARGEST_TEXTS >> 20} MiB together, the most that an "
                "archive may have; export fewer at once (--study, --name, --where)."
            )
    if not runs:
        why = f"; {left_out} are of other versions of the model, or without their scenarios" if left_out else ""
        raise InputError(f"no run in {path_text(store.folder)} is chosen{why}: 'penstock runs' lists what is there.")

    def read(key: str) -> bytes:
        return store.content(key) or b""

    return Exported(len(runs), len(texts), left_out, write_archive(archive, texts, runs, read))


def import_runs(store: Store, archive: Path, how: Verification, *, dry: bool = False) -> Imported:
    """Verifies an archive and adds its runs to the store.

    Raises InputError if there is no such file, its digest is another one, or a scenario would execute a Python file;
    StoreError if anything in it is wrong (then nothing is stored), or the store cannot be written.
    """
    reading = Reading(archive)
    if how.digest is not None and not (len(how.digest) >= 16 and reading.digest.startswith(how.digest.lower())):
        raise InputError(
            f"{path_text(archive)} has not the digest {quoted(how.digest)} but {reading.digest}: it is another archive "
            "or was altered; of a digest at least 16 digits are compared. Nothing was taken from it."
        )
    if reading.model_version != _core.MODEL_VERSION:
        raise StoreError(
            f"{path_text(archive)} has runs of another version of the model ({reading.model_version[:12]}, Penstock "
            f"{reading.version}), which this one ({_core.MODEL_VERSION[:12]}) can neither verify nor use. "
            "Nothing was taken from it."
        )
    guard: AbstractContextManager[list[Path]] = nullcontext([]) if how.allows_python else none_executed()
    with guard as refused:
        runs = _named_rightly(reading, refused)
    known = store.find([(run.key, request) for run, request in runs])
    for run, _ in runs:
        if run.key in known and (known[run.key].digest, known[run.key].packet_hops) != (run.digest, run.packet_hops):
            raise _refused(archive, f"run {run.key[:16]} ({quoted(run.name)}) is another than the one in the store")
    count = _make_again(reading, runs, how)
    kept = _kept(reading, known)
    new = [request for run, request in runs if run.key not in kept]
    if not dry and new:
        store.prepare(new)
        _take(store, reading, kept)
    return Imported(len(runs), count, len(new), reading.digest)


def _kept(reading: Reading, known: dict[str, StoredRun]) -> set[str]:
    """Stored runs that are kept; the archive replaces those for which it has the same numbers and more."""
    kept = set()
    for member, _, run in reading.runs():
        if (there := known.get(member.name)) is None:
            continue
        own, others = ({text for text, _ in each.measured or ()} for each in (there, run))
        if not own < others:
            kept.add(member.name)
    return kept


def _named_rightly(reading: Reading, refused: list[Path]) -> list[tuple[Manifest, RunRequest]]:
    """The runs with their requests, after checking that each key is that of its request.

    `refused` are Python files that scenarios were not allowed to execute.
    """
    texts = reading.texts()
    found = []
    for member, _, run in reading.runs():
        manifest = run.manifest
        text = texts.get(manifest.scenario)
        if text is None:
            raise _refused(reading.path, f"the scenario of {member.path} is not in it")
        request, key, measures = asked_for(manifest, text)
        if refused:
            raise InputError(
                f"{path_text(reading.path)}: the scenario of {member.path} executes the Python file "
                f"{path_text(refused[0])} of this machine; if you trust that file, allow it with --allow-python. "
                "Nothing was taken from the archive."
            )
        if key != manifest.key and request.folder is not None:
            raise _refused(
                reading.path,
                f"{member.path} needs files that are not in {path_text(request.folder)} as they were; "
                "archives have none",
            )
        if key != manifest.key or manifest.model_version != reading.model_version:
            raise _refused(reading.path, f"{member.path} is not named by what it says it was made from")
        if not measures_these(run, measures):
            raise _refused(reading.path, f"{member.path} measures something else than its scenario")
        if (mistake := row_mistake(request, run.metrics)) is not None:
            raise _refused(reading.path, f"{member.path} is not what it says: {mistake}")
        found.append((manifest, request))
    return found


def _make_again(reading: Reading, runs: list[tuple[Manifest, RunRequest]], how: Verification) -> int:
    """Repeats a sample of the runs and returns its size; refuses the archive if a result differs."""
    requests = {run.key: request for run, request in runs}
    picked = {run.key for run in sample([run for run, _ in runs], how.sample, how.pick)}
    stored = [(run.manifest, run, requests[member.name]) for member, _, run in reading.runs() if member.name in picked]
    with cores_told(how.threads) as cores, Progress() as progress:
        run = partial(cores.run_all, jobs=how.jobs, progress=progress)
        count, differing = made_again(stored, run)
    if differing:
        first = differing[0]
        raise _refused(
            reading.path,
            f"{len(differing)} of {count} runs that were made again came out otherwise, such as {first.run.key[:16]} "
            f"({quoted(first.run.name)}): {first.what[0]}",
        )
    return count


def _take(store: Store, reading: Reading, known: set[str]) -> None:
    for member, content, _ in reading.runs():
        if member.name not in known:
            store.write(Record(member.name, content))


def _refused(archive: Path, why: str) -> StoreError:
    return StoreError(f"{path_text(archive)} is not believed: {why}. Nothing was taken from it.")
