"""The measures of a sensitivity study, the runs behind them, and its result."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from penstock.drawing import summary_html
from penstock.errors import InputError
from penstock.printable import json_text
from penstock.provenance import Provenance
from penstock.sensitivity.indices import significant
from penstock.statistics import Interval
from penstock.unit_scale import plus_minus

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from penstock.plots.canvas import Picture
    from penstock.records import RunResult
    from penstock.sensitivity.design import Design
    from penstock.sensitivity.indices import Index, Noise
    from penstock.studies.plan import StudyPlan
    from penstock.studies.request import PointRequest


@dataclass(frozen=True, slots=True)
class Analysis:
    """How one number depends on the parameters."""

    metric: str  # the number and its unit
    unit: str
    mean: float  # mean and standard deviation of the points' means
    deviation: float
    noise: Noise | None  # share of it that is chance; None for single runs
    indices: list[Index]  # the measures of each parameter

    def of(self, name: str) -> list[Index]:
        """Returns all measures with a name, the largest first and unknown ones last."""
        own = [each for each in self.indices if each.name == name]
        return sorted(own, key=lambda each: (each.value is None, -(each.value or 0.0), each.parameters))


@dataclass(frozen=True)
class SensitivityData:
    """A sensitivity study and its measures.

    Parameters
    ----------
    plan : StudyPlan
        The study with its points.
    design : Design
        How the points were chosen.
    asked : list of PointRequest
        The points as they were run.
    runs : list of list of RunResult
        Their runs.
    analyses : list of Analysis
        The measures of each number.
    unknown : list of str
        Numbers that are left out, and why.
    """

    plan: StudyPlan
    design: Design
    asked: list[PointRequest]
    runs: Sequence[Sequence[RunResult]]
    analyses: list[Analysis]
    unknown: list[str] = field(default_factory=list)

    @property
    def parameters(self) -> list[str]:
        """Names of the parameters, in the order of the numbers in indices."""
        return list(self.plan.ranges)

    @property
    def warnings(self) -> list[str]:
        """Reasons to doubt the numbers, one line each."""
        found = list(self.unknown)
        for each in self.analyses:
            if each.noise is None:
                found.append("single runs of each point: how much is noise is unknown; --runs 2 or more tells.")
            elif each.deviation == 0:
                found.append(f"{each.metric} does not vary in these ranges.")
            elif (each.noise.share or 0.0) > 0.5:
                found.append(
                    f"{each.metric}: {each.noise.share:.0%} of the variance is noise; more runs of a point lessen it."
                )
        return list(dict.fromkeys(found))

    @property
    def provenance(self) -> Provenance:
        """What all points were made from, without the varied parameters."""
        return Provenance.shared([each.provenance for each in self.asked])


class SensitivityResult(SensitivityData):
    """The results of a sensitivity study, with the fields of :class:`~penstock.sensitivity.result.SensitivityData`."""

    def __repr__(self) -> str:
        what = ", ".join(self.parameters)
        return f"<SensitivityResult {self.plan.name!r}: {self.design.method} of {what}, {len(self.runs)} points>"

    def _repr_html_(self) -> str:
        def text(index: Index) -> str:
            if index.value is None:
                return "-"
            half = 0.0 if index.low is None or index.high is None else (index.high - index.low) / 2
            return plus_minus(Interval(index.value, index.value - half, index.value + half, 2))

        rows = [
            (each.metric, " and ".join(self._names(index)), index.name, text(index))
            for each in self.analyses
            for index in each.indices
        ]
        return summary_html(self.plan.name, ("metric", "parameter", "index", "value"), rows, self.warnings)

    def _names(self, index: Index) -> list[str]:
        return [self.parameters[number] for number in index.parameters]

    def frame(self) -> pl.DataFrame:
        """Returns one row per measure.

        Returns
        -------
        polars.DataFrame
            Columns ``study``, ``scenario``, ``method``, ``metric``, ``unit``, ``parameter``, ``with`` (the other one of
            a pair), ``index``, ``value``, ``low``, ``high`` (95 %), ``noise_share``, ``noise_effect``, ``runs`` of a
            point, and what all points were made from.
        """
        import polars as pl

        made_from = self.provenance.row()
        rows = [
            {
                "study": self.plan.name,
                "scenario": self.plan.scenario_name,
                "method": self.design.method,
                "metric": each.metric,
                "unit": each.unit if self.design.method == "morris" else "1",
                "parameter": self.parameters[index.parameters[0]],
                "with": self.parameters[index.parameters[1]] if len(index.parameters) > 1 else None,
                "index": index.name,
                **index.numbers(),
                "noise_share": each.noise and significant(each.noise.share),
                "noise_effect": each.noise and significant(each.noise.effect),
                "runs": self.plan.runs,
                **made_from,
            }
            for each in self.analyses
            for index in each.indices
        ]
        texts = dict.fromkeys(
            ("study", "scenario", "method", "metric", "unit", "parameter", "with", "index"), pl.String
        )
        numbers = dict.fromkeys(("value", "low", "high", "noise_share", "noise_effect"), pl.Float64)
        return pl.DataFrame(rows, schema={**texts, **numbers, "runs": pl.Int64, **Provenance.columns()})

    def json(self) -> str:
        """Returns it as JSON, without times, paths and hosts: equal runs give equal bytes."""
        return json_text(
            {
                "study": self.plan.name,
                "scenario": self.plan.scenario_name,
                "description": self.plan.description or self.asked[0].scenario.description,
                "method": self.design.method,
                "samples": self.design.samples,
                "points": len(self.asked),
                "runs": self.plan.runs,
                **self.provenance.data(),
                "ranges": {name: each.data() for name, each in self.plan.ranges.items()},
                "metrics": [self._data(each) for each in self.analyses],
                "warnings": self.warnings,
            }
        )

    def _data(self, each: Analysis) -> dict[str, Any]:
        noise = each.noise
        return {
            "metric": each.metric,
            "unit": each.unit,
            "mean": each.mean,
            "deviation": each.deviation,
            "noise": noise and {name: significant(value) for name, value in asdict(noise).items()},
            "indices": [
                {"index": index.name, "parameters": self._names(index), **index.numbers()} for index in each.indices
            ],
        }

    def plot(self, metric: str | None = None) -> Picture:
        """Draws the measures of a number, by default the first, with their intervals, the largest on top.

        Raises InputError if it was not analysed.
        """
        from penstock.sensitivity.picture import picture

        found = next((each for each in self.analyses if metric in (None, each.metric)), None)
        if found is None:
            names = ", ".join(each.metric for each in self.analyses)
            raise InputError(f"{metric!r} was not looked at; {names} {'were' if ',' in names else 'was'}.")
        return picture(self, found)
