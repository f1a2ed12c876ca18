"""Warnings about a study's results, and notes on what shaped them without showing in them, one line each."""

import itertools
import math
from collections.abc import Iterable, Sequence

from penstock.finished import finished_of, group_of
from penstock.parameter_columns import parameter_columns
from penstock.printable import one_line, shortened
from penstock.records import RunResult
from penstock.results import grouped
from penstock.studies.definition import Point
from penstock.studies.request import PointResult
from penstock.studies.warmup import FoundWarmUp
from penstock.tabulation import of_text
from penstock.unit_scale import counts_finished, is_of_finished

_LEAST_SHARE = 0.05  # minimum share, of the time or of the drops, above which a full window or a tie is reported

_UNFINISHED = 5  # maximum number of groups of unfinished transfers that are listed

_HARDLY = 1e-4
"""Relative range below which a number hardly differs between runs; jitter of 100 us in cycles of 1 s exceeds it."""

_JITTER = '`jitter = { uniform = ["0 us", "100 us"] }` of TCP, about what real hosts have'
"""What ends the lockstep of connections."""


def notes_of_runs(points: Sequence[PointResult]) -> list[str]:
    """Returns what the runs report: windows that limited senders, drops decided by ties, idle disciplines."""
    known = [run.decided for point in points for run in point.runs if run.decided is not None]
    kinds = grouped((each for own in known for each in own), lambda each: each[0])
    found = []
    for (of, what), own in grouped(kinds.pop("max-window", []), lambda each: each[1:3]).items():
        share = sum(each[3] for each in own) / len(known)
        if share >= _LEAST_SHARE:
            found.append(
                f"{shortened(of, 100)} had all of its max-window, {what}, outstanding for {share:.0%} of the time: "
                "there its senders were held back by that window, not by the network."
            )
    for of, own in grouped(kinds.pop("ties", []), lambda each: each[1]).items():
        drops, share = sum(int(each[2]) for each in own), sum(each[3] for each in own) / len(own)
        if share >= _LEAST_SHARE:
            found.append(
                f"at {shortened(of, 100)}, ties decided {drops:,} drops, {share:.0%} of those for want of room: "
                "packets arrived at the same instant, and the order of the file chose which of them had the room; "
                '`ties = "random"` draws the order.'
            )
    found += [
        f"{of} never dropped or marked a packet ({shortened(what, 200)}), so nothing here depends on it."
        for (of, what), own in grouped(itertools.chain(*kinds.values()), lambda each: each[1:3]).items()
        if len(own) == len(known)
    ]
    return found


def notes_on_spread(points: Sequence[PointResult]) -> list[str]:
    """Returns whether replications are equal or nearly so, in which case their intervals mean little."""
    several = [point for point in points if len(point.runs) > 1]
    equal = [point for point in several if len({run.digest for run in point.runs}) == 1]
    alike = [point for point in several if point not in equal and _hardly_differ(point.runs)]
    found = []
    if equal:
        found.append(
            f"all runs are the same{_where(equal, points)}: nothing in the scenario is random, so ± says nothing. "
            'Events at one instant follow the order of the file; `ties = "random"` or a random `start` varies it, '
            f"and so does {_JITTER}."
        )
    if alike:
        found.append(
            f"the runs differ by less than {_HARDLY:.2%} in every number{_where(alike, points)}: "
            "flows in step with each other make intervals too small to believe; a random `start` or spacing helps, and "
            f"so does {_JITTER}."
        )
    return found


def _hardly_differ(runs: Sequence[RunResult]) -> bool:
    """Whether some numbers differ, and none by much."""
    differ = False
    for values in zip(*([metric.value for metric in run.metrics] for run in runs), strict=False):
        least, most = min(values), max(values)
        if least == most:
            continue
        if not math.isfinite(most - least) or most - least > _HARDLY * max(abs(least), abs(most)):
            return False
        differ = True
    return differ


def _where(some: Sequence[PointResult], points: Iterable[PointResult]) -> str:
    count = len(list(points))
    return "" if len(some) == count else f" at {len(some)} of {count} points"


def too_short(points: Sequence[Point], warm_up: FoundWarmUp | None) -> list[str]:
    """Whether runs are too short to find the warm-up, at which of the study's points."""
    if warm_up is None or not warm_up.too_short:
        return []
    where = "; ".join(points[number].place.strip(" ()") for number in warm_up.too_short[:5])
    return [
        "the run is too short to tell the start-up from the rest: MSER-5 would cut off half of it or more"
        f"{' (' * bool(where)}{where}{', ...' * (len(warm_up.too_short) > 5)}{')' * bool(where)}."
    ]


def unfinished(points: Sequence[PointResult], parameters: Sequence[str]) -> list[str]:
    """Groups of transfers, at each point, with enough unfinished ones to bias completion times."""
    told = []
    columns = parameter_columns([point.parameters for point in points], parameters)
    for point in points:
        if not point.runs or not any(counts_finished(metric.name) for metric in point.runs[0].metrics):
            continue
        counted = [each for each in point.summaries() if is_of_finished(each.metric) or counts_finished(each.metric)]
        finished = finished_of(counted)
        cells = zip(columns.heads, columns.cells(point.parameters), strict=True)
        where = one_line(", ".join(f"{head} = {cell}" for head, cell in cells if cell))
        at = f" at {where}" if where else ""
        for each in {group_of(each): each for each in counted if is_of_finished(each.metric)}.values():
            found = finished.get(group_of(each))
            if found is None or not found.is_warned:
                continue
            labels = {name: label for name, label in each.labels.items() if name not in ("statistic", "quantile")}
            told.append(
                f"{found.text} transfers of {of_text(labels)} finished ({100 * found.share:.3g} %){at}: "
                f"completion times and slowdowns are of those alone."
            )
    more = len(told) - _UNFINISHED
    return told if more <= 0 else [*told[:_UNFINISHED], f"and {more} more groups of transfers did not finish."]
