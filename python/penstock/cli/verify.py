"""``penstock verify``: checks what is stored."""

from typing import Annotated

import typer

from penstock.cli.options import Format, FormatOption, JobsOption, MemoryOption, SeedOption, StoreOption, ThreadsOption
from penstock.cli.selecting import SAMPLE, NameOption, SampleOption, StudyOption, WhereOption

__all__ = ["verify"]


def verify(
    *,
    sample: SampleOption = None,
    pick: Annotated[
        int, typer.Option("--pick", metavar="N", min=0, help="Another number picks another sample.", show_default=False)
    ] = 0,
    study: StudyOption = None,
    name: NameOption = None,
    where: WhereOption = None,
    seed: SeedOption = None,
    jobs: JobsOption = None,
    threads: ThreadsOption = 1,
    memory: MemoryOption = None,
    store: StoreOption = None,
    output: FormatOption = Format.TABLE,
) -> None:
    """Check what is stored, and make a sample of it again.

    Every run's file is compared with its checksum, and its name with what it was made from. Of the runs of this version
    of the model a sample is made again: its digest and its numbers must be the stored ones to the last bit.
    """
    from penstock.cli.checks import check_store, show_check
    from penstock.cli.console import emit
    from penstock.cli.selecting import selection
    from penstock.memory import allow
    from penstock.printable import json_text
    from penstock.store import Store

    allow(memory)
    damage: list[str] = []
    kept = Store(store, warn=damage.append)
    chosen = selection(kept, name, where, seed, study)
    found = check_store(kept, chosen, (SAMPLE if sample is None else sample, pick), jobs, threads)
    found.damaged = damage
    if output is Format.JSON:
        emit(json_text(found.data()))
    else:
        show_check(found)
    if not found.is_sound:
        raise typer.Exit(1)
