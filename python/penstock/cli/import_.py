"""``penstock import``: verifies the runs of an archive and stores them."""

import random
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from penstock import _core
from penstock.cli import options
from penstock.cli.console import emit, show
from penstock.cli.cores import run_all_told
from penstock.cli.verb import argument, option
from penstock.errors import InputError, StoreError
from penstock.memory import allow
from penstock.own.files import none_executed
from penstock.printable import json_text, path_text, quoted, things
from penstock.records import RunRequest
from penstock.store import Record, Store, StoredRun
from penstock.store.archive import Reading
from penstock.store.checking import asked_for, made_again, measures_these, row_mistake, sample
from penstock.store.manifest import Manifest


def import_(
    archive: Annotated[Path, argument("ARCHIVE", "A file written by 'penstock export'.")],
    *,
    sample: options.Sample = None,
    pick: Annotated[
        int | None, option("--pick N", "Number of the sample; random by default.", bounds=(0, None))
    ] = None,
    digest: Annotated[
        str | None,
        option("--digest HEX", "Accept only the archive with this digest, from 'penstock export', or its beginning."),
    ] = None,
    jobs: options.Jobs = None,
    threads: options.Threads = 1,
    memory: options.Memory = None,
    allow_python: Annotated[
        bool, option("--allow-python", "Let scenarios execute the Python files of this machine that they use.")
    ] = False,
    dry_run: Annotated[bool, option("--dry-run", "Only verify; store nothing.")] = False,
    store: options.Store = None,
    output: options.Output = "table",
) -> None:
    """Verify an archive and add its runs to the store.

    Every file must match the archive's list, every run must have the key of what it was made from, and a sample is
    repeated here: digest and numbers must be equal to the last bit. If anything differs, nothing is stored.
    """
    allow(memory)
    picked = random.SystemRandom().randrange(1 << 32) if pick is None else pick
    how = Verification(options.SAMPLE if sample is None else sample, picked, digest, jobs, threads, allow_python)
    found = import_runs(Store(store), archive, how, dry=dry_run)
    if output == "json":
        emit(json_text({**found, "dry_run": dry_run}))
        return
    runs, new = found["runs"], found["new"]
    verified = f"{things(runs, 'run')} verified, {found['made_again']} of them made again"
    taken = f"{new} {'would be ' * dry_run}taken into the store, {runs - new} were there"
    show(f"{path_text(archive)}: {verified}; {taken}.", f"digest {found['digest']}")


@dataclass(frozen=True, slots=True)
class Verification:
    """How an archive is verified, see :func:`sample`, and whether it may execute Python files of this machine."""

    sample: int
    pick: int
    digest: str | None = None
    jobs: int | None = None
    threads: int = 1
    allows_python: bool = False


def import_runs(store: Store, archive: Path, how: Verification, *, dry: bool = False) -> dict[str, Any]:
    """Adds the runs of an archive to the store; returns their counts.

    Raises InputError if the archive is missing or has another digest, or if a scenario would execute a Python file.
    Raises StoreError if anything in it is wrong (then nothing is stored), or if the store cannot be written.
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
        there = known[run.key].manifest if run.key in known else run
        if (there.digest, there.packet_hops) != (run.digest, run.packet_hops):
            raise _refused(archive, f"run {run.key[:16]} ({quoted(run.name)}) is another than the one in the store")
    count = _make_again(reading, runs, how)
    kept = _kept(reading, known)
    new = [request for run, request in runs if run.key not in kept]
    if not dry and new:
        store.prepare(new)
        for member, content, _ in reading.runs():
            if member.name not in kept:
                store.write(Record(member.name, content))
    return {"runs": len(runs), "made_again": count, "new": len(new), "digest": reading.digest}


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
    """The runs and their requests. Raises InputError for `refused` Python files, StoreError for mislabelled runs."""
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
            needed = f"files that are not in {path_text(request.folder)} as they were"
            raise _refused(reading.path, f"{member.path} needs {needed}; archives have none")
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
    count, differing = made_again(stored, partial(run_all_told, how.threads, jobs=how.jobs))
    if differing:
        first = differing[0]
        share = f"{len(differing)} of {count} runs that were made again came out otherwise"
        example = f"{first.run.key[:16]} ({quoted(first.run.name)}): {first.what[0]}"
        raise _refused(reading.path, f"{share}, such as {example}")
    return count


def _refused(archive: Path, why: str) -> StoreError:
    return StoreError(f"{path_text(archive)} is not believed: {why}. Nothing was taken from it.")
