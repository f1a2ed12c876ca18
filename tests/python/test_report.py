"""How numbers are shown to people."""

from __future__ import annotations

import pytest

from penstock.cli.console import show
from penstock.parameter_columns import parameter_columns
from penstock.provenance import Provenance
from penstock.reproductions import layout
from penstock.reproductions.comparison import Comparison
from penstock.reproductions.loading import load
from penstock.reproductions.sensitivity import Shift
from penstock.reproductions.summary import Score
from penstock.results import Summary
from penstock.statistics import Interval, interval
from penstock.tabulation import table_of
from penstock.unit_scale import scale


def summary(metric, unit, values, **labels):
    return Summary("demo", {}, metric, labels, unit, values, interval(values), Provenance({}))


def rows_of(summaries):
    return table_of(summaries, parameter_columns([], []))[1]


@pytest.mark.parametrize(
    ("metric", "unit", "means", "shown"),
    [
        ("goodput", "bit/s", [999.0], "bit/s"),
        ("goodput", "bit/s", [1000.0], "kbit/s"),
        ("goodput", "bit/s", [1000.0, 2e6], "Mbit/s"),
        ("goodput", "bit/s", [4e10], "Gbit/s"),
        ("goodput", "bit/s", [0.0], "bit/s"),
        ("delay", "s", [0.02], "ms"),
        ("delay", "s", [2e-6], "us"),
        ("delay", "s", [0.02, 1.5], "s"),
        ("termination-time", "s", [float("nan")], "s"),
        ("loss", "1", [0.02], "%"),
        ("fairness", "1", [0.5], ""),
        ("queue", "packets", [0.001], "packets"),
        ("power", "bit/s^2", [2.7e9, 0.1], "Gbit/s^2"),
        ("ratio", "s^2", [2.7e9], "s^2"),
    ],
)
def test_units_fit_the_largest_mean(metric, unit, means, shown):
    assert scale(metric, unit, means).unit == shown


@pytest.mark.parametrize(
    ("metric", "unit", "numbers", "shown"),
    [
        ("goodput", "bit/s", Interval(1_105_300, 1_102_900, 1_107_700, 5), "1.1053 ±0.0024"),
        ("delay", "s", Interval(0.0941, 0.0921, 0.0961, 5), "94.1 ±2.0"),
        ("loss", "1", Interval(0.0177, 0.0156, 0.0198, 5), "1.77 ±0.21"),
        ("utilisation", "1", Interval(1.0, 1.0, 1.0, 5), "100"),
        ("loss", "1", Interval(0.0, 0.0, 0.0, 5), "0"),
        ("drops", "packets", Interval(0.0, 0.0, 0.0, 5), "0"),
        ("goodput", "bit/s", Interval(5000.0, 5000.0, 5000.0, 5), "5 ±0"),
        # Bounds where the sides differ: near 0 and near the whole; the half alone would leave 0 to 100 %.
        ("loss", "1", Interval(0.0402, 0.00281, 0.3204, 5), "4 (0.28 to 32)"),
        ("utilisation", "1", Interval(0.99904, 0.976, 0.999957, 5), "99.904 (97.6 to 99.9957)"),
        ("fairness", "1", Interval(0.983, 0.866, 0.998, 3), "0.983 (0.87 to 0.998)"),
        ("loss", "1", Interval(2e-8, 1e-9, 1e-7, 3), "0.000002 (0.0000001 to 0.00001)"),
        # No more than four digits of a ratio, and never an interval that is too small.
        ("fairness", "1", Interval(0.101094, 0.101034, 0.101154, 5), "0.1011 ±0.0001"),
        ("fairness", "1", Interval(0.5, None, None, 1), "0.5"),
        ("termination-time", "s", Interval(float("nan"), None, None, 5), "unknown"),
    ],
)
def test_numbers_in_those_units(metric, unit, numbers, shown):
    assert scale(metric, unit, [numbers.mean]).text(numbers) == shown


def test_a_statistic_is_named_only_where_there_are_several():
    rows = rows_of(
        [
            summary("delay", "s", [0.1, 0.2], of="video", statistic="mean"),
            summary("delay", "s", [0.1, 0.2], of="video", statistic="max"),
            summary("loss", "1", [0.1, 0.2], of="video", statistic="mean"),
            summary("loss", "1", [0.1, 0.2], of="bulk", statistic="mean"),
            summary("loss", "1", [0.1, 0.2], flow="bulk[0]"),
        ]
    )
    assert [row[1] for row in rows] == ["video statistic=mean", "video statistic=max", "video", "bulk", "bulk[0]"]


def test_a_mean_beside_quantiles_says_that_it_is_one():
    rows = rows_of(
        [
            summary("wait", "s", [0.1, 0.2], of="a-b", **{"class": "ef"}, statistic="mean"),
            summary("wait", "s", [0.1, 0.2], of="a-b", **{"class": "ef"}, quantile="0.9"),
        ]
    )
    assert [row[1] for row in rows] == ["a-b class=ef statistic=mean", "a-b class=ef quantile=0.9"]


def test_a_metric_may_have_several_units():
    rows = rows_of(
        [
            summary("meter-state", "bit", [9000.0, 9100.0], of="a-b", variable="fill"),
            summary("meter-state", "packets", [1.0, 2.0], of="a-b", variable="count"),
        ]
    )
    assert [row[3] for row in rows] == ["bit", "packets"]


def test_causes_that_never_came_up_share_a_line():
    def drops(link, cause, *values):
        return summary("drops", "packets", list(values), link=link, statistic="sum", cause=cause)

    rows = rows_of(
        [
            drops("a-b", "overflow", 0.0, 3.0),
            drops("a-b", "early", 0.0, 0.0),
            drops("a-b", "policed", 0.0, 0.0),
            drops("b-c", "overflow", 0.0, 0.0),
            drops("b-c", "early", 0.0, 0.0),
            drops("c-d", "overflow", 1.0, 1.0),
            drops("c-d", "early", 0.0, 0.0),
        ]
    )
    assert [(row[1], row[2].split()[0]) for row in rows] == [
        ("a-b cause=overflow", "2"),
        ("a-b cause=all-others", "0"),
        ("b-c cause=all", "0"),
        ("c-d cause=overflow", "1"),
        ("c-d cause=early", "0"),
    ]


@pytest.mark.parametrize(
    ("runs", "moves", "said"), [(1, "unknown", "one pair of runs does not tell"), (3, "0 of 1", "over 3 pairs of runs")]
)
def test_one_pair_of_runs_moves_nothing_for_certain(capsys, runs, moves, said):
    document = load("af").document
    question = next(question for question in document.questions if question.alternatives)
    ends = (None, None) if runs == 1 else (-1.0, 3.0)
    answer = question.alternatives[0].key
    chosen, other = (Comparison("af", "2", {}, "x", "1", 5.0, mean, agrees=True) for mean in (4.0, 5.0))
    shift = Shift(question.id, answer, chosen, other, Interval(1.0, *ends, runs))
    show(layout.overview(document, [shift], [Score(60, 58, None, {"other-marker": 57})]))
    lines = capsys.readouterr().out.splitlines()
    worth = "Under the chosen answers 58 of 60 agree; best null model 57 (other-marker), discrimination +0.02."
    assert worth in " ".join(lines)
    assert any(line.split() == [question.id, answer, *moves.split(), "1", "of", "1"] for line in lines)
    assert said in " ".join(lines)
    assert all(line == line.rstrip() for line in lines)
