"""The scenarios about UBR: policies and flavours, parameters, a guaranteed rate, bursty sources, and modern TCP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.reproductions.ubr.n_sources import Sources, n_sources
from penstock.reproductions.ubr.queues import parametrised, switch_queue
from penstock.reproductions.ubr.tcp import transport
from penstock.reproductions.ubr.words import cells_per_segment

if TYPE_CHECKING:
    from penstock.reproductions.reading import Settings
    from penstock.reproductions.tables import Row

MANY = 15
USERS = 60
DEFAULT = "class.default."


def grid(settings: Settings, network: str, row: Row) -> str:
    """A cell of the grid in the place of slides 19 and 20."""
    key = row.key
    return _page(settings, network, str(key["switch"]), str(key["tcp"]), int(key["sources"]), int(key["buffer"]))


def together(settings: Settings, row: Row) -> str:
    """A cell of the same whose sources start together."""
    network = str(row.key["network"])
    settings = together_from_the_start(settings, network)
    return _page(settings, network, str(row.key["switch"]), str(row.key["tcp"]), MANY, small(settings, network))


def together_from_the_start(settings: Settings, network: str) -> Settings:
    """These settings with all sources starting at 0, and everything counted."""
    return settings.having({"tcp.start_within": "0 s", f"run.{network}_from": "0 s"})


def today(settings: Settings, row: Row) -> str:
    """A cell of the same with modern TCP."""
    network = str(row.key["network"])
    return _page(settings, network, str(row.key["switch"]), str(row.key["tcp"]), MANY, small(settings, network))


def parameters(settings: Settings, row: Row) -> str:
    """Selective drop or FBA with a Z and an R."""
    key, network = row.key, str(row.key["network"])
    queue = parametrised(str(key["policy"]), small(settings, network), share=float(key["r"]), z=float(key["z"]))
    return _of(settings, network, MANY, queue, _tcp(settings, network, "reno"))


def constants(settings: Settings, row: Row) -> str:
    """Reno with other constants of increase and decrease, under EPD."""
    network = str(row.key["network"])
    aimd = float(row.key["increase"]), float(row.key["decrease"])
    queue = _queue(settings, network, "epd", MANY, small(settings, network))
    return _of(settings, network, MANY, queue, _tcp(settings, network, "reno", aimd))


def reserved(settings: Settings, row: Row) -> str:
    """UBR beneath VBR, with a share of the link reserved or without."""
    network = str(row.key["network"])
    queue = _queue(settings, network, str(row.key["switch"]), MANY, small(settings, network), DEFAULT)
    tcp = _tcp(settings, network, str(row.key["tcp"]))
    return _of(settings, network, MANY, queue, tcp, reserved=float(row.key["reserved"]) / 100)


def bursty(settings: Settings, row: Row) -> str:
    """Users who fetch pages in the WAN, alone or beneath VBR."""
    has_vbr = row.key["background"] == "vbr"
    queue = _queue(settings, "wan", str(row.key["switch"]), USERS, small(settings, "wan"), DEFAULT if has_vbr else "")
    # 60 users at a page of 200 kB and half a second of thinking ask for about twice of what the link carries.
    source = {"source.http": {"page": "200 kB", "objects": 0, "think": {"exponential": {"mean": "500 ms"}}}}
    tcp = _tcp(settings, "wan", str(row.key["tcp"]))
    return _of(settings, "wan", USERS, queue, tcp, source=source, reserved=0.0 if has_vbr else None)


def mss_of(settings: Settings, network: str) -> int:
    """Data of a segment in bytes."""
    return int(settings[f"experiment_ubr.{network}.mss_bytes"])


def small(settings: Settings, network: str) -> int:
    """The smaller buffer of a network in cells."""
    return int(settings[f"ubr.small_buffer.{network}"])


def _page(settings: Settings, network: str, switch: str, tcp: str, sources: int, buffer: int) -> str:
    queue = _queue(settings, network, switch, sources, buffer)
    return _of(settings, network, sources, queue, _tcp(settings, network, tcp))


def _of(settings: Settings, network: str, count: int, queue: dict[str, Any], tcp: dict[str, Any], **more: Any) -> str:
    told = f"{count} TCP sources over UBR, {network}"
    return n_sources(settings, Sources(network, count, queue, tcp, told, **more))


def _queue(
    settings: Settings, network: str, switch: str, sources: int, buffer: int, prefix: str = ""
) -> dict[str, Any]:
    frame = cells_per_segment(mss_of(settings, network))
    return switch_queue(settings, switch, buffer, frame=frame, sources=sources, prefix=prefix)


def _tcp(settings: Settings, network: str, flavour: str, aimd: tuple[float, float] | None = None) -> dict[str, Any]:
    window = settings.text(f"window.{network}")
    return transport(settings, flavour, mss=mss_of(settings, network), window=window, aimd=aimd)
