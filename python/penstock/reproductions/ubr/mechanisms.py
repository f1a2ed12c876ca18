"""Quantities, the switch policies of the bottleneck and the flavours of TCP, as scenarios name them.

And the arithmetic of cells.
"""

from typing import Any

from penstock.reproductions.reading import Settings
from penstock.reproductions.scenario_text import amount

HEADER = 40
"""Bytes of TCP and IP before a segment's data."""
BITS_PER_CELL = 424
PAYLOAD_PER_CELL = 48
WRAPPING = 16
"""LLC/SNAP before a packet and the trailer of AAL5 behind it, in bytes [RFC2684; I.363.5]."""

HOST = 400_000
"""Cells that a host may have waiting before its own link: more than any window is long."""
RECOVERIES = {"vanilla": "timeout-only", "reno": "reno", "new-reno": "new-reno", "sack1": "sack1"}
"""What repairs losses, by the study's names; slow start alone has nothing but its timer."""
TODAY = {"sack": "reno", "cubic": "cubic"}
"""The congestion control of the modern flavours, both with the recovery of RFC 6675."""


def cells(count: float) -> str:
    """A number of cells, whole: ``'10800 cells'``."""
    return f"{round(count)} cells"


def cells_per_segment(mss: int) -> int:
    """Cells of a segment with headers, LLC/SNAP and trailer.

    Examples
    --------
    >>> [cells_per_segment(mss) for mss in (512, 1024, 9180)]
    [12, 23, 193]
    """
    return -(-(mss + HEADER + WRAPPING) // PAYLOAD_PER_CELL)


def most_goodput(cell_rate: float, mss: int) -> float:
    """The most data that a link of this rate of cells carries, both in bit/s.

    Examples
    --------
    >>> round(most_goodput(149.76e6, 512)), round(most_goodput(149.76e6, 1024))
    (120561509, 125803314)
    """
    return cell_rate * mss * 8 / (cells_per_segment(mss) * BITS_PER_CELL)


def link_rate(settings: Settings) -> int:
    """Bit/s of a link."""
    return round(amount(settings.text("link.cells")))


def link_cells(settings: Settings) -> float:
    """Cells per second of a link."""
    return link_rate(settings) / BITS_PER_CELL


def ample() -> dict[str, Any]:
    """A queue that never drops."""
    return {"queue.tail-drop": {"limit": cells(HOST)}}


def switch_queue(
    settings: Settings, policy: str, buffer: int, *, frame: int, sources: int, prefix: str = ""
) -> dict[str, Any]:
    """The bottleneck's queue under one of the policies of slide 7, with the best parameters of slides 21 and 23.

    `policy` is ``plain``, ``ppd``, ``epd``, ``selective-drop`` or ``fba``; `buffer` (K) and `frame` are in cells;
    `prefix` is that of ``queue``, as in ``class.default.``.
    """
    limit = cells(buffer)
    if policy == "plain":
        return {f"{prefix}queue.tail-drop": {"limit": limit}}
    if policy == "ppd":
        return {f"{prefix}queue.ppd": {"limit": limit}}
    if policy == "epd":
        threshold = settings["epd.threshold"] * buffer - settings["epd.frames"] * sources * frame
        return {f"{prefix}queue.epd": {"limit": limit, "threshold": cells(max(threshold, buffer / 2))}}
    best = {"selective-drop": "selective_drop", "fba": "fba"}[policy]
    share, z = settings[f"{best}.best_r_fraction_of_k"], settings[f"{best}.best_z"]
    return parametrised(policy, buffer, share=share, z=z, prefix=prefix)


def parametrised(policy: str, buffer: int, *, share: float, z: float, prefix: str = "") -> dict[str, Any]:
    """Selective drop or FBA with the threshold R at this share of the buffer, and this Z."""
    return {f"{prefix}queue.{policy}": {"limit": cells(buffer), "threshold": cells(share * buffer), "z": z}}


def transport(
    settings: Settings, flavour: str, *, mss: int, window: str, aimd: tuple[float, float] | None = None
) -> dict[str, Any]:
    """The transport of a flow: ``vanilla``, ``reno``, ``new-reno``, ``sack1``, or of modern TCP ``sack`` or ``cubic``.

    `mss` is the data of a segment in bytes, `window` the largest window; `aimd` has the segments by which a window
    grows in a round trip, and the share of it that congestion leaves.
    """
    keys: dict[str, Any] = {"packet": f"{mss + HEADER} bytes", "header": f"{HEADER} bytes", "max-window": window}
    if flavour in TODAY:
        # Linux, where the RFCs leave a choice: ten segments at first and a minimum timeout of 200 ms.
        return {"recovery": "sack", "congestion-control": TODAY[flavour], "min-rto": "200 ms", **keys}
    tick = round(1000 * settings["experiment_ubr.tcp.timer_granularity_s"])
    return {
        "recovery": RECOVERIES[flavour],
        "congestion-control": {"reno": {"increase": aimd[0], "decrease": aimd[1]}} if aimd else "reno",
        **keys,
        "initial-window": "1 packets",
        "timer-tick": f"{tick} ms",
        "min-rto": "0 s",
        "initial-rto": settings.text("tcp.initial_rto"),
        "max-rto": "64 s",
        "limited-transmit": False,
        "restart-after-idle": False,
        "syn": False,
    }
