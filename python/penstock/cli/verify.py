"""``penstock verify``: checks stored runs."""

from typing import Annotated

from penstock.cli import options
from penstock.cli.options import SAMPLE
from penstock.cli.verb import option


def verify(
    *,
    sample: options.Sample = None,
    pick: Annotated[int, option("--pick N", "Number of the sample; another picks other runs.", bounds=(0, None))] = 0,
    study: options.OfStudy = None,
    name: options.Name = None,
    where: options.Where = None,
    seed: options.SeedOfRun = None,
    jobs: options.Jobs = None,
    threads: options.Threads = 1,
    memory: options.Memory = None,
    store: options.Store = None,
    output: options.Output = "table",
) -> int:
    """Check the stored runs and repeat a sample of them.

    Compares every file with its checksum, and every key with what the run was made from. Repeats a sample of the runs
    of this model version: digest and numbers must be equal to the last bit.
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
    if output == "json":
        emit(json_text(found.data()))
    else:
        show_check(found)
    return int(not found.is_sound)
