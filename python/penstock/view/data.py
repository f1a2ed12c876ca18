"""What a page of a traced run shows, as columns of small integers that are packed into it."""

from __future__ import annotations

import base64
import re
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock._core import Scenario
from penstock.drawing import middles
from penstock.errors import InputError
from penstock.printable import path_text, utf8
from penstock.report.topology import topology, topology_svg
from penstock.series import TimeSeries
from penstock.tabulation import made_from

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from penstock.trace import PacketTrace

__all__ = ["EVENTS", "View", "view_of"]

EVENTS = 1_000_000
"""The most events of a page: as many as a browser goes through in an instant."""
_SAMPLES, _VALUES = 2_000, 2_000_000
"""How often each queue is read, and how many readings there are of all queues at most."""
_PACKET = ["flow", "packet", "sequence", "acknowledgement"]
_MEMBER = re.compile(r"\[\d+\]")


@dataclass(frozen=True)
class View:
    """The page's content: its words, its drawing, and `model`, which the script reads."""

    title: str
    facts: Sequence[tuple[str, str]]
    drawing: str
    model: dict[str, Any]


def view_of(text: str, made: PacketTrace, name: str, options: dict[str, Any], limit: int = EVENTS) -> View:
    """The view of a run.

    Parameters
    ----------
    text : str
        The scenario.
    made : PacketTrace
        Its events, to be read here.
    name : str
        What the scenario is called.
    options : dict
        ``folder``, ``sets``, ``seed``, ``replication`` and ``threads`` of the trace, for the queues over time.
    limit : int
        The most events; later ones are left out, which the page says.

    Raises
    ------
    InputError
        If there is no event.
    """
    events, is_cut = _first(made, limit)
    if not events.height:
        raise InputError(f"{path_text(name)}: nothing happens there and then, so there is nothing to be viewed.")
    begin, end = int(events["time_ps"][0]), int(events["time_ps"][-1])
    places, flows = _words(events, "place"), _words(events, "flow")
    ticks, unit = _ticks(events["time_ps"])
    pairs, pair = _pairs(events)
    kinds = _categories(events, "event")
    windows = events.filter(events["event"] == "window")
    ports = events.filter(events["event"].is_in(["accept", "transmit", "drop"]))["place"].unique().cast(str)
    links = [place for place in places if place in set(ports) and _is_link(place, text)]
    queues = _queues(text, name, options, links, (begin, end)) if links else {"links": [], "arrays": {}}
    model = {
        "unit": unit / 1e12,
        "begin": begin / 1e12,
        "kinds": kinds,
        "places": [{"name": place, "ends": _ends(place, text)} for place in places],
        "flows": flows,
        "queues": queues["links"],
        "arrays": {
            "delta": _packed(ticks, "Uint32"),
            "kind": _packed(events["event"].to_physical(), "Uint8"),
            "flow": _packed(_numbers(events["flow"], flows), "Uint32"),
            "pair": _packed(pair, "Uint32"),
            "pairPlace": _packed(_numbers(pairs["place"], places), "Uint32"),
            "travel": _packed(pairs["travel"], "Float32"),
            "window": _packed(windows["cwnd"].fill_null(0.0), "Float32"),
            **queues["arrays"],
        },
    }
    until = f" (the first {limit}, until {end / 1e12:.6g} s)" if is_cut else ""
    facts = [
        ("events", f"{events.height}{until}"),
        ("from", f"{begin / 1e12:.6g} s"),
        ("to", f"{end / 1e12:.6g} s"),
        ("seed", str(made.seed)),
        ("replication", str(made.replication)),
        ("made from", made_from([made.provenance], []).removesuffix(".")),
    ]
    sets, folder = list(options.get("sets", ())), options.get("folder")
    made_of = [Scenario(text, utf8(name), sets, folder)] if sets else []
    return View(name, facts, topology_svg(text, made_of), model)


def _first(made: PacketTrace, limit: int) -> tuple[pl.DataFrame, bool]:
    """The first events, and whether there are more."""
    import polars as pl

    pieces, rows = [pl.DataFrame(schema=made.row_schema)], 0
    for piece in made.row_frames():
        pieces.append(piece)
        rows += piece.height
        if rows > limit:
            break
    made.close()
    return pl.concat(pieces).head(limit), rows > limit


def _words(events: pl.DataFrame, column: str) -> list[str]:
    """The words of a column that occur, in the scenario's order."""
    there = set(events[column].drop_nulls().unique().cast(str))
    return [str(word) for word in _categories(events, column) if word in there]


def _categories(events: pl.DataFrame, column: str) -> list[str]:
    """All words that a column may have."""
    import polars as pl

    kind = events.schema[column]
    assert isinstance(kind, pl.Enum)
    return list(kind.categories)


def _numbers(column: pl.Series, words: Sequence[str]) -> pl.Series:
    """Words as their numbers; nothing as one above all."""
    import polars as pl

    where = {word: number for number, word in enumerate(words)}
    return column.cast(pl.String).replace_strict(where, default=len(words), return_dtype=pl.UInt32)


def _ticks(times: pl.Series) -> tuple[pl.Series, int]:
    """Times as differences of whole units, and the unit in picoseconds: nanoseconds, if the gaps allow it."""
    unit = 1000
    while (times.diff().max() or 0) // unit >= 1 << 32:  # type: ignore[operator]  # polars types any value
        unit *= 10
    whole = times // unit
    return (whole - whole.shift(1, fill_value=whole[0])), unit


def _pairs(events: pl.DataFrame) -> tuple[pl.DataFrame, pl.Series]:
    """Places with sizes of packets, how long such a packet takes to the next place, and which of them each event has.

    How long, from the beginning of its transmission, is what the trace itself tells: the usual time until the same
    packet is next seen elsewhere.
    """
    import polars as pl

    numbered = events.with_columns(pl.struct("place", "size").rank("dense").sub(1).cast(pl.UInt32).alias("pair"))
    seen = ["accept", "receive", "drop"]
    sent = numbered.filter(pl.col("event") == "transmit").select("time_ps", "place", "pair", *_PACKET)
    arrived = numbered.filter(pl.col("event").is_in(seen)).select("time_ps", pl.col("time_ps").alias("then"), *_PACKET)
    # What a packet does not have would match nothing.
    key = pl.concat_str([pl.col(name).cast(pl.String).fill_null("") for name in _PACKET], separator=" ").alias("key")
    matched = (
        sent.with_columns(key)
        .join_asof(
            arrived.with_columns(key).select("time_ps", "then", "key"),
            on="time_ps",
            by="key",
            strategy="forward",
            allow_exact_matches=False,
            check_sortedness=False,
        )
        .group_by("pair")
        .agg(((pl.col("then") - pl.col("time_ps")).median() / 1e12).alias("travel"))
    )
    pairs = numbered.select("pair", "place").unique().sort("pair").join(matched, on="pair", how="left")
    return pairs.sort("pair").with_columns(pl.col("travel").fill_null(0.0)), numbered["pair"]


def _queues(
    text: str, name: str, options: dict[str, Any], links: Sequence[str], window: tuple[int, int]
) -> dict[str, Any]:
    """The queue of each link at equal distances of time."""
    import polars as pl

    begin, end = window
    samples = max(50, min(_SAMPLES, _VALUES // len(links)))
    every = max(1, (end - begin) // samples // 1000)
    asked: dict[str, Any] = {"of": list(links), "what": "queue", "every": f"{every} ns"}
    made = TimeSeries(text, name=name, start=f"{begin // 1000} ns", stop=f"{end // 1000 + 1} ns", **asked, **options)
    frame = made.frame().select("time_ps", pl.col("place").cast(pl.String), "value")
    order = {link: number for number, link in enumerate(links)}
    frame = frame.with_columns(pl.col("place").replace_strict(order, return_dtype=pl.UInt32).alias("link"))
    times = frame["time_ps"].unique().sort()
    values = frame.sort("link", "time_ps")["value"]
    times_s = (times / 1e12).cast(pl.Float64)
    return {
        "links": list(links),
        "arrays": {"queueTime": _packed(times_s, "Float64"), "queue": _packed(values, "Float32")},
    }


def _is_link(place: str, text: str) -> bool:
    nodes = {node.name for node in topology(text)[0]}
    return _MEMBER.sub("", place) not in nodes


def _ends(place: str, text: str) -> list[list[int]] | None:
    """Where a link begins and ends in the drawing, or where a node is; nothing if it is not drawn."""
    nodes, links = topology(text)
    at = middles(nodes, links)
    plain = _MEMBER.sub("", place)
    if plain in at:
        return [list(at[plain])]
    for link in links:
        if not all(isinstance(link[key], str) for key in ("from", "to")):
            # Links between lists of nodes have one name and many places.
            continue
        a, b = (_MEMBER.sub("", str(link[key])) for key in ("from", "to"))
        names = {f"{a}-{b}": (a, b), f"{b}-{a}": (b, a)} | ({str(link["name"]): (a, b)} if "name" in link else {})
        if plain in names and all(end in at for end in names[plain]):
            return [list(at[end]) for end in names[plain]]
    return None


def _packed(column: pl.Series, kind: str) -> dict[str, str]:
    """A column as an array of the script: compressed, and written with letters."""
    types = {"Uint8": "<u1", "Uint32": "<u4", "Float32": "<f4", "Float64": "<f8"}
    content = column.to_numpy().astype(types[kind]).tobytes()
    return {"type": kind, "data": base64.b64encode(zlib.compress(content, 6)).decode("ascii")}
