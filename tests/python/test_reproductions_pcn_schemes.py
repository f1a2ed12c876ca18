"""Five PCN schemes side by side."""

import json
import tomllib

import pytest

from penstock import _core
from penstock.records import Metric, RunResult
from penstock.reproductions.evidence import Estimate
from penstock.reproductions.pcn import schemes
from penstock.reproductions.pcn.scenario import scenario


@pytest.fixture(scope="module")
def points():
    return schemes.points()


def page(points, figure, scheme, x):
    (point,) = (p for p in points if (p.figure, p.scheme, p.x) == (figure, scheme, x))
    return tomllib.loads(scenario(point.settings, point.case))


def test_every_point_can_be_run(points):
    assert {point.figure for point in points} == set(schemes.FIGURES)
    for text in {scenario(point.settings, point.case) for point in points}:
        assert _core.check(text, "schemes", []) == []


def test_schemes_differ_in_meters_and_edges_only(points):
    pages = {scheme: page(points, "admission-load", scheme, 2.0) for scheme in schemes.SCHEMES}
    meters = {scheme: list(data["links"][0]["pcn"]) for scheme, data in pages.items()}
    assert meters == {
        "STM": ["single-threshold"],
        "CL": ["virtual-queue", "pre-emption"],
        "SM": ["excess"],
        "RFC 6661": ["threshold", "excess"],
        "RFC 6662": ["excess"],
    }
    # 2 x 1000 calls of 60 s: one every 30 ms.
    assert {data["calls"][0]["arrivals"]["poisson"]["interval"] for data in pages.values()} == {"30 ms"}
    sm = page(points, "termination-load", "SM", 1.5)["calls"][0]["termination"]["sm"]
    assert sm["u"] == 2.0


def test_a_small_comparison_is_run_and_written(points, monkeypatch):
    monkeypatch.setattr(schemes, "points", lambda: [p for p in points if p.figure == "termination-time"][:2])

    def run_all(requests, **_):
        metrics = [
            Metric("throughput", {"of": "a-b"}, "bit/s", 128e6),
            Metric("termination-time", {"of": "calls", "from": "first-termination"}, "s", 0.5),
        ]
        return [RunResult(request, metrics, "d", 1) for request in requests]

    monkeypatch.setattr(schemes, "run_all", run_all)
    rows = json.loads(schemes.as_json(schemes.compare(3)))
    assert [(row["scheme"], row["x"], row["mean"], row["runs"]) for row in rows] == [
        ("STM", 1.25, 0.5, 3),
        ("STM", 1.5, 0.5, 3),
    ]


def test_figures_are_the_same_every_time(points, tmp_path):
    pytest.importorskip("matplotlib")
    compared = [(point, Estimate.of([1.0, 2.0, 3.0])) for point in points]
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        schemes.draw(compared, tmp_path / name)
    drawn = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert drawn == sorted(f"{name}.svg" for name in schemes.FIGURES)
    assert all((tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes() for name in drawn)
