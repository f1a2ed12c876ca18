"""The scenarios of any row, under any choice of readings, as pages that can be read and run on their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.reproductions.ef.case import BEST_EFFORT, LONG, PQ, Case, of_row
from penstock.reproductions.ef.path import HOPS, NODES, forward_link, path_links
from penstock.reproductions.ef.traffic import background, ef_flows, ef_groups, tcp
from penstock.reproductions.scenario_text import scenario_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from penstock.reproductions.reading import Settings
    from penstock.reproductions.tables import Row, Table

DEDICATED, VLL = "dedicated", "vll"


def build(settings: Settings, table: Table, row: Row) -> Mapping[str, str]:
    """The scenarios of a row, by the size of the target's packets, or by ``dedicated`` and ``vll``."""
    if table.id == "4":
        rank = [other.key for other in table.rows].index(row.key)
        subscribed = int(row.key["subscribed_kbps"]) * 1000
        return {DEDICATED: _dedicated(settings, subscribed), VLL: _vll(settings, subscribed, rank)}
    sizes = settings["table_3.target_packet_bytes"] if table.id == "3" else settings["table_1.target_packet_bytes"]
    return {str(size): jitter_page(settings, of_row(settings, table, row, size)) for size in sizes}


def jitter_page(settings: Settings, case: Case) -> str:
    """The scenario of one target flow."""
    shared = f"{case.flows} EF flows, the target with packets of {case.target} bytes, over six hops"
    expedited = case.scheduler != BEST_EFFORT
    entries = [
        *(("links", link) for link in path_links(settings, case)),
        *(("flows", flow) for flow in ef_flows(settings, case)),
        *(("flows", flow) for flow in background(settings, case)),
        *(("measure", measure) for measure in _jitter_measures(case, expedited)),
    ]
    return _page(f"{shared} with {case.scheduler}", settings, {name: {} for name in NODES}, entries, case.duration)


def _jitter_measures(case: Case, expedited: bool) -> Iterable[dict[str, Any]]:
    groups = ef_groups(case)
    yield {"metric": "jitter", "of": "target", "take": ["mean"], "quantiles": [0.5, 0.9], "unit": "packet-time"}
    yield {"metric": "throughput", "of": groups}
    yield {"metric": "sent", "of": groups}
    if expedited:
        yield {"metric": "drops", "of": [forward_link(hop) for hop in range(HOPS)], "by": ["class"]}
        yield {"metric": "queue", "of": forward_link(HOPS - 1), "by": ["class"]}
    yield {"metric": "utilisation", "of": forward_link(HOPS - 1)}


def _dedicated(settings: Settings, subscribed: int) -> str:
    """One transfer over a full duplex link at the subscribed rate, as long as the path."""
    hop, unit = str(settings["path.hop_delay"]).split()
    link = {"rate": f"{subscribed} bit/s", "delay": f"{int(hop) * HOPS} {unit}", **_buffer(settings)}
    entries = [
        ("links", {"from": "a", "to": "b", **link}),
        ("links", {"from": "b", "to": "a", **link}),
        ("flows", {"name": "vll", "from": "a", "to": "b", **_transfer(settings)}),
        ("measure", {"metric": settings["vll.counts"], "of": "vll", "per": "flow"}),
        ("measure", {"metric": "drops", "of": "a-b"}),
    ]
    return _page("An FTP over a dedicated link", settings, {"a": {}, "b": {}}, entries)


def _vll(settings: Settings, subscribed: int, rank: int) -> str:
    """Transfers through shapers into the EF queues of the path."""
    flows, last = settings["vll.flows"][rank], settings["vll.link_bps"][rank]
    case = Case(PQ, flows, LONG, 1.0, settings["table_2.queue_count"])
    shaper = {"rate": f"{subscribed} bit/s", "burst": f"{LONG} bytes"}
    access = {"rate": "10 Mbit/s", "delay": "1 us"}
    entries = [
        ("links", {"from": "senders", "to": "n0", **access, **_buffer(settings), "shaper": {"token-bucket": shaper}}),
        ("links", {"from": "n0", "to": "senders", **access}),
        *(("links", link) for link in path_links(settings, case, last)),
        ("flows", {"name": "vll", "from": "senders", "to": NODES[-1], "class": "ef", **_transfer(settings)}),
        *(("flows", flow) for flow in background(settings, case)),
        ("measure", {"metric": settings["vll.counts"], "of": "vll", "per": "flow"}),
        ("measure", {"metric": "drops", "of": "senders-n0"}),
        ("measure", {"metric": "drops", "of": [forward_link(hop) for hop in range(HOPS)], "by": ["class"]}),
    ]
    nodes = {"senders": {"count": flows}, **{name: {} for name in NODES}}
    return _page(f"{flows} FTPs over virtual leased lines", settings, nodes, entries)


def _transfer(settings: Settings) -> dict[str, Any]:
    start = {"start": {"uniform": ["0 s", "1 s"]}}
    transport = tcp(settings, settings["shaper.tcp"], settings["shaper.window_packets"])
    return {**start, "source.ftp": {}, "transport.tcp": transport}


def _buffer(settings: Settings) -> dict[str, Any]:
    return {"queue.tail-drop": {"limit": f"{settings['shaper.buffer_packets']} packets"}}


def _page(
    description: str,
    settings: Settings,
    nodes: Mapping[str, Any],
    entries: Iterable[tuple[str, Mapping[str, Any]]],
    duration: str = "",
) -> str:
    head = {"description": description, "duration": duration or settings["run.duration"]}
    if settings["run.warm_up"] != "0 s":
        head["warm-up"] = settings["run.warm_up"]
    return scenario_text(head, [("[nodes]", nodes), *((f"[[{header}]]", entry) for header, entry in entries)])
