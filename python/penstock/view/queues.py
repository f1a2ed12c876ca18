"""The queues of a run over time: each change, or the last one of every interval if there are too many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.series import TimeSeries

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from penstock._core import Scenario

_CHANGES = 2_000_000
"""The most changes of all queues together that a page has."""


@dataclass(frozen=True)
class Queues:
    """Lengths of queues."""

    changes: pl.DataFrame
    """``link``, an index into the links asked for, ``time_ps`` and ``value`` in packets, sorted by both; each queue
    keeps a value until its next row."""
    is_thinned: bool  # whether there are only the last changes of intervals
    at_events: pl.Series
    """The length at the instant of each of the events asked for, after everything that happened at that instant."""


def queues_of(
    text: str | Scenario,
    name: str,
    options: dict[str, Any],
    links: Sequence[str],
    entries: Sequence[str],
    span: tuple[int, int],
    events: pl.DataFrame,
    most: int = _CHANGES,
) -> Queues:
    """The queues of some links from the first to the last picosecond of `span`, from another run of the scenario.

    The first three arguments are as of :func:`penstock.view.view_of`. `entries` are the entries that the links belong
    to: names of members are ambiguous where a flow has the name of a node. `events` has ``time_ps`` and ``place`` in
    the order of time; events at other places have no queue. `most` is the maximum number of changes.
    """
    import polars as pl

    begin, end = span
    schema = {"link": pl.UInt32, "time_ps": pl.Int64, "value": pl.UInt32}
    if not links:
        return Queues(pl.DataFrame(schema=schema), False, pl.Series("value", [None] * events.height, pl.UInt32))
    asked: dict[str, Any] = {"of": list(entries), "what": "port.queue", "on": "change"}
    made = TimeSeries(text, name=name, start=f"{begin // 1000} ns", stop=f"{end // 1000 + 1} ns", **asked, **options)
    order = {link: number for number, link in enumerate(links)}
    known = pl.col("place").cast(pl.String).replace_strict(order, default=None, return_dtype=pl.UInt32).alias("link")
    changes = (
        pl.concat([piece.select(known, "time_ps", pl.col("value").cast(pl.UInt32)) for piece in made.row_frames()])
        .filter(pl.col("link").is_not_null() & (pl.col("time_ps") <= end))
        .sort("link", "time_ps", maintain_order=True)
    )
    where = events.select("time_ps", known)
    at_events = where.join_asof(changes.sort("time_ps"), on="time_ps", by="link", check_sortedness=False)["value"]
    is_thinned = changes.height > most
    if is_thinned:
        interval = max(1, (end - begin) * len(links) // most)
        changes = (
            changes.group_by("link", (pl.col("time_ps") - begin) // interval, maintain_order=True)
            .agg(pl.col("time_ps").last().alias("last"), pl.col("value").last())
            .select("link", pl.col("last").alias("time_ps"), "value")
        )
    return Queues(changes, is_thinned, at_events)
