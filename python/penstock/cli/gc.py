"""``penstock gc``: makes the store smaller."""

from typing import Annotated

from penstock.cli import options
from penstock.cli.console import emit, show
from penstock.cli.selecting import age_text, selection
from penstock.cli.verb import option
from penstock.memory import size_text
from penstock.printable import json_text, things
from penstock.store import Store
from penstock.store.sweeping import older_than as is_older
from penstock.store.sweeping import sweep


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
        unwanted = [
            run for run in kept.manifests() if chosen.matches(run) and (older_than is None or is_older(run, older_than))
        ]
    swept = sweep(kept, unwanted, damaged=damaged, dry=dry_run)
    if output == "json":
        emit(json_text({**swept.data(), "dry_run": dry_run}))
        return
    counts = (
        (swept.runs, "run"),
        (swept.scenarios, "scenario"),
        (swept.unfinished, "unfinished file"),
        (swept.failed, "note of a failed run"),
        (swept.damaged, "damaged file"),
    )
    parts = [things(count, thing) for count, thing in counts if count]
    parts = [part.replace("note of a failed runs", "notes of failed runs") for part in parts]
    what = ", ".join(parts) or "nothing"
    show(f"{'would remove' if dry_run else 'removed'} {what}: {size_text(swept.bytes)}.")
