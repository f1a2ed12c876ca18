"""Scenarios that only the claims need: markers under a given load, drops, other settings of STM, and counting calls."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from penstock.reproductions.pcn.cases import ADMISSION, PLT, RTT, SINGLE, TERMINATION, Case
from penstock.reproductions.pcn.mechanisms import COUNT, fractional, meters, single_threshold, termination
from penstock.reproductions.pcn.network import network
from penstock.reproductions.pcn.scenario import page, scenario
from penstock.reproductions.pcn.traffic import (
    admissible_rate,
    link_rate,
    mean_rate,
    packet_bytes,
    source,
    supportable_rate,
)
from penstock.reproductions.pcn.words import bits, seconds

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.reproductions.reading import Settings

TRAFFICS = ("CBR", "VBR", "SVD")
SWEEP = {"below": ("AR", 0.9), "low": ("AR", 1.1), "middle": ("AR", 1.4), "high": ("AR", 1.7), "above": ("SR", 1.05)}
"""Loads of pcn-c25 and pcn-c37, over one of the two rates."""
RHOS = (0.3, 0.6, 0.9)
FLOWS = (10, 100, 1000)
CUTS = (2.0, 5.0, 10.0, 20.0)
"""Values of y in percent."""
GROWTH = (0.25, 1.0, 4.0)
"""Of the link rate and the load of pcn-c35."""
COUNTED = {
    **{f"single-{traffic}": Case(ADMISSION, traffic, SINGLE, scheme=COUNT) for traffic in TRAFFICS},
    **{f"rtt10-{traffic}": Case(ADMISSION, traffic, RTT, 10, scheme=COUNT) for traffic in TRAFFICS},
}
"""Cases in which calls are counted instead of packets marked; more ingresses change nothing."""
BASE = Case(ADMISSION, "CBR", SINGLE)
VOICE = replace(BASE, traffic="VBR")
OVERLOAD = Case(TERMINATION, "CBR", SINGLE, randomized=True, load=2.0)
NEAR = 1.02
"""Load of pcn-c27 over AR: enough to keep the switch on."""


def experiments(settings: Settings) -> dict[str, str]:
    """All of them, by name."""
    return {
        **{f"sweep-{name}": _sweep(settings, name, meters(settings, BASE)) for name in SWEEP},
        **{f"fractional-{name}": _sweep(settings, name, _fractional(settings)) for name in SWEEP},
        **{f"poisson-{rho}": _poisson(settings, rho) for rho in RHOS},
        **{f"flows-{n}": _flows(settings, n) for n in FLOWS},
        **{
            f"synchronised-{name}": _synchronised(settings, port)
            for name, port in _synchronised_ports(settings).items()
        },
        "near-admissible": scenario(settings, BASE, span=("120 s", "60 s")),
        **{f"drops-{name}": scenario(settings, OVERLOAD, port) for name, port in _dropping(settings).items()},
        **{f"cut-{y:g}": scenario(_with(settings, {"stm.y_extra_termination_percent": y}), OVERLOAD) for y in CUTS},
        **{f"series-{n}": _series(_with(settings, {"stm.n": n})) for n in (1, 3)},
        **{f"growth-{factor:g}": scenario(grown(settings, factor), VOICE) for factor in GROWTH},
        **{f"count-{name}": scenario(settings, case) for name, case in COUNTED.items()},
    }


def _fractional(settings: Settings) -> dict[str, Any]:
    ar, sr = admissible_rate(settings, BASE), supportable_rate(settings, BASE)
    return {"pcn.fractional": fractional(settings, ar, sr)}


def _sweep(settings: Settings, name: str, port: Mapping[str, Any]) -> str:
    """Calls that neither come nor go, at a load of `SWEEP`."""
    of, factor = SWEEP[name]
    rate = admissible_rate(settings, BASE) if of == "AR" else supportable_rate(settings, BASE)
    calls = round(rate * Decimal(str(factor)) / mean_rate(settings, BASE))
    group = {
        "name": "calls",
        "from": "a",
        "to": "b",
        "initial": {"calls": calls, "spread": "20 ms"},
        "holding.infinite": {},
        **_source(settings),
    }
    measure = {"metric": "marking-ratio", "of": "calls"}
    return page(_head("marks of a steady load", "20 s", "5 s"), _link(settings, port), [group], [measure])


def _poisson(settings: Settings, rho: float) -> str:
    """The marking bucket alone: the switch is on almost from the start, and no packet finds the full zone."""
    sr = supportable_rate(settings, BASE)
    meter = single_threshold(settings, Decimal(1_000_000), sr)
    meter |= {"marking-threshold": "1 ns", "mark-every": 1, "counted": "not-full"}
    sends = {"rate": bits(sr * Decimal(str(rho))), "packet": f"{packet_bytes(settings, 'CBR')} bytes"}
    flow = {"name": "load", "from": "a", "to": "b", "source.poisson": sends}
    return _marks(settings, {"pcn.single-threshold": meter}, flow, "group")


def _flows(settings: Settings, n: int) -> str:
    """A little more than AR in `n` flows, whose phases wander: with fixed ones a run would be a single sample."""
    rate = admissible_rate(settings, BASE) * Decimal(str(NEAR)) / n
    sends = {"rate": bits(rate), "packet": f"{packet_bytes(settings, 'CBR')} bytes", "spacing-jitter": 0.5}
    flow = {"name": "load", "from": "a", "to": "b", "count": n, "source.cbr": sends}
    return _marks(settings, meters(settings, BASE), flow, "group")


def _synchronised(settings: Settings, port: Mapping[str, Any]) -> str:
    """One and a half times AR in flows whose phases never change."""
    count = round(admissible_rate(settings, BASE) * Decimal("1.5") / mean_rate(settings, BASE))
    sends = {"rate": bits(mean_rate(settings, BASE)), "packet": f"{packet_bytes(settings, 'CBR')} bytes"}
    flow = {"name": "load", "from": "a", "to": "b", "count": count, "source.cbr": sends}
    return _marks(settings, port, flow, "flow")


def _synchronised_ports(settings: Settings) -> dict[str, dict[str, Any]]:
    ar, sr = admissible_rate(settings, BASE), supportable_rate(settings, BASE)
    own = single_threshold(settings, ar, sr)
    size = seconds(Decimal(str(settings["cl.termination_token_bucket_s_at_supportable_rate"])))
    return {
        "stm": {"pcn.single-threshold": own},
        "stm-n-1": {"pcn.single-threshold": own | {"mark-every": 1, "counted": "not-full"}},
        "excess": {"pcn.excess": {"rate": bits(ar), "size": size, "metering": "classic"}},
    }


def _dropping(settings: Settings) -> dict[str, dict[str, Any]]:
    """A link that is hardly faster than SR, with two ways of dropping; and the document's."""
    rate = bits(supportable_rate(settings, OVERLOAD) * Decimal("1.1"))
    limit = {"limit": "1000 packets"}
    red = limit | {"min-threshold": "200 packets", "max-threshold": "800 packets", "max-probability": 0.5}
    return {
        "tail": {"rate": rate, "queue.tail-drop": limit},
        "random": {"rate": rate, "queue.tail-drop": None, "queue.red": red},
        "none": {},
    }


def _series(settings: Settings) -> str:
    """Five bottlenecks at one and a half times AR each, half of it by the long aggregate."""
    case = replace(BASE, topology=PLT, size=5)
    net = network(settings, case, {"rate": bits(link_rate(settings, case)), **meters(settings, case)})
    half = round(admissible_rate(settings, case) * Decimal("0.75") / mean_rate(settings, case))
    groups = [
        {
            "name": pairs.name,
            "from": pairs.start,
            "to": pairs.end,
            "initial": {"calls": half, "spread": "20 ms"},
            "holding.infinite": {},
            **_source(settings),
            **termination(settings, case),
        }
        for pairs in net.pairs
    ]
    measure = {"metric": "calls", "of": [pairs.name for pairs in net.pairs]}
    return page(_head("several bottlenecks between AR and SR", "20 s"), net, groups, [measure])


def grown(settings: Settings, factor: float) -> Settings:
    """B.3's VBR row with link and load `factor` times as large."""
    interval = "admission.single_link.vbr.call_interval_per_iea_s"
    exact = Decimal(str(factor))
    changed = {
        "capacity.vbr_single_bps": int(settings["capacity.vbr_single_bps"] * exact),
        interval: Decimal(str(settings[interval])) / exact,
    }
    return _with(settings, changed)


def _marks(settings: Settings, port: Mapping[str, Any], flow: Mapping[str, Any], per: str) -> str:
    measure = {"metric": "marking-ratio", "of": flow["name"]} | ({"per": per} if per != "group" else {})
    return page(_head("marks of a steady load", "20 s", "5 s"), _link(settings, port), [], [measure], [flow])


def _source(settings: Settings) -> dict[str, Any]:
    return source(settings, replace(BASE, kind=TERMINATION))


def _link(settings: Settings, port: Mapping[str, Any]) -> Any:
    return network(settings, BASE, {"rate": bits(link_rate(settings, BASE)), **port})


def _head(description: str, duration: str, warm_up: str = "") -> dict[str, Any]:
    head = {"description": description, "duration": duration}
    return head | {"warm-up": warm_up} if warm_up else head


def _with(settings: Settings, changed: Mapping[str, Any]) -> Settings:
    return settings.having(changed)
