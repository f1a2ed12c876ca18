"""Builds a chart from a request: the numbers of each panel and series, and their x positions."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress

from penstock.errors import InputError
from penstock.finished import finished_of, group_of, range_text
from penstock.plots.columns import NONE, Across, across, assign, columns_of, numbers_in, pooled, text_of
from penstock.plots.data import REPLICATION, Cell, Data, Datum, is_time, with_names
from penstock.plots.request import PlotRequest, Roles
from penstock.printable import quoted, shortened, suggestion
from penstock.studies.definition import is_path
from penstock.unit_scale import Scale, is_of_finished, scale

_MOST_PANELS = 24
_MOST_SERIES = 24
_MOST_MARKS = 200_000


@dataclass(frozen=True, slots=True)
class Mark:
    """One number of a series: its x position, and its value in the unit of the panel."""

    x: float
    mean: float
    low: float | None
    high: float | None
    values: Sequence[float]
    quantile: float | None = None


@dataclass(frozen=True)
class Series:
    """Numbers with the same colour; `turn` is the number of the series, equal in all panels."""

    name: str
    turn: int
    marks: list[Mark]


@dataclass(frozen=True)
class Panel:
    """One pair of axes: the value of the facet, the y label, and the series."""

    facet: str
    label: str
    row: int
    column: int
    series: list[Series]


@dataclass(frozen=True)
class Chart:
    """Everything that is drawn."""

    kind: str  # kind of plot
    across: Across  # the x axis
    panels: list[Panel]  # the panels of a number form a row
    by: str  # what distinguishes the series; empty if that needs no name
    ups: list[str]  # the values of `by`, in the order of the series
    runs: tuple[int, int]  # minimum and maximum number of runs of a number; zeros if unknown
    observations: bool  # whether the numbers are single observations rather than means over runs
    left_out: int = 0  # count of numbers without a position on a logarithmic axis
    finished: str = ""  # count of finished transfers, if the numbers are only of these
    lacking: str = ""  # count of numbers that lack a parameter of the chart

    @property
    def has_quantiles(self) -> bool:
        """Whether any number is a quantile."""
        marks = (mark for panel in self.panels for series in panel.series for mark in series.marks)
        return any(mark.quantile is not None for mark in marks)


def chart_of(data: Data, request: PlotRequest) -> Chart:
    """Chooses what the request leaves open, and places every number. Raises InputError if it does not suit the data."""
    if not data.numbers:
        raise InputError(f"{data.name}: has no numbers, so there is nothing to plot.")
    if not {*request.named} & {*REPLICATION}:
        data = data.averaged(request.named)
    data, names = with_names(data)
    asked = request.y or (_first(data, request),)
    kept = _where(data, request, names)
    chosen = [_numbers(data, kept, each, request) for each in asked]
    roles, chosen = assign(data, request, chosen)
    lacking = _lacking(data, kept, asked, replace(request, x=roles.x))
    for numbers in chosen:
        if data.observations and roles.kind not in ("cdf", "box"):
            _alone(numbers, roles)
    chosen = [_known(numbers, selector, data, roles) for numbers, selector in zip(chosen, asked, strict=True)]
    every = [each for numbers in chosen for each in numbers]
    if len(every) > _MOST_MARKS:
        raise InputError(
            f"{len(every)} numbers are too many for a plot, at most {_MOST_MARKS}; choose some with where."
        )
    ups = _distinct(every, roles.by, _MOST_SERIES if roles.kind != "heatmap" else 1000, "series")
    facets = _distinct(every, roles.facet, _MOST_PANELS // len(asked), "panels")
    place = across(roles, every)
    _check_log_axes(request.log, roles, place)
    left_out = 0
    panels = []
    for row, numbers in enumerate(chosen):
        shown = scale(numbers[0].metric, numbers[0].unit, [each.mean for each in numbers])
        label = request.y_label or f"{_what(data, numbers, roles)}{_unit(shown)}"
        there = _drawable(numbers, request.log, roles.kind, place)
        left_out += len(numbers) - len(there)
        column = 0
        for facet in facets:
            own = [each for each in there if roles.facet is None or each.cells.get(roles.facet, NONE) == facet]
            if own:
                series = _series(own, ups, roles, place, shown)
                panels.append(Panel(_facet(roles, facet), label, row, column, series))
                column += 1
    if roles.kind == "cdf":
        unit = _unit(scale(chosen[0][0].metric, chosen[0][0].unit, [each.mean for each in chosen[0]]))
        place = replace(place, label=request.x_label or f"{_what(data, chosen[0], roles)}{unit}")
    elif request.x_label:
        place = replace(place, label=request.x_label)
    # Boxes and distributions are of the runs that have the number; means are of all.
    shown_runs = [each.values for each in every if roles.kind in ("box", "cdf") or math.isfinite(each.mean)]
    counts = [sum(map(math.isfinite, values)) for values in shown_runs if values] or [0]
    by = "" if roles.by is None else roles.short(roles.by)
    named = ["" if up is None else text_of(up) for up in ups]
    drawn = (roles.kind, place, panels, by, named, (min(counts), max(counts)), data.observations)
    # The finished transfers of each group whose completion times are drawn.
    groups = {group_of(each) for each in every if is_of_finished(each.metric)}
    finished = [found for group, found in finished_of(data.numbers).items() if group in groups] if groups else []
    return Chart(*drawn, left_out, range_text(finished), lacking)


def _check_log_axes(log: str, roles: Roles, place: Across) -> None:
    if log and roles.kind == "heatmap":
        raise InputError("a heat map has no logarithmic axis; leave log out, or draw lines.")
    if "x" not in log or roles.kind == "cdf" or place.is_numeric:
        return
    name = roles.short(roles.x) or roles.x if roles.x is not None else None
    if name is None:
        raise InputError("nothing varies across, so x cannot be logarithmic; leave it out of log.")
    if roles.kind in ("bar", "box"):
        what = "bars are" if roles.kind == "bar" else "boxes are"
        raise InputError(f"{what} next to one another, so {name} cannot be logarithmic; draw lines, or log y alone.")
    raise InputError(f"{name} has names, not numbers, so it cannot be logarithmic; leave x out of log.")


def _drawable(numbers: Sequence[Datum], log: str, kind: str, place: Across) -> Sequence[Datum]:
    """Returns the numbers that logarithmic axes of this kind of plot can show. Raises InputError if there are none."""
    if not log:
        return numbers
    found = numbers
    if "x" in log and kind != "cdf":
        found = [each for each in found if place.position(each) > 0]
    if "y" in log and kind not in ("cdf", "box"):
        found = [each for each in found if not each.mean <= 0]
    if (kind == "box" and "y" in log) or (kind == "cdf" and "x" in log):
        is_some = [any(value > 0 for value in each.values or [each.mean]) for each in found]
        # Single observations are pooled; without zeros, their distribution would differ.
        kept = [is_above or not each.values for each, is_above in zip(found, is_some, strict=True)]
        found = list(compress(found, kept)) if any(is_some) else []
    if numbers and not found:
        raise InputError(
            f"no number {numbers[0].metric} is above 0 and so on a logarithmic axis; leave log out to see them."
        )
    return found


def _first(data: Data, request: PlotRequest) -> str:
    """The default number: the first one that has the requested columns."""
    other = (metric for metric in data.metrics if metric not in request.named and not is_time(metric))
    return next(other, data.metrics[0])


def _where(data: Data, request: PlotRequest, names: Mapping[str, Mapping[str, str]]) -> list[Datum]:
    kept = data.numbers
    for name, value in request.where:
        column = columns_of(data, name)
        texts = dict.fromkeys(text_of(each.cells[column]) for each in kept if column in each.cells)
        wanted = (value, names.get(column, {}).get(value, value))
        kept = [each for each in kept if column in each.cells and text_of(each.cells[column]) in wanted]
        if not kept:
            there = ", ".join(shortened(text, 40) for text in list(texts)[:12])
            raise InputError(f"nothing has {name} = {quoted(value)}, so there is nothing to plot; there are {there}.")
    return kept


def _numbers(data: Data, kept: Sequence[Datum], selector: str, request: PlotRequest) -> list[Datum]:
    """The numbers that a selector such as ``delay[video, quantile=0.9]`` matches."""
    name, bracket, rest = selector.strip().partition("[")
    if selector.strip() in data.metrics:
        name, bracket, rest = selector.strip(), "", ""
    if bracket and not rest.endswith("]"):
        raise InputError(f"y: {quoted(selector)} has no ']' at its end.")
    named = [each for each in kept if each.metric == name.strip()]
    if name.strip() not in data.metrics:
        hint = suggestion(name.strip(), data.metrics, ".")
        raise InputError(
            f"y: there is no number {quoted(name.strip())} in {data.name}{hint} There are {', '.join(data.metrics)}."
        )
    words = [word.strip() for word in rest[:-1].split(",")] if bracket else []
    found = [each for each in named if all(_has(each, word) for word in words)]
    if not found:
        there = dict.fromkeys(f"[{', '.join(each.labels.values())}]" for each in named)
        which = f"; there are {', '.join(list(there)[:8])}" if named else ""
        raise InputError(f"y: {quoted(selector)} means no number{which}, so there is nothing to plot.")
    for role in request.named:
        column = columns_of(data, role)
        found = [each for each in found if column in each.cells]
        if not found:
            raise InputError(f"{quoted(selector)} has no {quoted(role)}, so there is nothing to plot.")
    return _statistics(data, found, request)


def _lacking(data: Data, kept: Sequence[Datum], asked: Sequence[str], request: PlotRequest) -> str:
    """Count of numbers that are not drawn since their points have none of a named parameter; empty if all are."""
    parameters = {name for each in kept for name in each.point}
    named = [column for role in request.named if (column := columns_of(data, role)) in parameters]
    plain = replace(request, x=None, by=None, facet=None)
    every = [each for selector in asked for each in _numbers(data, kept, selector, plain)]
    without = [next((name for name in named if name not in each.cells), None) for each in every]
    short = ", ".join(dict.fromkeys(name.rpartition(".")[2] for name in without if name is not None))
    return f"{sum(name is not None for name in without)} without {short} not drawn" if short else ""


def _statistics(data: Data, found: list[Datum], request: PlotRequest) -> list[Datum]:
    """Means by default; quantiles if a distribution is requested."""
    named = {columns_of(data, role) for role in request.named}
    quantiles = [each for each in found if "quantile" in each.labels]
    if request.kind == "cdf" and len({each.labels["quantile"] for each in quantiles}) > 1:
        return quantiles
    if len({(each.labels.get("statistic"), each.labels.get("quantile")) for each in found}) > 1:
        means = [
            each
            for each in found
            if each.labels.get("statistic") in ("mean", None) and ("quantile" not in each.labels or "quantile" in named)
        ]
        if means and "statistic" not in named:
            return means
    return found


def _alone(numbers: Sequence[Datum], roles: Roles) -> None:
    """Refuses observations with equal positions."""
    group = next((group for group in pooled(numbers, roles) if len(group) > 1), None)
    if group is not None:
        first = group[0]
        there = ", ".join(name for name in first.cells if name not in roles.named)
        raise InputError(
            f"{len(group)} numbers {first.metric} share one position ({_place(first, roles)}); tell them apart "
            f"with by, facet or where ({there or 'there is no other column'}), or draw a box or a cdf of them."
        )


def _place(datum: Datum, roles: Roles) -> str:
    told = (f"{roles.short(name) or name} = {text_of(datum.cells[name])}" for name in roles.named)
    return ", ".join(told) or "nothing varies"


def _known(numbers: list[Datum], selector: str, data: Data, roles: Roles) -> list[Datum]:
    """What can be drawn: a distribution needs some known values, other kinds a mean."""
    found = [each for each in numbers if math.isfinite(each.mean) or any(map(math.isfinite, each.values))]
    if not found:
        raise InputError(f"{quoted(selector)} is no number anywhere in {data.name}, so there is nothing to plot.")
    shows_runs = roles.kind == "box" or (roles.kind == "cdf" and not any("quantile" in each.labels for each in found))
    if shows_runs and not data.observations and not any(each.values for each in found):
        raise InputError(
            f"{data.name} has means without their runs, which a {roles.kind} shows; plot the study itself, or what "
            "'penstock run' writes with --format json or --values."
        )
    if roles.kind not in ("cdf", "box") and not any(math.isfinite(each.mean) for each in found):
        raise InputError(
            f"{quoted(selector)} is no number in some run of every point, so it has no mean to plot; draw a box or a "
            "cdf of the runs that have it."
        )
    return found


def _distinct(numbers: Sequence[Datum], column: str | None, most: int, what: str) -> list[Cell | None]:
    if column is None:
        return [None]
    found: list[Cell | None] = list(dict.fromkeys(each.cells.get(column, NONE) for each in numbers))
    if len(found) > most:
        raise InputError(
            f"{column} has {len(found)} values, and {what} can be distinguished up to {most}; choose some with where, "
            "or draw a heat map."
        )
    numeric = [each for each in found if isinstance(each, (int, float))]
    return [*sorted(numeric)] if len(numeric) == len(found) else found


def _series(
    own: Sequence[Datum], ups: Sequence[Cell | None], roles: Roles, place: Across, shown: Scale
) -> list[Series]:
    found = []
    for turn, up in enumerate(ups):
        marks = [
            _mark(each, place.position(each), shown)
            for each in own
            if roles.by is None or each.cells.get(roles.by, NONE) == up
        ]
        if place.is_numeric:
            marks.sort(key=lambda mark: mark.x)
        if marks:
            found.append(Series("" if up is None else text_of(up), turn, marks))
    return found


def _mark(datum: Datum, x: float, shown: Scale) -> Mark:
    low, high = (None if end is None else end / shown.size for end in (datum.low, datum.high))
    quantile = datum.labels.get("quantile")
    values = [value / shown.size for value in datum.values if math.isfinite(value)]
    return Mark(x, datum.mean / shown.size, low, high, values, None if quantile is None else float(quantile))


def _facet(roles: Roles, facet: Cell | None) -> str:
    """Title of a panel; a label, and ``of``, need no name."""
    if roles.facet is None:
        return ""
    name, text = roles.short(roles.facet), text_of(facet)
    is_named = bool(name) and (is_path(roles.facet) or not isinstance(facet, str) or numbers_in([text]) is not None)
    return f"{name} = {text}" if is_named else text


def _unit(shown: Scale) -> str:
    return f" ({shown.unit})" if shown.unit and shown.unit != "1" else ""


def _what(data: Data, numbers: Sequence[Datum], roles: Roles) -> str:
    """The name of a number: its metric, what all of them share, and the statistic."""
    metric = numbers[0].metric
    same = {
        name: value
        for name, value in numbers[0].labels.items()
        if name not in roles.named and all(each.labels.get(name) == value for each in numbers)
    }
    whole = next((same.pop(name) for name in ("flow", "link", "of") if name in same), None)
    same.pop("of", None)
    statistics = {each.labels.get("statistic") for each in data.numbers if each.metric == metric}
    if same.get("statistic") == "mean" or len(statistics) == 1:
        same.pop("statistic", None)
    quantile = same.pop("quantile", None) if roles.kind != "cdf" else None
    rest = [value if name in ("statistic", "cause") else f"{name} {value}" for name, value in same.items()]
    rest += [] if quantile is None else [f"{quantile} quantile"]
    return ", ".join([f"{metric} of {whole}" if whole and not data.observations else metric, *rest])


def _has(datum: Datum, word: str) -> bool:
    key, equals, value = word.partition("=")
    if not equals:
        return word in datum.labels.values()
    return text_of(datum.cells.get(key.strip(), "")) == value.strip()
