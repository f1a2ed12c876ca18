"""The scenario of any row, under any choice of readings, as a page that can be read and run on its own."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from penstock.reproductions.reading import Settings
from penstock.reproductions.scenario_text import bits, head_of, scenario_text, seconds
from penstock.reproductions.tables import Row, Table

PRECEDENCES = {"none": 1, "2": 2, "3": 3}
STATED_FOR = {1: "no_dp", 2: "two_dp", 3: "three_dp"}
MARKER = {"2": "tcm", "3": "rbm"}
RATE_COLUMN = {"2": "cir_kbps", "3": "tgr_kbps"}


def build(settings: Settings, table: Table, row: Row) -> Mapping[str, str]:
    """The one scenario that a row needs."""
    precedences = PRECEDENCES[str(row.key["drop_precedences"])]
    groups = range(1, settings["topology.group_count"] + 1)
    udp_rate = _bits(str(row.key["udp_rate"]), settings)
    marker = _marker(settings, table, row, precedences) if precedences > 1 else {}
    links = _links(settings, groups, marker, _red(settings, precedences))
    flows = [_tcp(settings, g) for g in groups] + [_udp(settings, udp_rate, precedences, g) for g in groups]
    told = "45 TCP and 5 UDP sources behind five markers, on a 1.5 Mbit/s bottleneck with drop precedences"
    head = head_of(told, settings["run.duration"], settings["run.warm_up"])
    return {"": scenario_text(head, dict(_nodes(settings, groups)), links, flows, _measures(settings))}


def flow_groups(settings: Settings, kind: str) -> list[str]:
    """The names of the groups of `tcp` flows, or of `udp` flows with one flow each."""
    return [f"{kind}{g}" for g in range(1, settings["topology.group_count"] + 1)]


def _nodes(settings: Settings, groups: Iterable[int]) -> Iterable[tuple[str, Any]]:
    members = {"count": settings["topology.sources_per_group"] - 1}  # the last of each group is UDP
    yield from (("r1", {}), ("r2", {}))
    if settings["sinks.shared"]:
        yield "sinks", {}
    for g in groups:
        yield from ((f"tcp{g}", members), (f"udp{g}", {}), (f"ar{g}", {}))
        if not settings["sinks.shared"]:
            yield from ((f"tcp-sinks{g}", members), (f"udp-sink{g}", {}))


def _links(
    settings: Settings, groups: Iterable[int], marker: Mapping[str, Any], red: Mapping[str, Any]
) -> Iterable[dict[str, Any]]:
    """All links, one way each, as every queue has a stated size."""
    plain = {"queue.tail-drop": {"limit": _limit(settings)}}

    def link(kind: str, start: str, end: str, port: Mapping[str, Any] = plain) -> dict[str, Any]:
        rate, delay = settings[f"link.{kind}link_rate_bps"], settings[f"link.{kind}delay_s"]
        return {"from": start, "to": end, "rate": bits(Decimal(rate), 100), "delay": seconds(delay), **port}

    def both(kind: str, start: str, end: str) -> list[dict[str, Any]]:
        return [link(kind, start, end), link(kind, end, start)]

    for g in groups:
        yield from both("source_access.", f"tcp{g}", f"ar{g}")
        yield from both("source_access.", f"udp{g}", f"ar{g}")
        yield link("access_core.", f"ar{g}", "r1", {**marker, **plain})
        yield link("access_core.reverse_", "r1", f"ar{g}")
    yield link("core.", "r1", "r2", red)
    yield link("core.reverse_", "r2", "r1")
    if settings["sinks.shared"]:
        yield from both("sink_access.", "r2", "sinks")
    else:
        for g in groups:
            yield from both("sink_access.", "r2", f"tcp-sinks{g}")
            yield from both("sink_access.", "r2", f"udp-sink{g}")


def _marker(settings: Settings, table: Table, row: Row, precedences: int) -> dict[str, Any]:
    """The marker of an access router: table 2 is about the TCM, table 3 about the RBM."""
    kind = MARKER[table.id]
    stated = f"marker.{kind}.{STATED_FOR[precedences]}"
    printed = _bits(f"{row.key[RATE_COLUMN[table.id]]}k", settings)
    three = precedences == 3
    excess = Decimal(0)
    if kind == "rbm" and three:
        # The rates are pairs; the printed one is their sum.
        pairs = zip(settings[f"{stated}.tgr0_bps"], settings[f"{stated}.tgr1_bps"], strict=True)
        excess = next(_kilo(tgr1, settings) for tgr0, tgr1 in pairs if _kilo(tgr0 + tgr1, settings) == printed)
    meter = {
        "committed-rate": bits(printed - excess, 100),
        "committed-burst": _bucket(settings, f"{stated}.bucket_size_dp0"),
    }
    if kind == "rbm" and three:
        meter["excess-rate"] = bits(excess, 100)
    if three:
        meter["excess-burst"] = _bucket(settings, f"{stated}.bucket_size_dp1")
        meter["demotion"] = settings["marker.demotion"]
    meter |= {"mode": "colour-aware", "start": settings["marker.start"]}
    return {f"marker.{kind}": meter, "marker.at": settings["marker.at"]}


def _red(settings: Settings, precedences: int) -> dict[str, Any]:
    """RED of the bottleneck, with one set of thresholds for each precedence."""

    def stated(name: str) -> list[Any]:
        return [settings[f"red.{STATED_FOR[precedences]}.dp{i}.{name}"] for i in range(precedences)]

    minimum = [f"{packets} packets" for packets in stated("min_threshold_packets")]
    maximum = [f"{packets} packets" for packets in stated("max_threshold_packets")]
    probability = stated("max_drop_probability")
    common = {
        "limit": _limit(settings),
        "weight": settings["queue.red_queue_weight"],
        "idle": settings["red.idle"],
        "spacing": settings["red.spacing"],
        "gentle": settings["red.gentle"],
    }
    if precedences == 1:
        single = {"min-threshold": minimum[0], "max-threshold": maximum[0], "max-probability": probability[0]}
        return {"queue.red": single | common}
    several = {"min-thresholds": minimum, "max-thresholds": maximum, "max-probabilities": probability}
    # The queue that counts for precedence i is that of precedences 0 to i, as the document has it.
    rio = {"averages": "coupled", "updates": settings["red.updates"], "count": settings["red.count"]}
    return {"queue.red-n": several | common | rio}


def _tcp(settings: Settings, g: int) -> dict[str, Any]:
    given = ("timer_tick", "initial_rto", "min_rto", "max_rto", "max_backoff", "ack_every", "syn", "limited_transmit")
    transport = {
        "variant": "reno",
        "packet": f"{settings['packet.wire_bytes']} bytes",
        "header": f"{settings['packet.header_bytes']} bytes",
        "initial-window": f"{settings['tcp.initial_window_packets']} packets",
        "max-window": f"{settings['traffic.tcp_window_packets']} packets",
        **{name.replace("_", "-"): settings[f"tcp.{name}"] for name in given},
    }
    start = {"start": _start(settings["start.tcp"])}
    return {"name": f"tcp{g}", **_ends(settings, "tcp", g), **start, "transport.tcp": transport, "source.ftp": {}}


def _udp(settings: Settings, rate: Decimal, precedences: int, g: int) -> dict[str, Any]:
    source: dict[str, Any] = {"rate": bits(rate, 100), "packet": f"{settings['packet.wire_bytes']} bytes"}
    if settings["udp.source"] == "cbr":
        source |= {"phase": "zero", "spacing-jitter": settings["udp.spacing_jitter"]}
    premark = settings[f"marking.source_premark_{precedences}dp.udp"] if precedences > 1 else "dp0"
    mark = {"precedence": int(premark.removeprefix("dp")), "start": _start(settings["start.udp"])}
    return {"name": f"udp{g}", **_ends(settings, "udp", g), **mark, f"source.{settings['udp.source']}": source}


def _ends(settings: Settings, kind: str, g: int) -> dict[str, str]:
    sink = {"tcp": f"tcp-sinks{g}", "udp": f"udp-sink{g}"}[kind]
    return {"from": f"{kind}{g}", "to": "sinks" if settings["sinks.shared"] else sink}


def _measures(settings: Settings) -> Iterable[dict[str, Any]]:
    yield {"metric": "throughput", "of": flow_groups(settings, "tcp") + flow_groups(settings, "udp"), "per": "flow"}
    if settings["throughput.counts"] == "goodput":
        yield {"metric": "goodput", "of": flow_groups(settings, "tcp"), "per": "flow"}


def _start(ends: list[str]) -> Any:
    return ends[0] if ends[0] == ends[1] else {"uniform": ends}


def _limit(settings: Settings) -> str:
    return f"{settings['queue.queue_limit_packets']} packets"


def _bucket(settings: Settings, name: str) -> str:
    size, left = divmod(settings[name], settings["marker.bucket_units_per_byte"])
    if left:
        raise ValueError(f"{name} is not a whole number of bytes")
    return f"{size} bytes"


def _bits(printed: str, settings: Settings) -> Decimal:
    """A printed rate such as 1.28M or 192k in bit/s."""
    power = {"k": 1, "M": 2}[printed[-1]]
    return Decimal(printed[:-1]) * Decimal(settings["rates.kilo"]) ** power


def _kilo(bps: int, settings: Settings) -> Decimal:
    """A rate that Table 1 prints in bit/s, with the k that is meant."""
    return Decimal(bps) / 1000 * Decimal(settings["rates.kilo"])
