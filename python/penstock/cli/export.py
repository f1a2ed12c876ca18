"""``penstock export``: writes runs into one archive."""

from pathlib import Path
from typing import Annotated

from penstock.cli import options
from penstock.cli.options import one_file, out_option
from penstock.cli.verb import argument


def export(
    file: Annotated[Path | None, argument("ARCHIVE", "The file to write.")] = None,
    *,
    out: Annotated[Path | None, out_option("The file to write, instead of ARCHIVE.")] = None,
    study: options.OfStudy = None,
    name: options.Name = None,
    where: options.Where = None,
    seed: options.SeedOfRun = None,
    store: options.Store = None,
    output: options.Output = "table",
) -> None:
    """Write stored runs into an archive, for another machine.

    Exports all runs of this model version, or the selected ones, with their scenarios. Shows the digest of the archive,
    which 'penstock import --digest' checks.
    """
    from penstock.cli.archives import export_runs
    from penstock.cli.console import emit, show
    from penstock.cli.selecting import selection, size_text
    from penstock.printable import json_text, path_text, things
    from penstock.store import Store

    archive = one_file(file, out, "the archive")
    kept = Store(store)
    found = export_runs(kept, selection(kept, name, where, seed, study), archive)
    if output == "json":
        emit(json_text(found.data()))
        return
    runs, scenarios = (things(found.runs, "run"), things(found.scenarios, "scenario"))
    show(f"{path_text(archive)}: {runs} of {scenarios}, {size_text(archive.stat().st_size)}.", f"digest {found.digest}")
    if found.left_out:
        show(f"{found.left_out} left out: of other versions of the model, or without their scenarios.")
