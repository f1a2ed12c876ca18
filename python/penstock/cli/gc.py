"""``penstock gc``: makes the store smaller."""

from typing import Annotated

import typer

from penstock.cli.options import Format, FormatOption, SeedOption, StoreOption
from penstock.cli.selecting import NameOption, WhereOption, age_text

__all__ = ["gc"]


def gc(
    *,
    stale: Annotated[
        bool, typer.Option("--stale", help="Remove runs of other versions of the model, which are not found any more.")
    ] = False,
    older_than: Annotated[
        float | None,
        typer.Option(
            "--older-than",
            metavar="AGE",
            parser=age_text,
            help="Remove runs that were begun so long ago, such as '30 days'.",
            show_default=False,
        ),
    ] = None,
    name: NameOption = None,
    where: WhereOption = None,
    seed: SeedOption = None,
    damaged: Annotated[bool, typer.Option("--damaged", help="Remove damaged files that were set aside.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be removed.")] = False,
    store: StoreOption = None,
    output: FormatOption = Format.TABLE,
) -> None:
    """Remove leftovers in the store, and runs that are chosen.

    Left over are scenarios of which no run is there, files that were never finished, and notes of failed runs that were
    made since. Runs are removed only if --stale, --older-than, --name, --where or --seed is given, and then those for
    which all that is given holds.
    """
    from penstock.cli.console import emit, show
    from penstock.cli.selecting import selection, size_text
    from penstock.printable import json_text
    from penstock.store import Store
    from penstock.store.sweeping import older_than as is_older
    from penstock.store.sweeping import sweep

    kept = Store(store)
    unwanted = []
    if stale or older_than is not None or name is not None or where or seed is not None:
        chosen = selection(kept, name, where, seed, other_models=True if stale else None)
        unwanted = [
            run for run in kept.manifests() if chosen.matches(run) and (older_than is None or is_older(run, older_than))
        ]
    swept = sweep(kept, unwanted, damaged=damaged, dry=dry_run)
    if output is Format.JSON:
        emit(json_text({**swept.data(), "dry_run": dry_run}))
        return
    counts = (
        (swept.runs, "run"),
        (swept.scenarios, "scenario"),
        (swept.indexes, "index file"),
        (swept.unfinished, "unfinished file"),
        (swept.failed, "note of a failed run"),
        (swept.damaged, "damaged file"),
    )
    parts = [f"{count} {thing}{'s' * (count != 1)}" for count, thing in counts if count]
    parts = [part.replace("note of a failed runs", "notes of failed runs") for part in parts]
    what = ", ".join(parts) or "nothing"
    show(f"{'would remove' if dry_run else 'removed'} {what}: {size_text(swept.bytes)}.")
