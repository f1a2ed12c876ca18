"""The scenario of any row, under any choice of readings, and those that only the claims need."""

from collections.abc import Iterable, Mapping
from typing import Any

from penstock.reproductions.reading import Settings
from penstock.reproductions.scenario_text import amount, scenario_text
from penstock.reproductions.tables import Row, Table

HOT = "core-e0"
"""The link whose port is congested."""
WAITS = {1: "16 us", 2: "1 us"}
"""How long the reference flows wait after a transaction."""
SOURCES = 4
EQUILIBRIUM = 16
"""Of the queue, in frames."""

OURS = "ours"
SCALED, UNSCALED = "1-gbps-scaled", "1-gbps-unscaled"
SLOWER = 10
"""10 Gbit/s over 1 Gbit/s."""

_GI, _GD, _W = (f"bcn.aimd_ours.{name}" for name in ("gi_increase_gain", "gd_decrease_gain", "w_derivative_weight"))
_UNIT = "bcn.aimd_ours.ru_rate_unit_bps"
_VARIED = {
    "Gi-1": {_GI: 1.0},
    "Gi-16": {_GI: 16.0},
    "Gd-0.0031": {_GD: 0.0031},
    "Gd-0.0062": {_GD: 0.0062},
    "W-1": {_W: 1.0},
    "W-0.5": {_W: 0.5},
}
"""One parameter at a time, a quarter to four times the authors' values; greater G_d or W take rates below zero."""
FAST = (OURS, *_VARIED)
"""Settings of the parameters at 10 Gbit/s."""
SLOW = {UNSCALED: OURS, **{f"1-gbps-{name}": name for name in ("Gd-0.0031", "Gd-0.0062")}}
"""Some at 1 Gbit/s, and what they are at 10."""


def build(settings: Settings, _: Table, row: Row) -> Mapping[str, str]:
    """The one scenario of a row; both tables of a document have the same."""
    return {"": page(settings, managed=row.key["cm"] == "BCN")}


def experiments(settings: Settings) -> Mapping[str, str]:
    """Several settings at 10 Gbit/s, and 1 Gbit/s with the rate unit scaled and as it is."""
    settings = settings.having({f"run.{name}": settings[f"experiment.{name}"] for name in ("duration", "warm_up")})

    def varied(name: str, slower: int = 1) -> str:
        return page(settings.having(_VARIED.get(name, {})), managed=True, slower=slower, observed=True)

    return {
        **{name: varied(name) for name in FAST},
        SCALED: page(settings.having({_UNIT: settings[_UNIT] // SLOWER}), managed=True, slower=SLOWER),
        **{name: varied(fast, SLOWER) for name, fast in SLOW.items()},
    }


def page(settings: Settings, *, managed: bool, slower: int = 1, observed: bool = False) -> str:
    """The scenario with or without congestion management.

    With `slower`, links are slower and times longer by this factor. `observed` samples the queue for its oscillation
    too.
    """
    how = "BCN 2.0" if managed else "no management"
    head = {
        "description": f"Bulk transfers and two reference flows over a hot port, {how}",
        "duration": _span(settings["run.duration"], slower),
        "warm-up": _span(settings["run.warm_up"], slower),
        # All links have one rate: in a fixed order one input would win every race for the last place in the queue.
        "ties": "random",
    }
    measures = _measures({"sample": _span("50 us", slower)} if observed else {})
    nodes = _nodes(settings, managed, slower)
    return scenario_text(head, nodes, _links(settings, slower), _flows(settings, slower), measures)


def transfer_bytes(settings: Settings) -> int:
    """Data of a small transfer, in whole segments."""
    data = int(settings["frame.bytes"]) - int(settings["frame.header"])
    size = int(settings.text("transfer.small").split()[0])
    return data * -(-size // data)


def _nodes(settings: Settings, managed: bool, slower: int) -> dict[str, Any]:
    core: dict[str, Any] = {}
    station: dict[str, Any] = {}
    if managed:
        core = {"congestion-point": {"bcn": _congestion_point(settings)}}
        station = {"reaction-point": {"bcn": _reaction_point(settings, slower)}}
    elif settings["none.pause"]:
        core = {"pause": {"xoff": "150 kB", "xon": "100 kB"}}
    pool = {"buffer": {"pool": {"size": f"{settings['queue.packets']} packets"}}}
    switch = pool if settings["queue.shared"] else {}
    hosts = {**{f"st{i}": station for i in range(1, SOURCES + 1)}, "sr1": station, "sr2": station}
    edges = {f"e{i}": switch for i in range(SOURCES + 3)}
    return {**hosts, "dt": {}, "dr2": {}, "core": {**core, **switch}, **edges}


def _congestion_point(settings: Settings) -> dict[str, Any]:
    point: dict[str, Any] = {
        "equilibrium": EQUILIBRIUM,
        "weight": settings[_W],
        "answers": settings["bcn.answers"],
        "message": settings["bcn.message"],
    }
    often = "interval" if settings["bcn.interval"] else "probability"
    point[often] = settings["bcn.interval"] or settings["bcn.detection.sampling_probability"]
    if settings["bcn.severe"]:
        point["severe"] = settings["bcn.severe"]
    return point


def _reaction_point(settings: Settings, slower: int) -> dict[str, Any]:
    point: dict[str, Any] = {
        "increase-gain": settings[_GI],
        "decrease-gain": settings[_GD],
        "rate-unit": f"{settings[_UNIT]} bit/s",
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
            "initial-rto": _span(max(settings["tcp.initial_rto"], settings["tcp.min_rto"], key=amount), slower),
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
    yield from ({"metric": name, "of": ["rf1", "rf2"]} for name in ("throughput", "goodput", "page-time"))
    yield {"metric": "queue", "of": HOT, **sample}
    yield {"metric": "loss", "of": HOT}


def counted_seconds(settings: Settings) -> float:
    """How long a run counts, in s."""
    return amount(settings["run.duration"]) - amount(settings["run.warm_up"])


def _span(span: str, slower: int) -> str:
    value, unit = span.split()
    return f"{int(value) * slower} {unit}"
