"""``penstock retry-failed``: repeats failed runs."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Annotated

from penstock import _core
from penstock.cli import options
from penstock.cli.console import emit, show, show_first
from penstock.cli.cores import run_all_told
from penstock.cli.selecting import selection, settings_text
from penstock.cli.verb import option
from penstock.errors import RunsFailed, ScenarioError, core_faults
from penstock.memory import allow
from penstock.printable import json_text, one_line, things, utf8
from penstock.records import RunRequest
from penstock.store import Store, run_key
from penstock.store.folder import Failed


def retry_failed(
    *,
    name: options.Name = None,
    where: options.Where = None,
    jobs: options.Jobs = None,
    threads: options.Threads = 1,
    memory: options.Memory = None,
    store: options.Store = None,
    dry_run: Annotated[bool, option("--dry-run", "Only list the failed runs and their errors.")] = False,
    output: options.Output = "table",
) -> int:
    """Repeat the runs that have failed.

    Their scenarios are in the store, so no file is needed. A run that succeeds is stored like any other; one that fails
    again stays in the list of failed runs.
    """
    allow(memory)
    kept = Store(store)
    chosen = selection(kept, name, where)
    failed = [each for each in kept.failures() if chosen.matches(each)]
    made, left = ([], failed) if dry_run else try_again(kept, failed, jobs, threads)
    if output == "json":
        emit(json_text({"made": made, "failed": [each.data() for each in left]}))
    else:
        show_failed(left)
        runs = things(len(failed), "failed run")
        show(f"{runs}. Nothing was run." if dry_run else f"{runs} tried again: {len(made)} made, {len(left)} left.")
    return int(bool(left) and not dry_run)


def try_again(store: Store, failed: Sequence[Failed], jobs: int | None, threads: int) -> tuple[list[str], list[Failed]]:
    """Repeats failed runs with this model version; returns the keys of stored ones, and the runs that failed again."""
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
    with suppress(RunsFailed):
        run_all_told(threads, [request for _, request in asked.values()], jobs=jobs, store=store)
    made = []
    for key, (each, _) in asked.items():
        if store.has(key):
            made.append(key)
        if store.has(key) or key != each.key:
            store.forget_failure(each.key)
    return made, lost + [each for each in store.failures() if each.key in asked]


def _request(store: Store, failed: Failed) -> tuple[str, RunRequest]:
    """The key and the request. Raises ScenarioError if the scenario is missing, or not valid for this version."""
    text = store.texts.get(failed.scenario)
    if text is None:
        missing = "its text is no longer in the store; run its file instead"
        raise ScenarioError([{"file": utf8(failed.name), "line": None, "path": "", "message": missing}])
    with core_faults():
        scenario = _core.Scenario(text, utf8(failed.name), list(failed.settings), failed.folder, leave_out=True)
    request = RunRequest(text, failed.settings, failed.seed, failed.replication, failed.name, folder=failed.folder)
    return run_key(scenario.canonical, failed.seed, failed.replication), request


def show_failed(failed: Sequence[Failed]) -> None:
    """Shows a line for each run."""
    if not failed:
        return

    def row(run: Failed) -> Sequence[str]:
        of_run = (one_line(run.name), settings_text(run.settings) or "-", str(run.seed), str(run.replication))
        return (*of_run, str(run.attempts), one_line(run.message) + " (a bug in Penstock)" * run.ours)

    columns = ["scenario", "settings", "seed", "replication", "attempts", "why"]
    show_first("failed runs", columns, map(row, failed), len(failed), right=columns[2:5])
