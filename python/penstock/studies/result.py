"""The runs of a study and their numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from penstock.drawing import summary_html
from penstock.errors import PrecisionMissed
from penstock.output_analysis import quantile_interval
from penstock.parameter_columns import parameter_columns
from penstock.printable import json_text, things
from penstock.provenance import Provenance
from penstock.records import RunResult
from penstock.results import Summary, frame_of, free_name, quantiles_of, to_data, values_of
from penstock.short_values import value_text
from penstock.studies.compare import Compare, Contrast, compare
from penstock.studies.notes import notes_of_runs, notes_on_spread, too_short, unfinished
from penstock.studies.plan import StudyPlan
from penstock.studies.request import PointResult
from penstock.studies.select import select
from penstock.studies.warmup import FoundWarmUp
from penstock.tabulation import about_means, how_sure, made_from, table_of
from penstock.toml import json_value

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class StudyData:
    """All points of a study with their runs.

    Parameters
    ----------
    plan : StudyPlan
        What was run.
    points : list of PointResult
        In the order of the plan.
    warm_up : FoundWarmUp or None
        The warm-up, if the study asked to find it.
    """

    plan: StudyPlan
    points: list[PointResult]
    warm_up: FoundWarmUp | None = None

    def __repr__(self) -> str:
        size = f"{things(len(self.points), 'point')}, {things(self.run_count, 'run')}"
        return f"<{type(self).__name__} {self.plan.name!r}: {size}>"

    def _repr_html_(self) -> str:
        parameters = parameter_columns([point.parameters for point in self.points], self.parameters)
        columns, rows = table_of(self.summaries(), parameters)
        sure = [how_sure(self.points), *about_means(columns, rows)]
        notes = [*self.warnings, *parameters.notes, *sure, made_from(self.provenances, self.parameters)]
        title = self.plan.name if not self.plan.description else f"{self.plan.name}: {self.plan.description}"
        return summary_html(title, columns, rows, notes)

    @property
    def runs(self) -> list[RunResult]:
        """The runs of all points."""
        return [run for point in self.points for run in point.runs]

    @property
    def run_count(self) -> int:
        """Number of runs of all points."""
        return sum(len(point.runs) for point in self.points)

    @property
    def parameters(self) -> list[str]:
        """Names of the parameters that vary."""
        return list(dict.fromkeys(name for point in self.points for name in point.asked.point.parameters))

    @property
    def provenances(self) -> list[Provenance]:
        """What the runs of each point were made from; points without runs are left out."""
        return [point.provenance for point in self.points if point.runs]

    @property
    def warnings(self) -> list[str]:
        """Reasons to doubt the numbers, one line each: :attr:`missed` and :attr:`cautions`."""
        return [*self.missed, *self.cautions]

    @property
    def missed(self) -> list[str]:
        """Why points missed the precision target, one line per point."""
        return [f"{point.warning}{point.asked.point.place}." for point in self.points if point.warning is not None]

    def require_precision(self) -> None:
        """Raises PrecisionMissed, which has this result, if a point missed its precision target."""
        if self.missed:
            raise PrecisionMissed(self)

    @property
    def cautions(self) -> list[str]:
        """Transfers that did not finish, and runs that are too short to find the warm-up, one line each."""
        return [*unfinished(self.points, self.parameters), *too_short(self.plan.points, self.warm_up)]

    @property
    def notes(self) -> list[str]:
        """What shaped the numbers without showing in them, such as a discipline that never acted, one line each."""
        return [*notes_of_runs(self.points), *notes_on_spread(self.points)]

    def compare(self, parameter: str, baseline: Any, metrics: str | Sequence[str]) -> list[Contrast]:
        """Returns paired differences between each value of a parameter and that of a baseline.

        All other parameters agree in each comparison, and p-values are adjusted for all `metrics`, such as
        ``"goodput[near]"``. Raises InputError if one of them does not exist, or there are fewer than two runs.
        """
        points = [(point.asked.point, point.runs) for point in self.points]
        return compare(points, Compare(parameter, baseline, (metrics,) if isinstance(metrics, str) else tuple(metrics)))

    def comparisons(self) -> list[Contrast]:
        """Returns the comparisons that the study asks for."""
        what = self.plan.compare
        return [] if what is None else self.compare(what.parameter, what.baseline, what.metrics)

    def quantiles(self, metric: str, probabilities: Sequence[float]) -> pl.DataFrame:
        """Returns quantiles over the runs of each point. Raises ValueError if there are too few, or no such number."""
        found = []
        for point in self.points:
            values = [select(metric, run.metrics).value for run in point.runs]
            own = [quantile_interval(values, probability) for probability in probabilities]
            found.append((point.asked.point.parameters, point.provenance, own))
        return quantiles_of(self.plan.scenario_name, metric, found)

    def summaries(self) -> list[Summary]:
        """Returns the numbers of all points."""
        return [summary for point in self.points for summary in point.summaries()]

    def frame(self) -> pl.DataFrame:
        """One row per number and point, with the parameters as columns; see :func:`penstock.results.to_frame`."""
        return frame_of(self.summaries())

    def values(self) -> pl.DataFrame:
        """One row per run, number and point, with the parameters as columns; see :func:`penstock.results.to_values`."""
        return values_of([(point.parameters, point.runs) for point in self.points])

    @cached_property
    def series(self) -> pl.DataFrame:
        """The scenario's ``[[series]]`` in the first run of each point; an empty frame without any.

        The store keeps no series, so the first access runs these again, with the same numbers. Columns are the
        parameters, then the ones of :class:`penstock.series.TimeSeries`, with words as texts.
        """
        import polars as pl

        frames = []
        for point in self.points:
            if (made := point.series) is not None:
                words = made.frame().with_columns(pl.selectors.by_dtype(pl.Enum, pl.Categorical).cast(pl.String))
                about = {free_name(name, set(words.columns)): value for name, value in _flat(point.parameters).items()}
                frames.append(words.select(*(pl.lit(value).alias(name) for name, value in about.items()), pl.all()))
        return pl.concat(frames, how="diagonal_relaxed") if frames else pl.DataFrame()

    def json(self) -> str:
        """Returns the study as JSON, without times, paths and hosts: equal runs give equal bytes.

        A scenario gives an object with its numbers, see :func:`penstock.results.to_json`; a sweep gives an array of
        them, one per point; a study file gives ``{"study", "description", "points", "warnings"}``, where each point
        also has its ``parameters``, and ``warm_up`` and ``comparisons`` are present if the study asks for them. A
        scenario with ``[[series]]`` also has ``series``: their ``replication`` and ``rows``, as
        :class:`penstock.series.TimeSeries` has them.
        """
        made = [self._point(point) for point in self.points]
        if not self.plan.is_file:
            return json_text(made if len(self.plan.points) > 1 else made[0])
        data: dict[str, Any] = {"study": self.plan.name, "description": self.plan.description, "points": made}
        if self.warm_up is not None:
            data["warm_up"] = asdict(self.warm_up)
        if self.plan.compare is not None:
            data["comparisons"] = [_contrast(contrast) for contrast in self.comparisons()]
        return json_text({**data, "warnings": self.warnings})

    def _point(self, point: PointResult) -> dict[str, Any]:
        more = {"parameters": json_value(point.asked.point.parameters)} if self.plan.is_file else {}
        about = {"rule": point.rule, **more, "description": point.asked.scenario.description}
        data = to_data(self.plan.scenario_name, point.runs, **about)
        if (series := point.series) is not None:
            rows = [row for frame in series.row_frames() for row in frame.iter_rows(named=True)]
            data["series"] = {"replication": series.replication, "rows": rows}
        return data


def _flat(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as columns of a frame, none of them nested."""
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
