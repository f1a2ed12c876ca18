"""Columns by name, their roles in a plot, and the positions of their values on the x axis."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from penstock.errors import InputError
from penstock.parameter_columns import stand_for
from penstock.plots.data import REPLICATION, Cell, Data, Datum, is_time
from penstock.plots.request import PlotRequest, Roles
from penstock.printable import quoted, shortened, suggestion
from penstock.results import grouped
from penstock.studies.quantity import read_quantity

NONE = "none"
"""Value of a column in numbers that lack it, in a legend or a title: a setting that only some points have."""


@dataclass(frozen=True)
class Across:
    """The x axis."""

    column: str | None  # its column; None if all numbers have one position, or are on the x axis themselves
    label: str  # axis label
    places: Mapping[Cell, float]  # position of each value
    names: list[str]  # tick labels at 0, 1, 2, ... if the values are not numbers; else empty

    @property
    def is_numeric(self) -> bool:
        """Whether positions are the numbers themselves."""
        return not self.names

    def position(self, datum: Datum) -> float:
        """Returns the position of a number."""
        return 0.0 if self.column is None else self.places[datum.cells[self.column]]


def columns_of(data: Data, name: str) -> str:
    """Returns the column with this name, or path ending. Raises InputError unless there is exactly one."""
    if name in data.columns:
        return name
    ends = [column for column in data.columns if column.endswith(f".{name}")]
    if len(ends) == 1:
        return ends[0]
    there = ", ".join(shortened(column, 60) for column in data.columns[:30]) or "none, as nothing varies"
    if ends:
        raise InputError(f"{quoted(name)} is the end of several columns: {', '.join(ends)}.")
    if name.partition("[")[0] in data.metrics:
        raise InputError(
            f"{quoted(name)} is a metric; x, by and facet each name a parameter or label. {data.name} has {there}."
        )
    short = [column.rpartition(".")[2] for column in data.columns]
    hint = suggestion(name, dict.fromkeys([*data.columns, *short]), ".")
    raise InputError(f"there is no column {quoted(name)} in {data.name}{hint} The columns are {there}.")


def across(roles: Roles, numbers: Sequence[Datum]) -> Across:
    """Returns the x axis of a chart."""
    column = roles.x
    if column is None:
        return Across(None, "", {}, [] if roles.kind == "cdf" else [""])
    values = list(dict.fromkeys(each.cells[column] for each in numbers))
    found = numbers_in(values)
    label = roles.short(column)
    if found is not None:
        known, unit = found
        label = f"{label} ({unit})" if unit else label
        if roles.kind in ("line", "series"):
            return Across(column, label, known, [])
        values.sort(key=lambda value: known[value])
        names = [f"{known[value]:g}" for value in values]
    else:
        names = [text_of(value) for value in values]
    return Across(column, label, {value: float(place) for place, value in enumerate(values)}, names)


def numbers_in(values: Sequence[Cell]) -> tuple[dict[Cell, float], str] | None:
    """Returns the values as numbers in the unit of the first, and that unit; None if they are names.

    >>> numbers_in(["500 us", "2 ms"])
    ({'500 us': 500.0, '2 ms': 2000.0}, 'us')
    >>> numbers_in(["red", "2 ms"]), numbers_in([True, False]), numbers_in([1, 2])
    (None, None, ({1: 1.0, 2: 2.0}, ''))
    """
    if not any(isinstance(value, (str, bool)) for value in values):
        return {value: float(value) for value in values}, ""
    read = {value: read_quantity(value) for value in values if isinstance(value, str)}
    first = next(iter(read.values()), None)
    if len(read) < len(values) or first is None:
        return None
    if any(each is None or each.dimension != first.dimension for each in read.values()):
        return None
    unit = next(str(value).strip().lstrip("+-0123456789._").strip() for value in values)
    one = read_quantity(f"1 {unit}") if unit else read_quantity("1")
    if one is None:
        return None
    return {value: float(each.value / one.value) for value, each in read.items() if each is not None}, unit


def pooled(numbers: Sequence[Datum], roles: Roles) -> list[list[Datum]]:
    """Groups the numbers by position."""
    named = roles.named
    return list(grouped(numbers, lambda each: tuple(map(each.cells.get, named))).values())


def text_of(value: object) -> str:
    """Returns a cell as text.

    >>> text_of(0.5), text_of(True), text_of("red"), text_of(3)
    ('0.5', 'true', 'red', '3')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:.6g}"
    return shortened(str(value), 60)


def assign(data: Data, request: PlotRequest, chosen: Sequence[list[Datum]]) -> tuple[Roles, list[list[Datum]]]:
    """Assigns the named columns, then others that distinguish numbers, to x, by and facet.

    Raises InputError if there are more columns than roles, or a kind does not use a named role.
    """
    given = {"x": request.x, "by": request.by, "facet": request.facet}
    named = {role: None if name is None else columns_of(data, name) for role, name in given.items()}
    every = [each for numbers in chosen for each in numbers]
    varying = _varying(data, every)
    kind = request.kind or _kind(data, named["x"], varying, every)
    roles = Roles(kind, **named)
    if kind == "cdf" and roles.x is not None:
        raise InputError(
            f"a cdf has its numbers across, so x = {quoted(str(request.x))} cannot be there; tell lines apart with by."
        )
    if kind == "series":
        roles = replace(roles, x=_time(data, roles.x))
    elif kind != "cdf" and roles.x is None:
        roles = replace(roles, x=_across(data, varying, every, {roles.by, roles.facet}))
    needed = {*roles.named}
    if kind == "heatmap" and roles.by is None:
        free = [name for name in varying if name not in (roles.x, roles.facet)]
        if roles.x is None or not free:
            raise InputError("a heat map needs two things that vary, x and by, and there are fewer.")
        roles = replace(roles, by=free[0])
    if data.observations:
        return roles, [_placed(numbers, {*roles.named}) for numbers in chosen]
    return _told_apart(roles, varying, chosen), [_placed(numbers, needed) for numbers in chosen]


def _varying(data: Data, numbers: Sequence[Datum]) -> list[str]:
    """Columns in which the numbers differ, parameters first, without settings that a label represents."""
    cells = [each.cells for each in numbers]
    differing = [
        column
        for column in data.columns
        if column not in ("quantile", "statistic")
        and len({each[column] for each in cells if column in each}) > 1
        and not (data.observations and column in REPLICATION)
    ]
    points = list({tuple(each.point.items()): each.point for each in numbers}.values())
    parameters = [column for column in differing if any(column in point for point in points)]
    texts = {column: [text_of(point.get(column, "")) for point in points] for column in parameters}
    stood_for = set() if data.observations else {each for own in stand_for(parameters, texts).values() for each in own}
    return [column for column in differing if column not in stood_for] + [
        column for column in ("quantile", "statistic") if len({each.get(column) for each in cells} - {None}) > 1
    ]


def _kind(data: Data, x: str | None, varying: Sequence[str], numbers: Sequence[Datum]) -> str:
    """A series if there is a time, a line over numbers, and bars otherwise."""
    if is_time(x) if x is not None else any(is_time(name) for name in varying):
        return "series"
    column = x or _across(data, varying, numbers, set())
    return "line" if column is not None and _is_numeric(column, numbers) else "bar"


def _time(data: Data, x: str | None) -> str:
    if x is not None:
        return x
    found = next((name for name in data.columns if is_time(name)), None)
    if found is None:
        there = ", ".join(data.columns) or "none"
        raise InputError(f"{data.name} has no column 'time', so there is no series over time; the columns are {there}.")
    return found


def _across(data: Data, varying: Sequence[str], numbers: Sequence[Datum], taken: set[str | None]) -> str | None:
    """The numeric parameter with the most values, else the first parameter, else the first label."""
    free = [name for name in varying if name not in taken]
    parameters = [name for name in free if any(name in each.point for each in numbers)]
    if not data.observations:
        parameters = [name for name in parameters if all(name in each.cells for each in numbers)] or parameters
    numeric = [name for name in parameters if _is_numeric(name, numbers)]
    if data.quantities:
        numeric = [name for name in numeric if name in data.quantities]
    if numeric:
        return max(numeric, key=lambda name: len({each.cells.get(name) for each in numbers}))
    return next(iter([*parameters, *free]), None)


def _is_numeric(column: str, numbers: Sequence[Datum]) -> bool:
    return numbers_in(list(dict.fromkeys(each.cells[column] for each in numbers if column in each.cells))) is not None


def _told_apart(roles: Roles, varying: Sequence[str], chosen: Sequence[list[Datum]]) -> Roles:
    """Assigns free roles to columns that distinguish numbers with equal positions."""
    for column in varying:
        # The quantiles of a distribution are one line.
        if roles.kind == "cdf" and column == "quantile":
            continue
        if column in roles.named or not any(_parts(roles, column, each) for each in chosen):
            continue
        if roles.by is None:
            roles = replace(roles, by=column)
        elif roles.facet is None:
            roles = replace(roles, facet=column)
        else:
            numbers = next(each for each in chosen if _parts(roles, column, each))
            values = ", ".join(dict.fromkeys(text_of(each.cells.get(column)) for each in numbers))
            raise InputError(
                f"several numbers {numbers[0].metric} share one position: they differ in {column} ({values}), besides "
                f"{', '.join(roles.named)}; choose with where."
            )
    return roles


def _placed(numbers: Sequence[Datum], needed: set[str]) -> list[Datum]:
    """The numbers that have all of these columns. Raises InputError if there are none."""
    kept = [each for each in numbers if needed <= set(each.cells)]
    if not kept:
        raise InputError(f"{numbers[0].metric} has no {' and '.join(sorted(needed))}, so there is nothing to plot.")
    return kept


def _parts(roles: Roles, column: str, numbers: Sequence[Datum]) -> bool:
    """Whether a column differs among numbers with equal positions."""
    return any(len({each.cells.get(column) for each in group}) > 1 for group in pooled(numbers, roles))
