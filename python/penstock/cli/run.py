"""``penstock run``: runs a scenario and shows its numbers."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from penstock.cli import options
from penstock.cli.options import FrameFormat, read_sets, refuse_contradictions, refuse_idle, whole_number
from penstock.cli.verb import option


def run(
    file: options.StudyFile,
    *,
    runs: options.StudyRuns = None,
    seed: options.Seed = None,
    replication: Annotated[
        int | None, option("--replication N", "Make only this run, counted from 0.", parser=whole_number)
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
    from penstock.cli.console import warn
    from penstock.cli.frames import format_of
    from penstock.cli.studies import plan_of
    from penstock.cli.ways_to_run import How, View, make_all, make_shard, show_plan, show_replay, show_stored
    from penstock.huge_pages import restart_for
    from penstock.memory import allow
    from penstock.own.files import DEBUG
    from penstock.studies.request import warnings_of
    from penstock.studies.shards import Shard, refuse_unknown_runs
    from penstock.studies.verify import verify

    is_plain = executor == "plain"
    output = format_of(output, out)
    refuse_contradictions(
        (runs is not None and replication is not None, "--replication makes one run, so --runs changes nothing"),
        (is_plain and store is not None, "--executor plain keeps no runs, so --store changes nothing"),
        (debug_component and store is not None, "--debug-component keeps no runs, so --store changes nothing"),
        (debug_component and only_stored, "--stored shows stored runs, and --debug-component keeps none"),
        (debug_component and shard is not None, "--shard is for a store, and --debug-component keeps no runs"),
        (debug_component and on != "threads", "--debug-component runs in this process, so --on changes nothing"),
        (is_plain and threads > 1, "--executor plain has one core, so --threads changes nothing"),
        (only_stored and dry_run, "--stored shows the numbers of stored runs, and --dry-run shows no numbers"),
        (shard is not None and dry_run, "--shard makes runs, and --dry-run makes none"),
        (shard is not None and only_stored, "--shard makes runs, and --stored makes none"),
        (shard is not None and is_plain, "--shard is for a store, and --executor plain keeps no runs"),
        (shard is not None and replication is not None, "--replication makes one run, and --shard divides many"),
        (shard is not None and output != "table", "--shard shows no numbers, so --format changes nothing"),
        (only_stored and is_plain, "--stored shows the numbers of stored runs, and --executor plain keeps no runs"),
    )
    _check_output(output, out, values=values, dry_run=dry_run)
    allow(memory)
    if debug_component:
        os.environ[DEBUG] = "1"
        jobs = 1
    if replay is not None:
        idle = {"--runs": runs, "--store": store, "--shard": shard, "--stored": only_stored, "--dry-run": dry_run}
        refuse_idle(idle | {"--jobs": jobs}, "--replay repeats one run and keeps nothing, so ")
        of_run = {"seed": seed, "replication": replication or 0}
        show_replay(
            file, replay, read_sets(sets), of_run, (executor, threads), View(output, values, replication or 0, out)
        )
        return
    part = None if shard is None else Shard.read(shard)
    plan = plan_of(file, read_sets(sets), runs, seed)
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
    how = How(jobs, on, threads, store, executor, keeps=not debug_component)
    view = View(output, values, replication, out)
    if dry_run:
        show_plan(plan, asked, how, as_json=output == "json")
    elif only_stored:
        show_stored(plan, asked, store, view)
    elif part is not None:
        make_shard(part, asked, how)
    else:
        make_all(plan, asked, how, view)


def _check_output(output: FrameFormat, out: Path | None, *, values: bool, dry_run: bool) -> None:
    from penstock.cli.frames import check_format
    from penstock.errors import InputError

    if values and output not in ("csv", "parquet"):
        raise InputError("--values needs --format csv or parquet; JSON has the numbers of single runs anyway.")
    check_format(output, dry_run=dry_run, out=out)
