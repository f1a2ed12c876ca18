"""From one run to the columns of a printed row: throughputs of flows in kb/s, and their fairness."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from penstock.reproductions.af.scenario import tcp_groups, udp_groups
from penstock.statistics import jain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from penstock.reproductions.reading import Settings
    from penstock.reproductions.tables import Row, Table
    from penstock.running import RunResult


def measure(settings: Settings, table: Table, row: Row, results: Mapping[str, RunResult]) -> Mapping[str, float]:  # noqa: ARG001
    """The printed columns, and ``avg_udp`` and ``total`` (of all flows), in kb/s except fairness."""
    result = results[""]
    udp = _of(result, "throughput", udp_groups(settings))
    if settings["throughput.counts"] == "goodput":
        wire = settings["packet.wire_bytes"]
        payload = wire - settings["packet.header_bytes"]
        tcp = [rate * wire / payload for rate in _of(result, "goodput", tcp_groups(settings))]
    else:
        tcp = _of(result, "throughput", tcp_groups(settings))
    return {
        "max_tcp": max(tcp),
        "min_tcp": min(tcp),
        "avg_tcp": math.fsum(tcp) / len(tcp),
        "max_udp": max(udp),
        "min_udp": min(udp),
        "fairness": jain(tcp if settings["fairness.over"] == "tcp" else tcp + udp),
        "avg_udp": math.fsum(udp) / len(udp),
        "total": math.fsum(tcp + udp),
    }


def _of(result: RunResult, metric: str, groups: Sequence[str]) -> list[float]:
    """A metric of every flow of `groups`, from bit/s to kb/s."""
    values = [m.value / 1000 for m in result.metrics if m.name == metric and m.labels["of"] in groups]
    if not values:
        raise ValueError(f"the run has no {metric} of {', '.join(groups)}")
    return values
