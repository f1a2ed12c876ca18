"""The scenarios of any row, under any choice of readings, and those that only the claims need."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from penstock.reproductions.ef.network import (
    BEST_EFFORT,
    CAPPED,
    EF,
    HOPS,
    LONG,
    NODES,
    PQ,
    SHORT,
    STARTS,
    WRR,
    Case,
    background,
    ef_flows,
    forward_link,
    of_row,
    path_links,
    tcp,
)
from penstock.reproductions.scenario_text import scenario_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from penstock.reproductions.reading import Settings
    from penstock.reproductions.tables import Row, Table

DEDICATED, VLL = "dedicated", "vll"
SIZES = (LONG, SHORT)
SCHEDULERS = (PQ, CAPPED, BEST_EFFORT)
RATIOS = (1.00, 1.06)
"""Service-to-arrival ratios of ef-c08."""
LENGTHS = {"short": "320 s", "long": "1280 s"}


def build(settings: Settings, table: Table, row: Row) -> Mapping[str, str]:
    """The scenarios of a row, by the size of the target's packets, or by ``dedicated`` and ``vll``."""
    if table.id == "4":
        rank = [other.key for other in table.rows].index(row.key)
        subscribed = int(row.key["subscribed_kbps"]) * 1000
        return {DEDICATED: _dedicated(settings, subscribed), VLL: _vll(settings, subscribed, rank)}
    sizes = settings["table_3.target_packet_bytes"] if table.id == "3" else settings["table_1.target_packet_bytes"]
    return {str(size): _jitter_page(settings, of_row(settings, table, row, size)) for size in sizes}


def most_flows(size: int | str) -> str:
    """The experiment with as many EF flows as the text has at most, which table 1 leaves out, by the target's bytes."""
    return f"most-flows-{size}"


def experiments(settings: Settings) -> Mapping[str, str]:
    """Ratio 1, EF sources without long packets, capped EF, EF as best effort, 36 EF flows."""
    flows, queues = settings["table_2.ef_flows"], settings["table_2.queue_count"]
    usual = Case(WRR, flows, SHORT, settings["wrr.minimum_service_to_arrival_ratio"], queues)
    pages = {}
    for ratio in RATIOS:
        for name, duration in LENGTHS.items():
            case = replace(usual, ratio=ratio, background="udp", duration=duration)
            pages[f"ratio-{ratio:.2f}-{name}"] = _jitter_page(settings, case)
    pages["mixed"] = _jitter_page(settings, usual)
    pages["only-short"] = _jitter_page(settings, replace(usual, only_short=True))
    for scheduler in SCHEDULERS:
        for size in SIZES:
            case = replace(usual, scheduler=scheduler, target=size)
            pages[f"{scheduler}-{size}"] = _jitter_page(settings, case)
    most, many = settings["table_1.ef_flows_max_in_text"], settings["wrr.queues_of_table_1"]
    for size in SIZES:
        case = Case(WRR, most, size, settings["wrr.ratio_of_table_1"], many)
        pages[most_flows(size)] = _jitter_page(settings, case)
    return pages


def _jitter_page(settings: Settings, case: Case) -> str:
    """The scenario of one target flow."""
    told = f"{case.flows} EF flows, the target with packets of {case.target} bytes, over six hops with {case.scheduler}"
    expedited = list(ef_flows(settings, case))
    flows = [*expedited, *background(settings, case)]
    nodes: dict[str, Any] = {name: {} for name in NODES}
    head = _head(settings, told, case.duration)
    measures = _jitter_measures(case, [flow["name"] for flow in expedited])
    return scenario_text(head, nodes, path_links(settings, case), flows, measures)


def _jitter_measures(case: Case, groups: list[str]) -> Iterable[dict[str, Any]]:
    yield {"metric": "jitter", "of": "target", "take": ["mean"], "quantiles": [0.5, 0.9], "unit": "packet-time"}
    yield {"metric": "throughput", "of": groups}
    yield {"metric": "sent", "of": groups}
    if case.scheduler != BEST_EFFORT:
        yield {"metric": "drops", "of": [forward_link(hop) for hop in range(HOPS)], "by": ["class"]}
        yield {"metric": "queue", "of": forward_link(HOPS - 1), "by": ["class"]}
    yield {"metric": "utilisation", "of": forward_link(HOPS - 1)}


def _dedicated(settings: Settings, subscribed: int) -> str:
    """One transfer over a full duplex link at the subscribed rate, as long as the path."""
    hop, unit = str(settings["path.hop_delay"]).split()
    link = {"rate": f"{subscribed} bit/s", "delay": f"{int(hop) * HOPS} {unit}", **_buffer(settings)}
    links = [{"from": "a", "to": "b", **link}, {"from": "b", "to": "a", **link}]
    flow = {"name": "vll", "from": "a", "to": "b", **_transfer(settings)}
    measures = [{"metric": settings["vll.counts"], "of": "vll", "per": "flow"}, {"metric": "drops", "of": "a-b"}]
    return scenario_text(_head(settings, "An FTP over a dedicated link"), {"a": {}, "b": {}}, links, [flow], measures)


def _vll(settings: Settings, subscribed: int, rank: int) -> str:
    """Transfers through shapers into the EF queues of the path."""
    flows, last = settings["vll.flows"][rank], settings["vll.link_bps"][rank]
    case = Case(PQ, flows, LONG, 1.0, settings["table_2.queue_count"])
    shaper = {"rate": f"{subscribed} bit/s", "burst": f"{LONG} bytes"}
    access = {"rate": "10 Mbit/s", "delay": "1 us"}
    shaped = {**access, **_buffer(settings), "shaper": {"token-bucket": shaper}}
    links = [
        {"from": "senders", "to": "n0", **shaped},
        {"from": "n0", "to": "senders", **access},
        *path_links(settings, case, last),
    ]
    ftps = {"name": "vll", "from": "senders", "to": NODES[-1], "class": EF, **_transfer(settings)}
    measures = [
        {"metric": settings["vll.counts"], "of": "vll", "per": "flow"},
        {"metric": "drops", "of": "senders-n0"},
        {"metric": "drops", "of": [forward_link(hop) for hop in range(HOPS)], "by": ["class"]},
    ]
    nodes = {"senders": {"count": flows}, **{name: {} for name in NODES}}
    head = _head(settings, f"{flows} FTPs over virtual leased lines")
    return scenario_text(head, nodes, links, [ftps, *background(settings, case)], measures)


def _transfer(settings: Settings) -> dict[str, Any]:
    transport = tcp(settings, settings["shaper.tcp"], settings["shaper.window_packets"])
    return {"start": STARTS, "source.ftp": {}, "transport.tcp": transport}


def _buffer(settings: Settings) -> dict[str, Any]:
    return {"queue.tail-drop": {"limit": f"{settings['shaper.buffer_packets']} packets"}}


def _head(settings: Settings, description: str, duration: str = "") -> dict[str, Any]:
    head = {"description": description, "duration": duration or settings["run.duration"]}
    return head if settings["run.warm_up"] == "0 s" else head | {"warm-up": settings["run.warm_up"]}
