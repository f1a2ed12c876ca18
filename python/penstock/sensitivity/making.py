"""Runs a sensitivity study, whose points use the same store and workers as any study."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from penstock.errors import InputError
from penstock.records import RunResult
from penstock.sensitivity.design import Design
from penstock.sensitivity.indices import indices, noise, significant
from penstock.sensitivity.result import Analysis, SensitivityResult
from penstock.studies.derived import at
from penstock.studies.plan import StudyPlan
from penstock.studies.request import PointRequest
from penstock.studies.runner import Runner
from penstock.studies.select import DerivedMetrics, SelectionError, select
from penstock.studies.verify import chosen, ends, require_ranges


class Sampling:
    """A sensitivity study before anything is run: of the numbers `metrics`, or all that are measured if empty.

    Raises ScenarioError if the scenario has mistakes in the middle of the ranges, at one of their ends, or at a sampled
    point, InputError if nothing varies or a number is not measured.
    """

    def __init__(self, plan: StudyPlan, design: Design, metrics: Sequence[str] = ()) -> None:
        require_ranges(plan)
        middle = plan.read()
        self.design, self.named = design, bool(metrics)
        self.metrics = chosen(plan, middle[0], metrics)
        plan.at(ends(plan)).read()
        self.shares = design.shares(len(plan.ranges), middle[0].seed)
        points = [zip(plan.ranges.items(), row, strict=True) for row in self.shares.tolist()]
        self.plan = plan.at([{name: each.value(share) for (name, each), share in point} for point in points])
        self.asked: list[PointRequest] = self.plan.read()

    def result(self, made: Sequence[Sequence[RunResult]]) -> SensitivityResult:
        """Returns the measures. Raises InputError if a requested number is NaN at some point."""
        derived = DerivedMetrics(self.plan.metrics)
        runs = [derived.added(own) for own in made]
        analyses, unknown = [], []
        for metric in self.metrics:
            found = self._analysed(metric, runs)
            if isinstance(found, Analysis):
                analyses.append(found)
            else:
                unknown.append(found)
        if unknown and (self.named or not analyses):
            raise InputError("\n".join(f"{each}; a sensitivity needs a number at every point." for each in unknown))
        left_out = [f"{each}, so it is left out." for each in unknown]
        return SensitivityResult(self.plan, self.design, self.asked, runs, analyses, left_out)

    def _analysed(self, metric: str, runs: Sequence[Sequence[RunResult]]) -> Analysis | str:
        import numpy as np

        try:
            found = [[select(metric, run.metrics) for run in own] for own in runs]
        except SelectionError as error:
            return f"metric: {error}"
        values = np.array([[each.value for each in own] for own in found])
        wrong = [i for i, row in enumerate(values.tolist()) if not all(map(math.isfinite, row))]
        if wrong:
            where = at(self.asked[wrong[0]].point.parameters)
            return f"{metric} is no number in some run at {len(wrong)} of {len(values)} points, first{where}"
        seed, parameters = self.asked[0].seed, self.shares.shape[1]
        means = values.mean(axis=1)
        return Analysis(
            metric,
            found[0][0].unit,
            _told(means.mean()),
            _told(means.std(ddof=1)),
            noise(self.design, parameters, values),
            indices(self.design, self.shares, means, seed),
        )


def analyse(plan: StudyPlan, design: Design, runner: Runner, metrics: Sequence[str] = ()) -> SensitivityResult:
    """Runs a sensitivity study.

    Raises as :class:`Sampling` does, before anything is run, or InputError if a number is NaN at some point; RunsFailed
    if any run failed, after all others.
    """
    sampling = Sampling(plan, design, metrics)
    return sampling.result(runner.make(sampling.asked))


def _told(value: Any) -> float:
    found = significant(float(value))
    return math.nan if found is None else found
