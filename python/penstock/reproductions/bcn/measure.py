"""From one run to the columns of a printed row."""

from __future__ import annotations

import math
import statistics
from typing import TYPE_CHECKING

from penstock.reproductions.bcn.scenario import HOT, SOURCES, counted_seconds, transfer_bytes
from penstock.reproductions.run_numbers import numbers, one

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.reproductions.reading import Settings
    from penstock.reproductions.tables import Row, Table
    from penstock.running import RunResult


def measure(settings: Settings, table: Table, row: Row, results: Mapping[str, RunResult]) -> Mapping[str, float]:
    """The printed columns; ``queue`` and ``loss`` of the hot port."""
    (result,) = results.values()
    common = {"queue": one(result, "queue", HOT), "loss": one(result, "loss", HOT)}
    if "reference_flow" in row.key:
        flow = f"rf{row.key['reference_flow']}"
        return {
            "throughput_tps": one(result, "goodput", flow) / (8 * transfer_bytes(settings)),
            "throughput_gbps": one(result, "throughput", flow) / 1e9,
            "latency_us": _latency(settings, one(result, "page-time", flow)),
            **common,
        }
    del table
    connections = [numbers(result, "throughput", of=f"bulk{i}") for i in range(1, SOURCES + 1)]
    mean = math.fsum(rate for rates in connections for rate in rates) / 1e9 / SOURCES
    if settings["spread.over"] == "connections":
        rates = [rate for of_source in connections for rate in of_source]
        spread = statistics.pstdev(rates) / statistics.fmean(rates)
    else:
        spread = spread_over_sources(result)
    return {"average_source_throughput": mean, "stddev_over_average": 100 * spread, **common}


def spread_over_sources(result: RunResult) -> float:
    """Standard deviation of the bulk sources' throughput over its mean."""
    sources = [math.fsum(numbers(result, "throughput", of=f"bulk{i}")) for i in range(1, SOURCES + 1)]
    return statistics.pstdev(sources) / statistics.fmean(sources)


def _latency(settings: Settings, seconds: float) -> float:
    """In us; where no transaction is complete, they take longer than the run counts."""
    return 1e6 * counted_seconds(settings) if math.isnan(seconds) else seconds * 1e6
