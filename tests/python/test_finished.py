"""Completion times are of the transfers that finished: every table, plot and page says of how many."""

from __future__ import annotations

import math

import pytest

from penstock.finished import finished_of, group_of, range_text
from penstock.parameter_columns import parameter_columns
from penstock.plots import request_of
from penstock.plots.canvas import note_of
from penstock.plots.chart import chart_of
from penstock.plots.data import from_summaries
from penstock.provenance import Provenance
from penstock.results import Summary
from penstock.statistics import interval
from penstock.tabulation import table_of


def numbers(point, values, finished, arrived, **labels):
    """What a point measures of a group of transfers: quantiles of their times, and how many there were."""
    found = [
        ("completion-time", "s", {"of": "web", **labels, "quantile": "0.5"}, values),
        ("completion-time", "s", {"of": "web", **labels, "quantile": "0.99"}, [2 * value for value in values]),
    ]
    for what, counts in (
        ("arrived", arrived),
        ("finished", finished),
        ("unfinished", [all_of - some for all_of, some in zip(arrived, finished, strict=True)]),
    ):
        found.append(("transfers", "transfers", {"of": "web", **labels, "statistic": "sum", "what": what}, counts))
    made = Provenance({}, 10.0, 0.0, 1)
    return [Summary("it", point, name, label, unit, list(of), interval(of), made) for name, unit, label, of in found]


POINTS = [{"a-b.rate": "1 Mbit/s"}, {"a-b.rate": "2 Mbit/s"}]
SUMMARIES = [
    *numbers(POINTS[0], [0.1, 0.2], [400, 416], [450, 450]),
    *numbers(POINTS[1], [0.1, 0.1], [450, 450], [450, 450]),
]


def test_a_table_says_of_how_many_each_number_is():
    heads, rows = table_of(SUMMARIES, parameter_columns(POINTS, ["a-b.rate"]))
    assert heads == ["metric", "of", "rate", "mean", "unit", "runs", "finished"]
    assert [(row[1], row[2], row[-1]) for row in rows] == [
        ("web quantile=0.5", "1 Mbit/s", "816 of 900"),
        ("web quantile=0.5", "2 Mbit/s", "900 of 900"),
        ("web quantile=0.99", "1 Mbit/s", "816 of 900"),
        ("web quantile=0.99", "2 Mbit/s", "900 of 900"),
    ]


def test_classes_of_size_have_counts_of_their_own():
    classes = [
        *numbers({}, [0.1], [90], [100], size="up to 100 kB"),
        *numbers({}, [math.nan], [0], [3], size="above 100 kB"),
    ]
    heads, rows = table_of(classes, parameter_columns([], []))
    assert [(row[1].partition(" quantile")[0], row[2], row[-1]) for row in rows[::2]] == [
        ("web size=up to 100 kB", "100", "90 of 100"),
        ("web size=above 100 kB", "unknown", "0 of 3"),
    ]
    assert heads[-1] == "finished"


def test_counts_alone_are_rows_like_others():
    heads, rows = table_of([each for each in SUMMARIES if each.metric == "transfers"], parameter_columns([], []))
    assert "finished" not in heads
    assert len(rows) == 6


def test_a_plot_says_it_below():
    def note(where=None, y="completion-time"):
        request = request_of("bar", y=y, x="quantile", by="a-b.rate", where=where)
        return note_of(chart_of(from_summaries(SUMMARIES), request), True)

    assert note().endswith("; 90.67 to 100 % finished")
    assert note({"a-b.rate": "1 Mbit/s"}).endswith("; 816 of 900 finished")
    counts = request_of("bar", y="transfers", x="what")
    assert "finished" not in note_of(chart_of(from_summaries(SUMMARIES), counts), True)


@pytest.mark.parametrize(("finished", "is_warned"), [(990, False), (989, True), (0, True), (1000, False)])
def test_below_99_percent_there_is_a_warning(finished, is_warned):
    (found,) = finished_of(numbers({}, [0.1], [finished], [1000])).values()
    assert found.is_warned == is_warned


def test_where_no_transfer_arrived_nothing_is_warned_of():
    found = finished_of(numbers({}, [math.nan], [0], [0]))
    assert [(each.text, each.is_warned) for each in found.values()] == [("0 of 0", False)]
    assert range_text([]) == ""
    assert group_of(SUMMARIES[0]) == group_of(SUMMARIES[2]) != group_of(SUMMARIES[5])
