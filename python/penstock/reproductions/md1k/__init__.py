"""Christensen: how many buffers a cell switch needs, as an M/D/1/k queue (1999)."""

from collections.abc import Mapping

from penstock.reproductions.packaged import packaged
from penstock.reproductions.reading import Settings
from penstock.reproductions.scenario_text import scenario_text
from penstock.reproductions.tables import Row, Table
from penstock.running import RunResult


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


def measure(settings: Settings, table: Table, row: Row, results: Mapping[str, RunResult]) -> Mapping[str, float]:
    """``loss``, in percent of the packets that arrive, and ``packets``, the mean number in the system."""
    del settings, table, row
    (result,) = results.values()
    values = {metric.name: metric.value for metric in result.metrics}
    return {"loss": 100 * values["loss"], "packets": values["in-system"]}


def exponential_service(_: Settings, table: Table, row: Row) -> Mapping[str, float]:
    """Loss in percent of M/M/1/K with one place more than there are buffers, and the mean number in M/M/1."""
    load = float(row.key["load"])
    if table.id == "2":
        return {"packets": load / (1 - load)}
    places = int(row.key["buffers"]) + 1
    return {"loss": 100 * (1 - load) * load**places / (1 - load ** (places + 1))}


STUDY = packaged(__package__, build=build, measure=measure, nulls={"m-m-1": exponential_service})
