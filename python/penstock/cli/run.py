"""``penstock run``: runs a scenario and shows its numbers."""

import os
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from penstock.cli import options
from penstock.cli.console import emit, say, show, warn
from penstock.cli.files import check_format, emit_as, format_of, read_text
from penstock.cli.verb import option
from penstock.errors import InputError
from penstock.memory import allow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.studies.plan import Shard, StudyPlan
    from penstock.studies.request import PointRequest
    from penstock.studies.result import StudyData
    from penstock.studies.runner import Runner


def run(
    file: options.StudyFile,
    *,
    runs: options.StudyRuns = None,
    seed: options.Seed = None,
    replication: Annotated[
        int | None, options.number_option("--replication", "Make only this run, counted from 0.")
    ] = None,
    sets: options.Set = None,
    jobs: options.Jobs = None,
    on: options.On = "threads",
    threads: options.Threads = 1,
    memory: options.Memory = None,
    store: options.Store = None,
    executor: options.Executor = "horizon",
    debug_component: Annotated[
        bool,
        option(
            "--debug-component",
            "Run components of your own in the Python interpreter, slowly: breakpoints and print work. Keeps no runs.",
        ),
    ] = False,
    dry_run: options.DryRun = False,
    shard: Annotated[
        str | None,
        option(
            "--shard I/N", "Make the I-th of N parts of the runs and show no numbers; several machines share a store."
        ),
    ] = None,
    only_stored: options.Stored = False,
    output: options.FrameOutput = "table",
    out: options.Results = None,
    replay: options.Replay = None,
    values: Annotated[bool, option("--values", "In CSV and Parquet: a row per run instead of the means.")] = False,
) -> None:
    """Run a scenario or a study and show its numbers.

    The numbers are means of independent runs with 95 % confidence intervals. Finished runs are stored and never
    repeated. Several values of a --set make a sweep: every combination is a point with its own runs. A study file says
    what varies.
    """
    is_plain = executor == "plain"
    output = format_of(output, out)
    options.refuse_contradictions(
        (runs is not None and replication is not None, "--replication makes one run, so --runs changes nothing"),
        (is_plain and store is not None, "--executor plain keeps no runs, so --store changes nothing"),
        (debug_component and store is not None, "--debug-component keeps no runs, so --store changes nothing"),
        (debug_component and only_stored, "--stored shows stored runs, and --debug-component keeps none"),
        (debug_component and shard is not None, "--shard is for a store, and --debug-component keeps no runs"),
        (debug_component and on != "threads", "--debug-component runs in this process, so --on changes nothing"),
        (is_plain and threads > 1, "--executor plain has one core, so --threads changes nothing"),
        (only_stored and dry_run, "--stored shows the numbers of stored runs, and --dry-run shows no numbers"),
        (shard is not None and dry_run, "--shard divides runs, and --dry-run makes none"),
        (shard is not None and only_stored, "--shard divides runs, and --stored makes none"),
        (shard is not None and is_plain, "--shard is for a store, and --executor plain keeps no runs"),
        (shard is not None and replication is not None, "--replication makes one run, and --shard divides many"),
        (shard is not None and output != "table", "--shard shows no numbers, so --format changes nothing"),
        (only_stored and is_plain, "--stored shows the numbers of stored runs, and --executor plain keeps no runs"),
    )
    if values and output not in ("csv", "parquet"):
        raise InputError("--values needs --format csv or parquet; JSON has the numbers of single runs anyway.")
    check_format(output, file, dry_run=dry_run, out=out)
    allow(memory)
    if debug_component:
        from penstock.own.files import DEBUG

        os.environ[DEBUG] = "1"
        jobs = 1
    if replay is not None:
        idle = {"--runs": runs, "--store": store, "--shard": shard, "--stored": only_stored, "--dry-run": dry_run}
        idle |= {"--jobs": None if debug_component else jobs, "--on": None if on == "threads" else on}
        options.refuse_idle(idle, "--replay repeats one run and keeps nothing, so ")
        of_run = {"sets": options.read_sets(sets), "seed": seed, "replication": replication or 0}
        _show_replay(file, replay, of_run, (executor, threads), View(output, values, replication or 0, out))
        return
    from penstock.cli.studies import made_told, plan_of
    from penstock.huge_pages import restart_for
    from penstock.store import Store
    from penstock.studies.plan import Shard, refuse_unknown_runs
    from penstock.studies.request import warnings_of
    from penstock.studies.verify import verify

    part = None if shard is None else Shard.read(shard)
    plan = plan_of(file, options.read_sets(sets), runs, seed)
    if part is not None:
        refuse_unknown_runs(plan, "--shard")
    if replication is not None:
        plan = replace(plan, precision=None, compare=None)
    asked = plan.read(None if replication is None else [replication])
    if not only_stored:
        verify(plan, asked)
    # A pipe cannot be read again after a restart.
    if on == "threads" and not only_stored and not dry_run and file.is_file():
        restart_for(each.scenario.memory for each in asked)
    warn(warnings_of(asked))
    view = View(output, values, replication, out)
    if only_stored:
        _show_stored(plan, asked, store, view)
        return
    kept = None if is_plain or debug_component else Store(store, tell=say)
    if dry_run:
        from penstock.cli.dry_run import emit_dry_run

        emit_dry_run(
            *(plan.name, plan.description, asked, kept, jobs),
            as_json=output == "json",
            at_least=plan.precision is not None,
        )
        return
    from penstock.cli.cores import runner_told

    making = runner_told(threads, jobs=jobs, store=kept, executor=executor, on=on)
    if part is not None:
        _make_shard(part, asked, making)
        return
    _show_made(made_told(plan, asked, making), view)


@dataclass(frozen=True, slots=True)
class View:
    """Format and file of the numbers, and whether they are of single runs or of one replication."""

    output: options.FrameFormat
    values: bool
    replication: int | None
    out: Path | None = None


def _show_stored(plan: "StudyPlan", asked: "Sequence[PointRequest]", store: Path | None, view: View) -> None:
    from penstock.cli.studies import so_far
    from penstock.store import Store
    from penstock.studies.making import stored

    result = stored(plan, asked, Store(store))
    warn(result.cautions)
    _show(result, view, so_far(plan, result, len(asked[0].replications)))


def _make_shard(part: "Shard", asked: "Sequence[PointRequest]", making: AbstractContextManager["Runner"]) -> None:
    with making as runner:
        made = [run for runs_of_point in runner.make(part.of(asked)) for run in runs_of_point]
    total, cached = sum(len(each.replications) for each in asked), sum(run.cached for run in made)
    kept = f" ({cached} from the store)" if cached else ""
    emit(
        f"shard {part.number}/{part.count}: {len(made)} of {total} runs{kept}. "
        "The same command without --shard shows the numbers, once all shards are done."
    )


def _show_replay(file: Path, log: Path, of_run: dict[str, Any], how: tuple[str, int], view: View) -> None:
    from penstock.emulation.making import result_of
    from penstock.emulation.opened import opened

    found = opened(file, read_text(file), log=log, **of_run)
    warn(found.asked.scenario.warnings)
    asked = found.asked
    run = asked.scenario.run(asked.seed, asked.replications[0], None, *how)
    say(f"Replay: arrivals are as logged, whatever the network does to them (open loop). Digest {run.digest}.")
    _show(result_of(found, run), view)


def _show_made(result: "StudyData", view: View) -> None:
    """Shows the numbers and notes of runs that were made; then a missed precision target is an error."""
    _show(result, view)
    warn(result.notes, "note")
    result.require_precision()


def _show(result: "StudyData", view: View, last: str | None = None) -> None:
    """Shows the numbers in the format of `view`, with `last` below a table."""
    if emit_as(view.output, view.out, result.json, result.values if view.values else result.frame):
        return
    from penstock.cli.studies import show_results

    show_results(result, view.replication)
    if last is not None:
        show(last)
