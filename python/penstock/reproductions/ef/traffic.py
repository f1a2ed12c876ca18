"""EF flows and the background that fills the links."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.reproductions.ef.case import BEST_EFFORT, LONG, PQ, SHORT, WRR
from penstock.reproductions.ef.path import BACKGROUND, EF, HOPS, NODES, classes, ef_share

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.reproductions.ef.case import Case
    from penstock.reproductions.reading import Settings

STARTS = {"uniform": ["0 s", "1 s"]}
EXCESS = 2
"""How many times its share a queue is offered where the background does not answer to losses."""


def ef_flows(settings: Settings, case: Case) -> Iterable[dict[str, Any]]:
    """The target and the other EF flows, half of all with short and half with long packets."""
    target, others = _rates(settings, case)
    yield _ef(settings, case, "target", 1, case.target, target)
    for name, (size, count) in _others(case).items():
        yield _ef(settings, case, name, count, size, others)


def ef_groups(case: Case) -> list[str]:
    """The names of the groups of EF flows."""
    return ["target", *_others(case)]


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


def _ef(settings: Settings, case: Case, name: str, count: int, size: int, rate: int) -> dict[str, Any]:
    source = {
        "rate": f"{rate} bit/s",
        "packet": f"{size} bytes",
        "phase": settings["source.phase"],
        "spacing-jitter": settings["source.spacing_jitter"],
    }
    kind = BACKGROUND if case.scheduler == BEST_EFFORT else EF
    return {"name": name, "from": NODES[0], "to": NODES[-1], "count": count, "class": kind, "source.cbr": source}


def background(settings: Settings, case: Case) -> Iterable[dict[str, Any]]:
    """What fills the non-EF queues, from end to end or over every single hop."""
    if settings["path.cross"] == "per-hop":
        ways = [(f"-{hop}", NODES[hop], NODES[hop + 1], settings["path.rates_bps"][hop]) for hop in range(HOPS)]
    else:
        ways = [("", NODES[0], NODES[-1], settings["topology.bottleneck_rate_bps"])]
    for suffix, start, end, rate in ways:
        for number, name in enumerate(classes(case), 1):
            common = {"from": start, "to": end, "class": name}
            for flow in _filling(settings, case, rate):
                yield {**flow, "name": f"{flow['name']}{number}{suffix}", **common}


def _filling(settings: Settings, case: Case, rate: int) -> Iterable[dict[str, Any]]:
    """What fills one queue, or the one that stands for all of them."""
    stands_for = 1 if case.scheduler == WRR else case.queues - 1
    if (case.background or settings["background.kind"]) == "udp":
        offered = EXCESS * stands_for * (1 - ef_share(settings, case, rate)) / (case.queues - 1) * rate
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
