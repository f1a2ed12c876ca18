"""The scenarios of any row, under any choice of readings, and those that only the claims need.

Behind a number are six hops with the schedulers of their outputs, EF flows, and what fills the links.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from penstock.reproductions.reading import Settings
from penstock.reproductions.scenario_text import head_of, scenario_text
from penstock.reproductions.tables import Row, Table

WRR = "WRR"
PQ = "PQ"
CAPPED = "capped PQ"
BEST_EFFORT = "best effort"
"""One queue for everything."""

SHORT, LONG = 160, 1500

HOPS = 6
NODES = [f"n{i}" for i in range(HOPS + 1)]
EF, BACKGROUND = "ef", "be"
WEIGHTS = 10_000
"""What the weights of an output add up to."""
CAP_BURST = 2 * LONG
"""Bytes that capped EF traffic may send at once after a pause."""
STARTS = {"uniform": ["0 s", "1 s"]}
EXCESS = 2
"""How many times its share a queue is offered where the background does not answer to losses."""

DEDICATED, VLL = "dedicated", "vll"
SIZES = (LONG, SHORT)
SCHEDULERS = (PQ, CAPPED, BEST_EFFORT)
RATIOS = (1.00, 1.06)
"""Service-to-arrival ratios of ef-c08."""
LENGTHS = {"short": "320 s", "long": "1280 s"}


@dataclass(frozen=True)
class Case:
    """One simulation of the jitter of a flow."""

    scheduler: str  # `WRR`, `PQ`, `CAPPED` or `BEST_EFFORT`
    flows: int  # EF flows, the target included
    target: int  # bytes of the target's packets
    ratio: float  # service rate of the EF queue over the arrival rate of EF packets; PQ has none
    queues: int  # queues of an output; with PQ, for how many the background is made
    only_short: bool = False  # all EF sources send short packets
    background: str = ""  # in place of the kind of background that the readings say
    duration: str = ""  # in place of theirs


def of_row(settings: Settings, table: Table, row: Row, target: int) -> Case:
    """The case of a row of tables 1 to 3, for a target with a given packet size in bytes."""
    scheduler = str(row.key["scheduler"])
    queues = settings["table_2.queue_count"]
    if table.id == "1":
        flows = int(row.key["ef_flows"])
        return Case(scheduler, flows, target, settings["wrr.ratio_of_table_1"], settings["wrr.queues_of_table_1"])
    if table.id == "2":
        if scheduler == PQ:
            return Case(PQ, settings["pq.flows_of_table_2"], target, 1.0, queues)
        return Case(WRR, settings["table_2.ef_flows"], target, float(row.key["service_to_arrival"]), queues)
    ratio, flows = settings["wrr.ratio_of_table_3"], settings["table_3.ef_flows"]
    if scheduler == PQ:
        return Case(PQ, flows, target, ratio, queues)
    varied = int(row.key["queues"])
    if settings["wrr.rows_of_table_3"] == "flows":
        return Case(WRR, varied, target, ratio, queues)
    return Case(WRR, flows, target, ratio, varied)


def forward_link(hop: int) -> str:
    """The name of a hop's link."""
    return f"{NODES[hop]}-{NODES[hop + 1]}"


def _classes(case: Case) -> list[str]:
    """The classes of the background."""
    return [f"{BACKGROUND}{i}" for i in range(1, case.queues)] if case.scheduler == WRR else [BACKGROUND]


def _ef_share(settings: Settings, case: Case, rate: int) -> float:
    """The share of a link of `rate` bit/s that the EF queue is guaranteed."""
    arriving = settings["traffic.ef.aggregate_rate_bps"]
    of = rate if settings["wrr.fast_links"] == "same-ratio" else settings["topology.bottleneck_rate_bps"]
    return float(case.ratio * arriving / of)


def path_links(settings: Settings, case: Case, last_rate: int | None = None) -> Iterable[dict[str, Any]]:
    """All links of the path, there and back; the way back has plain queues."""
    rates = list(settings["path.rates_bps"])
    if last_rate is not None:
        rates[-1] = last_rate
    for hop, rate in enumerate(rates):
        ends = {"rate": f"{rate} bit/s", "delay": settings["path.hop_delay"]}
        yield {"from": NODES[hop], "to": NODES[hop + 1], **ends, **_port(settings, case, rate)}
        yield {"from": NODES[hop + 1], "to": NODES[hop], **ends}


def _port(settings: Settings, case: Case, rate: int) -> dict[str, Any]:
    size = settings["background.queue_packets"]
    # One queue for all of the background is as large as those that it stands for.
    common = {"tail-drop": {"limit": f"{size * (case.queues - 1)} packets"}}
    if case.scheduler == BEST_EFFORT:
        return {"queue": common}
    expedited: dict[str, Any] = {"queue": {"tail-drop": {"limit": f"{settings['ef.queue_packets']} packets"}}}
    if case.scheduler != WRR:
        if case.scheduler == CAPPED:
            cap = round(_ef_share(settings, case, rate) * rate)
            expedited["rate-limit"] = {"rate": f"{cap} bit/s", "burst": f"{CAP_BURST} bytes", "exceeding": "goes-last"}
        order = {"scheduler.priority": {"order": [EF, BACKGROUND]}}
        return {**order, f"class.{EF}": expedited, f"class.{BACKGROUND}": {"queue": common}}
    own = {"queue": {"tail-drop": {"limit": f"{size} packets"}}}
    share = _ef_share(settings, case, rate)
    shares = {EF: share, **dict.fromkeys(_classes(case), (1 - share) / (case.queues - 1))}
    scheduler, allotments = _allotments(settings, shares)
    port: dict[str, Any] = {f"scheduler.{settings['wrr.scheduler']}": scheduler}
    for name, allotment in allotments.items():
        port[f"class.{name}"] = {**allotment, **(expedited if name == EF else own)}
    return port


def _allotments(settings: Settings, shares: dict[str, float]) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """The scheduler's keys, and what each class is given."""
    quantum = settings["wrr.quantum_bytes"]
    if settings["wrr.scheduler"] == "drr":
        smallest = min(shares.values())
        return {}, {name: {"quantum": f"{round(quantum * share / smallest)} bytes"} for name, share in shares.items()}
    weights = {name: {"weight": max(1, round(share * WEIGHTS))} for name, share in shares.items()}
    return {"weighs": "bytes", "quantum": f"{quantum} bytes", "debts": settings["wrr.debts"]}, weights


def ef_flows(settings: Settings, case: Case) -> Iterable[dict[str, Any]]:
    """The target and the other EF flows, half of all with short and half with long packets.

    The target enters at the first node; the others do as ``path.ef`` says.
    """
    target, others = _rates(settings, case)
    yield _ef(settings, case, ("target", NODES[0], 1), case.target, target)
    for name, (size, count) in _others(case).items():
        if settings["path.ef"] == "end-to-end":
            yield _ef(settings, case, (name, NODES[0], count), size, others)
            continue
        for hop in range(min(HOPS, count)):
            yield _ef(settings, case, (f"{name}-{hop}", NODES[hop], len(range(hop, count, HOPS))), size, others)


def _others(case: Case) -> dict[str, tuple[int, int]]:
    """Bytes of a packet and number of flows, by group."""
    if case.only_short:
        return {"short": (SHORT, case.flows - 1)}
    # The first of them has the other size, then they alternate.
    other, same = (case.flows) // 2, (case.flows - 1) // 2
    sizes = (SHORT, LONG) if case.target == LONG else (LONG, SHORT)
    names = {SHORT: "short", LONG: "long"}
    groups = dict(zip((names[size] for size in sizes), zip(sizes, (other, same), strict=True), strict=True))
    return {name: group for name, group in groups.items() if group[1] > 0}


def _rates(settings: Settings, case: Case) -> tuple[int, int]:
    """Bit/s of the target and of each other flow."""
    all_of_them = settings["traffic.ef.aggregate_rate_bps"]
    equal = round(all_of_them / case.flows)
    if settings["ef.rates"] == "equal":
        return equal, equal
    target = settings["table_1.target_flow_rate_bps"]
    if settings["ef.rates"] == "at-least" and equal > target:
        return equal, equal
    return target, round((all_of_them - target) / (case.flows - 1))


def _ef(settings: Settings, case: Case, group: tuple[str, str, int], size: int, rate: int) -> dict[str, Any]:
    name, start, count = group
    source = {
        "rate": f"{rate} bit/s",
        "packet": f"{size} bytes",
        "phase": settings["source.phase"],
        "spacing-jitter": settings["source.spacing_jitter"],
    }
    kind = BACKGROUND if case.scheduler == BEST_EFFORT else EF
    return {"name": name, "from": start, "to": NODES[-1], "count": count, "class": kind, "source.cbr": source}


def background(settings: Settings, case: Case) -> Iterable[dict[str, Any]]:
    """What fills the non-EF queues, where ``path.cross`` has it enter and leave."""
    last = NODES[-1]
    ways = {
        "end-to-end": [("", NODES[0], last)],
        "per-hop": [(f"-{hop}", NODES[hop], NODES[hop + 1]) for hop in range(HOPS)],
        "entering": [(f"-{hop}", NODES[hop], last) for hop in range(HOPS)],
        "leaving": [(f"-{hop}", NODES[0], NODES[hop + 1]) for hop in range(HOPS)],
    }
    for suffix, start, end in ways[settings["path.cross"]]:
        # Rates decrease along the path, so the slowest link of a way is its last.
        rate = settings["path.rates_bps"][NODES.index(end) - 1]
        for number, name in enumerate(_classes(case), 1):
            common = {"from": start, "to": end, "class": name}
            for flow in _filling(settings, case, rate):
                yield {**flow, "name": f"{flow['name']}{number}{suffix}", **common}


def _filling(settings: Settings, case: Case, rate: int) -> Iterable[dict[str, Any]]:
    """What fills one queue, or the one that stands for all of them."""
    stands_for = 1 if case.scheduler == WRR else case.queues - 1
    if (case.background or settings["background.kind"]) == "udp":
        offered = EXCESS * stands_for * (1 - _ef_share(settings, case, rate)) / (case.queues - 1) * rate
        yield {"name": "load", "source.poisson": {"rate": f"{round(offered)} bit/s", "packet": f"{LONG} bytes"}}
        return
    transport = {"transport.tcp": tcp(settings, settings["tcp.variant"], settings["background.window_packets"])}
    ftps = 0 if case.scheduler == PQ and settings["pq.background"] == "web" else settings["background.ftps"]
    if ftps:
        yield {"name": "ftp", "count": ftps * stands_for, "start": STARTS, "source.ftp": {}, **transport}
    users = settings["background.users"] * stands_for
    yield {"name": "web", "count": users, "start": STARTS, "source.http": {}, **transport}


def tcp(settings: Settings, variant: str, window: int) -> dict[str, Any]:
    """The keys of TCP of a variant with a given window in packets."""
    given = ("packet", "header", "initial_rto", "min_rto", "max_rto", "timer_tick", "ack_every")
    keys = {name.replace("_", "-"): settings[f"tcp.{name}"] for name in (*given, "limited_transmit", "syn")}
    keys["initial-window"] = f"{settings['tcp.initial_window_packets']} packets"
    return {"variant": variant, **keys, "max-window": f"{window} packets"}


def build(settings: Settings, table: Table, row: Row) -> Mapping[str, str]:
    """The scenarios of a row, by the size of the target's packets, or by ``dedicated`` and ``vll``."""
    if table.id == "4":
        rank = [other.key for other in table.rows].index(row.key)
        subscribed = int(row.key["subscribed_kbps"]) * 1000
        return {DEDICATED: _dedicated(settings, subscribed), VLL: _vll(settings, subscribed, rank)}
    sizes = settings["table_3.target_packet_bytes"] if table.id == "3" else settings["table_1.target_packet_bytes"]
    return {str(size): _jitter_page(settings, of_row(settings, table, row, size)) for size in sizes}


def most_flows(size: int | str) -> str:
    """The experiment with as many EF flows as the text has at most, which table 1 leaves out, by the target's bytes."""
    return f"most-flows-{size}"


def experiments(settings: Settings) -> Mapping[str, str]:
    """Ratio 1, EF sources without long packets, capped EF, EF as best effort, 36 EF flows."""
    flows, queues = settings["table_2.ef_flows"], settings["table_2.queue_count"]
    usual = Case(WRR, flows, SHORT, settings["wrr.minimum_service_to_arrival_ratio"], queues)
    pages = {}
    for ratio in RATIOS:
        for name, duration in LENGTHS.items():
            case = replace(usual, ratio=ratio, background="udp", duration=duration)
            pages[f"ratio-{ratio:.2f}-{name}"] = _jitter_page(settings, case)
    pages["mixed"] = _jitter_page(settings, usual)
    pages["only-short"] = _jitter_page(settings, replace(usual, only_short=True))
    for scheduler in SCHEDULERS:
        for size in SIZES:
            case = replace(usual, scheduler=scheduler, target=size)
            pages[f"{scheduler}-{size}"] = _jitter_page(settings, case)
    most, many = settings["table_1.ef_flows_max_in_text"], settings["wrr.queues_of_table_1"]
    for size in SIZES:
        case = Case(WRR, most, size, settings["wrr.ratio_of_table_1"], many)
        pages[most_flows(size)] = _jitter_page(settings, case)
    return pages


def _jitter_page(settings: Settings, case: Case) -> str:
    told = f"{case.flows} EF flows, the target with packets of {case.target} bytes, over six hops with {case.scheduler}"
    expedited = list(ef_flows(settings, case))
    flows = [*expedited, *background(settings, case)]
    head = _head(settings, told, case.duration)
    measures = _jitter_measures(case, [flow["name"] for flow in expedited])
    return scenario_text(head, {name: {} for name in NODES}, path_links(settings, case), flows, measures)


def _jitter_measures(case: Case, groups: list[str]) -> Iterable[dict[str, Any]]:
    yield {"metric": "jitter", "of": "target", "take": ["mean"], "quantiles": [0.5, 0.9], "unit": "packet-time"}
    yield {"metric": "throughput", "of": groups}
    yield {"metric": "sent", "of": groups}
    if case.scheduler != BEST_EFFORT:
        yield {"metric": "drops", "of": [forward_link(hop) for hop in range(HOPS)], "by": ["class"]}
        yield {"metric": "queue", "of": forward_link(HOPS - 1), "by": ["class"]}
    yield {"metric": "utilisation", "of": forward_link(HOPS - 1)}


def _dedicated(settings: Settings, subscribed: int) -> str:
    """One transfer over a full duplex link at the subscribed rate, as long as the path."""
    hop, unit = str(settings["path.hop_delay"]).split()
    link = {"rate": f"{subscribed} bit/s", "delay": f"{int(hop) * HOPS} {unit}", **_buffer(settings)}
    links = [{"from": "a", "to": "b", **link}, {"from": "b", "to": "a", **link}]
    flow = {"name": "vll", "from": "a", "to": "b", **_transfer(settings)}
    measures = [{"metric": settings["vll.counts"], "of": "vll", "per": "flow"}, {"metric": "drops", "of": "a-b"}]
    return scenario_text(_head(settings, "An FTP over a dedicated link"), {"a": {}, "b": {}}, links, [flow], measures)


def _vll(settings: Settings, subscribed: int, rank: int) -> str:
    """Transfers through shapers into the EF queues of the path."""
    flows, last = settings["vll.flows"][rank], settings["vll.link_bps"][rank]
    case = Case(PQ, flows, LONG, 1.0, settings["table_2.queue_count"])
    shaper = {"rate": f"{subscribed} bit/s", "burst": f"{LONG} bytes"}
    access = {"rate": "10 Mbit/s", "delay": "1 us"}
    shaped = {**access, **_buffer(settings), "shaper": {"token-bucket": shaper}}
    links = [
        {"from": "senders", "to": "n0", **shaped},
        {"from": "n0", "to": "senders", **access},
        *path_links(settings, case, last),
    ]
    ftps = {"name": "vll", "from": "senders", "to": NODES[-1], "class": EF, **_transfer(settings)}
    measures = [
        {"metric": settings["vll.counts"], "of": "vll", "per": "flow"},
        {"metric": "drops", "of": "senders-n0"},
        {"metric": "drops", "of": [forward_link(hop) for hop in range(HOPS)], "by": ["class"]},
    ]
    nodes = {"senders": {"count": flows}, **{name: {} for name in NODES}}
    head = _head(settings, f"{flows} FTPs over virtual leased lines")
    return scenario_text(head, nodes, links, [ftps, *background(settings, case)], measures)


def _transfer(settings: Settings) -> dict[str, Any]:
    transport = tcp(settings, settings["shaper.tcp"], settings["shaper.window_packets"])
    return {"start": STARTS, "source.ftp": {}, "transport.tcp": transport}


def _buffer(settings: Settings) -> dict[str, Any]:
    return {"queue.tail-drop": {"limit": f"{settings['shaper.buffer_packets']} packets"}}


def _head(settings: Settings, description: str, duration: str = "") -> dict[str, str]:
    return head_of(description, duration or settings["run.duration"], settings["run.warm_up"])
