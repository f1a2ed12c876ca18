"""``penstock runs``: lists the runs in the store, or shows one."""

from typing import Annotated

from penstock.cli import options
from penstock.cli.verb import argument, option


def runs(
    key: Annotated[str | None, argument("KEY", "Show the run whose key begins so.")] = None,
    *,
    name: options.Name = None,
    where: options.Where = None,
    seed: options.SeedOfRun = None,
    stale: Annotated[bool, option("--stale", "Only runs of other model versions.")] = False,
    each: Annotated[bool, option("--each", "A line per run instead of per point.")] = False,
    store: options.Store = None,
    output: options.Output = "table",
) -> None:
    """List the runs in the store, or show one.

    A table has a line per point with its settings; --format json has every run with everything it was made from.
    """
    from penstock.cli.console import emit, show
    from penstock.cli.selecting import selection
    from penstock.cli.stored_runs import list_each, list_points, show_one, summed
    from penstock.printable import json_text
    from penstock.store import Store

    kept = Store(store)
    if key is not None:
        show_one(kept, key, output)
        return
    chosen = selection(kept, name, where, seed, other_models=True if stale else None)
    if output != "json" and not each:
        points = [runs for runs in kept.stored_runs() if chosen.matches(runs.first)]
        list_points(points)
        show(summed(sum(point.count for point in points), len(points)))
        return
    found = chosen.of(kept.manifests())
    if output == "json":
        emit(json_text([run.data() for run in found]))
        return
    list_each(found)
    show(summed(len(found), len({(run.name, run.point) for run in found})))
