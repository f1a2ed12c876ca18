"""The networks: N sources through one bottleneck, and circuits that merge sources.

N sources are alone or beneath VBR of a higher priority. Five circuits share a backbone link, each merging the TCP
sources of a local switch; or there is one for each source.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from penstock.reproductions.reading import Settings
from penstock.reproductions.scenario_text import amount, scenario_text
from penstock.reproductions.ubr.mechanisms import BITS_PER_CELL, ample, link_rate

BOTTLENECK = "s1-s2"
PHASE = 0.3
"""Seconds that VBR is on, and off."""
VBR_PACKET = 9200
VBR_CELLS = 192
"""Cells of such a packet, which it fills to the last byte."""
GROUPS = (1, 2, 3, 4, 5)
NOTHING: Mapping[str, Any] = {}
LOCAL = "5 us"
"""From a host to its local switch, and from the last switch to the sinks."""


@dataclass(frozen=True, slots=True)
class Sources:
    """Settings that differ between pages."""

    network: str  # `lan`, `wan` or `satellite`
    count: int  # how many sources
    queue: dict[str, Any]  # the queue of the bottleneck, or with a background that of its class `default`
    transport: dict[str, Any]  # TCP's parameters
    told: str  # what the page is about
    source: dict[str, Any] | None = None  # what they send; an endless transfer if left out
    reserved: float | None = None  # the share of the link that VBR leaves to UBR at least; None without VBR
    metrics: tuple[str, ...] = ()  # further metrics of TCP


def n_sources(settings: Settings, asked: Sources) -> str:
    """The scenario."""
    name, link = asked.network, settings.text("link.cells")
    end = settings.text(f"run.{name}")
    head = {
        "description": asked.told,
        "duration": end,
        "warm-up": settings.text(f"run.{name}_from"),
        # All access links have one rate: in a fixed order one source would win every race for the last place.
        "ties": "random",
    }
    hosts, switch = {"count": asked.count}, {"cell-switch": True}
    nodes: dict[str, Any] = {"sources": hosts, "s1": switch, "s2": switch, "sinks": hosts}
    access, hop = settings.text(f"ubr.access.{name}"), settings.text(f"ubr.one_way.{name}")
    ways = [("sources", "s1"), ("s1", "sources"), ("s1", "s2"), ("s2", "s1"), ("s2", "sinks"), ("sinks", "s2")]
    backgrounds = [] if asked.reserved is None else list(_background(settings, end))
    if backgrounds:
        nodes |= {"vbr": {}, "vbr-sink": {}}
        ways += [("vbr", "s1"), ("s2", "vbr-sink")]
    links = []
    for ends in ways:
        delay = hop if set(ends) == {"s1", "s2"} else access
        queue = _bottleneck(asked, link) if ends == ("s1", "s2") else ample()
        links.append({"from": ends[0], "to": ends[1], "rate": link, "delay": delay, "cells": True, **queue})
    flow = {
        "name": "tcp",
        "from": "sources",
        "to": "sinks",
        "start": random_start(settings),
        "transport.tcp": asked.transport,
        **(asked.source or {"source.ftp": {}}),
    }
    return scenario_text(head, nodes, links, [flow, *backgrounds], _measures(asked))


def random_start(settings: Settings) -> Any:
    """When TCP sources start."""
    within = settings.text("tcp.start_within")
    return "0 s" if within == "0 s" else {"uniform": ["0 s", within]}


def _bottleneck(asked: Sources, link: str) -> dict[str, Any]:
    if asked.reserved is None:
        return asked.queue
    limit = {"class.vbr.queue.tail-drop": {"limit": "200 cells"}}
    most = {"rate": f"{round(amount(link) * (1 - asked.reserved))} bit/s", "burst": "530 bytes"}
    guarded = {"class.vbr.rate-limit": most} if asked.reserved else {}
    return {"scheduler.priority": {"order": ["vbr", "default"]}, **limit, **guarded, **asked.queue}


def _background(settings: Settings, end: str) -> Iterable[dict[str, Any]]:
    """Datagrams that fill the link with cells: one flow for each on phase, or a single one of half the rate.

    The first phase is on, and they are as long as one another.
    """
    full = link_rate(settings) * VBR_PACKET * 8 // (VBR_CELLS * BITS_PER_CELL)
    common = {"from": "vbr", "to": "vbr-sink", "class": "vbr"}

    def source(bits: int) -> dict[str, Any]:
        return {"source.cbr": {"rate": f"{bits} bit/s", "packet": f"{VBR_PACKET} bytes"}}

    if not settings["vbr.on_off"]:
        yield {"name": "vbr", **common, **source(full // 2)}
        return
    length, on = round(1000 * amount(end)), round(1000 * PHASE)
    for begin in range(0, length, 2 * on):
        times = {"start": f"{begin} ms", **({"stop": f"{begin + on} ms"} if begin + on < length else {})}
        yield {"name": f"vbr{begin // on // 2}", **common, **times, **source(full)}


def left_by_vbr(settings: Settings, network: str, reserved: float) -> float:
    """The share of the link that VBR leaves while the run counts."""
    begin, end = (amount(settings.text(f"run.{network}{which}")) for which in ("_from", ""))
    if not settings["vbr.on_off"]:
        return 1 - min(0.5, 1 - reserved)
    phases = range(0, round(end / PHASE) + 1, 2)
    on = sum(max(0.0, min(end, (phase + 1) * PHASE) - max(begin, phase * PHASE)) for phase in phases)
    return 1 - (1 - reserved) * on / (end - begin)


def _measures(asked: Sources) -> Iterable[dict[str, Any]]:
    yield {"metric": "goodput", "of": "tcp", "per": "flow"}
    yield {"metric": "timeouts", "of": "tcp"}
    yield {"metric": "retransmissions", "of": "tcp"}
    yield {"metric": "loss", "of": BOTTLENECK}
    yield from ({"metric": metric, "of": "tcp"} for metric in asked.metrics)


@dataclass(frozen=True, slots=True)
class Merged:
    """Settings that differ between pages; mappings are by the number of the group."""

    each: int  # sources of a group
    transports: Mapping[int, dict[str, Any]]  # TCP's parameters
    access: Mapping[int, str]
    """Delay from the local switch to the backbone's first switch, or from each host where there are no local ones."""
    backbone: str  # delay of the backbone hop
    bottleneck: dict[str, Any]  # the queue, and what else the backbone's port has
    told: str  # what the page is about
    names: str = "vc"  # what circuits are called, before their number
    mcr: Mapping[int, int] = field(default_factory=dict)  # cells per second that are guaranteed; none if empty
    local: bool = True  # whether local switches merge a group onto one circuit
    tags_at_end: str = ""  # the burst of end systems that tag; nobody does if empty
    classes: bool = False  # whether each circuit has a class of its own
    background: float = 0.0  # the share of the link that datagrams take from the same queue


def merged(settings: Settings, asked: Merged) -> str:
    """The scenario."""
    link = settings.text("link.cells")
    head = {
        "description": asked.told,
        "duration": settings.text("run.gfr"),
        "warm-up": settings.text("run.gfr_from"),
        "ties": "random",
    }
    nodes: dict[str, Any] = {"s1": {"cell-switch": True}, "s2": {"cell-switch": True}}
    for i in GROUPS:
        nodes |= {f"hosts{i}": {"count": asked.each}, f"sinks{i}": {"count": asked.each}}
        if asked.local:
            nodes |= {f"in{i}": {}, f"out{i}": {}}
    if asked.background:
        nodes |= {"other": {}, "other-sink": {}}
    flows, circuits = _merged_flows(settings, asked), _circuits(asked)
    return scenario_text(head, nodes, _merged_links(asked, link), flows, _merged_measures(asked), circuits=circuits)


def _merged_links(asked: Merged, link: str) -> Iterable[dict[str, Any]]:
    def wire(start: str, to: str, delay: str, more: Mapping[str, Any] = NOTHING) -> dict[str, Any]:
        queue = {} if any(key.startswith(("queue", "scheduler")) for key in more) else ample()
        return {"from": start, "to": to, "rate": link, "delay": delay, "cells": True, **queue, **more}

    def in_packets(start: str, to: str) -> dict[str, Any]:
        return {"from": start, "to": to, "rate": link, "delay": LOCAL, "queue.tail-drop": {"limit": "100000 packets"}}

    tags = {"marker.f-gcra": {"burst": asked.tags_at_end}} if asked.tags_at_end else {}
    for i in GROUPS:
        hosts, sinks, first, last = f"hosts{i}", f"sinks{i}", f"in{i}", f"out{i}"
        if asked.local:
            yield from (in_packets(hosts, first), in_packets(first, hosts))
            yield from (wire(first, "s1", asked.access[i], tags), wire("s1", first, asked.access[i]))
            yield from (wire("s2", last, LOCAL), wire(last, "s2", LOCAL))
            yield from (in_packets(last, sinks), in_packets(sinks, last))
        else:
            yield from (wire(hosts, "s1", asked.access[i], tags), wire("s1", hosts, asked.access[i]))
            yield from (wire("s2", sinks, asked.access[i]), wire(sinks, "s2", asked.access[i]))
    if asked.background:
        yield from (wire("other", "s1", LOCAL), wire("s2", "other-sink", LOCAL))
    yield from (wire("s1", "s2", asked.backbone, asked.bottleneck), wire("s2", "s1", asked.backbone))


def _circuits(asked: Merged) -> Iterable[dict[str, Any]]:
    if not asked.local and not asked.mcr:
        return
    for i in GROUPS:
        guaranteed = {"mcr": f"{asked.mcr[i]} cells/s"} if asked.mcr else {}
        yield {"name": f"{asked.names}{i}", "flows": f"{asked.names}{i}", **guaranteed}


def _merged_flows(settings: Settings, asked: Merged) -> Iterable[dict[str, Any]]:
    for i in GROUPS:
        name = f"{asked.names}{i}"
        ends = {"from": f"hosts{i}", "to": f"sinks{i}"}
        tcp = {"start": random_start(settings), "source.ftp": {}, "transport.tcp": asked.transports[i]}
        yield {"name": name, **ends, **tcp, **({"class": name} if asked.classes else {})}
    if asked.background:
        # 464 bytes fill ten cells.
        bits = round(link_rate(settings) * asked.background * 464 * 8 / (10 * BITS_PER_CELL))
        source = {"source.poisson": {"rate": f"{bits} bit/s", "packet": "464 bytes"}}
        yield {"name": "other", "from": "other", "to": "other-sink", **source}


def _merged_measures(asked: Merged) -> Iterable[dict[str, Any]]:
    names = [f"{asked.names}{i}" for i in GROUPS]
    yield from ({"metric": name, "of": names} for name in ("goodput", "payload-throughput", "timeouts", "delay"))
    yield {"metric": "queue", "of": BOTTLENECK}
    yield {"metric": "queue", "of": BOTTLENECK, "by": ["circuit"]}
    yield {"metric": "offered", "of": BOTTLENECK, "by": ["precedence"]}
    yield {"metric": "drops", "of": BOTTLENECK, "by": ["precedence"]}
