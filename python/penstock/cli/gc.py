"""``penstock gc``: makes the store smaller."""

import calendar
import shutil
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Annotated

from penstock.cli import options
from penstock.cli.console import emit, show
from penstock.cli.selecting import age_text, selection
from penstock.cli.verb import option
from penstock.memory import size_text
from penstock.printable import json_text, things
from penstock.store import Store
from penstock.store.folder import names, reported
from penstock.store.manifest import Manifest
from penstock.whole_file import UNFINISHED


def gc(
    *,
    stale: Annotated[
        bool, option("--stale", "Remove runs of other model versions, which nothing uses any more.")
    ] = False,
    older_than: Annotated[
        float | None,
        option("--older-than AGE", "Remove runs begun at least this long ago: '30 days'.", parser=age_text),
    ] = None,
    name: options.Name = None,
    where: options.Where = None,
    seed: options.SeedOfRun = None,
    damaged: Annotated[bool, option("--damaged", "Remove damaged files that were set aside.")] = False,
    dry_run: Annotated[bool, option("--dry-run", "Only show what would be removed.")] = False,
    store: options.Store = None,
    output: options.Output = "table",
) -> None:
    """Remove leftovers from the store, and selected runs.

    Leftovers are scenarios without runs, unfinished files, and notes of failed runs that have succeeded since. Runs are
    removed only with --stale, --older-than, --name, --where or --seed, and only those that match all that are given.
    """
    kept = Store(store)
    unwanted = []
    if stale or older_than is not None or name is not None or where or seed is not None:
        chosen = selection(kept, name, where, seed, other_models=True if stale else None)
        unwanted = [run for run in kept.manifests() if chosen.matches(run) and is_older(run, older_than)]
    swept = sweep(kept, unwanted, damaged=damaged, dry=dry_run)
    if output == "json":
        emit(json_text({**swept, "dry_run": dry_run}))
        return
    parts = [things(swept[kind], thing) for kind, thing in _KINDS.items() if swept[kind]]
    parts = [part.replace("note of a failed runs", "notes of failed runs") for part in parts]
    what = ", ".join(parts) or "nothing"
    show(f"{'would remove' if dry_run else 'removed'} {what}: {size_text(swept['bytes'])}.")


_KINDS = {
    **{"runs": "run", "scenarios": "scenario", "unfinished": "unfinished file"},
    **{"failed": "note of a failed run", "damaged": "damaged file"},
}
"""The kinds of removed files, and what a message calls one."""


def is_older(run: Manifest, seconds: float | None) -> bool:
    """Returns whether a run was begun more than `seconds` ago (None: always true); False if its start is unknown."""
    if seconds is None or run.made is None:
        return seconds is None
    return time.time() - calendar.timegm(time.strptime(run.made.begin, "%Y-%m-%dT%H:%M:%SZ")) > seconds


def sweep(
    store: Store, unwanted: Iterable[Manifest] = (), *, damaged: bool = False, dry: bool = False
) -> dict[str, int]:
    """Removes `unwanted` runs, `damaged` files and leftovers; `dry` only counts. Returns counts by kind, and ``bytes``.

    Leftovers are records of failed runs that have succeeded since, scenarios without runs and unfinished files. Young
    scenarios and files are kept: they may belong to runs in progress. Raises StoreError if a file cannot be removed.
    """
    swept, folder = dict.fromkeys((*_KINDS, "bytes"), 0), store.folder
    gone = {run.key for run in unwanted}
    kept = {run.scenario for run in store.manifests() if run.key not in gone}
    failures = store.failures()
    kept |= {failed.scenario for failed in failures}
    still = {failed.key for failed in failures}

    def remove(kind: str, files: Iterable[Path], age: float = 0.0) -> None:
        for file in files:
            with suppress(FileNotFoundError):
                status = file.lstat()
                if age and time.time() - status.st_mtime < age:
                    continue
                if not dry:
                    shutil.rmtree(file) if file.is_dir() and not file.is_symlink() else file.unlink()
                swept[kind] += 1
                swept["bytes"] += status.st_size

    def below(name: str) -> list[Path]:
        return [folder / name / each for each in names(folder / name)]

    with reported(folder):
        remove("runs", (folder / "runs" / key[:2] / f"{key}.json" for key in gone))
        notes = (file for file in below("failed") if file.suffix == ".json" and file.stem not in still)
        remove("failed", notes)
        texts = (file for file in below("scenarios") if file.suffix == ".toml" and file.stem not in kept)
        remove("scenarios", texts, age=86400.0)
        remove("unfinished", sorted(folder.rglob(UNFINISHED)), age=3600.0)
        if damaged:
            remove("damaged", below("damaged"))
    return swept
