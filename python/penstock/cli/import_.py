"""``penstock import``: takes the runs of an archive into the store, once they are verified."""

from pathlib import Path
from typing import Annotated

import typer

from penstock.cli.options import Format, FormatOption, JobsOption, MemoryOption, StoreOption, ThreadsOption
from penstock.cli.selecting import SAMPLE, SampleOption

__all__ = ["import_"]


def import_(
    archive: Annotated[Path, typer.Argument(help="What 'penstock export' has written.", metavar="ARCHIVE")],
    *,
    sample: SampleOption = None,
    pick: Annotated[
        int | None,
        typer.Option("--pick", metavar="N", min=0, help="Which sample; one by chance by default.", show_default=False),
    ] = None,
    digest: Annotated[
        str | None,
        typer.Option(
            "--digest",
            metavar="HEX",
            help="Refuse any archive but the one of which 'penstock export' has shown this digest, or its beginning.",
            show_default=False,
        ),
    ] = None,
    jobs: JobsOption = None,
    threads: ThreadsOption = 1,
    memory: MemoryOption = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only verify; take nothing into the store.")] = False,
    store: StoreOption = None,
    output: FormatOption = Format.TABLE,
) -> None:
    """Take an archive's runs into the store, once verified.

    Every file must be what the archive's list says, every run must be named by what it was made from, and a sample is
    made again here: digest and numbers must be the same to the last bit. If anything is not, nothing is taken.
    """
    import random

    from penstock.cli.archives import Verification, import_runs
    from penstock.cli.console import emit, show
    from penstock.memory import allow
    from penstock.printable import json_text, path_text
    from penstock.store import Store

    allow(memory)
    picked = random.SystemRandom().randrange(1 << 32) if pick is None else pick
    how = Verification(SAMPLE if sample is None else sample, picked, digest, jobs, threads)
    found = import_runs(Store(store), archive, how, dry=dry_run)
    if output is Format.JSON:
        emit(json_text({**found.data(), "dry_run": dry_run}))
        return
    runs = f"{found.runs} run{'s' * (found.runs != 1)} verified, {found.made_again} of them made again"
    show(
        f"{path_text(archive)}: {runs}; "
        f"{found.new} {'would be ' * dry_run}taken into the store, {found.runs - found.new} were there.",
        f"digest {found.digest}",
    )
