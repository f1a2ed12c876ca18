"""Quantities as a scenario writes them, and the arithmetic of cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.reproductions.reading import Settings

HEADER = 40
"""Bytes of TCP and IP before a segment's data."""
BITS_PER_CELL = 424
PAYLOAD_PER_CELL = 48
WRAPPING = 16
"""LLC/SNAP before a packet and the trailer of AAL5 behind it, in bytes [RFC2684; I.363.5]."""

_RATES = {"Mbit/s": 1_000_000, "kbit/s": 1_000, "bit/s": 1}
_TIMES = {"us": 1e-6, "ms": 1e-3, "s": 1.0}


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


def link_cells(settings: Settings) -> float:
    """Cells per second of a link."""
    return rate(settings.text("link.cells")) / BITS_PER_CELL


def rate(text: str) -> int:
    """A rate such as ``149.76 Mbit/s`` in bit/s."""
    value, unit = text.split()
    return round(float(value) * _RATES[unit])


def seconds(text: str) -> float:
    """A time such as ``500 us`` in seconds."""
    value, unit = text.split()
    return float(value) * _TIMES[unit]
