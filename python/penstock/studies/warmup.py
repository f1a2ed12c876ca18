"""Finds the warm-up by MSER-5 from one run of each point, observed in windows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice
from typing import TYPE_CHECKING

from penstock.errors import InputError
from penstock.output_analysis import Truncation, mser5
from penstock.studies.quantity import ExpressionError, Quantity, setting_text
from penstock.studies.request import PointRequest
from penstock.studies.select import select

if TYPE_CHECKING:
    from penstock.studies.runner import Runner

WINDOWS = 100  # default number of windows of a run: twenty batches of five
FEWEST_WINDOWS = 50
MOST_WINDOWS = 10_000


@dataclass(frozen=True, slots=True)
class FindWarmUp:
    """How to find the warm-up: from which metric, in how many windows of a run."""

    metric: str
    windows: int = WINDOWS


@dataclass(frozen=True, slots=True)
class FoundWarmUp:
    """The warm-up that MSER-5 found.

    Parameters
    ----------
    seconds : float
        The longest start-up of any point, in s, which is the warm-up of all.
    points : list of float
        The start-up of each point, in s.
    too_short : list of int
        Points whose run is too short to find it, counted from 0.
    """

    seconds: float
    points: list[float]
    too_short: list[int]

    @property
    def text(self) -> str:
        """As a setting."""
        return _time(self.seconds)


def series(asked: PointRequest, metric: str, windows: int = WINDOWS, runner: Runner | None = None) -> list[float]:
    """Returns a metric in equal windows of a point's first run, from its beginning.

    Each window is measured by a run of its own, which ends with the window; so n windows cost about as much as n/2
    whole runs. Windows at the beginning that cannot be measured alone, as flows have yet to start, are left out.
    """
    from penstock.studies.runner import Runner  # which a page that is only checked does without

    return _series([asked], metric, windows, runner if runner is not None else Runner())[0]


def find_warm_up(asked: Sequence[PointRequest], find: FindWarmUp, runner: Runner) -> FoundWarmUp:
    """Finds the longest warm-up of all points by MSER-5 [White97]. Raises InputError if a window measures nothing."""
    found = []
    for each, values in zip(asked, _series(asked, find.metric, find.windows, runner), strict=True):
        missing = next((number for number, value in enumerate(values) if not math.isfinite(value)), None)
        if missing is not None:
            first = find.windows - len(values) + missing
            raise InputError(
                f"warm-up: {find.metric} is unknown {_between(each, first, find.windows)}; "
                "watch another metric, or fewer windows."
            )
        cut = mser5(values)
        count = find.windows - len(values) + cut.count
        found.append(Truncation(count, find.windows, cut.too_short or 2 * count >= find.windows))
    ends = [each.scenario.window[1] for each in asked]
    seconds = [end * cut.count / cut.total for end, cut in zip(ends, found, strict=True)]
    short = [number for number, cut in enumerate(found) if cut.too_short]
    # Where the run is too short the second half is all that there is.
    usable = [min(cut, end / 2) for cut, end in zip(seconds, ends, strict=True)]
    return FoundWarmUp(max(usable), seconds, short)


def _series(asked: Sequence[PointRequest], metric: str, windows: int, runner: Runner) -> list[list[float]]:
    parts: list[PointRequest] = []
    counts = []
    for each in asked:
        end = each.scenario.window[1]
        cut = [each.window(end * i / windows, end * (i + 1) / windows) for i in range(windows)]
        first = next((number for number, part in enumerate(cut) if part is not None), windows)
        sound = [part for part in cut[first:] if part is not None]
        if len(sound) < max(FEWEST_WINDOWS, windows - first):
            wrong = next((number for number in range(windows - 1, -1, -1) if cut[number] is None), 0)
            raise InputError(
                f"warm-up: the scenario cannot be watched {_between(each, wrong, windows)} alone; "
                "take fewer windows, or give the warm-up."
            )
        parts += [replace(part, replications=part.replications[:1]) for part in sound]
        counts.append(len(sound))
    runs = iter(runner.make(parts))
    try:
        return [[select(metric, run.metrics).value for (run,) in islice(runs, count)] for count in counts]
    except ExpressionError as error:
        raise InputError(f"warm-up: {error}.") from None


def _between(asked: PointRequest, window: int, windows: int) -> str:
    width = asked.scenario.window[1] / windows
    return f"between {_time(width * window)} and {_time(width * (window + 1))}"


def _time(seconds: float) -> str:
    return setting_text(Quantity(Fraction(seconds), (("s", 1),)))
