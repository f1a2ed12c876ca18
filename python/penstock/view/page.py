"""The page of a traced run, which loads nothing: words, and columns of small integers that are packed into it."""

import base64
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from markupsafe import Markup

from penstock._core import Scenario
from penstock.errors import InputError
from penstock.plots.style import COLOURS
from penstock.printable import path_text
from penstock.report.render import json_markup, packaged, template
from penstock.series import TimeSeries
from penstock.tabulation import made_from
from penstock.trace import PacketTrace
from penstock.view.layout import layout_of
from penstock.view.network import Network, network_of

EVENTS = 1_000_000
"""The most events of a page."""
_MOST_CHANGES = 2_000_000
_SCRIPTS = ("model", "story", "stage", "panel", "charts", "page")
CAUSES: Mapping[str, tuple[str, str]] = {
    "overflow": ("because its queue was full", "queue"),
    "early": ("early, as its queue discipline decided (active queue management)", "queue"),
    "forced": ("because the average queue was above the discipline's maximum threshold", "queue"),
    "loss": ("on the wire: an impairment of the link lost it", "impairment"),
    "policed": ("because it exceeded the profile of the policer", "policer"),
    "buffer": ("because the buffer that the ports of the switch share had no room for it", ""),
    "limiter": ("because the queue of the station's rate limiter was full", ""),
    "headroom": ("because the headroom of the paused ingress link and the shared buffer had no room for it", ""),
    "partial": ("because another cell of its frame had already been lost", "queue"),
    "filtered": ("because a later acknowledgement of its flow in the queue made it redundant", "scheduler"),
    "discipline": ("with CE (congestion experienced), as its queue discipline decided", "queue"),
    "pcn-meter": ("with a PCN mark, as the rate meter of the port decided", "pcn"),
}
"""For each cause: the end of "Link r1-r2 dropped the packet ...", and the section of the port that decided."""


@dataclass(frozen=True)
class View:
    """The page's content: a title, facts, what was run, warnings, and `model`, which the script reads."""

    title: str
    facts: Sequence[tuple[str, str]]
    run: str
    warnings: Sequence[str]
    model: dict[str, Any]


def view_of(text: str | Scenario, made: PacketTrace, name: str, options: dict[str, Any], limit: int = EVENTS) -> View:
    """The view of a run, of at most `limit` events, which are read here. Raises InputError if there is none.

    `options` are ``folder``, ``sets``, ``seed``, ``replication`` and ``threads`` of the trace, for the queues.
    """
    events, is_cut = _first(made, limit)
    if not events.height:
        raise InputError(f"{path_text(name)}: nothing happens there and then, so there is nothing to be viewed.")
    begin, end = int(events["time_ps"][0]), int(events["time_ps"][-1])
    network = network_of(made.scenario)
    places, flows, classes = (_words(events, column) for column in ("place", "flow", "class"))
    # Nodes first: the script tells links from nodes by their number, and links without events are drawn as well.
    names = list(dict.fromkeys([*network.nodes, *network.links, *places]))
    seen = set(events.filter(events["event"].is_in(["accept", "transmit", "drop"]))["place"].unique().cast(str))
    links = [link for link in network.links if link in seen]
    decided = events.filter(events["event"].is_in(["drop", "mark"]))
    entries = list(dict.fromkeys(network.links[link].entry for link in links))
    queues = queues_of(text, name, options, links, entries, (begin, end), decided)
    ends = {link: (network.nodes[it.start], network.nodes[it.end]) for link, it in network.links.items()}
    made_packets = packet_numbers(events, ends)
    model = {
        "begin": begin // 1_000_000,
        "kinds": _categories(events, "event"),
        "causes": [
            dict(zip(("name", "why", "section"), (name, *CAUSES.get(name, ("", ""))), strict=True))
            for name in _categories(events, "cause")
        ],
        "packetKinds": _categories(events, "packet"),
        "places": names,
        "flows": flows,
        "classes": classes,
        "colours": list(COLOURS),
        "network": _drawn(network),
        "queues": links,
        "arrays": {
            **_event_columns(events, names, flows, classes),
            **_packet_columns(events, made_packets),
            "decidedQueue": _packed(queues.at_events.fill_null(NONE), "Uint32"),
            "precedence": _packed(decided["precedence"].fill_null(255), "Uint8"),
            **_queue_columns(queues.changes, len(links), begin),
        },
    }
    facts = [("events", f"{events.height}"), ("from", f"{begin / 1e12:.6g} s"), ("to", f"{end / 1e12:.6g} s")]
    run = f"{made_from([made.provenance], []).removesuffix('.')}, seed {made.seed}, replication {made.replication}"
    cut = f"This page has the first {limit} events, until {end / 1e12:.6g} s; --start and --stop choose others, "
    thinned = "Queues change too often for one page: each has its last value of every short interval."
    warnings = [f"{cut}--limit more."] * is_cut + [thinned] * queues.is_thinned
    return View(name, facts, run, warnings, model)


def render(view: View, command: str) -> str:
    """The page, with the command that makes it again: equal bytes for equal runs."""
    parts = "\n".join(packaged(__package__, f"{name}.js") for name in _SCRIPTS)
    return template(__package__).render(
        view=view,
        command=command,
        model=json_markup(view.model, separators=(",", ":")),
        style=Markup(packaged("penstock.report", "page.css") + packaged(__package__, "page.css")),
        script=Markup(f'"use strict";\n(async () => {{\n{parts}\n}})();\n'),
    )


def _first(made: PacketTrace, limit: int) -> tuple[pl.DataFrame, bool]:
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
    kind = events.schema[column]
    assert isinstance(kind, pl.Enum)
    return list(kind.categories)


def _numbers(column: pl.Series, words: Sequence[str]) -> pl.Series:
    """Words as their numbers; missing ones as the number after the last."""
    where = {word: number for number, word in enumerate(words)}
    return column.cast(pl.String).replace_strict(where, default=len(words), return_dtype=pl.UInt32)


def _drawn(network: Network) -> dict[str, Any]:
    """The drawing: positions of nodes, ends and settings of links, labels of groups."""
    layout = layout_of(network)
    ports = [link.port for link in network.links.values()]
    kinds: list[Mapping[str, str]] = []  # the settings of ports, each once
    for port in ports:
        if port not in kinds:
            kinds.append(port)
    return {
        "kind": layout.kind,
        "nodes": [[round(each, 1) for each in layout.at[node]] for node in range(len(network.nodes))],
        "links": [[link.start, link.end, link.rate, link.delay] for link in network.links.values()],
        "ports": {"kinds": kinds, "of": [kinds.index(port) for port in ports]},
        "labels": [[label.text, *(round(each, 1) for each in label.at), label.side] for label in layout.labels],
    }


def _event_columns(
    events: pl.DataFrame, names: Sequence[str], flows: Sequence[str], classes: Sequence[str]
) -> dict[str, Any]:
    micros = events["time_ps"] // 1_000_000
    windows = events.filter(events["event"] == "window")
    return {
        # Exact: whole microseconds as differences, and the picoseconds beyond them.
        "micros": _packed(micros - micros.shift(1, fill_value=micros[0]), "Float64"),
        "picos": _packed(events["time_ps"] % 1_000_000, "Uint32"),
        "kind": _packed(events["event"].to_physical(), "Uint8"),
        "cause": _packed(events["cause"].to_physical().fill_null(255), "Uint8"),
        "flow": _packed(_numbers(events["flow"], flows), "Uint32"),
        "service": _packed(_numbers(events["class"], classes), "Uint32"),
        "place": _packed(_numbers(events["place"], names), "Uint32"),
        "window": _packed(windows["cwnd"].fill_null(0.0), "Float64"),
    }


def _packet_columns(events: pl.DataFrame, numbers: Sequence[int]) -> dict[str, Any]:
    packet = pl.Series("number", numbers, pl.UInt32)
    named = events.with_columns(packet).filter(packet != NONE)
    firsts = named.unique("number", keep="first", maintain_order=True).sort("number")
    return {
        "packet": _packed(packet, "Uint32"),
        "packetKind": _packed(firsts["packet"].to_physical(), "Uint8"),
        "sequence": _packed(firsts["sequence"].fill_null(NONE), "Uint32"),
        "acknowledgement": _packed(firsts["acknowledgement"].fill_null(NONE), "Uint32"),
        "retransmission": _packed(firsts["retransmission"].fill_null(value=False).cast(pl.UInt8), "Uint8"),
        "size": _packed(firsts["size"].fill_null(0), "Uint32"),
    }


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
    most: int = _MOST_CHANGES,
) -> Queues:
    """The queues of links within `span` (ps), from another run: at most `most` changes, and their lengths at `events`.

    `entries` are the entries of the links: names of members are ambiguous where a flow has the name of a node.
    """
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


def _queue_columns(changes: pl.DataFrame, count: int, begin: int) -> dict[str, Any]:
    counts = np.bincount(changes["link"].to_numpy(), minlength=count)
    gaps = changes["time_ps"] - changes["time_ps"].shift(1, fill_value=begin)
    return {
        "queueBegin": _packed(pl.Series(np.concatenate([[0], np.cumsum(counts)])), "Uint32"),
        "queueGap": _packed(gaps, "Float64"),
        "queue": _packed(changes["value"], "Uint32"),
    }


def _packed(column: pl.Series, kind: str) -> dict[str, str]:
    """A column as an array of the script: compressed, in base64."""
    types = {"Uint8": "<u1", "Uint32": "<u4", "Float64": "<f8"}
    content = column.to_numpy().astype(types[kind]).tobytes()
    return {"type": kind, "data": base64.b64encode(zlib.compress(content, 6)).decode("ascii")}


NONE = 2**32 - 1
"""The number of events that happen to no packet."""
_KEY = ["flow", "packet", "sequence", "acknowledgement", "retransmission", "size"]


def packet_numbers(events: pl.DataFrame, ends: Mapping[str, tuple[str, str]]) -> list[int]:
    """The number of the packet of each event, counted from 0 by first appearance; `ends` are the nodes of each link.

    Several packets may have one name: each event happens to the one that has waited at its place longest.
    """
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
