"""Beyond the print: the marked share over the load, which the document draws in figures 2 and E.1 without numbers.

And the probability of appendix D: a packet finds a virtual queue at the supportable rate busy.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from pcn_figures import Figure, Line, Panel, Point

from penstock.reproductions.loading import load
from penstock.reproductions.outcome import one
from penstock.reproductions.pcn.experiments import BASE, marks, steady
from penstock.reproductions.pcn.mechanisms import fractional, single_threshold
from penstock.reproductions.pcn.traffic import admissible_rate, mean_rate, supportable_rate
from penstock.reproductions.reading import Readings
from penstock.reproductions.scenario_text import bits

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
    found: list[Point] = []
    for panel, meter in meters.items():
        for x in LOADS:
            rate = sr * Decimal(str(x))
            flows = round(rate / mean_rate(settings, BASE))
            found += _points(settings, panel, x, rate, flows, meter, {CBR: ("8 s", "2 s"), POISSON: ("8 s", "2 s")})
    return [*found, *_shallow(settings)]


def _readings() -> tuple[Settings, Settings]:
    """The study's chosen readings, and the same with packets counted as the document's code has it (pcn-a31)."""
    document = load("pcn").document
    chosen, counted = Readings(document), document.question("pcn-a31")
    return chosen.settings(), chosen.with_answers({counted.id: counted.as_printed}).settings()


def _shallow(settings: Settings) -> Iterator[Point]:
    """Points of appendix D: the share of packets that find the marking bucket not full.

    Flows of one spacing repeat their pattern, so a run is one sample of their phases.
    """
    sr = PLACES * mean_rate(settings, BASE)
    meter = single_threshold(settings, Decimal(1000), sr)
    # The switch is on from the first packets on, all packets that count are marked, and full marking is out of reach.
    meter |= {"marking-size": "10 s", "marking-threshold": "1 byte", "mark-every": 1, "counted": "not-full"}
    port = {"rate": bits(4 * sr), "pcn.single-threshold": meter}
    spans = {CBR: ("1100 ms", "1 s"), POISSON: ("21 s", "1 s")}
    for n in FLOWS:
        yield from _points(settings, "appendix-d", n, n * mean_rate(settings, BASE), n, port, spans)


def _points(
    settings: Settings,
    panel: str,
    x: float,
    rate: Decimal,
    flows: int,
    port: Mapping[str, Any],
    spans: Mapping[str, tuple[str, str]],
) -> Iterator[Point]:
    """The same rate as CBR flows and as Poisson packets; `spans` has the duration and the warm-up by series."""
    loads = {CBR: steady(settings, "cbr", rate / flows, flows), POISSON: steady(settings, "poisson", rate)}
    for series, load_of in loads.items():
        told = "the marked share of a steady load"
        yield Point(panel, series, x, marks(settings, port, load_of, span=spans[series], description=told), _share)


def _share(result: RunResult) -> float:
    return one(result, "marking-ratio", "load")


def figures() -> list[Figure]:
    """What they are drawn in."""
    settings, _ = _readings()
    rho = float(admissible_rate(settings, BASE) / supportable_rate(settings, BASE))
    part = 1 / float(settings["stm.n"])
    gap, top = (1.0, float("nan")), max(LOADS)
    slope = Line("figure 2", ((0, 0), (rho, 0), gap, (rho, rho * part), (1, part), gap, (1, 1), (top, 1)))
    steps = Line("figure E.1", ((0, 0), (rho, 0), gap, (rho, part), (1, part), gap, (1, 1), (top, 1)))
    across, up, title = "load / SR", "marked share", f"Bucket not full, D = {PLACES}"
    exact = Line("(N - 1)/D", tuple((n, (n - 1) / PLACES) for n in FLOWS))
    ratio = Line("load = N/D", tuple((n, n / PLACES) for n in FLOWS))
    drawn = (
        Panel("figure-2", "Single threshold marking", across, up, lines=(slope,)),
        Panel("figure-e1", "Fractional and threshold marking", across, up, lines=(steps,)),
        Panel("appendix-d", title, "flows (N)", "share of packets", lines=(exact, ratio)),
    )
    text = Panel("figure-2-text", "Counting as the document's code", across, up, lines=(slope,))
    return [Figure("marking", drawn), Figure("marking-text", (text,))]
