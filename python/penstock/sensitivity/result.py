"""What came out of a sensitivity study."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from penstock.printable import json_text
from penstock.provenance import Provenance
from penstock.sensitivity.indices import significant

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from penstock.plots.canvas import Picture
    from penstock.records import RunResult
    from penstock.sensitivity.design import Design
    from penstock.sensitivity.indices import Index
    from penstock.sensitivity.noise import Noise
    from penstock.studies.plan import StudyPlan
    from penstock.studies.request import PointRequest

__all__ = ["Analysis", "SensitivityResult"]


@dataclass(frozen=True, slots=True)
class Analysis:
    """How one number depends on the parameters.

    Parameters
    ----------
    metric, unit : str
        Which number.
    mean, deviation : float
        Over all points, of their means over runs.
    noise : Noise or None
        How much of it is chance; None of single runs.
    indices : list of Index
        The measures of each parameter.
    """

    metric: str
    unit: str
    mean: float
    deviation: float
    noise: Noise | None
    indices: list[Index]

    def of(self, name: str) -> list[Index]:
        """All measures of a name, the largest first; those that are unknown last."""
        own = [each for each in self.indices if each.name == name]
        return sorted(own, key=lambda each: (each.value is None, -(each.value or 0.0), each.parameters))


@dataclass(frozen=True)
class SensitivityResult:
    """How a study's numbers depend on its parameters.

    Parameters
    ----------
    plan : StudyPlan
        The study, with its points.
    design : Design
        How they were chosen.
    asked : list of PointRequest
        The points as they were run.
    runs : list of list of RunResult
        Their runs.
    analyses : list of Analysis
        What they come to, a number after the other.
    unknown : list of str
        Numbers that are left out, and why.
    """

    plan: StudyPlan
    design: Design
    asked: list[PointRequest]
    runs: Sequence[Sequence[RunResult]]
    analyses: list[Analysis]
    unknown: list[str] = field(default_factory=list)

    def __repr__(self) -> str:
        what = ", ".join(self.parameters)
        return f"<SensitivityResult {self.plan.name!r}: {self.design.method} of {what}, {len(self.runs)} points>"

    def _repr_html_(self) -> str:
        from penstock.digits import plus_minus
        from penstock.display import table_html
        from penstock.drawing import escaped
        from penstock.statistics import Interval

        def text(index: Index) -> str:
            if index.value is None:
                return "-"
            half = 0.0 if index.low is None or index.high is None else (index.high - index.low) / 2
            return plus_minus(Interval(index.value, index.value - half, index.value + half, 2))

        rows = [
            (each.metric, " and ".join(self.parameters[i] for i in index.parameters), index.name, text(index))
            for each in self.analyses
            for index in each.indices
        ]
        table = table_html(("metric", "parameter", "index", "value"), rows)
        said = "".join(f"<p>{escaped(note, 500)}</p>" for note in self.warnings)
        return f"<p><b>{escaped(self.plan.name, 200)}</b></p>{table}{said}"

    @property
    def parameters(self) -> list[str]:
        """The names of the parameters, in the order of the indices' numbers."""
        return list(self.plan.ranges)

    @property
    def warnings(self) -> list[str]:
        """What is to be known before the numbers are believed, a line for each."""
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
        """What all points were made from; what varies is in none of its settings."""
        return Provenance.shared([each.provenance for each in self.asked])

    def frame(self) -> pl.DataFrame:
        """A row for each measure.

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
                "value": index.value,
                "low": index.low,
                "high": index.high,
                "noise_share": None if each.noise is None else significant(each.noise.share),
                "noise_effect": None if each.noise is None else significant(each.noise.effect),
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
        """It as JSON, without times, paths and hosts: equal runs give equal bytes."""
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
            "noise": None
            if noise is None
            else {
                "deviation": significant(noise.deviation),
                "share": significant(noise.share),
                "effect": significant(noise.effect),
            },
            "indices": [
                {
                    "index": index.name,
                    "parameters": [self.parameters[number] for number in index.parameters],
                    "value": index.value,
                    "low": index.low,
                    "high": index.high,
                }
                for index in each.indices
            ],
        }

    def plot(self, metric: str | None = None) -> Picture:
        """Draws the measures of a number with their intervals, the largest above.

        Parameters
        ----------
        metric : str, optional
            Which of the numbers; the first one if left out.

        Returns
        -------
        matplotlib.figure.Figure
            Its ``savefig`` writes the same bytes for the same numbers.

        Raises
        ------
        InputError
            If it was not looked at.
        """
        from penstock.errors import InputError
        from penstock.sensitivity.picture import picture

        found = next((each for each in self.analyses if metric in (None, each.metric)), None)
        if found is None:
            names = ", ".join(each.metric for each in self.analyses)
            raise InputError(f"{metric!r} was not looked at; {names} {'were' if ',' in names else 'was'}.")
        return picture(self, found)
