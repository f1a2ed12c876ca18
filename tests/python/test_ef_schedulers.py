"""Schedulers for Expedited Forwarding, beyond the print: the script, and what theory says of its runs."""

from __future__ import annotations

import importlib
import json
import math
import re
import sys
import tomllib
from pathlib import Path

import pytest

import penstock as ps
from penstock import _core
from penstock.statistics import interval
from penstock.store import Store

ROOT = Path(__file__).resolve().parents[2]
STORED = ROOT / "docs" / "studies" / "ef"
PACKET = 8000 * 1500 / 1_500_000
"""What a long packet needs on a link, in ms."""


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "examples" / "studies")
    return importlib.import_module("ef_schedulers")


@pytest.fixture
def measured(script, tmp_path):
    return lambda case, runs=1: script.measure(case, runs, None, Store(tmp_path))


def page(script, case):
    return ps.Study(script.network(case), duration="200 s", warm_up="20 s").scenario()


def test_every_point_can_be_run(script):
    # Not even a warning.
    assert all(_core.check(page(script, case), "point", []) == [] for case in script.cases())


def test_schedulers_differ_in_their_ports_only(script):
    pages = {scheduler: tomllib.loads(page(script, script.Case(scheduler))) for scheduler in script.SCHEDULERS}
    ports = {scheduler: data.pop("links") for scheduler, data in pages.items()}
    assert all(data == pages["PQ"] for data in pages.values())
    assert {scheduler: list(links[0]["scheduler"]) for scheduler, links in ports.items()} == {
        "PQ": ["priority"],
        "limited PQ": ["priority"],
        "WF2Q+": ["wf2q-plus"],
        "SCFQ": ["scfq"],
        "WRR": ["wrr"],
        "DRR": ["drr"],
        "FIFO": ["fifo"],
    }
    # 8 x 56 kbit/s are 29.9 % of 1.5 Mbit/s, and EF is guaranteed half as much again.
    for scheduler, key in (("WF2Q+", "weight"), ("SCFQ", "weight"), ("WRR", "weight"), ("DRR", "quantum")):
        given = {name: float(str(said[key]).split()[0]) for name, said in ports[scheduler][0]["class"].items()}
        assert given["ef"] / sum(given.values()) == pytest.approx(0.448, abs=1e-4), scheduler
    assert ports["limited PQ"][0]["class"]["ef"]["rate-limit"]["rate"] == "672000 bit/s"


def test_the_only_flow_with_priority_waits_for_the_rest_of_one_packet(script, tmp_path):
    # It finds a packet of 8 ms on the wire, at an instant of it that is uniform as its spacing wanders by 43 ms, so
    # jitter is the difference of two waits, and lies below 8 x ms with probability 2x - x^2.
    net = script.network(script.Case("PQ", hops=1, short=0, long=1), background=(1500,))
    found = ps.Study(net, duration="200 s", warm_up="20 s").runs(40).result(store=Store(tmp_path)).values()
    jitter, delay = found.filter(metric="jitter"), found.filter(metric="delay")
    for share in (0.5, 0.9):
        values = jitter.filter(quantile=f"{share:g}")["value"]
        assert len(values) == 40
        found = interval([value * 8000 * 1500 / 56_000 for value in values])
        expected = PACKET * (1 - math.sqrt(1 - share))
        # Four standard errors, and what the quantiles are rounded by.
        assert abs(found.mean - expected) < 4 * found.half / 2.02 + 0.004 * expected
        assert found.half < 0.05 * expected
    longest = max(delay.filter(statistic="max")["value"])
    assert 0.95 * PACKET < 1000 * longest - 5 - PACKET <= PACKET


@pytest.mark.parametrize("topology", ["along", "crossing"])
def test_no_packet_is_later_than_theory_allows(script, measured, topology):
    for scheduler in script.SCHEDULERS:
        for flows in (2, 8, 16):
            case = script.Case(scheduler, topology, 2, flows // 2, flows // 2)
            found = measured(case)
            for size in (160, 1500):
                assert found[size, "busy"] > [0.999], case
                if scheduler == "FIFO":
                    assert script.bound(case) is None
                    assert found[size, "loss"] > [0.01]
                else:
                    assert found[size, "loss"] == [0.0], case
                    (late,) = found[size, "late-max"]
                    assert 0 < late + script.empty(case, size) - 2 * script.DELAY <= script.bound(case), case


def test_a_limit_with_room_for_every_burst_is_none(script, measured):
    # Four packets of each size that come together are 6640 bytes.
    free, wide, narrow = (
        measured(case)
        for case in (
            script.Case("PQ", "along", 2),
            script.Case("limited PQ", "along", 2, burst=12_000),
            script.Case("limited PQ", "along", 2, burst=1500),
        )
    )
    assert wide == free
    assert narrow[1500, "jitter-90"][0] > 2 * free[1500, "jitter-90"][0]


def test_hops_add_jitter_where_the_background_crosses(script, measured):
    one, along, crossing = (
        measured(case, 3)[1500, "jitter-90"]
        for case in (script.Case("PQ", hops=1), script.Case("PQ", "along", 6), script.Case("PQ", "crossing", 6))
    )
    assert interval(along).mean == pytest.approx(interval(one).mean, rel=0.1)
    # Five more waits that are uniform within 8 ms, as if their differences were normal.
    more = 5 * (1.645 * PACKET * math.sqrt(2 / 12) * 56 / 12_000) ** 2
    assert interval(crossing).mean == pytest.approx(math.sqrt(interval(one).mean ** 2 + more), rel=0.1)


def test_the_script_writes_tables_and_figures(script, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    few = [script.Case("PQ", "along", 6), script.Case("WRR", "along", 6)]
    monkeypatch.setattr(script, "cases", lambda: few)
    written = []
    for name in ("one", "two"):
        folder, store = tmp_path / name, tmp_path / "runs"
        monkeypatch.setattr(sys, "argv", ["ef_schedulers.py", str(folder), "--runs", "2", "--store", str(store)])
        script.main()
        written.append({path.name: path.read_bytes() for path in folder.iterdir()})
    assert sorted(written[0]) == sorted(path.name for path in STORED.iterdir())
    assert written[0] == written[1]
    rows = json.loads(written[0]["points.json"])
    assert [(row["scheduler"], row["bytes"]) for row in rows] == [
        ("PQ", 160),
        ("PQ", 1500),
        ("WRR", 160),
        ("WRR", 1500),
    ]
    above = json.loads(written[0]["differences.json"])
    assert len(above) == 6
    assert all(row["above_pq"] > 0 and row["low"] <= row["above_pq"] <= row["high"] for row in above)


def test_what_is_stored_is_what_would_be_run_and_drawn(script, tmp_path):
    rows = json.loads((STORED / "points.json").read_text(encoding="utf-8"))
    keys = list(vars(script.Case("PQ")))
    assert [({key: row[key] for key in keys}, row["bytes"]) for row in rows] == [
        (vars(case), size) for case in script.cases() for size, _ in script.groups(case).values()
    ]
    pytest.importorskip("matplotlib")
    script.figures.draw(rows, tmp_path)
    drawn = list(tmp_path.iterdir())
    assert len(drawn) == 6
    for path in drawn:
        words, numbers = svg_parts((STORED / path.name).read_text(encoding="utf-8"))
        words_now, numbers_now = svg_parts(path.read_text(encoding="utf-8"))
        assert words == words_now, path.name
        # Coordinates in points: the last of six decimals depends on the vector units of the processor.
        assert numbers_now == pytest.approx(numbers, abs=2e-6), path.name


def svg_parts(text):
    """The text around the decimal numbers of a drawing, and the numbers; names made of their digests are left out."""
    text = re.sub(r"\b[a-z][0-9a-f]{10}\b", "", text)
    decimal = r"-?\d+\.\d+"
    return re.sub(decimal, "", text), [float(number) for number in re.findall(decimal, text)]
