"""How well the print of a study can tell its two schemes apart."""

import statistics

import pytest

from penstock.reproductions.contrasts import power_section, scheme_powers
from penstock.reproductions.loading import load
from penstock.reproductions.pages import explain
from penstock.reproductions.stored import stored_outcome


@pytest.fixture(scope="module")
def markers():
    return scheme_powers(stored_outcome(load("af")))


def test_a_bucket_alone_is_the_same_in_both_markers(markers):
    # None or two precedences leave one bucket of one rate: 6 rows of 6 numbers.
    same = [pair for pair in markers if pair.identical]
    assert len(same) == 36
    assert {pair.left[1][1] for pair in same} == {"none", "2"}
    assert not any(pair.difference for pair in same)


def test_one_row_tells_the_markers_apart(markers):
    strong = [pair for pair in markers if pair.power > 0.75]
    assert {pair.left[1] for pair in strong} == {("1.28M", "3", "192")}
    assert {pair.left[2] for pair in strong} == {"avg_tcp", "max_udp", "min_udp", "fairness"}
    assert all(pair.is_clear and pair.printed * pair.difference > 0 for pair in strong)
    assert all(pair.power < 0.4 for pair in markers if pair not in strong)


def test_rows_that_both_tables_have_scatter_as_single_runs(markers):
    ratios = [(pair.printed / pair.deviation) ** 2 for pair in markers if pair.identical and pair.left[1][1] == "2"]
    # Around 1 for single runs and 0.2 for means of five; the six numbers of a row are not independent.
    assert len(ratios) == 24
    assert 0.5 < statistics.fmean(ratios) < 1.7


def test_pages_show_the_power_where_two_schemes_are_printed():
    lines = power_section(load("af"))
    assert "| the same in our runs | 36 | 1 | 0 |" in lines
    assert "| power 0.8 to 1 | 3 | 3 | 3 |" in lines
    assert "## What the print can tell of the two schemes" in explain("pcn")
    assert not power_section(load("ubr")), "it compares no two schemes"
