"""``penstock runs``: lists the runs in the store, or shows one."""

from typing import Annotated

import typer

from penstock.cli.options import Format, FormatOption, SeedOption, StoreOption
from penstock.cli.selecting import NameOption, WhereOption

__all__ = ["runs"]


def runs(
    key: Annotated[
        str | None,
        typer.Argument(help="Show this run, named by the beginning of its key.", metavar="KEY", show_default=False),
    ] = None,
    *,
    name: NameOption = None,
    where: WhereOption = None,
    seed: SeedOption = None,
    stale: Annotated[bool, typer.Option("--stale", help="Only runs of other versions of the model.")] = False,
    each: Annotated[bool, typer.Option("--each", help="A line for each run instead of each point.")] = False,
    store: StoreOption = None,
    output: FormatOption = Format.TABLE,
) -> None:
    """List the runs in the store, or show one.

    A line for each point, with what sets its runs apart; --format json has every run with all that it was made from.
    """
    from penstock.cli.console import emit, show
    from penstock.cli.selecting import selection
    from penstock.cli.stored_runs import counted, list_each, list_points, show_one
    from penstock.printable import json_text
    from penstock.store import Store
    from penstock.store.listing import merged

    kept = Store(store)
    if key is not None:
        show_one(kept, key, output)
        return
    chosen = selection(kept, name, where, seed, other_models=True if stale else None)
    if output is not Format.JSON and not each:
        points = merged(runs for runs in kept.stored_runs() if chosen.matches(runs.first))
        list_points(points)
        show(counted(sum(point.count for point in points), len(points)))
        return
    found = chosen.of(kept.manifests())
    if output is Format.JSON:
        emit(json_text([run.data() for run in found]))
        return
    list_each(found)
    show(counted(len(found), len({run.point for run in found})))
