"""Failed runs: repeating them, and their table."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from penstock import _core
from penstock.cli.console import show, table
from penstock.cli.cores import cores_told
from penstock.cli.selecting import settings_text
from penstock.errors import RunsFailed, ScenarioError
from penstock.printable import one_line, utf8
from penstock.progress import Progress
from penstock.records import RunRequest
from penstock.store import run_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.store import Store
    from penstock.store.failed import Failed

_SHOWN = 50
"""Maximum number of lines of a table."""


def try_again(store: Store, failed: Sequence[Failed], jobs: int | None, threads: int) -> tuple[list[str], list[Failed]]:
    """Repeats failed runs; returns the keys of those that are stored now, and the runs that failed again.

    A run of another model version is repeated with this one, under its key here.
    """
    asked: dict[str, tuple[Failed, RunRequest]] = {}
    lost: list[Failed] = []
    for each in failed:
        try:
            key, request = _request(store, each)
        except ScenarioError as error:
            lost.append(replace(each, message=str(error).splitlines()[0]))
            continue
        asked[key] = each, request
    # Runs that fail again are recorded again.
    with cores_told(threads) as cores, Progress() as progress, suppress(RunsFailed):
        requests = [request for _, request in asked.values()]
        cores.run_all(requests, jobs=jobs, store=store, progress=progress)
    made = []
    for key, (each, _) in asked.items():
        if store.has(key):
            made.append(key)
        if store.has(key) or key != each.key:
            store.forget_failure(each.key)
    return made, lost + [each for each in store.failures() if each.key in asked]


def _request(store: Store, failed: Failed) -> tuple[str, RunRequest]:
    """The request, and the key of its result.

    Raises ScenarioError if its scenario is missing, or not valid for this version.
    """
    text = store.texts.get(failed.scenario)
    if text is None:
        missing = "its text is no longer in the store; run its file instead"
        raise ScenarioError([{"file": utf8(failed.name), "line": None, "path": "", "message": missing}])
    try:
        scenario = _core.Scenario(text, utf8(failed.name), list(failed.settings), failed.folder, leave_out=True)
    except _core.ScenarioError as error:
        raise ScenarioError(error.mistakes) from None
    request = RunRequest(text, failed.settings, failed.seed, failed.replication, failed.name, folder=failed.folder)
    return run_key(scenario.canonical, failed.seed, failed.replication), request


def show_failed(failed: Sequence[Failed]) -> None:
    """Shows a line for each run."""
    rows = [
        (
            *(one_line(each.name), settings_text(each.settings) or "-", str(each.seed), str(each.replication)),
            *(str(each.attempts), one_line(each.message) + " (a bug in Penstock)" * each.ours),
        )
        for each in failed[:_SHOWN]
    ]
    if rows:
        columns = ["scenario", "settings", "seed", "replication", "attempts", "why"]
        show(table("failed runs", columns, rows, right=["seed", "replication", "attempts"]))
    if len(failed) > _SHOWN:
        show(f"... and {len(failed) - _SHOWN} more; --format json has all of them.")
