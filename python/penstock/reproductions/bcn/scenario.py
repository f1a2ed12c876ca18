"""The scenario of any row, under any choice of readings, as a page that can be read and run on its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.reproductions.scenario_text import scenario_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from penstock.reproductions.reading import Settings
    from penstock.reproductions.tables import Row, Table

HOT = "core-e0"
"""The link whose port is congested."""
WAITS = {1: "16 us", 2: "1 us"}
"""How long the reference flows wait after a transaction."""
SOURCES = 4
EQUILIBRIUM = 16
"""Of the queue, in frames."""


def build(settings: Settings, table: Table, row: Row) -> Mapping[str, str]:
    """The one scenario of a row; both tables of a document have the same."""
    del table
    return {"": page(settings, managed=row.key["cm"] == "BCN")}


def page(
    settings: Settings, *, managed: bool, gain: float | str = "", unit: int = 0, slower: int = 1, observed: bool = False
) -> str:
    """The scenario with or without congestion management.

    `gain` (of the decrease) and `unit` (of the rate, bit/s) replace the authors'. With `slower`, links are slower and
    times longer by this factor. `observed` samples the queue for its oscillation too.
    """
    how = "BCN 2.0" if managed else "no management"
    head = {
        "description": f"Bulk transfers and two reference flows over a hot port, {how}",
        "duration": _span(settings["run.duration"], slower),
        "warm-up": _span(settings["run.warm_up"], slower),
        # All links have one rate: in a fixed order one input would win every race for the last place in the queue.
        "ties": "random",
    }
    blocks: list[tuple[str, Mapping[str, Any]]] = [("[nodes]", _nodes(settings, managed, gain, unit, slower))]
    blocks += [("[[links]]", link) for link in _links(settings, slower)]
    blocks += [("[[flows]]", flow) for flow in _flows(settings, slower)]
    sample = {"sample": _span("50 us", slower)} if observed else {}
    blocks += [("[[measure]]", measure) for measure in _measures(sample)]
    return scenario_text(head, blocks)


def transfer_bytes(settings: Settings) -> int:
    """Data of a small transfer, in whole segments."""
    data = int(settings["frame.bytes"]) - int(settings["frame.header"])
    size = int(settings.text("transfer.small").split()[0])
    return data * -(-size // data)


def _nodes(settings: Settings, managed: bool, gain: float | str, unit: int, slower: int) -> dict[str, Any]:
    core: dict[str, Any] = {}
    station: dict[str, Any] = {}
    if managed:
        core = {"congestion-point": {"bcn": _congestion_point(settings)}}
        station = {"reaction-point": {"bcn": _reaction_point(settings, gain, unit, slower)}}
    elif settings["none.pause"]:
        core = {"pause": {"xoff": "150 kB", "xon": "100 kB"}}
    switch: dict[str, Any] = {}
    if settings["queue.shared"]:
        switch = {"buffer": {"pool": {"size": f"{settings['queue.packets']} packets"}}}
    hosts = {**{f"st{i}": station for i in range(1, SOURCES + 1)}, "sr1": station, "sr2": station}
    edges = {f"e{i}": switch for i in range(SOURCES + 3)}
    return {**hosts, "dt": {}, "dr2": {}, "core": {**core, **switch}, **edges}


def _congestion_point(settings: Settings) -> dict[str, Any]:
    point: dict[str, Any] = {
        "equilibrium": EQUILIBRIUM,
        "weight": settings["bcn.aimd_ours.w_derivative_weight"],
        "answers": settings["bcn.answers"],
        "message": settings["bcn.message"],
    }
    if settings["bcn.interval"]:
        point["interval"] = settings["bcn.interval"]
    else:
        point["probability"] = settings["bcn.detection.sampling_probability"]
    if settings["bcn.severe"]:
        point["severe"] = settings["bcn.severe"]
    return point


def _reaction_point(settings: Settings, gain: float | str, unit: int, slower: int) -> dict[str, Any]:
    point: dict[str, Any] = {
        "increase-gain": settings["bcn.aimd_ours.gi_increase_gain"],
        "decrease-gain": gain or settings["bcn.aimd_ours.gd_decrease_gain"],
        "rate-unit": f"{unit or settings['bcn.aimd_ours.ru_rate_unit_bps']} bit/s",
        "release": settings["bcn.release"],
        "shared-by": settings["bcn.shared_by"],
    }
    if settings["bcn.floor"]:
        megabits = int(settings.text("bcn.floor").split()[0])
        point["floor"] = f"{megabits * 1_000_000 // slower} bit/s"
    if settings["bcn.limit"]:
        point["limit"] = settings["bcn.limit"]
    return point


def _links(settings: Settings, slower: int) -> Iterable[dict[str, Any]]:
    """All links, one way each: what leads to a switch takes its latency too, before the queue of the output."""
    wire, latency = (round(1e9 * settings[f"topology.{name}"]) for name in ("link_delay_s", "switch_latency_s"))
    rate = f"{settings['topology.link_rate_bps'] // slower} bit/s"
    queue = {"queue.tail-drop": {"limit": f"{settings['queue.packets']} packets"}}

    def link(start: str, end: str) -> dict[str, Any]:
        into_switch = end == "core" or end[0] == "e"
        delay = (wire + latency * into_switch) * slower
        # Hosts have room for what their transports may send.
        port = queue if start == "core" or start[0] == "e" else {"queue.tail-drop": {"limit": "100000 packets"}}
        return {"from": start, "to": end, "rate": rate, "delay": f"{delay} ns", **port}

    for host, edge in _places(settings):
        yield from (link(host, edge), link(edge, host))
    for edge in [f"e{i}" for i in range(SOURCES + 3)]:
        yield from (link(edge, "core"), link("core", edge))


def _places(settings: Settings) -> Iterable[tuple[str, str]]:
    """Which edge switch each host is at: e0 is behind the hot port, e5 is SR1's, e6 that of flow 2's destination."""
    yield "dt", "e0"
    for i in range(1, SOURCES + 1):
        yield f"st{i}", f"e{i}"
    yield "sr1", "e5"
    yield "dr2", "e6"
    yield "sr2", "e0" if settings["topology.sr2"] == "behind" else "e1"


def _flows(settings: Settings, slower: int) -> Iterable[dict[str, Any]]:
    transport = {
        "transport.tcp": {
            "variant": "sack",
            "packet": f"{settings['frame.bytes']} bytes",
            "header": f"{settings['frame.header']} bytes",
            "initial-window": f"{settings['tcp.initial_window_packets']} packets",
            "min-rto": _span(settings["tcp.min_rto"], slower),
            "initial-rto": _span(max(settings["tcp.initial_rto"], settings["tcp.min_rto"], key=nanoseconds), slower),
        },
        "start": {"uniform": ["0 s", _span(settings["start.within"], slower)]},
    }

    def repeated(size: str, wait: str) -> dict[str, Any]:
        user = {"page": size, "objects": 0, "think": wait, "initial-window": settings["tcp.anew"]}
        return {"source.http": user, **transport}

    large, small = settings["transfer.large"], settings["transfer.small"]
    per_source = settings["bulk.connections"] // SOURCES
    for i in range(1, SOURCES + 1):
        yield {"name": f"bulk{i}", "from": f"st{i}", "to": "dt", "count": per_source, **repeated(large, "0 s")}
    yield {"name": "rf1", "from": "sr1", "to": "dt", **repeated(small, _span(WAITS[1], slower))}
    second = "dt" if settings["topology.sr2"] == "hot" else "dr2"
    yield {"name": "rf2", "from": "sr2", "to": second, **repeated(small, _span(WAITS[2], slower))}


def _measures(sample: Mapping[str, str]) -> Iterable[dict[str, Any]]:
    yield {"metric": "throughput", "of": [f"bulk{i}" for i in range(1, SOURCES + 1)], "per": "flow"}
    yield {"metric": "throughput", "of": ["rf1", "rf2"]}
    yield {"metric": "goodput", "of": ["rf1", "rf2"]}
    yield {"metric": "page-time", "of": ["rf1", "rf2"]}
    yield {"metric": "queue", "of": HOT, **sample}
    yield {"metric": "loss", "of": HOT}


_UNITS = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}


def nanoseconds(span: str) -> int:
    """A time as settings write it."""
    value, unit = span.split()
    return int(value) * _UNITS[unit]


def counted_seconds(settings: Settings) -> float:
    """How long a run counts, in s."""
    return (nanoseconds(settings["run.duration"]) - nanoseconds(settings["run.warm_up"])) / 1e9


def _span(span: str, slower: int) -> str:
    """A time multiplied by a factor."""
    value, unit = span.split()
    return f"{int(value) * slower} {unit}"
