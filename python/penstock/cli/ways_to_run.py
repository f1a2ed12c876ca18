"""The ways in which ``penstock run`` treats a plan: dry run, stored results, a shard, or all runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from penstock.cli.cores import Cores
    from penstock.cli.options import FrameFormat
    from penstock.progress import Progress
    from penstock.records import RunResult
    from penstock.store import Store
    from penstock.studies.plan import StudyPlan
    from penstock.studies.request import PointRequest
    from penstock.studies.result import StudyResult
    from penstock.studies.runner import Runner
    from penstock.studies.shards import Shard


@dataclass(frozen=True, slots=True)
class How:
    """Workers and store of the runs."""

    jobs: int | None
    on: str
    threads: int
    store: Path | None
    executor: str
    keeps: bool = True

    def kept(self) -> Store | None:
        """The store; None for the plain executor and the debugger, which ignore it."""
        from penstock.cli.console import say
        from penstock.store import Store

        return None if self.executor == "plain" or not self.keeps else Store(self.store, tell=say)

    def runner(self, cores: Cores, progress: Progress) -> Runner:
        """Makes the runs that are not stored."""
        from penstock.cli.noting_runner import NotingRunner

        options: dict[str, Any] = {"jobs": self.jobs, "executor": self.executor, "on": self.on}
        return NotingRunner(cores, store=self.kept(), progress=progress, **options)


@dataclass(frozen=True, slots=True)
class View:
    """Format and file of the numbers, and whether they are of single runs or of one replication."""

    output: FrameFormat
    values: bool
    replication: int | None
    out: Path | None = None


def show_plan(plan: StudyPlan, asked: Sequence[PointRequest], how: How, *, as_json: bool) -> None:
    """Shows points, runs, stored runs and the estimated time."""
    from penstock.cli.dry_run import emit_dry_run

    more = plan.precision is not None
    emit_dry_run(plan.name, plan.description, asked, how.kept(), how.jobs, as_json=as_json, at_least=more)


def show_stored(plan: StudyPlan, asked: Sequence[PointRequest], store: Path | None, view: View) -> None:
    """Shows the numbers of the stored runs."""
    from penstock.cli.console import warn
    from penstock.cli.studies import so_far
    from penstock.store import Store
    from penstock.studies.making import stored

    result = stored(plan, asked, Store(store))
    warn(result.cautions)
    _show(result, view, so_far(plan, result, len(asked[0].replications)))


def make_shard(part: Shard, asked: Sequence[PointRequest], how: How) -> None:
    """Makes a part of the runs without showing numbers."""
    from penstock.cli.cores import cores_told
    from penstock.progress import Progress

    with cores_told(how.threads) as cores, Progress() as progress:
        made = [run for runs_of_point in how.runner(cores, progress).make(part.of(asked)) for run in runs_of_point]
    _tell_shard(part, made, sum(len(each.replications) for each in asked))


def make_all(plan: StudyPlan, asked: Sequence[PointRequest], how: How, view: View) -> None:
    """Makes the missing runs and shows the numbers; a missed precision target is an error after them."""
    from penstock.cli.console import say, warn
    from penstock.cli.cores import cores_told
    from penstock.progress import Progress
    from penstock.studies.making import make

    with cores_told(how.threads) as cores, Progress() as progress:
        result = make(plan, asked, how.runner(cores, progress))
    warn(result.cautions)
    _show(result, view)
    for note in result.notes:
        say(f"note: {note}")
    result.require_precision()


def show_replay(
    file: Path, log: Path, sets: Sequence[tuple[str, str]], of_run: Mapping[str, Any], how: tuple[str, int], view: View
) -> None:
    """Runs a scenario with the arrivals of a log, and shows the numbers."""
    from penstock.cli.console import say, warn
    from penstock.cli.files import read_text
    from penstock.emulation.making import result_of
    from penstock.emulation.opened import opened, read_log

    found = opened(file, read_text(file), sets, log=read_log(log), **of_run)
    warn(found.asked.scenario.warnings)
    asked = found.asked
    run = asked.scenario.run(asked.seed, asked.replications[0], None, *how)
    say(f"Replay: arrivals are as logged, whatever the network does to them (open loop). Digest {run.digest}.")
    _show(result_of(found, run), view)


def _tell_shard(part: Shard, made: Sequence[RunResult], total: int) -> None:
    from penstock.cli.console import emit

    cached = sum(run.cached for run in made)
    kept = f" ({cached} from the store)" if cached else ""
    emit(
        f"shard {part.number}/{part.count}: {len(made)} of {total} runs{kept}. "
        "The same command without --shard shows the numbers, once all shards are done."
    )


def _show(result: StudyResult, view: View, last: str | None = None) -> None:
    """Shows the numbers in the format of `view`, with `last` below a table."""
    from penstock.cli.console import show
    from penstock.cli.frames import emit_frame, emit_result
    from penstock.cli.results_table import show_results

    if view.output in ("csv", "parquet"):
        emit_frame(result.values() if view.values else result.frame(), view.output, view.out)
    elif view.output == "json":
        emit_result(result.json(), view.out)
    else:
        show_results(result, view.replication)
        if last is not None:
            show(last)
