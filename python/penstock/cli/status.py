"""``penstock status``: how far a study is, or what a store holds."""

from pathlib import Path
from typing import Annotated

import typer

from penstock.cli.options import (
    MOST_RUNS,
    Format,
    FormatOption,
    SeedOption,
    SetOption,
    StoreOption,
    read_sets,
)

__all__ = ["status"]


def status(
    file: Annotated[
        Path | None,
        typer.Argument(help="A scenario or study; the whole store if left out.", metavar="FILE", show_default=False),
    ] = None,
    *,
    runs: Annotated[
        int | None,
        typer.Option("--runs", "-n", metavar="N", min=1, max=MOST_RUNS, help="Of how many runs.", show_default=False),
    ] = None,
    seed: SeedOption = None,
    sets: SetOption = None,
    store: StoreOption = None,
    output: FormatOption = Format.TABLE,
) -> None:
    """Show how far a scenario or a study is, and run nothing.

    Of each point how many runs are stored, have failed and are left, and what has changed since runs like those that
    are missing were made. Without FILE, what the store holds.
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
