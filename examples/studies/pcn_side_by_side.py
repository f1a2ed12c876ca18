"""Beyond the print: six schemes side by side over load, aggregation and synchronisation.

CBR voice at the document's rates: admission at 128 Mbit/s and termination at 320 Mbit/s, in runs that are shorter than
the document's.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from pcn_figures import Figure, Line, Panel, Point

from penstock.reproductions.loading import load
from penstock.reproductions.pcn.cases import RTT
from penstock.reproductions.pcn.experiments import BASE, OVERLOAD
from penstock.reproductions.pcn.measure import admission, termination
from penstock.reproductions.pcn.mechanisms import OTHERS
from penstock.reproductions.pcn.oracle import counted, limit
from penstock.reproductions.pcn.scenario import hops, scenario, times
from penstock.reproductions.pcn.traffic import overload_calls
from penstock.reproductions.reading import Readings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.reproductions.pcn.cases import Case
    from penstock.reproductions.reading import Settings
    from penstock.running import RunResult

SCHEMES = ("STM", "CL", *OTHERS)
LOADS = (1.2, 1.5, 2.0, 5.0)
"""Of calls, over the admissible rate."""
SIZES = (1, 10, 100, 1000)
"""Ingresses, which share 1000 calls."""
OVERLOADS = (1.1, 1.25, 1.5, 2.0)
"""Over the supportable rate."""
SIZES_OVERLOADED = (4, 40, 400)
"""Ingresses, which share 4000 calls at twice the supportable rate."""
EVENT = 10.0
"""When the load rises above the supportable rate, in seconds."""
SPAN = 210.0, 150.0
"""How long many aggregates run and from when on they count, in seconds: those that have had no call yet admit their
first one whatever the load, and those calls must have gone."""


def points() -> list[Point]:
    """All points, under the study's chosen readings."""
    settings = Readings(load("pcn").document).settings()
    return [*_admission(settings), *_termination(settings.having({"termination.event_time_s": EVENT}))]


def figures() -> list[Figure]:
    """What they are drawn in."""
    settings = Readings(load("pcn").document).settings()
    floor = Line("counting", tuple((x, counted(_offered(settings, x), BASE)[1]) for x in LOADS))
    sizes = [replace(BASE, topology=RTT, size=n) for n in SIZES]
    floor_of_sizes = Line("counting", tuple((1000 / case.size, counted(settings, case)[1]) for case in sizes))
    calls, load_over = "calls per ingress at AR", "load of calls / AR"
    per_ingress, over = "calls per ingress at 2 SR", "load / SR"
    more, less, slow = "over-admission, % of AR", "over-termination, % of SR", "termination time, s"
    panels = {
        "admission-load": (Panel("load", "One ingress", load_over, more, lines=(floor,)),),
        "admission-aggregation": (
            Panel("plain", "Packets at even spacing", calls, more, True, (floor_of_sizes,)),
            Panel("randomised", "With random extra delay", calls, more, True, (floor_of_sizes,)),
        ),
        "termination-load": (Panel("over", "One ingress", over, less), Panel("time", "One ingress", over, slow)),
        "termination-aggregation": (
            Panel("over-sizes", "Twice SR", per_ingress, less, True),
            Panel("time-sizes", "Twice SR", per_ingress, slow, True),
        ),
    }
    return [Figure(name, drawn) for name, drawn in panels.items()]


def _admission(settings: Settings) -> Iterator[Point]:
    for scheme in SCHEMES:
        for x in LOADS:
            yield _admitted("load", scheme, x, _offered(settings, x), replace(BASE, scheme=scheme), _spans(x))
        for n in SIZES:
            for panel, randomised in (("plain", False), ("randomised", True)):
                case = replace(BASE, topology=RTT, size=n, scheme=scheme, randomized=randomised)
                yield _admitted(panel, scheme, limit(settings, case) / n, settings, case, SPAN)


def _termination(settings: Settings) -> Iterator[Point]:
    for scheme in SCHEMES:
        for x in OVERLOADS:
            yield from _terminated(("over", "time"), scheme, x, settings, replace(OVERLOAD, scheme=scheme, load=x))
        for n in SIZES_OVERLOADED:
            case = replace(OVERLOAD, topology=RTT, size=n, scheme=scheme)
            calls = overload_calls(settings, case)[1] / n
            yield from _terminated(("over-sizes", "time-sizes"), scheme, calls, settings, case)


def _admitted(panel: str, scheme: str, x: float, settings: Settings, case: Case, span: tuple[float, float]) -> Point:
    page, effort = _page(settings, case, span)
    return Point(panel, scheme, x, page, lambda result: admission(settings, case, result)[0], effort)


def _terminated(panels: tuple[str, str], scheme: str, x: float, settings: Settings, case: Case) -> Iterator[Point]:
    page, effort = _page(settings, case, (4 * EVENT, 3 * EVENT))

    def over(result: RunResult) -> float:
        return termination(settings, case, result).over[0]

    def time(result: RunResult) -> float:
        return termination(settings, case, result).time

    for panel, value in zip(panels, (over, time), strict=True):
        yield Point(panel, scheme, x, page, value, effort)


def _spans(factor: float) -> tuple[float, float]:
    """How long a run is and from when on it counts, in seconds: for a minute, half a minute after the link is full."""
    full = -60 * math.log(1 - 1 / factor)
    warm_up = float(math.ceil(full / 10) * 10 + 30)
    return warm_up + 60, warm_up


def _page(settings: Settings, case: Case, span: tuple[float, float]) -> tuple[str, float]:
    """The scenario, and about how many packet-hops a run takes."""
    duration, warm_up = span
    effort = hops(settings, case) * duration / float(times(settings, case)[0].removesuffix(" s"))
    return scenario(settings, case, span=(f"{duration:g} s", f"{warm_up:g} s")), effort


def _offered(settings: Settings, factor: float) -> Settings:
    """With calls at `factor` times AR instead of five times."""
    key = "admission.single_link.cbr.call_interval_per_iea_s"
    return settings.having({key: settings[key] * settings["admission.load_over_admissible_rate"] / factor})
