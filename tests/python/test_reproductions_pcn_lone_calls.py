"""Single marking with one call per ingress: what counting marked calls gives, next to the stored runs."""

import json
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCHEMES = ROOT / "docs" / "studies" / "pcn" / "schemes.json"
over_admission = runpy.run_path(str(ROOT / "examples" / "studies" / "pcn_lone_calls.py"))["over_admission"]


def stored(panel, calls):
    rows = json.loads(SCHEMES.read_text())
    return next(row for row in rows if (row["panel"], row["series"], row["x"]) == (panel, "SM", calls))


def test_counting_marked_calls_gives_what_runs_give():
    (share,) = over_admission((180.0,), calls=1, offered=5, frozen=False)
    assert share == pytest.approx(0.76, abs=0.005)
    row = stored("plain", 1.0)
    # Points of over-admission; random delays, which spread the marks over all calls, are far from it.
    assert 100 * share == pytest.approx(row["mean"], abs=3)
    assert stored("randomised", 1.0)["mean"] < 20


def test_a_level_that_stays_makes_over_admission_fall_with_time():
    early, middle, late = over_admission((50.0, 150.0, 300.0), calls=1, offered=5, frozen=True)
    assert early > 0.6 > middle > 0.4 > late > 0.25
    steady = over_admission((150.0, 300.0), calls=1, offered=5, frozen=False)
    assert steady[1] == pytest.approx(steady[0], abs=0.002)


def test_below_the_admissible_rate_nothing_is_marked():
    # 0.5 calls offered per ingress: no marks, so all are admitted.
    (share,) = over_admission((600.0,), calls=1, offered=0.5, frozen=True)
    assert share == pytest.approx(-0.5, abs=0.001)
