"""``penstock retry-failed``: makes the runs again that failed."""

from typing import Annotated

import typer

from penstock.cli.options import Format, FormatOption, JobsOption, MemoryOption, StoreOption, ThreadsOption
from penstock.cli.selecting import NameOption, WhereOption

__all__ = ["retry_failed"]


def retry_failed(
    *,
    name: NameOption = None,
    where: WhereOption = None,
    jobs: JobsOption = None,
    threads: ThreadsOption = 1,
    memory: MemoryOption = None,
    store: StoreOption = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what has failed, and why.")] = False,
    output: FormatOption = Format.TABLE,
) -> None:
    """Make the runs again that have failed.

    Their scenarios are in the store, so no file is needed. What succeeds is stored like any other run, and what fails
    again stays among the failed runs.
    """
    from penstock.cli.console import emit, show
    from penstock.cli.failed_runs import show_failed, try_again
    from penstock.cli.selecting import selection
    from penstock.memory import allow
    from penstock.printable import json_text
    from penstock.store import Store

    allow(memory)
    kept = Store(store)
    chosen = selection(kept, name, where)
    failed = [each for each in kept.failures() if chosen.matches(each)]
    made, left = ([], failed) if dry_run else try_again(kept, failed, jobs, threads)
    if output is Format.JSON:
        emit(json_text({"made": made, "failed": [each.data() for each in left]}))
    else:
        show_failed(left)
        runs = f"{len(failed)} failed run{'s' * (len(failed) != 1)}"
        show(f"{runs}. Nothing was run." if dry_run else f"{runs} tried again: {len(made)} made, {len(left)} left.")
    if left and not dry_run:
        raise typer.Exit(1)
