"""Results of a sensitivity study."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.drawing import summary_html
from penstock.errors import InputError
from penstock.printable import json_text
from penstock.provenance import Provenance
from penstock.sensitivity.data import SensitivityData
from penstock.sensitivity.indices import significant
from penstock.statistics import Interval
from penstock.unit_scale import plus_minus

if TYPE_CHECKING:
    import polars as pl

    from penstock.plots.canvas import Picture
    from penstock.sensitivity.data import Analysis
    from penstock.sensitivity.indices import Index


class SensitivityResult(SensitivityData):
    """The results of a sensitivity study, with the fields of :class:`~penstock.sensitivity.data.SensitivityData`."""

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
            (each.metric, " and ".join(self.parameters[i] for i in index.parameters), index.name, text(index))
            for each in self.analyses
            for index in each.indices
        ]
        return summary_html(self.plan.name, ("metric", "parameter", "index", "value"), rows, self.warnings)

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
        """Draws the measures of a number, by default the first, with their intervals, the largest on top.

        Raises InputError if it was not analysed.
        """
        from penstock.sensitivity.picture import picture

        found = next((each for each in self.analyses if metric in (None, each.metric)), None)
        if found is None:
            names = ", ".join(each.metric for each in self.analyses)
            raise InputError(f"{metric!r} was not looked at; {names} {'were' if ',' in names else 'was'}.")
        return picture(self, found)
