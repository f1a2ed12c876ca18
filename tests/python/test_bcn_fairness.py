"""The sweep of BCN's parameters: its numbers by hand, and its stored results."""

import importlib
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STORED = json.loads((ROOT / "docs" / "studies" / "bcn-fairness" / "points.json").read_text())


@pytest.fixture
def study(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "examples" / "studies"))
    return importlib.import_module("bcn_fairness")


EVEN, ODD = [2.0, 2.1], [1.0, 3.0]


@pytest.mark.parametrize(
    ("bins", "size", "share", "expected"),
    [
        ([EVEN, EVEN], 5, 0.1, 0),
        ([ODD, EVEN, EVEN], 5, 0.1, 5),
        ([EVEN, ODD, EVEN], 5, 0.1, 10),  # fair at first, and then not: only what lasts counts
        ([EVEN, EVEN, ODD], 5, 0.1, None),
        ([EVEN, EVEN, ODD], 5, 0.5, 0),
        ([[1.0, 3.0], [3.0, 1.0]], 10, 0.1, 0),  # even over both intervals together
        ([[0.0, 0.0], EVEN], 5, 0.1, 5),  # who sends nothing shares nothing
    ],
)
def test_fair_is_what_lasts_to_the_end(study, bins, size, share, expected):
    assert study.fair_after(bins, size, share) == expected


def test_spread_is_over_the_mean_in_intervals_of_10_ms(study):
    # 1 and 3 twice, then 2 and 2 twice: 50 % and nothing.
    assert study.spread([[1.0, 3.0], [1.0, 3.0], [2.0, 2.0], [2.0, 2.0]]) == 0.25


def test_what_is_stored_are_the_points_of_the_study(study):
    told = [(row["link"], row["parameter"], row["value"]) for row in STORED]
    assert told == [point[:3] for point in study.points()]


def test_increase_gain_and_rate_unit_are_one_parameter():
    values = {(row["link"], row["parameter"], row["value"]): row["queue"] for row in STORED}
    for link in ("10 Gbit/s", "1 Gbit/s"):
        assert values[link, "Gi", 1.0] == values[link, "Ru", 2.0] != values[link, "Ru", 4.0]


def test_a_run_gives_its_numbers(study, monkeypatch):
    monkeypatch.setattr(study, "DURATION", 120)
    monkeypatch.setattr(study.page, "__defaults__", (120,))
    found = study.measured(("1 Gbit/s", study.SLIDES, 0))
    assert set(found["fair"]) == {(size, share) for size in study.BINS for share in study.SHARES}
    assert 0 < found["queue"] < 300
    assert 0 < found["spread"] < 2
