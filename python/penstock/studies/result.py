"""What came out of a study."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from penstock.errors import PrecisionMissed
from penstock.finished import finished_of, group_of
from penstock.metric_properties import counts_finished, is_of_finished
from penstock.output_analysis import quantile_interval
from penstock.parameter_columns import parameter_columns
from penstock.printable import json_text, one_line
from penstock.provenance import Provenance
from penstock.records import collection_paused
from penstock.results import frame_of, free_name, summarise, to_data, values_of
from penstock.short_values import value_text
from penstock.store import KeptRuns
from penstock.studies.compare import Compare, compare
from penstock.studies.definition import is_path
from penstock.studies.notes import notes_of_runs, notes_on_spread
from penstock.studies.select import select
from penstock.tabulation import of_text
from penstock.toml import json_value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

    from penstock.plots.canvas import Picture
    from penstock.records import RunResult
    from penstock.results import Summary
    from penstock.series import TimeSeries
    from penstock.studies.compare import Contrast
    from penstock.studies.plan import StudyPlan
    from penstock.studies.request import PointRequest
    from penstock.studies.warmup import FoundWarmUp

__all__ = ["PointResult", "StudyResult"]

_UNFINISHED = 5
"""The most groups of transfers of which it is said that they did not finish."""


@dataclass(frozen=True, slots=True)
class PointResult:
    """A point and its runs.

    Parameters
    ----------
    asked : PointRequest
        What was run.
    runs : sequence of RunResult
        In the order of their numbers.
    rule : str
        How intervals are made.
    warning : str or None
        Why it has missed its precision target, if it has.
    """

    asked: PointRequest
    runs: Sequence[RunResult]
    rule: str = "t"
    warning: str | None = None

    def summaries(self) -> list[Summary]:
        """Its numbers, with its parameters and what follows from them."""
        return [replace(summary, point=self.parameters, rule=self.rule) for summary in summarise(self.runs)]

    def series(self) -> TimeSeries | None:
        """What the scenario's ``[[series]]`` reads in the first of its runs, made anew; None without any."""
        from penstock.series import TimeSeries

        if not self.asked.scenario.has_series or not self.runs:
            return None
        run = self.runs[0].request
        return TimeSeries(
            run.scenario,
            name=run.name,
            folder=run.folder,
            sets=run.sets,
            seed=run.seed,
            replication=run.replication,
        )

    @property
    def parameters(self) -> dict[str, Any]:
        """Its parameters and what follows from them, by name."""
        return {**self.asked.point.parameters, **self.asked.point.derived}

    @property
    def cached(self) -> int:
        """How many of its runs came from the store."""
        return len(self.runs) if isinstance(self.runs, KeptRuns) else sum(run.cached for run in self.runs)

    @property
    def provenance(self) -> Provenance:
        """What its runs were made from."""
        return Provenance.of(self.runs)


@dataclass(frozen=True)
class StudyResult:
    """All points of a study with their runs.

    Parameters
    ----------
    plan : StudyPlan
        What was run.
    points : list of PointResult
        In the order of the plan.
    warm_up : FoundWarmUp or None
        The warm-up, if it was to be found.
    """

    plan: StudyPlan
    points: list[PointResult]
    warm_up: FoundWarmUp | None = None

    def __repr__(self) -> str:
        from penstock.display import result_line

        return result_line(self)

    def _repr_html_(self) -> str:
        from penstock.display import result_html

        return result_html(self)

    @property
    def runs(self) -> list[RunResult]:
        """The runs of all points."""
        return [run for point in self.points for run in point.runs]

    @property
    def run_count(self) -> int:
        """How many runs there are, at all points."""
        return sum(len(point.runs) for point in self.points)

    @property
    def parameters(self) -> list[str]:
        """What differs from point to point, by name."""
        return list(dict.fromkeys(name for point in self.points for name in point.asked.point.parameters))

    @property
    def provenances(self) -> list[Provenance]:
        """What the runs of each point were made from, of points that have any."""
        return [point.provenance for point in self.points if point.runs]

    @property
    def warnings(self) -> list[str]:
        """What is to be known before the numbers are believed, a line for each: what has :attr:`missed`, and others."""
        return [*self.missed, *self.cautions]

    @property
    def missed(self) -> list[str]:
        """Why points have not reached the precision target, a line for each that has not."""
        return [f"{point.warning}{_at(point)}." for point in self.points if point.warning is not None]

    def require_precision(self) -> None:
        """Refuses a result of which a point has not reached its precision target.

        Raises
        ------
        PrecisionMissed
            With the result, and why for each point.
        """
        if self.missed:
            raise PrecisionMissed(self)

    @property
    def cautions(self) -> list[str]:
        """Whether runs are too short to tell a warm-up that was to be found, and which transfers did not finish."""
        found = self._unfinished()
        if self.warm_up is not None and self.warm_up.too_short:
            where = "; ".join(_at(self.points[number]).strip(" ()") for number in self.warm_up.too_short[:5])
            found.append(
                "the run is too short to tell the start-up from the rest: MSER-5 would cut off half of it or more"
                f"{' (' * bool(where)}{where}{', ...' * (len(self.warm_up.too_short) > 5)}{')' * bool(where)}."
            )
        return found

    def _unfinished(self) -> list[str]:
        """A line for each group of transfers at a point of which so many did not finish that it matters."""
        told = []
        columns = parameter_columns([point.parameters for point in self.points], self.parameters)
        for point in self.points:
            if not point.runs or not any(counts_finished(metric.name) for metric in point.runs[0].metrics):
                continue
            counted = [
                each for each in point.summaries() if is_of_finished(each.metric) or counts_finished(each.metric)
            ]
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

    @property
    def notes(self) -> list[str]:
        """What decided the numbers without showing in them, a line for each thing.

        A window that held senders back, a discipline that never acted, runs that are all the same.
        """
        return [*notes_of_runs(self.points), *notes_on_spread(self.points)]

    def compare(self, parameter: str, baseline: Any, metrics: Sequence[str]) -> list[Contrast]:
        """Paired differences of the values of a parameter to one of them.

        Parameters
        ----------
        parameter : str
            What is compared; all other parameters agree in each comparison.
        baseline : value
            With which of its values.
        metrics : sequence of str
            Which numbers, such as ``"goodput[near]"``; all of their tests are judged together.

        Raises
        ------
        InputError
            If one of them is not there, or there are fewer than two runs.
        """
        points = [(point.asked.point, point.runs) for point in self.points]
        return compare(points, Compare(parameter, baseline, tuple(metrics)))

    def comparisons(self) -> list[Contrast]:
        """The comparisons that the study asks for."""
        what = self.plan.compare
        return [] if what is None else self.compare(what.parameter, what.baseline, what.metrics)

    def quantiles(self, metric: str, probabilities: Sequence[float]) -> pl.DataFrame:
        """Quantiles of a number over the runs of each point, with intervals between order statistics.

        Raises
        ------
        ValueError
            If a point has too few runs for such an interval, or it is no number in one.
        """
        import polars as pl

        rows = []
        for point in self.points:
            values = [select(metric, run.metrics).value for run in point.runs]
            what = {"scenario": self.plan.scenario_name, **_flat(point.asked.point.parameters), "metric": metric}
            for found in (quantile_interval(values, probability) for probability in probabilities):
                rows.append(what | asdict(found) | {"method": "order statistics"} | point.provenance.row())
        return pl.DataFrame(rows, schema_overrides=Provenance.columns())

    def summaries(self) -> list[Summary]:
        """The numbers of all points."""
        with collection_paused():
            return [summary for point in self.points for summary in point.summaries()]

    def frame(self) -> pl.DataFrame:
        """One row per number and point, with the parameters as columns; see :func:`penstock.results.to_frame`."""
        return frame_of(self.summaries())

    def values(self) -> pl.DataFrame:
        """One row per run, number and point, with the parameters as columns; see :func:`penstock.results.to_values`."""
        return values_of([(point.parameters, point.runs) for point in self.points])

    @cached_property
    def series(self) -> pl.DataFrame:
        """What the scenario's ``[[series]]`` reads in the first run of each point; an empty frame without any.

        They are read in runs of their own the first time, with the same numbers, since no store keeps them.

        Returns
        -------
        polars.DataFrame
            Parameters, then the columns of :class:`penstock.series.TimeSeries`, words as texts.
        """
        import polars as pl

        frames = []
        for point in self.points:
            made = point.series()
            if made is not None:
                words = made.frame().with_columns(pl.selectors.by_dtype(pl.Enum, pl.Categorical).cast(pl.String))
                about = {free_name(name, set(words.columns)): value for name, value in _flat(point.parameters).items()}
                frames.append(words.select(*(pl.lit(value).alias(name) for name, value in about.items()), pl.all()))
        return pl.concat(frames, how="diagonal_relaxed") if frames else pl.DataFrame()

    def plot(
        self,
        kind: str | None = None,
        *,
        x: str | None = None,
        y: str | Sequence[str] = (),
        by: str | None = None,
        facet: str | None = None,
        where: Mapping[str, Any] | None = None,
        **more: Any,
    ) -> Picture:
        """Draws the numbers with their intervals.

        Parameters
        ----------
        kind : str, optional
            ``line``, ``bar``, ``cdf``, ``series`` (over time), ``heatmap`` or ``box``; by default what suits them.
        x : str, optional
            What stands across: a parameter or label, or the end of its path.
        y : str or sequence of str
            The number, such as ``goodput[near]``; several have a row of panels each. The first one if left out.
        by, facet : str, optional
            What tells lines apart, and panels; whatever else varies if left out.
        where : dict of str to value, optional
            Only the numbers with these values.
        **more
            ``intervals``, ``note`` (bool), ``width`` (``column`` or ``page``), ``height`` (inches), ``log`` (``x``,
            ``y``, ``xy``), ``title``, ``x_label``, ``y_label``.

        Returns
        -------
        matplotlib.figure.Figure
            Its ``savefig`` writes the same bytes for the same numbers.

        Raises
        ------
        InputError
            If a column or number does not exist, or there is nothing to plot.
        """
        from penstock.plots import picture, request_of
        from penstock.plots.data import from_summaries

        request = request_of(kind, x=x, y=y, by=by, facet=facet, where=where, **more)
        return picture(from_summaries(self.summaries()), request)

    def json(self) -> str:
        """The study as JSON, without times, paths and hosts: equal runs give equal bytes.

        Of a scenario an object with its numbers, see :func:`penstock.results.to_json`; of a sweep an array with one for
        each point; of a study file ``{"study", "description", "points", "warnings"}``, and each of the points has its
        ``parameters`` too, with ``warm_up`` and ``comparisons`` where they were asked for. A scenario with
        ``[[series]]`` has ``series``, too: which ``replication`` they are of, and their ``rows`` as
        :class:`penstock.series.TimeSeries` has them.
        """
        points = [self._point(point) for point in self.points]
        if not self.plan.is_file:
            return json_text(points if len(self.plan.points) > 1 else points[0])
        data: dict[str, Any] = {"study": self.plan.name, "description": self.plan.description, "points": points}
        if self.warm_up is not None:
            data["warm_up"] = asdict(self.warm_up)
        if self.plan.compare is not None:
            data["comparisons"] = [_contrast(contrast) for contrast in self.comparisons()]
        return json_text({**data, "warnings": self.warnings})

    def _point(self, point: PointResult) -> dict[str, Any]:
        asked, more = point.asked, {}
        if self.plan.is_file:
            more["parameters"] = json_value(asked.point.parameters)
        data = to_data(
            self.plan.scenario_name, point.runs, rule=point.rule, **more, description=asked.scenario.description
        )
        series = point.series()
        if series is not None:
            rows = [row for frame in series.row_frames() for row in frame.iter_rows(named=True)]
            data["series"] = {"replication": series.replication, "rows": rows}
        return data


def _flat(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as columns of a frame, of which none is nested."""
    return {
        name: value if isinstance(value, str | int | float) else value_text(value) for name, value in parameters.items()
    }


def _contrast(contrast: Contrast) -> dict[str, Any]:
    found = contrast.found
    known = {"difference": found.difference, "ci_low": found.low, "ci_high": found.high, "p": found.p_two_sided}
    return {
        "metric": contrast.metric,
        "unit": contrast.unit,
        "value": json_value(contrast.value),
        "others": json_value(contrast.others),
        "runs": contrast.runs,
        **{name: value if math.isfinite(value) else None for name, value in known.items()},
        "p_holm": contrast.p_holm if math.isfinite(contrast.p_holm) else None,
    }


def _at(point: PointResult) -> str:
    parameters = point.asked.point.parameters
    # Labels say most, and there is not room for everything.
    names = sorted(parameters, key=is_path)
    where = one_line(", ".join(f"{name} = {value_text(parameters[name])}" for name in names))
    return f" (at {where})" if where else ""
