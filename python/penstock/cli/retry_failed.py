"""``penstock retry-failed``: repeats failed runs."""

from typing import Annotated

from penstock.cli import options
from penstock.cli.verb import option


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
    from penstock.cli.console import emit, show
    from penstock.cli.failed_runs import show_failed, try_again
    from penstock.cli.selecting import selection
    from penstock.memory import allow
    from penstock.printable import json_text, things
    from penstock.store import Store

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
