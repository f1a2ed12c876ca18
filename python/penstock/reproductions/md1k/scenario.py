"""The scenario of any row, under any choice of readings, as a page that can be read and run on its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.reproductions.scenario_text import scenario_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.reproductions.reading import Settings
    from penstock.reproductions.tables import Row, Table


def build(settings: Settings, table: Table, row: Row) -> Mapping[str, str]:
    """The one scenario of a row: Poisson arrivals of cells at a link that sends each in the same time."""
    load, rate = float(row.key["load"]), int(settings["link.rate_bps"])
    if table.id == "1":
        buffers = int(row.key["buffers"])
        queue = {"limit": f"{buffers} packets", "counts": settings["buffers.count"]}
        held = f"{buffers} buffers"
    else:
        queue = {"limit": f"{settings['link.infinite_packets']} packets"}
        held = "buffers without end"
    head = {
        "description": f"A cell switch with {held} at a load of {load:.0%}",
        "duration": settings["simulated.duration"],
        "warm-up": settings["run.counts_from"],
    }
    cells = {"rate": f"{round(load * rate)} bit/s", "packet": f"{settings['packet.bytes']} bytes"}
    ends = {"from": "hosts", "to": "output"}
    link = {**ends, "rate": f"{rate} bit/s", "delay": "1 ms", "queue.tail-drop": queue}
    flow = {"name": "cells", **ends, "source.poisson": cells}
    measures = [{"metric": metric, "of": "hosts-output"} for metric in ("loss", "in-system")]
    return {"": scenario_text(head, {"hosts": {}, "output": {}}, [link], [flow], measures)}
