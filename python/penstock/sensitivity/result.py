"""Runs a sensitivity study: its measures, the runs behind them, and its result."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from penstock.drawing import summary_html
from penstock.errors import InputError
from penstock.parameter_columns import short_names
from penstock.plots.request import WIDTHS
from penstock.plots.style import CAP, GREY, look, style
from penstock.printable import json_text, printable
from penstock.provenance import Provenance
from penstock.records import RunResult
from penstock.sensitivity.indices import Design, Index, Noise, indices, noise, significant
from penstock.statistics import Interval
from penstock.studies.derived import at
from penstock.studies.plan import StudyPlan
from penstock.studies.quantity import ExpressionError
from penstock.studies.request import PointRequest
from penstock.studies.select import DerivedMetrics, select
from penstock.studies.verify import middle_of, selected
from penstock.unit_scale import Scale, scale

if TYPE_CHECKING:
    import polars as pl

    from penstock.plots.canvas import Picture


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

    @property
    def scale(self) -> Scale:
        """The scale of the measures: that of the largest mu*; plain for shares of the variance."""
        stars = [each.value or 0.0 for each in self.of("mu_star")]
        return scale(self.metric.partition("[")[0], self.unit, stars) if stars else Scale(1.0, "")


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
        rows = [
            (each.metric, " and ".join(self._names(index)), index.name, index_text(index, each.scale), each.scale.unit)
            for each in self.analyses
            for index in each.indices
        ]
        return summary_html(self.plan.name, ("metric", "parameter", "index", "value", "unit"), rows, self.warnings)

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

    @style()
    def plot(self, metric: str | None = None) -> Picture:
        """Draws the measures of a number (by default the first), largest on top. Raises InputError if not analysed."""
        from matplotlib.layout_engine import ConstrainedLayoutEngine

        from penstock.plots.canvas import Picture

        found = next((each for each in self.analyses if metric in (None, each.metric)), None)
        if found is None:
            there = ", ".join(each.metric for each in self.analyses)
            raise InputError(f"{metric!r} was not looked at; {there} {'were' if ',' in there else 'was'}.")
        shown = _SHOWN[self.design.method]
        first = next(iter(shown))
        order = [each.parameters[0] for each in found.of(first)]
        names = short_names(self.parameters)
        values = {name: {each.parameters[0]: each for each in found.of(name)} for name in shown}
        fit = found.scale
        size, unit = fit.size, f" ({fit.unit})" if fit.unit else ""
        layout = ConstrainedLayoutEngine(w_pad=0.03, h_pad=0.03)
        figure = Picture(figsize=(WIDTHS["column"], 1.15 + 0.36 * len(order)), layout=layout)
        axes = figure.subplots()
        high = 0.8 / len(shown)
        for turn, (name, label) in enumerate(shown.items()):
            own = look(turn)
            for row, parameter in enumerate(order):
                each = values[name][parameter]
                bar = -row + 0.4 - high * (turn + 0.5)
                shades: dict[str, Any] = {"color": own.colour, "hatch": own.hatch, "label": None if row else label}
                axes.barh(bar, (each.value or 0.0) / size, high * 0.9, edgecolor="white", linewidth=0.4, **shades)
                if each.value is not None and each.low is not None and each.high is not None:
                    around = [[(each.value - each.low) / size], [(each.high - each.value) / size]]
                    point = ([each.value / size], [bar])
                    axes.errorbar(*point, xerr=around, fmt="none", ecolor="black", elinewidth=0.8, capsize=CAP)
        noise = found.noise
        if noise is not None:
            line = noise.effect / size if self.design.method == "morris" else noise.share or 0.0
            what = "mu* of noise alone" if self.design.method == "morris" else "share of noise"
            axes.axvline(line, color="black", linestyle=":", linewidth=1.0, label=what)
        handles, labels = axes.get_legend_handles_labels()
        by_label = dict(zip(labels, handles, strict=True))
        listed = [*shown.values(), *(label for label in labels if label not in shown.values())]
        axes.set_yticks([-row for row in range(len(order))], [printable(names[parameter]) for parameter in order])
        axes.grid(axis="y", visible=False)
        ends = [each.low / size for own in values.values() for each in own.values() if each.low is not None]
        axes.set_xlim(left=1.05 * min([0.0, *ends]))
        axes.set_title(printable(found.metric))
        axes.set_xlabel(f"effect{unit}" if self.design.method == "morris" else "share of the variance")
        figure.legend([by_label[label] for label in listed], listed, loc="outside upper left", ncols=3)
        runs = f"{len(self.asked)} points of {self.plan.runs} run{'s' * (self.plan.runs != 1)}"
        figure.supxlabel(f"{runs}; bars: 95 % confidence intervals", fontsize=6, color=GREY, x=0.99, ha="right")
        return figure


def index_text(index: Index, fit: Scale) -> str:
    """Returns a measure with its interval."""
    if index.value is None:
        return "-"
    return fit.text(Interval(index.value, index.low, index.high, 2))


_SHOWN = {"morris": {"mu_star": "mu*", "sigma": "sigma"}, "sobol": {"ST": "total", "S1": "first order"}}


class Sampling:
    """A sensitivity study of `metrics`, or all, before its runs. Raises as :func:`middle_of` and `StudyPlan.read`."""

    def __init__(self, plan: StudyPlan, design: Design, metrics: Sequence[str] = ()) -> None:
        middle, own = middle_of(plan)
        self.design, self.named = design, bool(metrics)
        every = list(dict.fromkeys(each.selector for each in own))
        self.metrics = selected(metrics, own, "metric") if metrics else every
        self.shares = design.shares(len(plan.ranges), middle.seed)
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
        except ExpressionError as error:
            return f"metric: {error}"
        values = np.array([[each.value for each in own] for own in found])
        wrong = [i for i, row in enumerate(values.tolist()) if not all(map(math.isfinite, row))]
        if wrong:
            where = at(self.asked[wrong[0]].point.parameters)
            return f"{metric} is no number in some run at {len(wrong)} of {len(values)} points, first{where}"
        seed, parameters = self.asked[0].seed, self.shares.shape[1]
        means = values.mean(axis=1)
        chance, measures = noise(self.design, parameters, values), indices(self.design, self.shares, means, seed)
        return Analysis(metric, found[0][0].unit, _told(means.mean()), _told(means.std(ddof=1)), chance, measures)


def _told(value: Any) -> float:
    found = significant(float(value))
    return math.nan if found is None else found
