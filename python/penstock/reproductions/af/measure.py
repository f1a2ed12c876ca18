"""From one run to the columns of a printed row: throughputs of flows in kb/s, and their fairness."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from penstock.reproductions.af.scenario import flow_groups
from penstock.statistics import jain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.reproductions.reading import Settings
    from penstock.reproductions.tables import Row, Table
    from penstock.running import RunResult


def measure(settings: Settings, table: Table, row: Row, results: Mapping[str, RunResult]) -> Mapping[str, float]:  # noqa: ARG001
    """The printed columns, and ``avg_udp`` and ``total`` (of all flows), in kb/s except fairness."""

    def rates(metric: str, kind: str) -> list[float]:
        groups = flow_groups(settings, kind)
        found = [m.value / 1000 for m in results[""].metrics if m.name == metric and m.labels["of"] in groups]
        if not found:
            raise ValueError(f"the run has no {metric} of {', '.join(groups)}")
        return found

    udp = rates("throughput", "udp")
    if settings["throughput.counts"] == "goodput":
        wire = settings["packet.wire_bytes"]
        payload = wire - settings["packet.header_bytes"]
        tcp = [rate * wire / payload for rate in rates("goodput", "tcp")]
    else:
        tcp = rates("throughput", "tcp")
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
