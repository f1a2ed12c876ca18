"""``penstock sensitivity``: how far each open question of a published study moves its numbers."""

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
    runs: RunsOption = None,
    jobs: JobsOption = None,
    on: OnOption = THREADS,
    memory: MemoryOption = None,
    store: StoreOption = None,
    output: FormatOption = Format.TABLE,
) -> None:
    """Show what a study's open questions change.

    Each is answered every way, and each number is shown with how far it moves.
    """
    from penstock import reproductions
    from penstock.memory import allow
    from penstock.store import Store

    allow(memory)
    more = {} if on == THREADS else {"on": on}
    reproductions.cli_sensitivity(doc, tables or [], runs, jobs, Store(store), output.value, **more)
