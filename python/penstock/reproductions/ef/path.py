"""The six hops and the schedulers of their outputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.reproductions.ef.case import BEST_EFFORT, CAPPED, LONG, WRR

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.reproductions.ef.case import Case
    from penstock.reproductions.reading import Settings

HOPS = 6
NODES = [f"n{i}" for i in range(HOPS + 1)]
EF, BACKGROUND = "ef", "be"
WEIGHTS = 10_000
"""What the weights of an output add up to."""
CAP_BURST = 2 * LONG
"""Bytes that capped EF traffic may send at once after a pause."""


def forward_link(hop: int) -> str:
    """The name of a hop's link."""
    return f"{NODES[hop]}-{NODES[hop + 1]}"


def classes(case: Case) -> list[str]:
    """The classes of the background."""
    return [f"{BACKGROUND}{i}" for i in range(1, case.queues)] if case.scheduler == WRR else [BACKGROUND]


def ef_share(settings: Settings, case: Case, rate: int) -> float:
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
            cap = round(ef_share(settings, case, rate) * rate)
            expedited["rate-limit"] = {"rate": f"{cap} bit/s", "burst": f"{CAP_BURST} bytes", "exceeding": "goes-last"}
        order = {"scheduler.priority": {"order": [EF, BACKGROUND]}}
        return {**order, f"class.{EF}": expedited, f"class.{BACKGROUND}": {"queue": common}}
    own = {"queue": {"tail-drop": {"limit": f"{size} packets"}}}
    share = ef_share(settings, case, rate)
    shares = {EF: share, **dict.fromkeys(classes(case), (1 - share) / (case.queues - 1))}
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
