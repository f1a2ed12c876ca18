"""Beyond the print: the marked share over the load, which the document draws in figures 2 and E.1 without numbers.

And the probability of appendix D: a packet finds a virtual queue at the supportable rate busy.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from penstock.reproductions.loading import load
from penstock.reproductions.pcn.cases import ADMISSION, SINGLE, Case
from penstock.reproductions.pcn.figures import Figure, Line, Panel, Point
from penstock.reproductions.pcn.measure import metric
from penstock.reproductions.pcn.mechanisms import fractional, single_threshold
from penstock.reproductions.pcn.network import network
from penstock.reproductions.pcn.scenario import page
from penstock.reproductions.pcn.traffic import admissible_rate, link_rate, mean_rate, packet_bytes, supportable_rate
from penstock.reproductions.pcn.words import bits
from penstock.reproductions.reading import Readings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from penstock.reproductions.reading import Settings
    from penstock.running import RunResult

LOADS = (0.1, 0.3, 0.5, 0.53, 0.55, 0.56, 0.58, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.98, 0.99, 1.01, 1.03, 1.1)
"""Over the supportable rate; the admissible rate is at 0.5556."""
PLACES = 50
"""Packets that the supportable rate carries in one spacing of a flow (D)."""
FLOWS = (2, 5, 10, 20, 30, 40, 48)
"""Of appendix D (N)."""
BASE = Case(ADMISSION, "CBR", SINGLE)
CBR, POISSON = "CBR flows of random phase", "Poisson"


def points() -> list[Point]:
    """All points, under the study's chosen readings, and of figure 2 under the text's own as well."""
    settings, text = _readings()
    ar, sr = admissible_rate(settings, BASE), supportable_rate(settings, BASE)
    meters = {
        "figure-2": {"pcn.single-threshold": single_threshold(settings, ar, sr)},
        "figure-2-text": {"pcn.single-threshold": single_threshold(text, ar, sr)},
        "figure-e1": {"pcn.fractional": fractional(settings, ar, sr)},
    }
    found = []
    for panel, meter in meters.items():
        for x in LOADS:
            load_of = sr * Decimal(str(x))
            port = {"rate": bits(link_rate(settings, BASE)), **meter}
            for series, flow in _traffic(settings, load_of, round(load_of / mean_rate(settings, BASE))).items():
                found.append(Point(panel, series, x, _page(settings, port, flow, ("8 s", "2 s")), _share))
    return [*found, *shallow(settings)]


def _readings() -> tuple[Settings, Settings]:
    """The study's chosen readings, and the same with packets counted as the document's code has it (pcn-a31)."""
    document = load("pcn").document
    chosen, counted = Readings(document), document.question("pcn-a31")
    return chosen.settings(), chosen.with_answer(counted.id, counted.as_printed).settings()


def shallow(settings: Settings) -> Iterator[Point]:
    """Points of appendix D: the share of packets that find the marking bucket not full.

    Flows of one spacing repeat their pattern, so a run is one sample of their phases.
    """
    sr = PLACES * mean_rate(settings, BASE)
    meter = single_threshold(settings, Decimal(1000), sr)
    # The switch is on from the first packets on, all packets that count are marked, and full marking is out of reach.
    meter |= {"marking-size": "10 s", "marking-threshold": "1 byte", "mark-every": 1, "counted": "not-full"}
    port = {"rate": bits(4 * sr), "pcn.single-threshold": meter}
    for n in FLOWS:
        for series, flow in _traffic(settings, n * mean_rate(settings, BASE), n).items():
            span = ("1100 ms", "1 s") if series == CBR else ("21 s", "1 s")
            yield Point("appendix-d", series, n, _page(settings, port, flow, span), _share)


def figures() -> list[Figure]:
    """What they are drawn in."""
    settings, _ = _readings()
    rho = float(admissible_rate(settings, BASE) / supportable_rate(settings, BASE))
    part = 1 / float(settings["stm.n"])
    gap, top = (1.0, float("nan")), max(LOADS)
    slope = Line("figure 2", ((0, 0), (rho, 0), gap, (rho, rho * part), (1, part), gap, (1, 1), (top, 1)))
    steps = Line("figure E.1", ((0, 0), (rho, 0), gap, (rho, part), (1, part), gap, (1, 1), (top, 1)))
    across = "load / SR"
    exact = Line("(N - 1)/D", tuple((n, (n - 1) / PLACES) for n in FLOWS))
    ratio = Line("load = N/D", tuple((n, n / PLACES) for n in FLOWS))
    return [
        Figure(
            "marking",
            (
                Panel("figure-2", "Single threshold marking", across, "marked share", lines=(slope,)),
                Panel("figure-e1", "Fractional and threshold marking", across, "marked share", lines=(steps,)),
                Panel(
                    "appendix-d",
                    f"Bucket not full, D = {PLACES}",
                    "flows (N)",
                    "share of packets",
                    False,
                    (exact, ratio),
                ),
            ),
        ),
        Figure(
            "marking-text",
            (Panel("figure-2-text", "Counting as the document's code", across, "marked share", lines=(slope,)),),
        ),
    ]


def _traffic(settings: Settings, rate: Decimal, flows: int) -> dict[str, dict[str, Any]]:
    size = f"{packet_bytes(settings, 'CBR')} bytes"
    ends = {"name": "load", "from": "a", "to": "b"}
    cbr = {"rate": bits(rate / flows), "packet": size}
    return {
        CBR: {**ends, "count": flows, "source.cbr": cbr},
        POISSON: {**ends, "source.poisson": {"rate": bits(rate), "packet": size}},
    }


def _page(settings: Settings, port: Mapping[str, Any], flow: Mapping[str, Any], span: tuple[str, str]) -> str:
    duration, warm_up = span
    head = {"description": "the marked share of a steady load", "duration": duration, "warm-up": warm_up}
    measure = {"metric": "marking-ratio", "of": "load"}
    return page(head, network(settings, BASE, port), [], [measure], [flow])


def _share(result: RunResult) -> float:
    (share,) = metric(result, "marking-ratio", ["load"])
    return share
