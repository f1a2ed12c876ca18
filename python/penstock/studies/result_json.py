"""A study's results as JSON."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from penstock.printable import json_text
from penstock.results import to_data
from penstock.series import TimeSeries
from penstock.toml import json_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.studies.compare import Contrast
    from penstock.studies.plan import StudyPlan
    from penstock.studies.point_result import PointResult
    from penstock.studies.warmup import FoundWarmUp


def study_json(
    plan: StudyPlan,
    points: Sequence[PointResult],
    warm_up: FoundWarmUp | None = None,
    contrasts: Sequence[Contrast] = (),
    warnings: Sequence[str] = (),
) -> str:
    """Returns the JSON text; :meth:`penstock.studies.result.StudyResult.json` describes it."""
    made = [_point(plan, point) for point in points]
    if not plan.is_file:
        return json_text(made if len(plan.points) > 1 else made[0])
    data: dict[str, Any] = {"study": plan.name, "description": plan.description, "points": made}
    if warm_up is not None:
        data["warm_up"] = asdict(warm_up)
    if plan.compare is not None:
        data["comparisons"] = [_contrast(contrast) for contrast in contrasts]
    return json_text({**data, "warnings": warnings})


def series_of(point: PointResult) -> TimeSeries | None:
    """Returns the scenario's ``[[series]]`` in the first run of a point, which is run again; None without any."""
    if not point.asked.scenario.has_series or not point.runs:
        return None
    run = point.runs[0].request
    return TimeSeries(point.asked.scenario, name=run.name, sets=run.sets, seed=run.seed, replication=run.replication)


def _point(plan: StudyPlan, point: PointResult) -> dict[str, Any]:
    asked, more = point.asked, {}
    if plan.is_file:
        more["parameters"] = json_value(asked.point.parameters)
    data = to_data(plan.scenario_name, point.runs, rule=point.rule, **more, description=asked.scenario.description)
    series = series_of(point)
    if series is not None:
        rows = [row for frame in series.row_frames() for row in frame.iter_rows(named=True)]
        data["series"] = {"replication": series.replication, "rows": rows}
    return data


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
