"""The simulation behind a number: the scheduler, its shares, the EF flows and the background."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.reproductions.reading import Settings
    from penstock.reproductions.tables import Row, Table

WRR = "WRR"
PQ = "PQ"
CAPPED = "capped PQ"
BEST_EFFORT = "best effort"
"""One queue for everything."""

SHORT, LONG = 160, 1500


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
