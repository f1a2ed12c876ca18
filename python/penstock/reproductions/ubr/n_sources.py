"""N sources through two switches with one bottleneck between them, alone or beneath VBR of a higher priority."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.reproductions.scenario_text import scenario_text
from penstock.reproductions.ubr.mechanisms import ample
from penstock.reproductions.ubr.words import BITS_PER_CELL, rate, seconds

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.reproductions.reading import Settings

BOTTLENECK = "s1-s2"
PHASE = 0.3
"""Seconds that VBR is on, and off."""
VBR_PACKET = 9200
VBR_CELLS = 192
"""Cells of such a packet, which it fills to the last byte."""


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
    most = {"rate": f"{round(rate(link) * (1 - asked.reserved))} bit/s", "burst": "530 bytes"}
    guarded = {"class.vbr.rate-limit": most} if asked.reserved else {}
    return {"scheduler.priority": {"order": ["vbr", "default"]}, **limit, **guarded, **asked.queue}


def _background(settings: Settings, end: str) -> Iterable[dict[str, Any]]:
    """Datagrams that fill the link with cells: one flow for each on phase, or a single one of half the rate.

    The first phase is on, and they are as long as one another.
    """
    full = rate(settings.text("link.cells")) * VBR_PACKET * 8 // (VBR_CELLS * BITS_PER_CELL)
    common = {"from": "vbr", "to": "vbr-sink", "class": "vbr"}

    def source(bits: int) -> dict[str, Any]:
        return {"source.cbr": {"rate": f"{bits} bit/s", "packet": f"{VBR_PACKET} bytes"}}

    if not settings["vbr.on_off"]:
        yield {"name": "vbr", **common, **source(full // 2)}
        return
    length, on = round(1000 * seconds(end)), round(1000 * PHASE)
    for begin in range(0, length, 2 * on):
        times = {"start": f"{begin} ms", **({"stop": f"{begin + on} ms"} if begin + on < length else {})}
        yield {"name": f"vbr{begin // on // 2}", **common, **times, **source(full)}


def left_by_vbr(settings: Settings, network: str, reserved: float) -> float:
    """The share of the link that VBR leaves while the run counts."""
    begin, end = (seconds(settings.text(f"run.{network}{which}")) for which in ("_from", ""))
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
