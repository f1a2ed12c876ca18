"""From one run of each scenario to the columns of a printed row."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from penstock.reproductions.ef.network import EF
from penstock.reproductions.ef.scenario import DEDICATED, VLL
from penstock.reproductions.run_numbers import numbers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.reproductions.reading import Settings
    from penstock.reproductions.tables import Row, Table
    from penstock.running import RunResult

PERCENTILES = {"p50": "0.5", "p90": "0.9"}


def measure(settings: Settings, table: Table, row: Row, results: Mapping[str, RunResult]) -> Mapping[str, float]:
    """The printed columns, and the further values that claims need.

    Jitter in percent of a packet time, rates in kb/s; ``ef_drops`` in packets; ``received_share`` of what EF sources
    sent; ``used``, the utilisation of the bottleneck; ``spread`` between the best and the worst pair, and
    ``shaper_drops`` and ``path_drops`` of table 4.
    """
    if table.id == "4":
        counts = settings["vll.counts"]
        pairs = [rate / 1000 for rate in numbers(results[VLL], counts, of="vll")]
        return {
            "dedicated_kbps": numbers(results[DEDICATED], counts, of="vll")[0] / 1000,
            "vll_kbps": math.fsum(pairs) / len(pairs),
            "spread": max(pairs) - min(pairs),
            "subscribed": float(row.key["subscribed_kbps"]),
            "shaper_drops": sum_of(results[VLL], "drops", of="senders-n0"),
            "path_drops": sum_of(results[VLL], "drops", **{"class": EF}),
        }
    found = {f"{name}_{size}": value for size, result in results.items() for name, value in jitter(result).items()}
    found["ef_drops"] = math.fsum(sum_of(result, "drops", **{"class": EF}) for result in results.values())
    shares = [received(result) for result in results.values()]
    found |= {"least_received": min(shares), "most_received": max(shares)}
    found["used"] = min(sum_of(result, "utilisation") for result in results.values())
    return found


def jitter(result: RunResult) -> dict[str, float]:
    """The median and the 90th percentile of the target's jitter in percent of its packet time."""
    return {name: 100 * sum_of(result, "jitter", quantile=share) for name, share in PERCENTILES.items()}


def sum_of(result: RunResult, metric: str, **labels: str) -> float:
    """The sum of a metric's numbers that have these labels."""
    return math.fsum(numbers(result, metric, **labels))


def received(result: RunResult) -> float:
    """What arrived of what the EF sources sent."""
    return sum_of(result, "throughput") / sum_of(result, "sent")
