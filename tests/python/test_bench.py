from __future__ import annotations

import tomllib

import pytest

from penstock import bench


@pytest.mark.parametrize("name", bench.WORKLOADS)
def test_workloads_are_scenarios(name):
    page = tomllib.loads(bench.WORKLOADS[name]())
    assert page.get("flows") or page["calls"]


def test_the_dumbbell_is_as_described():
    page = tomllib.loads(bench.tcp_many())
    assert page["flows"][0]["count"] == 1000
    bottleneck = next(link for link in page["links"] if link["from"] == "left" and link["to"] == "right")
    assert bottleneck == {
        **{"from": "left", "to": "right", "rate": "1 Gbit/s", "delay": "24000000 ns"},
        "queue": {"tail-drop": {"limit": "4166 packets"}},
    }
    assert {link["delay"] for link in page["links"] if link is not bottleneck} == {"500000 ns", "24000000 ns"}


@pytest.mark.parametrize("name", bench.GROUPS["schedulers"])
def test_schedulers_are_overloaded_by_a_fifth(name):
    from penstock import _core

    text = bench.WORKLOADS[name]()
    [link] = tomllib.loads(text)["links"]
    assert len(link.get("class", {})) == (0 if name.endswith("fifo") else 8)
    run = _core.Scenario(text.replace('duration = "2 s"', 'duration = "20 ms"'), name, []).run(1, 0)
    # 400 flows of 160 bytes at 1171.9 packets a second and as many of 1500 at 125.
    sent = 20e-3 * 400 * (1171.875 + 125)
    assert run.counters["delivered"] + run.counters["drops"] < sent
    assert run.counters["drops"] > 0


@pytest.mark.parametrize("name", bench.RESIZABLE)
def test_some_workloads_take_another_number_of_flows(name):
    assert tomllib.loads(bench.WORKLOADS[name](7))["flows"][0]["count"] == 7


@pytest.mark.usefixtures("core")
def test_what_is_measured(monkeypatch):
    monkeypatch.setitem(bench.WORKLOADS, "cbr", lambda: "seed = 2")
    measured = bench.measure_here("cbr")
    assert list(measured) == [
        *("workload", "packet_hops", "cpu_seconds", "packet_hops_per_cpu_second", "peak_rss_bytes"),
        *("goodput_bps", "delivered", "drops", "wall_seconds", "threads"),
    ]
    assert (measured["workload"], measured["packet_hops"], measured["delivered"]) == ("cbr", 1000, 900)
    assert measured["peak_rss_bytes"] > 10_000_000


@pytest.mark.parametrize(("flows", "hops"), [(10, 30_000), (20, 60_000)])
def test_a_workload_in_a_process_of_its_own(flows, hops):
    # A packet each 20 ms for 60 s, less those under way at the end.
    measured = bench.measure_apart("cbr", flows)
    assert hops - 2 * flows <= measured["packet_hops"] <= hops
    assert (measured["drops"], measured["goodput_bps"] > 0) == (0, True)
