"""Every kind of plot on every axis, with every odd value that results can have: a picture or a reason, no crash."""

from __future__ import annotations

import itertools
import math
import warnings

import polars as pl
import pytest

from penstock.errors import InputError
from penstock.plots import picture, request_of
from penstock.plots.canvas import shown_ticks
from penstock.plots.chart import chart_of
from penstock.plots.data import from_frame, from_json
from penstock.plots.request import KINDS
from penstock.report.figures import chart_plots
from penstock.statistics import interval

QUEUES = [{"tail-drop": {"limit": "20 packets"}}, {"tail-drop": {"limit": "80 packets"}}, {"codel": {}}]


def points(parameters, values, labels=None):
    """Results of a point for each of `parameters`, whose runs gave `values`."""
    labels = labels or [{"of": "web", "statistic": "mean"}]
    found = []
    for parameter, runs in zip(parameters, values, strict=True):
        over = interval([math.nan if run is None else run for run in runs])
        known = {"mean": over.mean, "ci_low": over.low, "ci_high": over.high}
        known = {name: value if value is None or math.isfinite(value) else None for name, value in known.items()}
        metrics = [
            {"name": "completion-time", "unit": "s", "labels": label, "values": runs, **known} for label in labels
        ]
        found.append({"parameters": parameter, "metrics": metrics})
    return from_json({"study": "it", "points": found}, "it.json")


QUANTILES = [{"of": "web", "quantile": share} for share in ("0.5", "0.9", "0.99")]
ODD = {
    "numbers": points(
        [{"a-b.rate": rate} for rate in ("1 Mbit/s", "10 Mbit/s", "1 Gbit/s")], [[1, 2], [3, 40], [5, 6]]
    ),
    "tables": points([{"a-b.queue": queue} for queue in QUEUES], [[1, 2], [3, 4], [5, 6]]),
    "labels of tables": points(
        [{"a-b.queue": queue, "scheme": f"s{number}"} for number, queue in enumerate(QUEUES)], [[1, 2], [3, 4], [5, 6]]
    ),
    "zeros": points([{"a-b.limit": limit} for limit in (0, 1, 100)], [[0, 0], [0, 1], [2, 3]]),
    "only zeros": points([{"a-b.limit": limit} for limit in (0, 1)], [[0, 0], [0, 0]]),
    "an unknown run": points([{"a-b.limit": limit} for limit in (1, 10)], [[None, 2], [3, 4]]),
    "unknown means": points([{"a-b.limit": limit} for limit in (1, 10)], [[None, 2], [None, 4]]),
    "unknown": points([{"a-b.limit": limit} for limit in (1, 10)], [[None, None], [None, None]]),
    "single runs": points([{"a-b.limit": limit} for limit in (1, 10)], [[2.5], [3.5]]),
    "one point": points([{}], [[1, 2]]),
    "one run of one point": points([{}], [[1]]),
    "quantiles": points([{"a-b.queue": queue} for queue in QUEUES], [[1, 2], [300, 4], [5, 6]], QUANTILES),
    "unknown quantiles": points([{"a-b.limit": limit} for limit in (1, 2)], [[None, 2], [3, 4]], QUANTILES),
    "negative": points([{"a-b.limit": limit} for limit in (1, 2)], [[-1, -2], [3, 4]]),
    "no finite parameter": points([{"level": level} for level in (1.0, math.nan, math.inf)], [[1, 2], [3, 4], [5, 6]]),
}


@pytest.mark.parametrize("kind", [*KINDS])
@pytest.mark.parametrize("odd", [*ODD])
def test_every_kind_and_axis_has_a_picture_or_a_reason(kind, odd):
    for log in ("", "x", "y", "xy"):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                drawn = picture(ODD[odd], request_of(kind, log=log))
            except InputError:
                continue
        for axes in drawn.axes:
            texts = [*axes.get_xticklabels(), *axes.get_yticklabels()]
            texts += [*axes.get_xticklabels(minor=True), *axes.get_yticklabels(minor=True)]
            assert not [text.get_text() for text in texts if "mathdefault" in text.get_text() or "{" in text.get_text()]
            assert all(map(math.isfinite, (*axes.get_xlim(), *axes.get_ylim())))


def pictures(kind, log):
    found = set()
    for odd, data in ODD.items():
        try:
            picture(data, request_of(kind, log=log))
        except InputError:
            continue
        found.add(odd)
    return found


def test_what_can_be_drawn_is_drawn():
    # Without a logarithmic axis, only unknown columns, a missing time and a missing second parameter are refused.
    assert pictures("bar", "") == {*ODD} - {"unknown", "unknown means"}
    assert pictures("cdf", "xy") == {*ODD} - {"unknown", "only zeros"}
    assert pictures("line", "xy") == {
        "numbers",
        "zeros",
        "an unknown run",
        "single runs",
        "unknown quantiles",
        "negative",
    }


def test_a_report_has_a_place_for_a_point_without_a_mean():
    data = points([{"a-b.queue": queue} for queue in QUEUES], [[None, 2], [3, 4], [5, 6]])
    [plot] = chart_plots("it", chart_of(data, request_of()))
    assert (plot.traces[0]["x"], plot.layout["xaxis"]["range"]) == ([1, 2], [-0.5, 2.5])


def test_a_line_of_a_report_has_points():
    """The arrow keys go from one to the next."""
    pairs = [{"a-b.limit": limit, "a-b.queue": queue} for queue in QUEUES[:2] for limit in (1, 10)]
    [plot] = chart_plots("it", chart_of(points(pairs, [[None, 2], [None, 4], [5, 6], [7, 8]]), request_of()))
    assert [trace["y"] for trace in plot.traces] == [[5.5, 7.5]]


def test_panels_share_an_axis_that_has_all_of_their_numbers():
    frame = pl.DataFrame({"k": [1, 2, 1, 2], "g": ["a", "a", "b", "b"], "y": [-5.0, 5.0, 1.0, 8.0]})
    for axes in picture(from_frame(frame, "it"), request_of("line", x="k", y="y", facet="g")).axes:
        assert axes.get_ylim()[0] < -5


@pytest.mark.parametrize(("kind", "log"), [("cdf", "x"), ("box", "y")])
def test_observations_of_zero_stay_in_a_distribution_on_a_logarithmic_axis(kind, log):
    data = from_frame(pl.DataFrame({"y": [0.0, 5.0, 0.0, 7.0]}), "it")
    [axes] = picture(data, request_of(kind, y="y", log=log)).axes
    if kind == "cdf":
        assert axes.lines[0].get_xydata().tolist() == [[0, 0], [0, 0.25], [0, 0.5], [5, 0.75], [7, 1]]
    else:
        assert 2.5 in [value for line in axes.lines for value in line.get_ydata()]  # the median
    with pytest.raises(InputError, match="is above 0"):
        picture(from_frame(pl.DataFrame({"y": [0.0, 0.0]}), "it"), request_of(kind, y="y", log=log))


@pytest.mark.parametrize("odd", [*ODD])
def test_a_report_draws_only_numbers(odd):
    try:
        chart = chart_of(ODD[odd], request_of())
    except InputError:
        return
    for trace in itertools.chain.from_iterable(plot.traces for plot in chart_plots("it", chart)):
        assert all(map(math.isfinite, trace["y"]))
        assert len(trace["x"]) == len(trace["y"])


def long_named():
    names = ["tail drop of 20 packets", "tail drop of 80 packets", "RED with gentle and 1000 packets", "PIE"]
    labels = [
        {"of": "web", "size": "100000 bytes to 1000000 bytes", "quantile": "0.99"},
        {"of": "bulk transfers to the far end", "statistic": "mean"},
    ]
    places = [
        {"discipline": name, "rtt": rtt, "bulk.transport.tcp.congestion-control": control}
        for name in names
        for rtt in ("10 ms", "1000 ms")
        for control in ("reno", "cubic")
    ]
    return points(places, [[number, number + 1] for number in range(1, len(places) + 1)], labels)


@pytest.mark.parametrize("width", ["column", "page"])
@pytest.mark.parametrize(
    "asked",
    [
        {"x": "rtt", "y": ("completion-time[0.99]", "completion-time[mean]"), "facet": "discipline"},
        {"x": "rtt", "y": "completion-time[0.99]", "by": "discipline", "facet": "congestion-control"},
        {"kind": "bar", "x": "discipline", "y": "completion-time[mean]", "facet": "rtt", "title": "A long title " * 12},
    ],
)
def test_no_text_of_a_panel_covers_that_of_another(width, asked):
    if width == "column" and isinstance(asked["y"], tuple):
        asked = asked | {"where": {"rtt": "10 ms"}, "x": "discipline", "facet": "congestion-control"}
    drawn = picture(long_named(), request_of(width=width, **asked))
    texts = [
        text
        for axes in drawn.axes
        for text in (axes.title, axes.xaxis.label, axes.yaxis.label, *shown_ticks(axes))
        if text.get_text() and text.get_visible()
    ]
    texts += [text for text in (drawn._suptitle,) if text is not None]
    boxes = [(text.get_text(), text.get_window_extent()) for text in texts]
    for (one, box), (other, its) in itertools.combinations(boxes, 2):
        # A pixel is what rounding may take.
        apart = box.x1 <= its.x0 + 1 or its.x1 <= box.x0 + 1 or box.y1 <= its.y0 + 1 or its.y1 <= box.y0 + 1
        assert apart, (one, other)
    assert min(axes.get_window_extent().height for axes in drawn.axes) / drawn.dpi > 0.6
