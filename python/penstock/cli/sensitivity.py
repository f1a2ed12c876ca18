"""``penstock sensitivity``: how far each open question of a published study moves its numbers."""

from typing import Annotated, Any

import typer

from penstock.cli.options import (
    THREADS,
    Format,
    FormatOption,
    JobsOption,
    MemoryOption,
    OnOption,
    RunsOption,
    StoreOption,
)
from penstock.cli.reproduce import DocumentArgument, TableOption

__all__ = ["sensitivity"]


def sensitivity(
    doc: DocumentArgument,
    *,
    tables: TableOption = None,
    all_tables: Annotated[
        bool,
        typer.Option("--all-tables", help="All tables, of studies too that vary some of them unless told otherwise."),
    ] = False,
    runs: RunsOption = None,
    jobs: JobsOption = None,
    on: OnOption = THREADS,
    memory: MemoryOption = None,
    store: StoreOption = None,
    output: FormatOption = Format.TABLE,
) -> None:
    """Show what a study's open questions change.

    Each is answered every way, and each number is shown with how far it moves. What that takes is said first.
    """
    from penstock import reproductions
    from penstock.memory import allow
    from penstock.store import Store

    allow(memory)
    more: dict[str, Any] = {} if on == THREADS else {"on": on}
    if all_tables:
        more["all_tables"] = True
    reproductions.cli_sensitivity(doc, tables or [], runs, jobs, Store(store), output.value, **more)
