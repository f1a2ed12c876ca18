"""The scenario of any case, under any choice of readings, as a page that can be read and run on its own.

There are three topologies: nodes, links, and which aggregates of calls cross which bottleneck.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from penstock.reproductions.pcn.cases import ADMISSION, FAIRNESS, PLT, RTT, SINGLE, TERMINATION, Case, cases
from penstock.reproductions.pcn.mechanisms import edges, meters
from penstock.reproductions.pcn.traffic import (
    added_delay,
    admissible_rate,
    call_interval,
    counted_rate,
    exact,
    link_rate,
    mean_rate,
    packet_bytes,
    remainder,
    shares,
    source,
    source_delay,
    spread,
    supportable_rate,
)
from penstock.reproductions.reading import Settings
from penstock.reproductions.scenario_text import bits, head_of, scenario_text, seconds
from penstock.reproductions.tables import Row, Table

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


def build(settings: Settings, table: Table, row: Row) -> Mapping[str, str]:
    """The scenarios that a row needs."""
    return {name: scenario(settings, case) for name, case in cases(settings, table, row).items()}


def scenario(
    settings: Settings, case: Case, port: Mapping[str, Any] | None = None, span: tuple[str, str] | None = None
) -> str:
    """The page of one case; `port` and `span` (duration, warm-up) change what the document has."""
    bottleneck: dict[str, Any] = {
        "rate": bits(link_rate(settings, case)),
        "queue.tail-drop": {"limit": f"{settings['queue.queue_limit_packets']} packets"},
        **meters(settings, case),
    }
    if port is not None:
        bottleneck = {name: value for name, value in (bottleneck | dict(port)).items() if value is not None}
    net = network(settings, case, bottleneck)
    head = head_of(_description(case), *(span or times(settings, case)))
    calls, measures = _calls(settings, case, net), _measures(settings, case, net)
    return scenario_text(head, net.nodes, net.links, (), measures, calls=calls)


def times(settings: Settings, case: Case) -> tuple[str, str]:
    """How long a run is, and from when on it is counted."""
    if case.kind == FAIRNESS:
        return seconds(max(settings["admission.fairness.sample_times_s"])), "0 s"
    return seconds(settings[f"{case.phase}.simulated_time_s"]), seconds(settings[f"{case.phase}.measurement_start_s"])


def groups(settings: Settings, case: Case, pairs: Pairs) -> list[str]:
    """The groups of calls that some pairs have."""
    if case.kind != TERMINATION:
        return [pairs.name]
    return [name for name, *_ in _parts(settings, case, pairs.name)]


def below(settings: Settings, case: Case) -> Decimal:
    """The rate that calls times mean rate must fall below: SR, where a call counts as the document counts it."""
    return supportable_rate(settings, case) * mean_rate(settings, case) / counted_rate(settings, case)


def effort(settings: Settings, table: Table, row: Row, part: str) -> float:
    """About how many packet-hops one run takes."""
    return hops(settings, cases(settings, table, row)[part])


def hops(settings: Settings, case: Case) -> float:
    """About how many packets reach the far end of a link in one run."""
    packets = 1 / Decimal(8 * packet_bytes(settings, case.traffic))
    rate = admissible_rate(settings, case)
    if case.kind == TERMINATION:
        # Below AR for one half, about SR for the other.
        rate = (rate + supportable_rate(settings, case)) / 2
    seconds_run = Decimal(times(settings, case)[0].removesuffix(" s"))
    apart = case.randomized and settings["randomized.at"] == "link"
    links = Decimal(1 + apart)
    if case.topology == RTT:
        links = Decimal(2)
    elif case.topology == PLT:
        # Each bottleneck, and the two vertical links of the short calls, which are about six in ten.
        links = Decimal(case.size) * Decimal("2.2") + apart
    return float(rate * packets * seconds_run * links)


def _calls(settings: Settings, case: Case, net: Network) -> Iterable[dict[str, Any]]:
    for pairs in net.pairs:
        ends = {"from": pairs.start, "to": pairs.end}
        sending = {**source(settings, case), **source_delay(settings, case), **edges(settings, case)}
        if case.kind == TERMINATION:
            for name, together in _overload(settings, case, pairs.name):
                yield {"name": name, **ends, **together, "holding.infinite": {}, **sending}
            continue
        yield {
            "name": pairs.name,
            **ends,
            "arrivals.poisson": {"interval": seconds(call_interval(settings, case))},
            "holding.exponential": {"mean": seconds(settings["traffic.flows.flow_duration_mean_admission_s"])},
            **sending,
            "signalling": _signalling(settings, case),
        }


def _overload(settings: Settings, case: Case, pairs: str) -> Iterable[tuple[str, dict[str, Any]]]:
    """The groups of calls of some pairs, and when they begin."""
    apart = seconds(spread(settings, case))
    earlier = seconds(settings["termination.before_spread_s"]) if settings["termination.before_spread_s"] else apart
    event = seconds(settings["termination.event_time_s"])
    for name, before, added in _parts(settings, case, pairs):
        together: dict[str, Any] = {"initial": {"calls": before or added, "spread": earlier if before else apart}}
        if not before:
            together["start"] = event
        elif added:
            together["surge"] = {"at": event, "calls": added, "spread": apart}
        yield name, together


def _parts(settings: Settings, case: Case, name: str) -> list[tuple[str, int, int]]:
    """Of some pairs the groups of aggregates that have calls: names, and the calls there from the start and added."""
    share = shares(settings, case)[name]
    parts = [(f"{name}-before", share.before, 0), (f"{name}-added", 0, share.added)]
    if settings["termination.joined"]:
        parts = [(name, share.before, share.added)]
    return [part for part in parts if any(part[1:])]


def _signalling(settings: Settings, case: Case) -> dict[str, Any]:
    size = settings["signal.packet"]
    if size == "call":
        size = f"{packet_bytes(settings, case.traffic)} bytes"
    return {"processing": "0 s"} if size == "none" else {"processing": "0 s", "packet": size}


def _measures(settings: Settings, case: Case, net: Network) -> Iterable[dict[str, Any]]:
    names = {pairs.name: groups(settings, case, pairs) for pairs in net.pairs}
    every = [name for group in names.values() for name in group]
    if case.kind == FAIRNESS:
        yield {"metric": "throughput", "of": ["long", "short1"], "interval": "10 s"}
        return
    yield {"metric": "throughput", "of": list(net.bottlenecks)}
    if settings["throughput.at"] == "egress":
        yield {"metric": "throughput", "of": every, "take": ["sum"]}
    if case.kind == ADMISSION:
        yield from ({"metric": metric, "of": every} for metric in ("calls", "blocking", "marking-ratio"))
        if settings["signal.packet"] != "none":
            yield {"metric": "signal-rate", "of": every}
        return
    crossing = (
        tuple(name for pairs in net.pairs if bottleneck in pairs.crosses for name in names[pairs.name])
        for bottleneck in net.bottlenecks
    )
    # Without calls on the short pairs, the long one's alone cross every bottleneck.
    for calls in dict.fromkeys(crossing):
        yield {"metric": "termination-time", "of": list(calls), "below": bits(below(settings, case))}


def _description(case: Case) -> str:
    place = {"single": "a single link", "rtt": f"{case.size} ingresses and one bottleneck"}.get(
        case.topology, f"a parking lot of {case.size} bottlenecks"
    )
    noise = ", packets with random extra delay" if case.randomized else ""
    task = {
        ADMISSION: "admission at several times the admissible rate",
        FAIRNESS: "sharing between long and short aggregates",
    }.get(case.kind, f"termination at {case.load:g} times the supportable rate")
    return f"{case.traffic} on {place}{noise}: {task} with {case.scheme}"
