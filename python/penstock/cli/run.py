"""``penstock run``: runs a scenario and shows its numbers."""

from pathlib import Path
from typing import Annotated

import typer

from penstock.cli.options import Format, FormatOption, JobsOption, SeedOption, SetOption, StoreOption, read_sets

__all__ = ["run"]


def run(
    file: Annotated[Path, typer.Argument(help="The scenario, a TOML file.", metavar="FILE")],
    *,
    runs: Annotated[int, typer.Option("--runs", min=1, help="How many independent runs.")] = 5,
    seed: SeedOption = None,
    replication: Annotated[
        int | None,
        typer.Option("--replication", min=0, max=2**64 - 1, help="Only this one of the runs.", show_default=False),
    ] = None,
    sets: SetOption = None,
    jobs: JobsOption = None,
    store: StoreOption = None,
    output: FormatOption = Format.TABLE,
) -> None:
    """Run a scenario and show its numbers.

    Means of several independent runs, with 95 % confidence intervals. Finished runs are kept and never made twice.
    """
    from penstock import _core
    from penstock.cli.console import emit, warn
    from penstock.cli.files import read_text
    from penstock.cli.report import show_results
    from penstock.errors import ScenarioError
    from penstock.progress import Progress
    from penstock.results import to_json
    from penstock.running import RunRequest, run_all
    from penstock.store import Store

    changed = read_sets(sets)
    text = read_text(file)
    try:
        scenario = _core.Scenario(text, str(file), list(changed))
    except _core.ScenarioError as error:
        raise ScenarioError(error.mistakes) from None
    warn(scenario.warnings)
    root = scenario.seed if seed is None else seed
    replications = range(runs) if replication is None else [replication]
    requests = [RunRequest(text, changed, root, number, file.stem) for number in replications]
    with Progress() as progress:
        results = run_all(requests, jobs=jobs, store=Store(store), progress=progress)
    if output is Format.JSON:
        emit(
            to_json(file.stem, results, description=scenario.description, seed=root, model_version=_core.MODEL_VERSION)
        )
    else:
        show_results(file.stem, scenario.description, root, replication, results)
