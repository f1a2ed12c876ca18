"""Scenarios that only the claims need: markers under a given load, drops, other settings of STM, and counting calls."""

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

from penstock.reproductions.pcn.cases import ADMISSION, PLT, RTT, SINGLE, TERMINATION, Case
from penstock.reproductions.pcn.mechanisms import COUNT, fractional, meters, single_threshold, termination
from penstock.reproductions.pcn.scenario import network, scenario
from penstock.reproductions.pcn.traffic import (
    admissible_rate,
    link_rate,
    mean_rate,
    packet_bytes,
    source,
    supportable_rate,
)
from penstock.reproductions.reading import Settings
from penstock.reproductions.scenario_text import bits, scenario_text, seconds

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
    ar, sr = admissible_rate(settings, BASE), supportable_rate(settings, BASE)
    appendix_e = {"pcn.fractional": fractional(settings, ar, sr)}
    return {
        **{f"sweep-{name}": _sweep(settings, name, meters(settings, BASE)) for name in SWEEP},
        **{f"fractional-{name}": _sweep(settings, name, appendix_e) for name in SWEEP},
        **{f"poisson-{rho}": _poisson(settings, rho) for rho in RHOS},
        **{f"flows-{n}": _flows(settings, n) for n in FLOWS},
        **{f"synchronised-{name}": page for name, page in _synchronised(settings, ar, sr).items()},
        "near-admissible": scenario(settings, BASE, span=("120 s", "60 s")),
        **{f"drops-{name}": scenario(settings, OVERLOAD, port) for name, port in _dropping(settings).items()},
        **{f"cut-{y:g}": scenario(settings.having({"stm.y_extra_termination_percent": y}), OVERLOAD) for y in CUTS},
        **{f"series-{n}": _series(settings.having({"stm.n": n})) for n in (1, 3)},
        **{f"growth-{factor:g}": scenario(grown(settings, factor), VOICE) for factor in GROWTH},
        **{f"count-{name}": scenario(settings, case) for name, case in COUNTED.items()},
    }


def steady(settings: Settings, kind: str, rate: Decimal, count: int = 0, **more: Any) -> dict[str, Any]:
    """A flow of packets like CBR's, or `count` flows, of this rate each; `kind` and `more` are the source's."""
    sends = {"rate": bits(rate), "packet": f"{packet_bytes(settings, 'CBR')} bytes", **more}
    several = {"count": count} if count else {}
    return {"name": "load", "from": "a", "to": "b", **several, f"source.{kind}": sends}


def marks(
    settings: Settings,
    port: Mapping[str, Any],
    load: Mapping[str, Any],
    *,
    span: tuple[str, str] = ("20 s", "5 s"),
    per: str = "",
    description: str = "marks of a steady load",
) -> str:
    """The scenario that measures the marked share of a load on a single link; `span` is duration and warm-up."""
    net = network(settings, BASE, {"rate": bits(link_rate(settings, BASE)), **port})
    head = {"description": description, "duration": span[0], "warm-up": span[1]}
    flows, calls = ([], [load]) if "initial" in load else ([load], [])
    measure = {"metric": "marking-ratio", "of": load["name"], **({"per": per} if per else {})}
    return scenario_text(head, net.nodes, net.links, flows, [measure], calls=calls)


def _staying(settings: Settings, ends: tuple[str, str, str], count: int) -> dict[str, Any]:
    """Calls that neither come nor go, with the name of their group, its ingress and its egress."""
    return {
        **dict(zip(("name", "from", "to"), ends, strict=True)),
        "initial": {"calls": count, "spread": "20 ms"},
        "holding.infinite": {},
        **source(settings, replace(BASE, kind=TERMINATION)),
    }


def _sweep(settings: Settings, name: str, port: Mapping[str, Any]) -> str:
    """Calls that neither come nor go, at a load of `SWEEP`."""
    of, factor = SWEEP[name]
    rate = admissible_rate(settings, BASE) if of == "AR" else supportable_rate(settings, BASE)
    calls = round(rate * Decimal(str(factor)) / mean_rate(settings, BASE))
    return marks(settings, port, _staying(settings, ("calls", "a", "b"), calls))


def _poisson(settings: Settings, rho: float) -> str:
    """The marking bucket alone: the switch is on almost from the start, and no packet finds the full zone."""
    sr = supportable_rate(settings, BASE)
    meter = single_threshold(settings, Decimal(1_000_000), sr)
    meter |= {"marking-threshold": "1 ns", "mark-every": 1, "counted": "not-full"}
    return marks(settings, {"pcn.single-threshold": meter}, steady(settings, "poisson", sr * Decimal(str(rho))))


def _flows(settings: Settings, n: int) -> str:
    """A little more than AR in `n` flows, whose phases wander: with fixed ones a run would be a single sample."""
    rate = admissible_rate(settings, BASE) * Decimal(str(NEAR)) / n
    return marks(settings, meters(settings, BASE), steady(settings, "cbr", rate, n, **{"spacing-jitter": 0.5}))


def _synchronised(settings: Settings, ar: Decimal, sr: Decimal) -> dict[str, str]:
    """One and a half times AR in flows whose phases never change, under three markers."""
    own = single_threshold(settings, ar, sr)
    size = seconds(settings["cl.termination_token_bucket_s_at_supportable_rate"])
    ports = {
        "stm": {"pcn.single-threshold": own},
        "stm-n-1": {"pcn.single-threshold": own | {"mark-every": 1, "counted": "not-full"}},
        "excess": {"pcn.excess": {"rate": bits(ar), "size": size, "metering": "classic"}},
    }
    rate = mean_rate(settings, BASE)
    load = steady(settings, "cbr", rate, round(ar * Decimal("1.5") / rate))
    return {name: marks(settings, port, load, per="flow") for name, port in ports.items()}


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
    edges = termination(settings, case)
    calls = [_staying(settings, (pairs.name, pairs.start, pairs.end), half) | edges for pairs in net.pairs]
    head = {"description": "several bottlenecks between AR and SR", "duration": "20 s"}
    measure = {"metric": "calls", "of": [pairs.name for pairs in net.pairs]}
    return scenario_text(head, net.nodes, net.links, (), [measure], calls=calls)


def grown(settings: Settings, factor: float) -> Settings:
    """B.3's VBR row with link and load `factor` times as large."""
    interval = "admission.single_link.vbr.call_interval_per_iea_s"
    exact = Decimal(str(factor))
    rate = int(settings["capacity.vbr_single_bps"] * exact)
    return settings.having({"capacity.vbr_single_bps": rate, interval: Decimal(str(settings[interval])) / exact})
