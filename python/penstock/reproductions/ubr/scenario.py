"""The scenario of any row, under any choice of readings, and about how many cell-hops it takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.reproductions.ubr import best_effort, guarantees
from penstock.reproductions.ubr.experiments import CYCLES, periodic
from penstock.reproductions.ubr.words import link_cells, seconds

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from penstock.reproductions.reading import Settings
    from penstock.reproductions.tables import Row, Table

GRID = "19-20-"
"""What the tables of the grid are called, before the network."""
HOPS = 3.4
"""Links that a cell of data passes, and a share of the links of acknowledgements."""

PAGES: Mapping[str, Callable[[Settings, Row], str]] = {
    "21-23": best_effort.parameters,
    "11-12": best_effort.reserved,
    "4": best_effort.bursty,
    "9": best_effort.constants,
    "25-together": best_effort.together,
    "today": best_effort.many,
    "53-59-results": guarantees.slides,
    "50": guarantees.over_satellites,
    "42": guarantees.thresholds,
    "36": guarantees.fifo,
    "30": guarantees.options,
    "34": guarantees.allocations,
    "61": guarantees.broken,
    "12-13": best_effort.buffers,
    "25": best_effort.starts,
    "26-27": best_effort.windows,
    "28": best_effort.retransmissions,
    "35": periodic,
}
"""What makes the page of a row, by table."""


def build(settings: Settings, table: Table, row: Row) -> Mapping[str, str]:
    """The one scenario of a row; tables of settings have none."""
    if not table.is_own:
        return {}
    if table.id.startswith(GRID):
        return {"": best_effort.grid(settings, table.id.removeprefix(GRID), row)}
    return {"": PAGES[table.id](settings, row)}


def effort(settings: Settings, table: Table, row: Row, part: str) -> float:  # noqa: ARG001  (each row is one scenario)
    """About how many cell-hops one run of a row takes, if the bottleneck is always busy."""
    network = table.id.removeprefix(GRID) if table.id.startswith(GRID) else str(row.key.get("network", "gfr"))
    if table.id == "50" or (network == "gfr" and "geo" in (settings["dfba.access"], settings["dfba.backbone"])):
        network = "satellite"
    network = "wan" if table.id == "4" else network
    if table.id == "35":
        return 4 * CYCLES * float(row.key["period"])
    if table.id == "26-27":
        span, _ = best_effort.SPANS[network]
        return HOPS * link_cells(settings) * (float(row.key["at"]) + span) / 2
    return HOPS * (link_cells(settings) * seconds(settings.text(f"run.{network}")))
