"""Calls that are counted instead of packets marked come to what Erlang's formula says, in runs of the simulator."""

from __future__ import annotations

import math
from importlib import resources

import pytest

from penstock.reproductions.loading import load
from penstock.reproductions.pcn.cases import ADMISSION, PLT, RTT, SINGLE, Case
from penstock.reproductions.pcn.measure import admission
from penstock.reproductions.pcn.mechanisms import COUNT
from penstock.reproductions.pcn.oracle import counted, packets_over_rate, perfect
from penstock.reproductions.pcn.scenario import scenario
from penstock.reproductions.reading import Readings, Settings
from penstock.running import RunRequest, run_all
from penstock.statistics import interval

CHOSEN = Readings(load("pcn").document).settings()
RUNS = 8
HOLDING = "traffic.flows.flow_duration_mean_admission_s"


def settings(traffic: str, holding: float, **changes: object) -> Settings:
    """Calls that last `holding` seconds on average, at five times AR still."""
    arrivals = {
        f"admission.single_link.{traffic.lower()}.call_interval_per_iea_s": CHOSEN[
            f"admission.single_link.{traffic.lower()}.call_interval_per_iea_s"
        ]
        * (holding / CHOSEN[HOLDING])
    }
    return Settings({**CHOSEN, **arrivals, HOLDING: holding, "delay.rtt_drawn": "fixed", **changes})


def over(chosen: Settings, case: Case) -> list[float]:
    # At five times AR the link is full after a quarter of a call's duration.
    page = scenario(chosen, case, span=("40 s", "20 s"))
    results = run_all([RunRequest(page, (), 1, n, "counting") for n in range(RUNS)])
    return [admission(chosen, case, result)[0] for result in results]


CBR, VBR = (Case(ADMISSION, traffic, SINGLE, scheme=COUNT) for traffic in ("CBR", "VBR"))


@pytest.mark.parametrize(
    ("chosen", "case", "tells"),
    [
        (settings("CBR", 60), CBR, True),
        # A call that begins with an on period sends 0.7 % more; voice hides half a packet in a thousand.
        (settings("VBR", 60), VBR, True),
        (settings("VBR", 60, **{"source.initial": "stationary"}), VBR, False),
        # Of calls of a second it is 1 % for CBR; a source in its stationary state sends its share at any time.
        (settings("CBR", 1), CBR, True),
        (settings("VBR", 6, **{"source.initial": "stationary"}), VBR, False),
        (settings("CBR", 1, **{"source.phase": "random"}), CBR, True),
        (settings("VBR", 1), VBR, True),
        (settings("VBR", 1, **{"source.initial": "off", "source.remainder": "whole"}), VBR, True),
        # Round trips of 121 ms on average, in which a place is taken and nothing sent.
        (settings("CBR", 6), Case(ADMISSION, "CBR", RTT, 10, scheme=COUNT), True),
    ],
    ids=["CBR", "VBR", "VBR-drawn", "CBR-short", "VBR-short", "CBR-random-phase", "VBR-on-first", "VBR-ns-2", "RTT"],
)
def test_counting_is_exact(chosen, case, tells):
    runs = over(chosen, case)
    expected, plain = counted(chosen, case)[1], perfect(chosen, case)[1]
    found = interval(runs)
    # The seeds are fixed: with others, one such interval in twenty would miss.
    assert found.low <= expected <= found.high, f"{found} {expected}"
    error = math.sqrt(sum((run - found.mean) ** 2 for run in runs) / (RUNS - 1) / RUNS)
    assert (abs(plain - found.mean) > 4 * error) == tells, f"{found} without messages and whole packets: {plain}"


def test_a_random_phase_sends_what_the_rate_says():
    assert packets_over_rate(settings("CBR", 1, **{"source.phase": "random"}), CBR) == 1.0
    # The first packet needs no time: T/2 in a mean duration of 60 s, at rates of on-time.
    assert packets_over_rate(CHOSEN, CBR) - 1 == pytest.approx(0.01 / 60, rel=1e-3)
    drawn = settings("VBR", 60, **{"source.initial": "stationary"})
    assert packets_over_rate(drawn, VBR) == 1.0
    # On periods of at least one whole spacing: 17.0265 packets in 1.000530 s, not 17.
    whole = settings("VBR", 60, **{"source.initial": "stationary", "source.remainder": "whole"})
    assert packets_over_rate(whole, VBR) == pytest.approx(17.0265 / 1.00053 / 17, rel=1e-5)
    # 0.66 of the calls would begin off, which costs 0.34 x 0.66 s of 0.34 x 60 s of on-time; and the first packet.
    assert packets_over_rate(CHOSEN, VBR) - packets_over_rate(drawn, VBR) == pytest.approx(
        (0.66 * 0.34 * 0.66 + 0.01) / (0.34 * 60), rel=1e-2
    )


def test_the_findings_tell_what_is_expected():
    text = resources.files("penstock.reproductions.pcn").joinpath("findings.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.split("|")] for line in text.splitlines() if "| " in line]
    told = [row[3:5] for row in rows if row[2] in ("CBR", "VBR", "SVD")][:12]
    topologies = [(SINGLE, 1), (RTT, 10), (RTT, 1000), (PLT, 5)]
    cases = [Case(ADMISSION, traffic, *place) for place in topologies for traffic in ("CBR", "VBR", "SVD")]
    for (plain, expected), case in zip(told, cases, strict=True):
        assert float(plain) == pytest.approx(perfect(CHOSEN, case)[1], abs=6e-4), case
        assert float(expected) == pytest.approx(counted(CHOSEN, case)[1], abs=6e-4), case
