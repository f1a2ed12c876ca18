"""Five circuits through one backbone link, each merging the TCP sources of a local switch; or one for each source."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from penstock.reproductions.scenario_text import scenario_text
from penstock.reproductions.ubr.mechanisms import ample
from penstock.reproductions.ubr.n_sources import BOTTLENECK, random_start
from penstock.reproductions.ubr.words import BITS_PER_CELL, rate

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from penstock.reproductions.reading import Settings

GROUPS = (1, 2, 3, 4, 5)
NOTHING: Mapping[str, Any] = {}
LOCAL = "5 us"
"""From a host to its local switch, and from the last switch to the sinks."""


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
    flows, circuits = _flows(settings, asked, link), _circuits(asked)
    return scenario_text(head, nodes, _links(asked, link), flows, _measures(asked), circuits=circuits)


def _links(asked: Merged, link: str) -> Iterable[dict[str, Any]]:
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


def _flows(settings: Settings, asked: Merged, link: str) -> Iterable[dict[str, Any]]:
    for i in GROUPS:
        name = f"{asked.names}{i}"
        ends = {"from": f"hosts{i}", "to": f"sinks{i}"}
        tcp = {"start": random_start(settings), "source.ftp": {}, "transport.tcp": asked.transports[i]}
        yield {"name": name, **ends, **tcp, **({"class": name} if asked.classes else {})}
    if asked.background:
        # 464 bytes fill ten cells.
        bits = round(rate(link) * asked.background * 464 * 8 / (10 * BITS_PER_CELL))
        source = {"source.poisson": {"rate": f"{bits} bit/s", "packet": "464 bytes"}}
        yield {"name": "other", "from": "other", "to": "other-sink", **source}


def _measures(asked: Merged) -> Iterable[dict[str, Any]]:
    names = [f"{asked.names}{i}" for i in GROUPS]
    yield from ({"metric": name, "of": names} for name in ("goodput", "payload-throughput", "timeouts", "delay"))
    yield {"metric": "queue", "of": BOTTLENECK}
    yield {"metric": "queue", "of": BOTTLENECK, "by": ["circuit"]}
    yield {"metric": "offered", "of": BOTTLENECK, "by": ["precedence"]}
    yield {"metric": "drops", "of": BOTTLENECK, "by": ["precedence"]}
