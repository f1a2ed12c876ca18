"""Six PCN schemes side by side, and the marked share over the load."""

from __future__ import annotations

import importlib
import json
import math
import sys
import tomllib
from pathlib import Path

import pytest

from penstock import _core
from penstock.records import RunRequest
from penstock.running import run_all
from penstock.statistics import interval

ROOT = Path(__file__).resolve().parents[2]
STORED = ROOT / "docs" / "studies" / "pcn"
sys.path.append(str(ROOT / "examples" / "studies"))
module, schemes, curves, figures = (
    importlib.import_module(f"pcn_{name}") for name in ("schemes", "side_by_side", "marking", "figures")
)
STUDIES = {"schemes": schemes, "marking": curves}


@pytest.fixture(scope="module")
def points():
    return schemes.points()


def find(points, panel, series, x):
    (point,) = (p for p in points if (p.panel, p.series, p.x) == (panel, series, x))
    return point


def run(point, runs=1):
    return [point.value(result) for result in run_all([RunRequest(point.page, (), 1, n, "run") for n in range(runs)])]


@pytest.mark.parametrize("study", STUDIES.values(), ids=STUDIES)
def test_every_point_is_drawn_and_can_be_run(study):
    every = study.points()
    panels = [panel.name for figure in study.figures() for panel in figure.panels]
    assert len(panels) == len(set(panels))
    assert {point.panel for point in every} == set(panels)
    # Not even a warning.
    assert all(_core.check(page, "point", []) == [] for page in {point.page for point in every})


def test_schemes_differ_in_meters_and_edges_only(points):
    pages = {scheme: tomllib.loads(find(points, "load", scheme, 2.0).page) for scheme in schemes.SCHEMES}
    meters = {scheme: list(data["links"][0]["pcn"]) for scheme, data in pages.items()}
    assert meters == {
        "STM": ["single-threshold"],
        "CL": ["virtual-queue", "pre-emption"],
        "SM": ["excess"],
        "RFC 6661": ["threshold", "excess"],
        "RFC 6662": ["excess"],
        "3sM": ["threshold", "excess"],
    }
    # 2 x 1000 calls of 60 s: one every 30 ms; the link is full after 42 s.
    assert {data["calls"][0]["arrivals"]["poisson"]["interval"] for data in pages.values()} == {"30 ms"}
    assert {(data["warm-up"], data["duration"]) for data in pages.values()} == {("80 s", "140 s")}
    sm = tomllib.loads(find(points, "over", "SM", 1.5).page)["calls"][0]["termination"]["sm"]
    assert sm["u"] == 2.0


@pytest.mark.parametrize(("panel", "x"), [("over", 1.1), ("over-sizes", 10.0)])
def test_three_state_marking_marks_what_its_delays_allow(points, panel, x):
    data = tomllib.loads(find(points, panel, "3sM", x).page)
    (calls,) = data["calls"]
    # Path and signal, and the longest time that packets sent before the end of their call are under way.
    milliseconds = [link["delay"] for link in data["links"]] * 2 + calls["delay"]["added"]["uniform"][1:]
    delay = sum(float(text.removesuffix(" ms")) for text in milliseconds if text != "0 s")
    assert calls["delay"]["at-end"] == "sent"
    assert (calls["source"]["cbr"]["rate"], calls["source"]["cbr"]["packet"]) == ("64 kbit/s", "160 bytes")
    spacing = 8 * 160 / 64
    meter = data["links"][-1]["pcn"]["excess"]
    assert meter["mark-every"] == math.ceil(math.e * delay / spacing) == 8
    assert calls["termination"] == {"marked-flow": {}}


def test_three_state_marking_admits_as_cl_does(points):
    cl, three_state = (tomllib.loads(find(points, "load", scheme, 2.0).page)["calls"] for scheme in ("CL", "3sM"))
    assert cl == three_state


def test_a_run_of_every_scheme(points):
    rows = json.loads((STORED / "schemes.json").read_text(encoding="utf-8"))
    for scheme in schemes.SCHEMES:
        for panel in ("over", "time"):
            (row,) = (row for row in rows if (row["panel"], row["series"], row["x"]) == (panel, scheme, 1.25))
            if row["mean"] is None:
                continue  # some runs never fell below SR
            # The stored mean is of five runs, including this one: half an interval is 2.776 standard errors.
            deviation = (row["ci_high"] - row["ci_low"]) / 2 / 2.776 * math.sqrt(row["runs"])
            assert run(find(points, panel, scheme, 1.25))[0] == pytest.approx(row["mean"], abs=4 * deviation + 1e-6), (
                scheme
            )


def test_the_marked_share_is_that_of_the_figures():
    every = curves.points()
    # Every third of what arrives, against figure 2; every third of what finds the bucket not full, as it is drawn.
    for panel, middle in (("figure-2", 1 / 3), ("figure-2-text", 0.8 / 3), ("figure-e1", 1 / 3)):
        for series in (curves.CBR, curves.POISSON):
            below, above = (run(find(every, panel, series, x))[0] for x in (0.5, 1.1))
            assert (below, above) == (0, 1), panel
            # Flows whose phases stay as they are make a run a single sample of them.
            found = interval(run(find(every, panel, series, 0.8), 8))
            error = (found.high - found.low) / 2 / 2.365
            assert abs(found.mean - middle) < max(4 * error, 1e-5), panel
            assert error < 0.01 * middle, panel


@pytest.mark.parametrize("flows", [2, 10, 40])
def test_cbr_finds_the_bucket_not_full_as_the_ballot_theorem_says(flows):
    (point,) = (p for p in curves.points() if (p.panel, p.series, p.x) == ("appendix-d", curves.CBR, flows))
    values = run(point, 1000)
    found = interval(values)
    error = (found.high - found.low) / 2 / 1.962
    assert abs(found.mean - (flows - 1) / curves.PLACES) < 4 * error
    assert error < 0.004


def test_poisson_finds_the_bucket_not_full_as_often_as_it_sends():
    (point,) = (p for p in curves.points() if (p.panel, p.series, p.x) == ("appendix-d", curves.POISSON, 40))
    found = interval(run(point, 8))
    error = (found.high - found.low) / 2 / 2.365
    assert abs(found.mean - 40 / curves.PLACES) < 4 * error
    assert error < 0.004


def test_rows_are_a_line_each_without_what_is_no_number():
    pytest.importorskip("matplotlib")
    rows = [{"panel": "a", "series": "b", "x": 1.0, "mean": math.nan, "ci_low": None, "runs": 1}]
    assert json.loads(module.as_json(rows)) == [
        {"panel": "a", "series": "b", "x": 1.0, "mean": None, "ci_low": None, "runs": 1}
    ]


class Few:
    """A study of two points."""

    def __init__(self, study, panel):
        self.chosen = [p for p in study.points() if p.panel == panel][:2]
        zero = figures.Line("zero", ((0, 0), (1, 0)))
        self.figure = figures.Figure(panel, (figures.Panel(panel, "Few", "x", "y", lines=(zero,)),))

    def points(self):
        return self.chosen

    def figures(self):
        return [self.figure]


def test_the_script_writes_tables_and_figures(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(module, "pcn_side_by_side", Few(schemes, "time"))
    monkeypatch.setattr(module, "pcn_marking", Few(curves, "appendix-d"))
    written = []
    for name in ("one", "two"):
        folder = tmp_path / name
        monkeypatch.setattr(
            sys, "argv", ["pcn_schemes.py", str(folder), "--runs", "2", "--store", str(tmp_path / "runs")]
        )
        module.main()
        written.append({path.name: path.read_bytes() for path in folder.iterdir()})
    assert sorted(written[0]) == ["appendix-d.svg", "marking.json", "schemes.json", "time.svg"]
    assert written[0] == written[1]
    rows = json.loads(written[0]["schemes.json"])
    assert [(row["series"], row["x"], row["runs"]) for row in rows] == [("STM", 1.1, 2), ("STM", 1.25, 2)]


@pytest.mark.parametrize(("name", "study"), STUDIES.items())
def test_what_is_stored_is_what_would_be_run_and_drawn(name, study, tmp_path):
    rows = json.loads((STORED / f"{name}.json").read_text(encoding="utf-8"))
    assert [(row["panel"], row["series"], row["x"]) for row in rows] == [
        (p.panel, p.series, p.x) for p in study.points()
    ]
    assert {row["runs"] for row in rows} == {5}
    pytest.importorskip("matplotlib")
    assert len({row["series"] for row in rows}) <= len(module.COLOURS)
    module.draw(study.figures(), rows, tmp_path)
    for path in tmp_path.iterdir():
        assert (STORED / path.name).read_bytes() == path.read_bytes(), path.name
