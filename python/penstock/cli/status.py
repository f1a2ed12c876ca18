"""``penstock status``: the progress of a study, or the contents of a store."""

from pathlib import Path
from typing import Annotated

from penstock.cli import options
from penstock.cli.options import read_sets, runs_option
from penstock.cli.verb import argument


def status(
    file: Annotated[Path | None, argument("FILE", "A scenario or study (TOML); without it, the whole store.")] = None,
    *,
    runs: Annotated[int | None, runs_option("Number of runs per point that are wanted.")] = None,
    seed: options.Seed = None,
    sets: options.Set = None,
    store: options.Store = None,
    output: options.Output = "table",
) -> None:
    """Show the progress of a scenario or study.

    For each point: the runs that are stored, have failed, and are left; and, for missing runs, what has changed since
    similar runs were made. Without FILE, show the contents of the store. Nothing is run.
    """
    from penstock.cli.standing import show_store, show_study
    from penstock.cli.studies import plan_of
    from penstock.errors import InputError
    from penstock.store import Store
    from penstock.studies.standing import standing

    kept = Store(store)
    if file is None:
        for given, option in ((runs, "--runs"), (seed, "--seed"), (sets, "--set")):
            if given is not None:
                raise InputError(f"{option} is for the scenario or study in a FILE, and none is given.")
        show_store(kept, output)
        return
    plan = plan_of(file, read_sets(sets), runs, seed)
    show_study(plan, standing(plan.read(), kept), output)
