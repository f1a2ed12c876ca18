"""Congestion management of data centres side by side: none, PFC, BCN, QCN, DCTCP, and DCQCN with PFC.

    python examples/studies/congestion_management.py results

runs a hot port, an incast and a leaf-spine fabric under each (some 25 minutes of CPU time) and writes a table,
`points.json`, and figures as SVG. The rate controls of RoCE are compared in the same networks, with shorter runs of the
fabric: `rate-controls.json`. docs/studies/congestion-management.md describes both. Finished runs are kept, so a second
call only draws.
"""

import argparse
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import congestion_management_figures as figures

import penstock as ps
from penstock.component import Component
from penstock.statistics import interval
from penstock.store import Store

MECHANISMS = ("none", "PFC", "BCN", "QCN", "DCTCP", "DCQCN and PFC")
RATE_CONTROLS = ("DCQCN and PFC", "TIMELY and PFC", "HPCC and PFC")
LOADS = (0.2, 0.4, 0.6, 0.8)  # of what the hosts' links carry, which is the bisection
SIZES = {"web-search": 1_700_000, "data-mining": 12_660_000}  # mean bytes of a transfer, about
BUFFER = "450 kB"  # of a port, 300 frames; with PFC there is room for what all inputs may hold
DELAY = "1 us"
HOST = 10  # Gbit/s
LEAVES, SPINES, PER_LEAF = 4, 4, 16
SHORT = 0.1  # length of a run of the fabric under a rate control, of the usual one


# How numbers of several links are combined; all others by their maximum.
COMBINED = {"drops": sum, "paused-time mean": fmean}


@dataclass(frozen=True)
class Case:
    """One point: a mechanism in a scenario."""

    mechanism: str
    scenario: str = "hot port"  # or "incast", or one of SIZES
    load: float = 0.0  # of the fabric


def transport(case: Case) -> Component:
    """What carries the transfers."""
    if case.mechanism in RATE_CONTROLS:
        return roce(case)
    if case.mechanism == "DCTCP":
        return ps.Tcp(congestion_control=ps.Dctcp(), ecn=True, min_rto="1 ms", initial_rto="10 ms")
    return ps.Tcp(variant="sack", min_rto="1 ms", initial_rto="10 ms")


def roce(case: Case) -> Component:
    """RoCE under a rate control; packets of HPCC carry 42 bytes more, its header for five hops [Li19 s4.2]."""
    if case.mechanism.startswith("HPCC"):
        return ps.Roce(rate_control=ps.Hpcc(), packet="1128 bytes", header="104 bytes")
    return ps.Roce(rate_control=ps.Timely()) if case.mechanism.startswith("TIMELY") else ps.Roce()


def queue(case: Case) -> Component:
    """The queue of a switch's port."""
    limit = "4 MB" if "PFC" in case.mechanism else BUFFER
    if case.mechanism == "DCTCP":
        return ps.StepMarking(limit=limit, threshold="97500 bytes")  # 65 frames [Alizadeh10 s3.1]
    return ps.RedMarking(limit=limit) if case.mechanism.startswith("DCQCN") else ps.TailDrop(limit=limit)


def adapter(case: Case) -> Component:
    """The queue of a host's port: connections of RoCE wait for it, TCP hands it all that its windows admit."""
    return ps.TailDrop(limit="10 packets" if case.mechanism in RATE_CONTROLS else "100000 packets")


def switch(case: Case) -> dict:
    """Features of a switch other than queueing."""
    if "PFC" in case.mechanism:
        return {"pause": {"xoff": "100 kB", "xon": "90 kB", "classes": ["default"]}}
    points = {"BCN": ps.BcnCongestionPoint(), "QCN": ps.QcnCongestionPoint()}
    return {"congestion_point": points[case.mechanism]} if case.mechanism in points else {}


def station(case: Case) -> dict:
    """Features of a host other than its transports."""
    points = {"BCN": ps.BcnReactionPoint(floor="8 Mbit/s"), "QCN": ps.QcnReactionPoint()}
    return {"reaction_point": points[case.mechanism]} if case.mechanism in points else {}


def star(case: Case, sources: int) -> tuple[ps.Network, ps.Node, ps.Node]:
    """Sources and one receiver at a switch."""
    net = ps.Network()
    hosts = net.nodes("sources", sources, **station(case))
    net.node("core", **switch(case))
    receiver = net.node("receiver")
    for end in (hosts, receiver):
        net.link(end, "core", rate=f"{HOST} Gbit/s", delay=DELAY, queue=adapter(case))
        net.link("core", end, rate=f"{HOST} Gbit/s", delay=DELAY, queue=queue(case))
    return net, hosts, receiver


def hot_port(case: Case) -> ps.Network:
    """Four long transfers and transactions of 10 kB with waits of 16 us share a port, as in [Jiang06 slide 8]."""
    net, _, receiver = star(case, 5)
    carrier = {"transport": transport(case), "start": ("0 s", "1 ms")}
    net.flows("bulk", "sources[0-3]", receiver, source=ps.Ftp(), **carrier)
    user = ps.Http(page="10 kB", objects=0, think="16 us")
    net.flows("transactions", "sources[4]", receiver, source=user, **carrier)
    net.measure("goodput", of="bulk")
    net.measure("page-time", of="transactions", take=["mean"], quantiles=[0.99])
    net.measure("time-to-fairness", of="bulk", tolerance=0.1)
    ports(net, "core-receiver")
    return net


def incast(case: Case, senders: int = 32) -> ps.Network:
    """Hosts send 1 MB each to one at once."""
    net, hosts, receiver = star(case, senders)
    net.transfers("answers", hosts, receiver, size="1 MB", at=["0 s"] * senders, transport=transport(case))
    net.measure("completion-time", of="answers", take=["mean", "max"])
    ports(net, "core-receiver")
    return net


def fabric(case: Case, arriving: float) -> ps.Network:
    """Transfers of published sizes between random hosts of a leaf-spine fabric, over a number of seconds."""
    net = ps.Network()
    net.routing = "ecmp"
    hosts = net.nodes("hosts", LEAVES * PER_LEAF, **station(case))
    leaves = net.nodes("leaves", LEAVES, **switch(case))
    net.nodes("spines", SPINES, **switch(case))
    down, up = ({"rate": f"{times * HOST} Gbit/s", "delay": DELAY, "queue": queue(case)} for times in (1, 4))
    for leaf in range(LEAVES):
        group, switch_of = f"hosts[{leaf * PER_LEAF}-{(leaf + 1) * PER_LEAF - 1}]", f"leaves[{leaf}]"
        net.link(group, switch_of, name=f"in{leaf}", **{**down, "queue": adapter(case)})
        net.link(switch_of, group, name=f"out{leaf}", **down)
        net.link(switch_of, "spines", name=f"up{leaf}", **up)
        net.link("spines", switch_of, name=f"down{leaf}", **up)
    gigabits = case.load * HOST * LEAVES * PER_LEAF
    count = max(1, round(gigabits * 1e9 * arriving / (8 * SIZES[case.scenario])))
    size = {"distribution": case.scenario}
    load = {"count": count, "load": f"{gigabits:g} Gbit/s"}
    net.transfers("jobs", hosts, hosts, size=size, transport=transport(case), **load)
    net.measure("completion-time", of="jobs", take=["mean"], quantiles=[0.99], sizes=["100 kB", "10 MB"])
    ports(net, *[f"{way}{leaf}" for way in ("out", "up") for leaf in range(len(leaves))])
    if "PFC" in case.mechanism:
        net.measure("paused-time", of=[f"in{leaf}" for leaf in range(len(leaves))])
    return net


def ports(net: ps.Network, *links: str) -> None:
    """Metrics of the ports of switches."""
    net.measure("queue-bytes", of=list(links))
    net.measure("drops", of=list(links))


def study(case: Case, scale: float = 1.0) -> ps.Study:
    """The case, with arrival times and duration multiplied by `scale`.

    Links of one rate make arrivals at the same instant: in a fixed order one input would win every race for the last
    place.
    """
    return plain(case, scale).vary("ties", ["random"])


def plain(case: Case, scale: float) -> ps.Study:
    """The case with arrivals of an instant in the order of the page."""
    if case.scenario == "hot port":
        return ps.Study(hot_port(case), duration=f"{round(400 * scale)} ms", warm_up=f"{round(100 * scale)} ms")
    if case.scenario == "incast":
        return ps.Study(incast(case), duration=f"{round(500 * scale)} ms")
    return ps.Study(fabric(case, 0.8 * scale), duration=f"{round(1000 * scale)} ms")


def cases() -> list[Case]:
    """Every point."""
    found = [Case(mechanism, scenario) for scenario in ("hot port", "incast") for mechanism in MECHANISMS]
    return found + [Case(m, size, load) for size in SIZES for load in LOADS for m in MECHANISMS]


def rate_control_cases() -> list[Case]:
    """Every point of the rate controls of RoCE."""
    found = [Case(control, scenario) for scenario in ("hot port", "incast") for control in RATE_CONTROLS]
    return found + [Case(control, "web-search", load) for load in LOADS for control in RATE_CONTROLS]


def name(number) -> str:
    """Name of a number in the table; without the port, since numbers of several ports are combined."""
    labels = number.labels
    what = next((f" {labels[key]}" for key in ("statistic", "quantile") if key in labels), "")
    return f"{number.metric}{what}" + (f" {labels['size']}" if "size" in labels else "")


def measure(case: Case, runs: int, jobs: int | None, store: Store, scale: float = 1.0) -> dict:
    """A row: what was run, and mean and half an interval of each number, which is null where a run has none."""
    found: dict[str, list[list[float]]] = {}
    for number in study(case, scale).runs(runs).result(jobs=jobs, store=store).summaries():
        if number.metric == "transfers":  # counts come with completion times, and are no columns here
            continue
        of = number.metric if number.metric in ("queue-bytes", "drops") else name(number)
        found.setdefault(of, []).append(number.values)
    row = {**vars(case), "runs": runs}
    for of, each in found.items():
        row[of] = told([COMBINED.get(of, max)(run) for run in zip(*each, strict=True)])
    return row


def told(values: Sequence[float]) -> list[float | None]:
    """Mean and half an interval; a time that is not reached in every run has none."""
    if any(math.isnan(value) for value in values):
        return [None, None]
    found = interval(values)
    return [found.mean, found.half]


def as_json(rows: list[dict]) -> str:
    """A line a row, numbers to four digits."""

    def short(value):
        if isinstance(value, list):
            return [short(item) for item in value]
        return float(f"{value:.4g}") if isinstance(value, float) else value

    return "[\n" + ",\n".join(json.dumps({key: short(value) for key, value in row.items()}) for row in rows) + "\n]\n"


def main() -> None:
    parser = argparse.ArgumentParser(description="Congestion management of data centres side by side.")
    parser.add_argument("folder", type=Path, help="where the table and the figures go")
    parser.add_argument("--runs", type=int, default=2, help="independent runs of the hot port and of the incast (2)")
    parser.add_argument("--fabric-runs", type=int, default=1, help="and of the fabric, of a second each (1)")
    parser.add_argument("--jobs", type=int, help="runs at the same time (all cores)")
    parser.add_argument("--store", type=Path, help="where finished runs are kept (FOLDER/runs)")
    parser.add_argument("--scale", type=float, default=1.0, help="how long runs are, of their usual length (1)")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    store = Store(given.store or given.folder / "runs")

    def table(file: str, of: list[Case], fabric_scale: float) -> list[dict]:
        """Runs the cases, writes the rows into the file, and returns them."""
        rows = []
        for case in of:
            runs, scale = (given.fabric_runs, fabric_scale) if case.load > 0 else (given.runs, 1.0)
            rows.append(measure(case, runs, given.jobs, store, given.scale * scale))
            print(f"{file}: {len(rows)} of {len(of)} points", flush=True)
        text = as_json(rows)
        (given.folder / file).write_text(text, encoding="utf-8")
        return json.loads(text)

    points = table("points.json", cases(), 1.0)
    figures.draw(points, table("rate-controls.json", rate_control_cases(), SHORT), given.folder)


if __name__ == "__main__":
    main()
