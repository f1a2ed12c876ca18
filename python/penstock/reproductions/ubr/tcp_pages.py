"""The scenarios about TCP itself: window over time, retransmissions, starts, and the buffers that it needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock import toml
from penstock.reproductions.scenario_text import scenario_text
from penstock.reproductions.ubr.best_effort import MANY, mss_of, small
from penstock.reproductions.ubr.n_sources import Sources, n_sources
from penstock.reproductions.ubr.queues import ample, switch_queue
from penstock.reproductions.ubr.tcp import transport
from penstock.reproductions.ubr.words import BITS_PER_CELL, cells_per_segment, rate, seconds

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.reproductions.reading import Settings
    from penstock.reproductions.tables import Row

SPANS: Mapping[str, tuple[float, str]] = {
    "wan": (3.0, "200 kB"),
    "satellite": (28.5, "240 kB"),
    "satellite-512": (28.5, "240 kB"),
}
"""Seconds over which a window is averaged, about 100 and 50 round trips, and where slow start ends."""

PERIODIC_RTT = 0.03
"""Seconds that a round trip takes at least where losses are periodic."""
CYCLES = 60
"""From one loss to the next, in such a run."""


def base_of(settings: Settings, network: str) -> tuple[str, Settings]:
    """The network that a row is about; `satellite-512` is the satellite with the segments of the others."""
    if network == "satellite-512":
        return "satellite", settings.having({"experiment_ubr.satellite.mss_bytes": 512})
    return network, settings


def windows(settings: Settings, row: Row) -> str:
    """One transfer that loses nothing, counted from a certain second on."""
    span, threshold = SPANS[str(row.key["network"])]
    network, settings = base_of(settings, str(row.key["network"]))
    begin = float(row.key["at"])
    times = {f"run.{network}_from": f"{begin:g} s", f"run.{network}": f"{begin + span:g} s"}
    tcp = _tcp(settings, network, "sack1")
    tcp |= {"initial-slow-start-threshold": threshold, "congestion-control": _arithmetic(settings, row)}
    return n_sources(settings.having(times), Sources(network, 1, ample(), tcp, f"a window over time, {network}"))


def retransmissions(settings: Settings, row: Row) -> str:
    """15 sources whose retransmissions are counted, with and without a delay."""
    network, flavour = str(row.key["network"]), str(row.key["tcp"])
    tcp = _tcp(settings, network, flavour.removesuffix("-delayed"))
    if flavour == "sack1-delayed":
        delay = "half-round-trip-with-new-data" if settings["delayed.new_data"] else "half-round-trip"
        tcp["recovery"] = {"sack1": {"retransmit-delay": delay}}
    text = _crowd(_from_the_start(settings, network), network, str(row.key["switch"]), tcp)
    more = [{"metric": metric, "of": "tcp"} for metric in ("lost-retransmissions", "repeated-retransmissions")]
    return text + "".join("\n[[measure]]\n" + "\n".join(toml.lines(each)) + "\n" for each in more)


def starts(settings: Settings, row: Row) -> str:
    """15 sources that begin together or within some time."""
    within = "0 s" if row.key["start"] == "together" else str(row.key["start"])
    network = str(row.key["network"])
    tcp = _tcp(settings, network, str(row.key["tcp"]))
    return _crowd(settings.having({"tcp.start_within": within}), network, "epd", tcp)


def buffers(settings: Settings, row: Row) -> str:
    """Sources with a buffer in proportion to what they may have outstanding, or to the path."""
    network, count = str(row.key["network"]), int(row.key["sources"])
    frame = cells_per_segment(mss_of(settings, network))
    size = buffer_of(settings, network, count, str(row.key["buffer"]))
    if row.key["buffer"] != "half-rtt":
        settings = _from_the_start(settings, network)
    queue = switch_queue(settings, str(row.key["switch"]), size, frame=frame, sources=count)
    return n_sources(settings, Sources(network, count, queue, _tcp(settings, network, "sack1"), f"buffers, {network}"))


def buffer_of(settings: Settings, network: str, count: int, what: str) -> int:
    """Cells of a buffer: all windows, half of them, or half a round trip of the link."""
    frame = cells_per_segment(mss_of(settings, network))
    if what == "half-rtt":
        way = seconds(settings.text(f"ubr.one_way.{network}")) + 2 * seconds(settings.text(f"ubr.access.{network}"))
        return round(way * rate(settings.text("link.cells")) / BITS_PER_CELL)
    window, unit = settings.text(f"window.{network}").split()
    scale = {"bytes": 1, "kB": 1000, "MB": 1_000_000, "KiB": 1024}[unit]
    segments = round(float(window) * scale) // mss_of(settings, network)
    return round(count * segments * frame * {"windows": 1.0, "half-windows": 0.5}[what])


def periodic(settings: Settings, row: Row) -> str:
    """One transfer, packet by packet, that loses every n-th segment and nothing else."""
    period = int(row.key["period"])
    mss = int(settings["gfr.mss_bytes"])
    tcp = transport(settings, "sack1", mss=mss, window="10000 packets")
    rtt = seconds(f"{PERIODIC_RTT} s")
    # A cycle has sqrt(2 P / 3) round trips. The first ten are not counted.
    cycle = (2 * period / 3) ** 0.5 * rtt
    head: dict[str, object] = {
        "description": f"a SACK transfer that loses every {period}th segment",
        "duration": f"{round(1000 * CYCLES * cycle)} ms",
        "warm-up": f"{round(1000 * 10 * cycle)} ms",
    }
    lost = [period * i for i in range(1, 90)]
    wire = {"rate": "10 Gbit/s", "delay": f"{round(rtt * 500)} ms", "queue.tail-drop": {"limit": "100000 packets"}}
    blocks: list[tuple[str, dict[str, object]]] = [
        ("[nodes]", {"a": {}, "b": {}}),
        ("[[links]]", {"from": "a", "to": "b", **wire, "impairment.drop-list": {"drop": lost}}),
        ("[[links]]", {"from": "b", "to": "a", **wire}),
        ("[[flows]]", {"name": "tcp", "from": "a", "to": "b", "source.ftp": {}, "transport.tcp": tcp}),
        ("[[measure]]", {"metric": "goodput", "of": "tcp"}),
        ("[[measure]]", {"metric": "timeouts", "of": "tcp"}),
        ("[[measure]]", {"metric": "retransmissions", "of": "tcp"}),
    ]
    return scenario_text(head, blocks)


def _arithmetic(settings: Settings, row: Row) -> dict[str, Any] | str:
    """Reno's window in floating point, in integers, or in integers that grow after N acknowledgements."""
    after = int(settings["increase.after"])
    if row.key["arithmetic"] == "floating":
        return "reno"
    if row.key["arithmetic"] == "integer":
        return {"reno": {"arithmetic": "integer-bytes"}}
    if after:
        return {"reno": {"arithmetic": "integer-bytes", "acks-per-increase": after}}
    return {"reno": {"arithmetic": "integer-bytes-without-stall"}}


def _from_the_start(settings: Settings, network: str) -> Settings:
    """Counted from the start, since the first slow start loses the most."""
    return settings.having({f"run.{network}_from": "0 s"})


def _crowd(settings: Settings, network: str, switch: str, tcp: dict[str, Any]) -> str:
    frame = cells_per_segment(mss_of(settings, network))
    queue = switch_queue(settings, switch, small(settings, network), frame=frame, sources=MANY)
    return n_sources(settings, Sources(network, MANY, queue, tcp, f"{MANY} TCP sources over UBR, {network}"))


def _tcp(settings: Settings, network: str, flavour: str) -> dict[str, Any]:
    return transport(settings, flavour, mss=mss_of(settings, network), window=settings.text(f"window.{network}"))
