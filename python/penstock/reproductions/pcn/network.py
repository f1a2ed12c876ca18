"""The three topologies: nodes, links, and which aggregates of calls cross which bottleneck."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from penstock.reproductions.pcn.cases import PLT, SINGLE, TERMINATION
from penstock.reproductions.pcn.traffic import added_delay, exact, remainder, seconds

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.reproductions.pcn.cases import Case
    from penstock.reproductions.reading import Settings

UNLIMITED = "1 Tbit/s"
"""Rate of the links that are not to limit anything; a packet of 1500 bytes takes 12 ns."""
LETTERS = "abcdefghijkl"


@dataclass(frozen=True)
class Pairs:
    """Ingress-egress pairs with one name: `count` ingresses and their egress, and the bottlenecks between them."""

    name: str
    start: str
    end: str
    count: int
    crosses: tuple[str, ...]


@dataclass(frozen=True)
class Network:
    """Nodes and links as a scenario writes them, the bottlenecks' names in order, and the pairs that use them."""

    nodes: Mapping[str, Mapping[str, Any]]
    links: tuple[Mapping[str, Any], ...]
    bottlenecks: tuple[str, ...]
    pairs: tuple[Pairs, ...]


def network(settings: Settings, case: Case, bottleneck: Mapping[str, Any]) -> Network:
    """The network of a case; `bottleneck` has the rate, queue and meters of each bottleneck."""
    noise: dict[str, Any] = {}
    if case.randomized and settings["randomized.at"] == "link":
        noise = {"impairment.delay": added_delay(settings)}
    if case.topology == SINGLE:
        return _single(settings, bottleneck, noise)
    build = _parking_lot if case.topology == PLT else _rtt
    return build(settings, case, bottleneck, noise)


def _single(settings: Settings, bottleneck: Mapping[str, Any], noise: Mapping[str, Any]) -> Network:
    delay = seconds(settings["delay.single_s"])
    nodes: dict[str, Mapping[str, Any]] = {"a": {}, "b": {}}
    links = [{"from": "a", "to": "b", "delay": delay, **bottleneck}]
    start = "a"
    if noise:
        start = "source"
        nodes = {"source": {}, **nodes}
        links.insert(0, _access("source", "a", "0 s", noise))
    return Network(nodes, tuple(links), ("a-b",), (Pairs("calls", start, "b", 1, ("a-b",)),))


def _rtt(settings: Settings, case: Case, bottleneck: Mapping[str, Any], noise: Mapping[str, Any]) -> Network:
    """Ingresses whose shares of the load differ by one call are two groups: `ingress` and `more`."""
    more = remainder(settings, case)
    groups = [(name, count) for name, count in (("ingress", case.size - more), ("more", more)) if count]
    nodes: dict[str, Mapping[str, Any]] = {name: {"count": count} for name, count in groups}
    nodes |= {"d": {}, "f": {}}
    links: list[Mapping[str, Any]] = []
    total = sum(count for _, count in groups)
    low, high = (settings[f"topology.rtt.ingress_link_delay_{end}_s"] for end in ("min", "max"))
    last = settings["topology.rtt.bottleneck_delay_s"]
    drawn: Any = {"uniform": [seconds(low), seconds(high)]}
    if case.kind == TERMINATION and settings["delay.termination_rtt_s"]:
        access, last = settings["delay.termination_rtt_s"]
        links += [_access(name, "d", seconds(access), noise) for name, _ in groups]
    elif settings["delay.rtt_drawn"] == "per-run":
        links += [_access(name, "d", drawn, noise) for name, _ in groups]
    else:
        members = [f"{name}[{i}]" for name, count in groups for i in range(count)]
        # The middles of equal parts of the range.
        step = (exact(high) - exact(low)) / total
        delays = [seconds(exact(low) + step * (Decimal(i) + Decimal("0.5"))) for i in range(total)]
        links += [_access(name, "d", delay, noise) for name, delay in zip(members, delays, strict=True)]
    links.append({"from": "d", "to": "f", "delay": seconds(last), **bottleneck})
    pairs = tuple(Pairs(name, name, "f", count, ("d-f",)) for name, count in groups)
    return Network(nodes, tuple(links), ("d-f",), pairs)


def _parking_lot(settings: Settings, case: Case, bottleneck: Mapping[str, Any], noise: Mapping[str, Any]) -> Network:
    """Figure A.3: bottlenecks between the upper nodes, and a lower node under each, joined both ways."""
    k = case.size
    upper, lower = LETTERS[: k + 1], LETTERS[k + 1 : 2 * k + 2]
    own = settings["delay.termination_plt_s"] if case.kind == TERMINATION else settings["topology.plt_c.link_delay_s"]
    delay = seconds(own)
    nodes: dict[str, Mapping[str, Any]] = {name: {} for name in (*upper, *lower)}
    names = tuple(f"{upper[i]}-{upper[i + 1]}" for i in range(k))
    links: list[Mapping[str, Any]] = [
        {"from": upper[i], "to": upper[i + 1], "delay": delay, **bottleneck} for i in range(k)
    ]
    links += [_access(lower[i], upper[i], delay, noise) for i in range(k)]
    links += [_access(upper[i + 1], lower[i + 1], delay, {}) for i in range(k)]
    start = upper[0]
    if noise:
        start = "source"
        nodes["source"] = {}
        links.append(_access("source", upper[0], "0 s", noise))
    pairs = [Pairs("long", start, upper[k], 1, names)]
    pairs += [Pairs(f"short{i + 1}", lower[i], lower[i + 1], 1, (names[i],)) for i in range(k)]
    return Network(nodes, tuple(links), names, tuple(pairs))


def _access(start: str, end: str, delay: Any, noise: Mapping[str, Any]) -> dict[str, Any]:
    return {"from": start, "to": end, "rate": UNLIMITED, "delay": delay, **noise}
