"""``penstock import``: verifies the runs of an archive and stores them."""

from pathlib import Path
from typing import Annotated

from penstock.cli import options
from penstock.cli.options import SAMPLE
from penstock.cli.verb import argument, option


def import_(
    archive: Annotated[Path, argument("ARCHIVE", "A file written by 'penstock export'.")],
    *,
    sample: options.Sample = None,
    pick: Annotated[
        int | None, option("--pick N", "Number of the sample; random by default.", bounds=(0, None))
    ] = None,
    digest: Annotated[
        str | None,
        option("--digest HEX", "Accept only the archive with this digest, from 'penstock export', or its beginning."),
    ] = None,
    jobs: options.Jobs = None,
    threads: options.Threads = 1,
    memory: options.Memory = None,
    allow_python: Annotated[
        bool, option("--allow-python", "Let scenarios execute the Python files of this machine that they use.")
    ] = False,
    dry_run: Annotated[bool, option("--dry-run", "Only verify; store nothing.")] = False,
    store: options.Store = None,
    output: options.Output = "table",
) -> None:
    """Verify an archive and add its runs to the store.

    Every file must match the archive's list, every run must have the key of what it was made from, and a sample is
    repeated here: digest and numbers must be equal to the last bit. If anything differs, nothing is stored.
    """
    import random

    from penstock.cli.archives import Verification, import_runs
    from penstock.cli.console import emit, show
    from penstock.memory import allow
    from penstock.printable import json_text, path_text, things
    from penstock.store import Store

    allow(memory)
    picked = random.SystemRandom().randrange(1 << 32) if pick is None else pick
    how = Verification(SAMPLE if sample is None else sample, picked, digest, jobs, threads, allow_python)
    found = import_runs(Store(store), archive, how, dry=dry_run)
    if output == "json":
        emit(json_text({**found.data(), "dry_run": dry_run}))
        return
    runs = f"{things(found.runs, 'run')} verified, {found.made_again} of them made again"
    show(
        f"{path_text(archive)}: {runs}; "
        f"{found.new} {'would be ' * dry_run}taken into the store, {found.runs - found.new} were there.",
        f"digest {found.digest}",
    )
