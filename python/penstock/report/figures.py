"""Plots as Plotly's traces and layouts, and the topology of a scenario as a drawing."""

import json
import math
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from penstock._core import Scenario
from penstock.drawing import Box, escaped, network_svg
from penstock.plots.chart import Chart, Mark, Panel, Series
from penstock.plots.style import COLOURS
from penstock.report.content import Plot, word
from penstock.reproductions.comparison import Comparison
from penstock.reproductions.tables import Column, Table, heading, row_name

Trace = dict[str, Any]
Numbers = Mapping[tuple[Any, ...], float]

_SYMBOLS = ("circle", "square", "diamond", "triangle-down", "triangle-up", "pentagon", "x", "star")
_GREY = "#8c8c8c"
_LEGEND = {"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0}
_WIDE_BARS = 8
"""Fewer bars than these are narrower than their places."""
_ROW_PIXELS = 26


def chart_plots(identifier: str, chart: Chart) -> list[Plot]:
    """A plot for each panel of a chart that has more than one mean."""
    plots = []
    for number, panel in enumerate(chart.panels):
        bars = sum(math.isfinite(mark.mean) for series in panel.series for mark in series.marks)
        if bars < 2:
            continue
        title = ", ".join(filter(None, (panel.label, panel.facet)))
        across: dict[str, Any] = {"title": {"text": escaped(chart.across.label, 200)}}
        if chart.across.names:
            names = [escaped(name, 40) for name in chart.across.names]
            across |= {"tickvals": list(range(len(names))), "ticktext": names, "range": [-0.5, len(names) - 0.5]}
        layout = {
            "height": 340,
            "xaxis": across,
            "yaxis": {"title": {"text": escaped(panel.label, 200)}, "rangemode": "tozero"},
            "barmode": "group",
            "bargap": 1 - 0.8 * min(bars / _WIDE_BARS, 1.0),
            "showlegend": len(panel.series) > 1,
            "legend": {"title": {"text": escaped(chart.by, 100)}, **_LEGEND},
        }
        what = f" for each {chart.by}" if chart.by else ""
        over = f" over {chart.across.label}" if chart.across.label else ""
        has_intervals = any(any(_ends(mark)) for series in panel.series for mark in series.marks)
        told = f"Means{over}{what}{' with 95 % confidence intervals' * has_intervals}"
        told += "; the table below has the same numbers."
        told += f" Of the transfers, {chart.finished}." if chart.finished else ""
        traces = [trace for series in panel.series if (trace := _series(chart, panel, series))["x"]]
        plots.append(Plot(f"{identifier}-plot-{number + 1}", title, told, traces, layout))
    return plots


def _series(chart: Chart, panel: Panel, series: Series) -> Trace:
    colour = COLOURS[series.turn % len(COLOURS)]
    colour = _GREY if colour == "#000000" else colour
    marks = [mark for mark in series.marks if math.isfinite(mark.mean)]
    trace: Trace = {
        "name": escaped(series.name or panel.label, 60),
        "x": [mark.x for mark in marks],
        "y": [mark.mean for mark in marks],
        "marker": {"color": colour, "symbol": _SYMBOLS[series.turn % len(_SYMBOLS)]},
        **_errors("error_y", [_ends(mark) for mark in marks]),
    }
    if chart.kind == "bar":
        del trace["marker"]["symbol"]
        return {"type": "bar", **trace}
    return {"type": "scatter", "mode": "lines+markers", "line": {"color": colour}, **trace}


def _ends(mark: Mark | Comparison) -> tuple[float, float]:
    """Distances from the mean to both ends of its interval; zeros if there is none."""
    low, high = mark.low, mark.high
    if low is None or high is None or not (math.isfinite(low) and math.isfinite(high)):
        return 0.0, 0.0
    return mark.mean - low, high - mark.mean


def _errors(name: str, ends: Sequence[tuple[float, float]], **look: Any) -> Trace:
    if not any(below or above for below, above in ends):
        return {}
    below, above = ([end[side] for end in ends] for side in (0, 1))
    return {name: {"type": "data", "symmetric": False, "array": above, "arrayminus": below, "thickness": 1.2, **look}}


def table_plot(table: Table, comparisons: Sequence[Comparison], nulls: Mapping[str, Numbers]) -> Plot:
    """Plots a printed table next to ours, a line for each row and one column at a time; `nulls` are hidden at first."""
    columns = [column for column in table.compared if any(each.column == column.name for each in comparisons)]
    traces: list[Trace] = []
    views: list[dict[str, Any]] = []
    for column in columns:
        own = [each for each in comparisons if each.column == column.name]
        added = _column_traces(table, column, own, nulls)
        for trace in added:
            trace["visible"] = trace.get("visible", True) if not views else False
        places = list(range(len(traces), len(traces) + len(added)))
        views.append({"name": heading(column), "traces": places, "across": heading(column)})
        traces += added
    names = [escaped(row_name(row), 60) for row in table.rows]
    layout = {
        "height": 150 + _ROW_PIXELS * len(names),
        "xaxis": {"title": {"text": escaped(heading(columns[0]))}},
        "yaxis": {
            "tickvals": list(range(len(names))),
            "ticktext": names,
            "range": [len(names) - 0.4, -0.6],
            "fixedrange": True,
            "zeroline": False,
        },
        "legend": _LEGEND,
    }
    told = f"Rows of table {table.id}: the print with its tolerance, and our mean with its 95 % interval."
    title = f"Table {table.id}, printed and here"
    if table.is_own:
        told, title = f"Rows of table {table.id}: our mean with its 95 % interval.", f"Table {table.id}"
    return Plot(f"plot-{word(table.id)}", title, told, traces, layout, views)


def _column_traces(
    table: Table, column: Column, own: Sequence[Comparison], nulls: Mapping[str, Numbers]
) -> list[Trace]:
    places = {row.id: place for place, row in enumerate(table.rows)}
    keys = [tuple(each.row.values()) for each in own]
    printed = [(each.published, places[key]) for key, each in zip(keys, own, strict=True)]
    known_prints = [(number, place) for number, place in printed if number is not None]
    traces = []
    if known_prints:
        allowed = [each.allowed for each in own if each.published is not None]
        granted = {"thickness": 9, "width": 0, "color": "rgba(140,140,140,0.4)"}
        traces.append(
            _markers(
                "print, with its tolerance",
                known_prints,
                {"symbol": "line-ns-open", "size": 13, "line": {"width": 2}},
                _errors("error_x", [(most, most) for most in allowed], **granted),
                meta="ink",  # in the colour of the text, which the page knows
            )
        )
    looks = (
        (True, "here, agrees", "#0072b2", "circle"),
        (False, "here, differs", "#d55e00", "x"),
        (None, "here", "#0072b2", "circle"),
    )
    for agrees, name, colour, symbol in looks:
        found = [(each, places[key]) for key, each in zip(keys, own, strict=True) if each.agrees is agrees]
        if found:
            points = [(each.mean, place) for each, place in found]
            errors = _errors("error_x", [_ends(each) for each, _ in found])
            traces.append(_markers(name, points, {"symbol": symbol, "size": 8, "color": colour}, errors))
    for turn, (name, numbers) in enumerate(nulls.items()):
        at = [(numbers.get((table.id, key, column.name)), places[key]) for key in keys]
        known = [(number, place) for number, place in at if number is not None]
        if known:
            marker = {"symbol": "cross-thin-open", "size": 10, "color": COLOURS[2:][turn % 4]}
            traces.append(_markers(f"null model {escaped(name)}", known, marker, visible="legendonly"))
    return traces


def _markers(
    name: str, points: Sequence[tuple[float, int]], marker: Trace, errors: Trace | None = None, **more: Any
) -> Trace:
    xs, ys = ([point[axis] for point in points] for axis in (0, 1))
    kind = {"type": "scatter", "mode": "markers", "name": name}
    return {**kind, **more, "x": xs, "y": ys, "marker": marker, **(errors or {})}


_MOST_SCENARIOS = 1000


def topology_svg(text: str, scenarios: Sequence[Scenario] = ()) -> str:
    """The drawing of a scenario; properties that vary between `scenarios`, one per point, are shown as varying."""
    document = tomllib.loads(text)
    step = max(1, len(scenarios) // _MOST_SCENARIOS)
    made = [json.loads(each) for each in dict.fromkeys(each.canonical for each in scenarios[::step])] or [document]
    # The canonical form has the nodes in the order of their names.
    names = dict.fromkeys([*document.get("nodes", {}), *made[0].get("nodes", {})])
    nodes = []
    for name in names:
        counts = list(dict.fromkeys(each.get("nodes", {}).get(name, {}).get("count") for each in made))
        nodes.append(Box(name, counts[0] if len(counts) == 1 else "varies"))
    alike = [each.get("links", []) for each in made if len(each.get("links", [])) == len(made[0].get("links", []))]
    return network_svg(nodes, [_merged([_dotted(link) for link in links]) for links in zip(*alike, strict=True)])


def _merged(links: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """A link with the properties that all points share; others are marked as varying."""
    found = dict(links[0])
    for key in ("rate", "delay", "back.rate"):
        if any(link.get(key) != found.get(key) for link in links):
            found[key] = f"{key.removeprefix('back.')} varies"
    for kind in ("queue", "scheduler", "back.queue", "back.scheduler"):
        parts = [{key: None for key in link if key.startswith(f"{kind}.")} for link in links]
        if any(part != parts[0] for part in parts):
            found = {key: value for key, value in found.items() if key not in parts[0]}
            found[f"{kind}.{kind.removeprefix('back.')} varies"] = {}
    return found


def _dotted(link: Mapping[str, Any]) -> dict[str, Any]:
    """A link by the dotted keys of its components and of its reverse direction, as drawings take it."""
    found: dict[str, Any] = {}
    for key, value in link.items():
        if key in ("queue", "scheduler"):
            names = [value] if isinstance(value, str) else list(value)
            found |= {f"{key}.{name}": value for name in names}
        elif key == "back":
            found |= {f"back.{name}": item for name, item in _dotted(value).items()}
        else:
            found[key] = value
    return found
