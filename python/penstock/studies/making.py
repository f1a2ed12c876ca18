"""Makes the runs of a study: a fixed number, or until its precision target is reached."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from penstock.errors import InputError, PenstockError
from penstock.records import RUNS, RunResult
from penstock.store import Store
from penstock.studies.derived import at
from penstock.studies.plan import StudyPlan
from penstock.studies.precision import Precision
from penstock.studies.quantity import dimension_of
from penstock.studies.request import PointRequest, PointResult
from penstock.studies.result import StudyData
from penstock.studies.runner import Reader, Runner
from penstock.studies.select import DerivedMetrics, numbers_of_runs
from penstock.studies.warmup import FoundWarmUp, find_warm_up


def make(plan: StudyPlan, asked: Sequence[PointRequest], runner: Runner | None = None) -> StudyData:
    """Executes the runs of a study, with all points in parallel, without a store by default."""
    made_by = runner if runner is not None else Runner()
    derived = DerivedMetrics(plan.metrics)
    asked, warm_up = _settled(plan, asked, made_by)

    def run(wanted: Sequence[PointRequest]) -> list[Sequence[RunResult]]:
        return [derived.added(runs) for runs in made_by.make(wanted)]

    if plan.precision is None:
        points = [PointResult(each, runs) for each, runs in zip(asked, run(asked), strict=True)]
    else:
        points = _sequentially(asked, plan.precision, run)
    return StudyData(plan, points, warm_up)


def stored(plan: StudyPlan, asked: Sequence[PointRequest], store: Store) -> StudyData:
    """Returns what a store has of a study, without points that lack runs and comparisons that lack pairs.

    Raises PenstockError if there is no run, or none from which to find the warm-up; InputError if no further run would
    make a comparison possible.
    """
    reader = Reader(store)
    derived = DerivedMetrics(plan.metrics)
    asked, warm_up = _settled(plan, asked, reader)
    kept = reader.kept(asked) if plan.precision is None else reader.kept_up_to(asked, plan.precision.most)
    points = []
    for each, found in zip(asked, kept, strict=True):
        runs = derived.added(found)
        if runs:
            points.append(PointResult(replace(each, replications=tuple(run.request.replication for run in runs)), runs))
    if not points:
        raise PenstockError("none of its runs is in the store yet, and nothing is run.")
    result = StudyData(replace(plan, precision=None), points, warm_up)
    try:
        result.comparisons()
    except InputError:
        if all(len(found) >= len(each.replications) for each, found in zip(asked, kept, strict=True)):
            raise
        return StudyData(replace(result.plan, compare=None), points, warm_up)
    return result


def _settled(
    plan: StudyPlan, asked: Sequence[PointRequest], runner: Runner
) -> tuple[Sequence[PointRequest], FoundWarmUp | None]:
    """The points with the warm-up, found if the study asks for it. Raises InputError if it leaves nothing to count."""
    if plan.warm_up is None:
        return asked, None
    warm_up = find_warm_up(asked, plan.warm_up, runner)
    settled = []
    for each in asked:
        if (point := each.window(warm_up.seconds)) is None:
            raise InputError(
                f"warm-up: the longest of all points is {warm_up.text}, which leaves nothing to count"
                f"{at(each.point.parameters)}; run that point for longer, or give the warm-up."
            )
        settled.append(point)
    return settled, warm_up


def _sequentially(
    asked: Sequence[PointRequest], target: Precision, run: Callable[[Sequence[PointRequest]], list[Sequence[RunResult]]]
) -> list[PointResult]:
    made: list[list[RunResult]] = [[] for _ in asked]
    ended: dict[int, PointResult] = {}
    wanted = dict.fromkeys(range(len(asked)), target.least)
    while wanted:
        parts = [
            replace(asked[i], replications=tuple(range(len(made[i]), count)), hops=_hops(asked[i], made[i]))
            for i, count in wanted.items()
        ]
        for i, runs in zip(wanted, run(parts), strict=True):
            made[i] += runs
        wanted = {i: following for i in wanted if (following := _following(i, asked[i], made[i], target, ended))}
    return [ended[i] for i in range(len(asked))]


def _following(
    i: int, asked: PointRequest, runs: list[RunResult], target: Precision, ended: dict[int, PointResult]
) -> int | None:
    """The next number of runs of a point; None if it has ended, which is noted in `ended`."""
    found = numbers_of_runs(target.metric, runs, "precision")
    target = replace(target, is_share=found[0].labels == RUNS)
    values = [metric.value * float(dimension_of(metric.unit)[0]) for metric in found]
    why = target.why_hopeless(values)
    count = target.stop(values) if why is None else None
    if count is None and why is None and len(values) < target.most:
        return target.next_runs(values)
    if count is None and why is None:
        why = f"has not reached ±{target.goal} after {target.most} runs; about {target.needed(values):.0f} would"
    kept = runs if count is None else runs[:count]
    seen = replace(asked, replications=tuple(range(len(kept))))
    ended[i] = PointResult(seen, kept, "t, sequential", None if count is not None else f"{target.metric} {why}")
    return None


def _hops(asked: PointRequest, runs: Sequence[RunResult]) -> float:
    return sum(run.packet_hops for run in runs) / len(runs) if runs else asked.hops
