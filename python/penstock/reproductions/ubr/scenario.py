"""The scenario of any row, under any choice of readings, and about how many cell-hops it takes.

And single flows on a link that is never full: segments are lost at random for the claims, every n-th for a table.
"""

from collections.abc import Callable, Mapping
from typing import Any

from penstock.reproductions.reading import Settings
from penstock.reproductions.scenario_text import amount, scenario_text
from penstock.reproductions.tables import Row, Table
from penstock.reproductions.ubr import best_effort, guarantees
from penstock.reproductions.ubr.mechanisms import link_cells, transport

GRID = "19-20-"
"""What the tables of the grid are called, before the network."""
HOPS = 3.4
"""Links that a cell of data passes, and a share of the links of acknowledgements."""
LOSSES = {"1e-4": 0.0001, "3e-4": 0.0003, "1e-3": 0.001, "3e-3": 0.003}
"""Probabilities that a segment is lost, by name: from a hundred losses a run to where timeouts begin to matter."""
MSS = 1024
ROUND_TRIP = 0.1
PERIODIC_RTT = 0.03
"""Seconds that a round trip takes at least where losses are periodic."""
CYCLES = 60
"""From one loss to the next, in such a run."""


def random_loss(name: str) -> str:
    """The name of the experiment with this loss."""
    return f"random-loss-{name}"


def experiments(settings: Settings) -> Mapping[str, str]:
    """A SACK flow for each probability of loss."""
    tcp = transport(settings, "sack1", mss=MSS, window=settings.text("window.satellite"))
    found = {}
    for name, probability in LOSSES.items():
        head = {"description": f"A SACK flow that loses {probability}", "duration": "620 s", "warm-up": "20 s"}
        loss = {"impairment.loss": {"probability": probability}}
        found[random_loss(name)] = _flow(head, ("source", "sink"), "50 ms", loss, tcp, ("goodput", "timeouts"))
    return found


def periodic(settings: Settings, row: Row) -> str:
    """One transfer, packet by packet, that loses every n-th segment and nothing else."""
    period = int(row.key["period"])
    tcp = transport(settings, "sack1", mss=int(settings["gfr.mss_bytes"]), window="10000 packets")
    # A cycle has sqrt(2 P / 3) round trips. The first ten are not counted.
    cycle = (2 * period / 3) ** 0.5 * PERIODIC_RTT
    head = {
        "description": f"a SACK transfer that loses every {period}th segment",
        "duration": f"{round(1000 * CYCLES * cycle)} ms",
        "warm-up": f"{round(1000 * 10 * cycle)} ms",
    }
    loss = {"impairment.drop-list": {"drop": [period * i for i in range(1, 90)]}}
    delay, metrics = f"{round(PERIODIC_RTT * 500)} ms", ("goodput", "timeouts", "retransmissions")
    return _flow(head, ("a", "b"), delay, loss, tcp, metrics)


def _flow(
    head: Mapping[str, Any],
    nodes: tuple[str, str],
    delay: str,
    loss: Mapping[str, Any],
    tcp: Mapping[str, Any],
    metrics: tuple[str, ...],
) -> str:
    way = {"rate": "10 Gbit/s", "delay": delay, "queue.tail-drop": {"limit": "100000 packets"}}
    start, end = nodes
    links = [{"from": start, "to": end, **way, **loss}, {"from": end, "to": start, **way}]
    flow = {"name": "tcp", "from": start, "to": end, "source.ftp": {}, "transport.tcp": tcp}
    measures = [{"metric": metric, "of": "tcp"} for metric in metrics]
    return scenario_text(head, {start: {}, end: {}}, links, [flow], measures)


PAGES: Mapping[str, Callable[[Settings, Row], str]] = {
    "21-23": best_effort.parameters,
    "11-12": best_effort.reserved,
    "4": best_effort.bursty,
    "9": best_effort.constants,
    "25-together": best_effort.together,
    "today": best_effort.sources,
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


def effort(settings: Settings, table: Table, row: Row, _: str) -> float:
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
    return HOPS * (link_cells(settings) * amount(settings.text(f"run.{network}")))
