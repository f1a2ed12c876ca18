"""``penstock export``: writes runs into one archive."""

from pathlib import Path
from typing import Annotated

import typer

from penstock.cli.options import Format, FormatOption, SeedOption, StoreOption, one_file, out_option
from penstock.cli.selecting import NameOption, StudyOption, WhereOption

__all__ = ["export"]


def export(
    file: Annotated[
        Path | None, typer.Argument(help="The file to be written.", metavar="ARCHIVE", show_default=False)
    ] = None,
    *,
    out: Annotated[Path | None, out_option("The file to be written, in the place of ARCHIVE.")] = None,
    study: StudyOption = None,
    name: NameOption = None,
    where: WhereOption = None,
    seed: SeedOption = None,
    store: StoreOption = None,
    output: FormatOption = Format.TABLE,
) -> None:
    """Write stored runs into one archive, for another machine.

    All runs of this version of the model, or those that are chosen, with their scenarios. The digest that is shown is
    that of all that is in the archive: whoever imports it can compare.
    """
    from penstock.cli.archives import export_runs
    from penstock.cli.console import emit, show
    from penstock.cli.selecting import selection, size_text
    from penstock.printable import json_text, path_text
    from penstock.store import Store

    archive = one_file(file, out, "the archive")
    kept = Store(store)
    found = export_runs(kept, selection(kept, name, where, seed, study), archive)
    if output is Format.JSON:
        emit(json_text(found.data()))
        return
    runs, scenarios = (
        f"{found.runs} run{'s' * (found.runs != 1)}",
        f"{found.scenarios} scenario{'s' * (found.scenarios != 1)}",
    )
    show(f"{path_text(archive)}: {runs} of {scenarios}, {size_text(archive.stat().st_size)}.", f"digest {found.digest}")
    if found.left_out:
        show(f"{found.left_out} left out: of other versions of the model, or without their scenarios.")
