"""Scenarios of TCP over UBR: drop policies, TCP flavours, parameters, buffers, VBR on the same link, and TCP alone."""

from collections.abc import Mapping
from typing import Any

from penstock.reproductions.reading import Settings
from penstock.reproductions.scenario_text import amount
from penstock.reproductions.tables import Row
from penstock.reproductions.ubr.mechanisms import (
    ample,
    cells_per_segment,
    link_cells,
    parametrised,
    switch_queue,
    transport,
)
from penstock.reproductions.ubr.networks import Sources, n_sources

MANY = 15
USERS = 60
SPANS: Mapping[str, tuple[float, str]] = {
    "wan": (3.0, "200 kB"),
    "satellite": (28.5, "240 kB"),
    "satellite-512": (28.5, "240 kB"),
}
"""Seconds over which a window is averaged, about 100 and 50 round trips, and where slow start ends."""


def sources(settings: Settings, row: Row, network: str = "", **more: Any) -> str:
    """15 sources under EPD unless the row says otherwise, and with the network that it names unless one is given."""
    key = row.key
    usual = {"switch": str(key.get("switch", "epd")), "count": int(key.get("sources", MANY))}
    return _page(settings, network or str(key["network"]), str(key["tcp"]), **{**usual, **more})


def grid(settings: Settings, network: str, row: Row) -> str:
    """A cell of the grid in the place of slides 19 and 20."""
    return sources(settings, row, network, buffer=int(row.key["buffer"]))


def together(settings: Settings, row: Row) -> str:
    """A cell of the same whose sources start together."""
    return sources(together_from_the_start(settings, str(row.key["network"])), row)


def together_from_the_start(settings: Settings, network: str) -> Settings:
    """These settings with all sources starting at 0, and everything counted."""
    return _from_the_start(settings.having({"tcp.start_within": "0 s"}), network)


def parameters(settings: Settings, row: Row) -> str:
    """Selective drop or FBA with a Z and an R."""
    key, network = row.key, str(row.key["network"])
    queue = parametrised(
        str(key["policy"]), int(settings[f"ubr.small_buffer.{network}"]), share=float(key["r"]), z=float(key["z"])
    )
    return _page(settings, network, "reno", queue=queue)


def constants(settings: Settings, row: Row) -> str:
    """Reno with other constants of increase and decrease, under EPD."""
    network = str(row.key["network"])
    aimd = float(row.key["increase"]), float(row.key["decrease"])
    return _page(settings, network, _tcp(settings, network, "reno", aimd))


def reserved(settings: Settings, row: Row) -> str:
    """UBR beneath VBR, with a share of the link reserved or without."""
    return sources(settings, row, reserved=float(row.key["reserved"]) / 100)


def bursty(settings: Settings, row: Row) -> str:
    """Users who fetch pages in the WAN, alone or beneath VBR."""
    # 60 users at a page of 200 kB and half a second of thinking ask for about twice of what the link carries.
    source = {"source.http": {"page": "200 kB", "objects": 0, "think": {"exponential": {"mean": "500 ms"}}}}
    reserved = 0.0 if row.key["background"] == "vbr" else None
    return sources(settings, row, "wan", count=USERS, source=source, metrics=("page-time",), reserved=reserved)


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
    told = f"a window over time, {network}"
    return _page(settings.having(times), network, tcp, queue=ample(), count=1, told=told)


def retransmissions(settings: Settings, row: Row) -> str:
    """15 sources whose retransmissions are counted, with and without a delay."""
    network, flavour = str(row.key["network"]), str(row.key["tcp"])
    tcp = _tcp(settings, network, flavour.removesuffix("-delayed"))
    if flavour == "sack1-delayed":
        delay = "half-round-trip-with-new-data" if settings["delayed.new_data"] else "half-round-trip"
        tcp["recovery"] = {"sack1": {"retransmit-delay": delay}}
    metrics = ("lost-retransmissions", "repeated-retransmissions")
    settings = _from_the_start(settings, network)
    return _page(settings, network, tcp, switch=str(row.key["switch"]), metrics=metrics)


def starts(settings: Settings, row: Row) -> str:
    """15 sources that begin together or within some time, under EPD."""
    within = "0 s" if row.key["start"] == "together" else str(row.key["start"])
    return sources(settings.having({"tcp.start_within": within}), row)


def buffers(settings: Settings, row: Row) -> str:
    """Sources with a buffer in proportion to what they may have outstanding, or to the path."""
    network, count = str(row.key["network"]), int(row.key["sources"])
    buffer, switch = buffer_of(settings, network, count, str(row.key["buffer"])), str(row.key["switch"])
    if row.key["buffer"] != "half-rtt":
        settings = _from_the_start(settings, network)
    told = f"buffers, {network}"
    return _page(settings, network, "sack1", switch=switch, count=count, buffer=buffer, told=told)


def buffer_of(settings: Settings, network: str, count: int, what: str) -> int:
    """Cells of a buffer: all windows, half of them, or half a round trip of the link."""
    if what == "half-rtt":
        return round(one_way(settings, network) * link_cells(settings))
    window, unit = settings.text(f"window.{network}").split()
    scale = {"bytes": 1, "kB": 1000, "MB": 1_000_000, "KiB": 1024}[unit]
    mss = mss_of(settings, network)
    segments = round(float(window) * scale) // mss
    return round(count * segments * cells_per_segment(mss) * {"windows": 1.0, "half-windows": 0.5}[what])


def one_way(settings: Settings, network: str) -> float:
    """Propagation time over the three links from a source to its sink, in seconds."""
    return amount(settings.text(f"ubr.one_way.{network}")) + 2 * amount(settings.text(f"ubr.access.{network}"))


def mss_of(settings: Settings, network: str) -> int:
    """Data of a segment in bytes."""
    return int(settings[f"experiment_ubr.{network}.mss_bytes"])


def _from_the_start(settings: Settings, network: str) -> Settings:
    """Counted from the start, since the first slow start loses the most."""
    return settings.having({f"run.{network}_from": "0 s"})


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


def _page(
    settings: Settings,
    network: str,
    tcp: str | dict[str, Any],
    *,
    switch: str = "epd",
    count: int = MANY,
    buffer: int = 0,
    queue: dict[str, Any] | None = None,
    told: str = "",
    **more: Any,
) -> str:
    """`tcp` is a flavour or its keys; the smaller buffer, and the queue of the switch, unless others are given."""
    if queue is None:
        frame = cells_per_segment(mss_of(settings, network))
        prefix = "" if more.get("reserved") is None else "class.default."
        size = buffer or int(settings[f"ubr.small_buffer.{network}"])
        queue = switch_queue(settings, switch, size, frame=frame, sources=count, prefix=prefix)
    keys = _tcp(settings, network, tcp) if isinstance(tcp, str) else tcp
    told = told or f"{count} TCP sources over UBR, {network}"
    return n_sources(settings, Sources(network, count, queue, keys, told, **more))


def _tcp(settings: Settings, network: str, flavour: str, aimd: tuple[float, float] | None = None) -> dict[str, Any]:
    window = settings.text(f"window.{network}")
    return transport(settings, flavour, mss=mss_of(settings, network), window=window, aimd=aimd)
