"""Tells the packets of a trace apart, so that each can be followed from link to link."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

NONE = 2**32 - 1
"""The number of events that happen to no packet."""
_KEY = ["flow", "packet", "sequence", "acknowledgement", "retransmission", "size"]


def packet_numbers(events: pl.DataFrame, ends: Mapping[str, tuple[str, str]]) -> list[int]:
    """The number of the packet of each event, counted from 0 by first appearance.

    `events` are rows of a trace, and `ends` the nodes of each link. A trace names a packet by flow, kind and sequence
    number. Several packets with one name, such as duplicate acknowledgements, differ in where they are: each event
    happens to the one that has waited there longest.
    """
    import polars as pl

    named = events.select(
        pl.when(pl.col("packet").is_not_null()).then(pl.struct(_KEY).rank("dense")).alias("key"),
        pl.col("event").cast(pl.String),
        pl.col("cause").cast(pl.String),
        pl.col("place").cast(pl.String),
    )
    waiting: dict[tuple[int, str], list[int]] = {}
    numbers: list[int] = []
    count = 0
    for key, event, cause, place in named.iter_rows():
        if key is None:
            numbers.append(NONE)
            continue
        start, end = ends.get(place, (place, place))
        found, where = None, place
        for where in _where(event, cause, place, start, end):
            if present := waiting.get((key, where)):
                found = present.pop(0)
                if not present:
                    del waiting[key, where]
                break
        if found is None:
            found, count = count, count + 1
        numbers.append(found)
        goes = where if cause == "pcn-meter" else _goes(event, place, start, end)
        if goes is not None:
            waiting.setdefault((key, goes), []).append(found)
        if event == "duplicate":
            waiting.setdefault((key, end), []).append(count)
            count += 1
    return numbers


def _where(event: str, cause: str | None, place: str, start: str, end: str) -> Sequence[str]:
    """Where a packet may be before an event: at the node before the link, in its queue, or on the way to its end."""
    match event:
        case "send":
            return ()
        case "transmit":
            return place, start
        case "duplicate":
            return (end,)
        case "drop" if cause == "loss":
            return end, place
    return start, place


def _goes(event: str, place: str, start: str, end: str) -> str | None:
    """Where it is after the event; None where it ends."""
    match event:
        case "drop" | "receive":
            return None
        case "transmit" | "duplicate":
            return end
        case "send":
            return start
    return place
