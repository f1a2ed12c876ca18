"""The next steps of BCN: points that can be run, and their stored results."""

import importlib
import json
from pathlib import Path

import pytest

from penstock import _core

ROOT = Path(__file__).parents[2]
STORED = ROOT / "docs" / "studies" / "bcn-next-steps"
NAMES = [
    "dimension",
    "mixed-rates",
    "asymmetric",
    "delay-product",
    "bottlenecks",
    "bursts",
    "with-tcp",
    "lost-messages",
]


@pytest.fixture
def study(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "examples" / "studies"))
    return importlib.import_module("bcn_next_steps")


def test_all_steps_are_there(study):
    assert list(study.STUDIES) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_points_are_sound_and_stored(study, name):
    points = list(study.STUDIES[name][0]())
    stored = json.loads((STORED / f"{name}.json").read_text())
    assert [{key: row[key] for key in point} for row, (point, _) in zip(stored, points, strict=True)] == [
        point for point, _ in points
    ]
    for point, own in points:
        assert _core.check(own.scenario(), str(point), []) == []
    assert (STORED / f"{name}.svg").exists()


def test_a_point_gives_its_numbers(study, tmp_path):
    from penstock.store import Store

    star = study.Star(rates=[1000, 1000], delays=["0.5 us"] * 2, rate=1000)
    star.datagrams(study.ps.Cbr(rate="900 Mbit/s", packet="1500 bytes", spacing_jitter="10 %"))
    found = study.numbers(star.study(40), 2, 1, Store(tmp_path))
    assert {len(values) for values in found.values()} == {2}
    # Two of 900 Mbit/s at a port of 1 Gbit/s: the queue is held far below its limit, and limiters drop the rest.
    assert all(0 < queue < 100 for queue in found["queue (packets)"])
    assert all(0 <= index <= 1 for index in found["Jain's index"])
    assert found["loss at the port (%)"] == [0, 0]
    assert all(loss > 10 for loss in found["loss (%)"])


def test_lost_messages_are_what_the_point_says():
    # The last of them: nearly all messages are lost, and the queue runs full.
    stored = json.loads((STORED / "lost-messages.json").read_text())
    assert stored[-1]["queue (packets)"] > 5 * stored[0]["queue (packets)"]
