"""Goyal, Misra, Jain: how many drop precedences does Assured Forwarding need (1999)."""

import math
from collections.abc import Mapping

from penstock.reproductions.af.scenario import build, flow_groups
from penstock.reproductions.evidence import CONFIRMED, REFUTED, UNDECIDED, Finding
from penstock.reproductions.outcome import Outcome, numbers
from penstock.reproductions.packaged import packaged
from penstock.reproductions.reading import Settings
from penstock.reproductions.tables import Row, Table
from penstock.running import RunResult
from penstock.statistics import jain


def measure(settings: Settings, _: Table, __: Row, results: Mapping[str, RunResult]) -> Mapping[str, float]:
    """The printed columns, and ``avg_udp`` and ``total`` (of all flows), in kb/s except fairness."""

    def rates(metric: str, kind: str) -> list[float]:
        groups = flow_groups(settings, kind)
        return [rate / 1000 for group in groups for rate in numbers(results[""], metric, of=group)]

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


def marker_without_dps(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """af-c08: without drop precedences both markers give the same runs."""
    keys = [{"udp_rate": udp, "drop_precedences": "none"} for udp in ("1.28M", "128k")]
    pairs = [pair for key in keys for pair in zip(*(outcome.digests(table, key) for table in ("2", "3")), strict=True)]
    equal = sum(left == right for left, right in pairs)
    return Finding.certain(
        equal == len(pairs),
        f"{equal} of {len(pairs)} pairs of runs without DPs have equal digests for both markers.",
    )


def three_needed(_: Outcome, findings: Mapping[str, Finding]) -> Finding:
    """af-c10: refuted if a third precedence improves nothing and two tell UDP from TCP."""
    third, apart = findings["af-c03"].verdict, findings["af-c06"].verdict
    refuted = third == apart == CONFIRMED
    return Finding(
        REFUTED if refuted else UNDECIDED,
        f"That a third DP improves nothing (af-c03) is {third}, and that two tell UDP from TCP (af-c06) is {apart}.",
    )


STUDY = packaged(
    __package__,
    build=build,
    measure=measure,
    others={"af-c08": marker_without_dps, "af-c10": three_needed},
    measured={"fairness.over": ("fairness",)},
)
