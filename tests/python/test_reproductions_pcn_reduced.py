"""Some rows of the PCN study as they are, run once."""

import pytest

from penstock.records import RunRequest
from penstock.reproductions.pcn.cases import cases
from penstock.reproductions.reading import Readings
from penstock.reproductions.study import load
from penstock.running import run_all

STUDY = load("pcn")
SETTINGS = Readings(STUDY.document).settings()


def numbers(table, **key):
    table = STUDY.document.table(table)
    (row,) = (row for row in table.rows if row.matches(key))
    parts = STUDY.build(SETTINGS, table, row)
    assert list(parts) == list(cases(SETTINGS, table, row))
    results = run_all([RunRequest(text, name=part) for part, text in parts.items()])
    return STUDY.measure(SETTINGS, table, row, dict(zip(parts, results, strict=True)))


def test_admission_on_the_single_link():
    found = numbers("B.3", traffic="CBR")
    # Half a percent is seven times the printed number; counting calls gives -0.01 %.
    assert found["stm"] == pytest.approx(0.065, abs=0.5)
    assert found["cl"] == pytest.approx(0.028, abs=0.5)


def test_termination_on_the_single_link():
    found = numbers("C.1", traffic="CBR", load_over_sr=1.25)
    # Five cuts of 5 %, 0.1 s apart, leave 96.7 % of SR; each is rounded to whole calls.
    assert found["termination_time_stm"] == pytest.approx(0.4, abs=0.001)
    assert 3.2 < found["over_termination_stm"] < 4.5
    assert 0 < found["over_termination_cl"] < 5
