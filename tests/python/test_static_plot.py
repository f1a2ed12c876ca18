"""Plots of reports without a script: where bars, points and error bars are."""

from __future__ import annotations

import re

import pytest

from penstock.report.content import Plot
from penstock.report.render import static_plot


def drawn(traces, **layout):
    axes = {"height": 300, "xaxis": {}, "yaxis": {"rangemode": "tozero"}}
    return static_plot(Plot("p", "title", "text", traces, axes | layout))


def rows(drawing, tag):
    """The numbers of every element of a kind."""
    found = re.findall(rf"<{tag} ([^>]*)>", drawing)
    return [
        {key: float(value) for key, value in re.findall(r'([xy][12]?|width|height)="([\d.]+)%"', each)}
        for each in found
    ]


BARS = {
    "type": "bar",
    "name": "bulk",
    "x": [0, 1],
    "y": [4.0, 8.0],
    "marker": {"color": "#0072b2"},
    "error_y": {"type": "data", "array": [1.0, 2.0], "arrayminus": [1.0, 0.5], "thickness": 1.2},
}


def test_bars_begin_at_zero_and_their_heights_have_the_ratio_of_the_means():
    text = drawn([BARS], xaxis={"tickvals": [0, 1], "ticktext": ["red", "pie"]}, bargap=0.5)
    low, high = (bar for bar in rows(text, "rect"))
    assert high["height"] == pytest.approx(2 * low["height"], abs=0.02)
    assert low["y"] + low["height"] == pytest.approx(100, abs=0.02)
    # Half of a category, around its middle: a quarter and three quarters of the width.
    assert low["x"] + low["width"] / 2 == pytest.approx(25, abs=0.01)
    assert high["x"] + high["width"] / 2 == pytest.approx(75, abs=0.01)
    assert low["width"] == pytest.approx(25, abs=0.01)
    assert "<title>bulk: 8 at pie</title>" in text


def test_bars_of_a_trace_that_lacks_places_are_as_wide_as_others():
    three = {"tickvals": [0, 1, 2], "ticktext": ["red", "pie", "codel"], "range": [-0.5, 2.5]}
    first, last = rows(drawn([BARS | {"x": [0, 2]}], xaxis=three, bargap=0.5), "rect")
    assert [first["width"], last["width"]] == pytest.approx([100 / 6] * 2, abs=0.02)
    assert first["x"] + first["width"] / 2 == pytest.approx(100 / 6, abs=0.02)


def test_error_bars_reach_from_low_to_high():
    text = drawn([BARS], xaxis={"tickvals": [0, 1], "ticktext": ["red", "pie"]})
    low, high = rows(text, "rect")
    unit = low["height"] / 4
    bars = [
        line
        for line in rows(text, "line")
        if line.get("x1") == line.get("x2") and "y1" in line and line["y1"] != line["y2"]
    ]
    bars = [line for line in bars if line["y1"] < 100]
    assert [line["y1"] - line["y2"] for line in bars] == pytest.approx([2 * unit, 2.5 * unit], abs=0.05)
    assert bars[1]["y2"] == pytest.approx(high["y"] - 2 * unit, abs=0.05)


def test_lines_join_the_points_in_order_and_hidden_traces_are_left_out():
    line = {
        "type": "scatter",
        "mode": "lines+markers",
        "name": "a",
        "x": [0, 5, 10],
        "y": [1.0, 3.0, 2.0],
        "marker": {},
    }
    other = {**line, "name": "null model", "visible": "legendonly"}
    text = drawn([line, other])
    assert "null model" not in text
    marks = [(float(x), float(y)) for x, y in re.findall(r'<svg x="([\d.]+)%" y="([\d.]+)%"[^>]*><title>', text)]
    assert len(marks) == 3
    joins = [line for line in rows(text, "line") if {"x1", "x2", "y1", "y2"} <= line.keys() and line["x1"] != line["x2"]
             and line["y1"] != line["y2"]]  # fmt: skip
    assert [((each["x1"], each["y1"]), (each["x2"], each["y2"])) for each in joins] == [
        (marks[0], marks[1]),
        (marks[1], marks[2]),
    ]
    assert marks[1][0] == pytest.approx(50, abs=0.01)


def test_a_single_value_has_a_range():
    text = drawn([{"type": "scatter", "mode": "markers", "name": "a", "x": [3], "y": [0.0], "marker": {}}])
    assert "nan" not in text
    assert re.search(r'<svg x="50.00%" y="100.00%"', text)


def test_a_legend_with_a_title_for_several_lines():
    line = {"type": "scatter", "mode": "lines", "name": "1", "x": [0, 1], "y": [1.0, 2.0], "marker": {}}
    text = drawn([line, {**line, "name": "2"}], legend={"title": {"text": "weight"}})
    assert re.findall(r"<li>(?:<svg.*?</svg>)?(.*?)</li>", text) == ["weight:", "1", "2"]
    assert "<ul" not in drawn([line])
