"""Jitter of Expedited Forwarding under seven schedulers, over hops, EF's share and the way of the background.

    python examples/studies/ef_schedulers.py results

makes 2,000 runs (two or three minutes) and writes two tables, `points.json` and `differences.json`, and figures as SVG,
drawn by matplotlib. They are described in docs/studies/ef-schedulers.md. Finished runs are
kept, so a second call only draws.
"""

import argparse
import itertools
import json
from dataclasses import dataclass, replace
from pathlib import Path

import ef_schedulers_figures as figures

import penstock as ps
from penstock.statistics import interval, paired
from penstock.store import Store

BOTTLENECK = 1_500_000  # bit/s, as in RFC 2598; so are the rate of a flow and the two sizes of packets
FLOW = 56_000  # bit/s
SHORT, LONG = 160, 1500  # bytes
FIRST = 10_000_000  # bit/s, the first link where rates fall
DELAY = 5  # ms, propagation of a hop
RATIO = 1.5  # what EF is guaranteed over what it sends; RFC 2598 found that more gains nothing
REST = [
    "rest1",
    "rest2",
    "rest3",
    "rest4",
]  # classes of the background: five queues a port with EF's, as in its table 2

SCHEDULERS = ("PQ", "limited PQ", "WF2Q+", "SCFQ", "WRR", "DRR", "FIFO")
TOPOLOGIES = ("falling", "along", "crossing")
HOPS = (1, 2, 4, 6, 8, 12)
FLOWS = (2, 4, 8, 12, 16)  # EF flows: 7.5, 15, 30, 45 and 60 % of the bottleneck
BURSTS = (1500, 3000, 6000, 12_000)  # bytes, of the limited PQ


@dataclass(frozen=True)
class Case:
    """One point: a scheduler at every hop of a path, and what EF sends over it."""

    scheduler: str
    topology: str = "crossing"  # "falling": rates fall to the bottleneck's; "along": the background stays to the end
    hops: int = 6
    short: int = 4  # EF flows with short packets
    long: int = 4  # and with long ones
    burst: int = 2 * LONG  # bytes that the limited PQ lets pass at once

    @property
    def guaranteed(self) -> float:
        """The share of every link that EF is guaranteed."""
        return RATIO * (self.short + self.long) * FLOW / BOTTLENECK

    @property
    def rates(self) -> list[int]:
        """Of the links, in bit/s."""
        if self.topology != "falling" or self.hops == 1:
            return [BOTTLENECK] * self.hops
        return [FIRST - (FIRST - BOTTLENECK) * hop // (self.hops - 1) for hop in range(self.hops)]


def port(case: Case, rate: int) -> dict:
    """Scheduler and classes of a link: the only thing in which the variants differ."""
    shares = {"ef": case.guaranteed} | dict.fromkeys(REST, (1 - case.guaranteed) / len(REST))
    least = min(shares.values())
    weight = {name: {"weight": round(10_000 * share)} for name, share in shares.items()}
    # A quantum below the largest packet would make rounds in which a class sends nothing.
    quantum = {name: {"quantum": f"{round(LONG * share / least)} bytes"} for name, share in shares.items()}
    even = {"scheduler": ps.Drr(), "classes": {name: {"quantum": f"{LONG} bytes"} for name in REST}}
    limit = {"rate_limit": {"rate": f"{round(case.guaranteed * rate)} bit/s", "burst": f"{case.burst} bytes"}}
    first = ps.Priority(order=["ef", "rest"])
    scheduler, classes = {
        "PQ": (first, {"ef": {}, "rest": even}),
        "limited PQ": (first, {"ef": limit, "rest": even}),
        "WF2Q+": (ps.Wf2qPlus(), weight),
        "SCFQ": (ps.Scfq(), weight),
        "WRR": (ps.Wrr(weighs="bytes"), weight),
        "DRR": (ps.Drr(), quantum),
        "FIFO": (ps.Fifo(), {}),
    }[case.scheduler]
    if not classes:
        return {"scheduler": scheduler, "queue": ps.TailDrop(limit="100 packets")}
    # Room for all of EF; queues of 25 packets for everything else.
    classes["ef"] = {**classes["ef"], "queue": ps.TailDrop(limit="1000 packets")}
    return {"scheduler": scheduler, "classes": classes, "queue": ps.TailDrop(limit="25 packets")}


def network(case: Case, background: tuple[int, ...] = (576, LONG)) -> ps.Network:
    """The path, EF from its beginning to its end, and file transfers that fill it, with packets of these sizes."""
    net = ps.Network()
    nodes = [net.node(f"n{i}") for i in range(case.hops + 1)]
    hops = list(itertools.pairwise(nodes))
    for rate, (a, b) in zip(case.rates, hops, strict=True):
        net.link(a, b, rate=f"{rate} bit/s", delay=f"{DELAY} ms", **port(case, rate))
        net.link(b, a, rate=f"{rate} bit/s", delay=f"{DELAY} ms")

    for name, (size, count) in groups(case).items():
        cbr = ps.Cbr(rate=f"{FLOW} bit/s", packet=f"{size} bytes", spacing_jitter=0.1)
        net.flows(name, nodes[0], nodes[-1], count=count, traffic_class="ef", source=cbr)
        net.measure("jitter", of=name, take=["mean"], quantiles=[0.5, 0.9], unit="packet-time")
        net.measure("delay", of=name, take=["max"], quantiles=[0.99])
        net.measure("loss", of=name)

    for hop, (a, b) in enumerate(hops if case.topology == "crossing" else [(nodes[0], nodes[-1])]):
        for rest, size in itertools.product(REST, background):
            tcp = ps.Tcp(variant="sack", packet=f"{size} bytes", max_window="22 packets")
            often = {"count": 2, "start": ("0 s", "1 s"), "traffic_class": rest}
            net.flows(f"{rest}-{size}-{hop}", a, b, source=ps.Ftp(), transport=tcp, **often)
    net.measure("utilisation", of=[f"{a.name}-{b.name}" for a, b in hops], per="link")
    return net


def groups(case: Case) -> dict[str, tuple[int, int]]:
    """Bytes of a packet and number of flows, by the name of the EF flows."""
    both = {"short": (SHORT, case.short), "long": (LONG, case.long)}
    return {name: group for name, group in both.items() if group[1] > 0}


def empty(case: Case, size: int) -> float:
    """What a packet needs where nothing is in its way, in ms."""
    return sum(DELAY + 8000 * size / rate for rate in case.rates)


def bound(case: Case) -> float | None:
    """The most that EF packets may need beyond the propagation, in ms, where all links have the bottleneck's rate.

    A port serves EF at least like a line of the guaranteed rate behind a latency [Stiliadis98]. A burst is waited for
    once on the whole way; every hop adds its latency, and every further one the longest packet, as it begins with none
    before it is complete.
    """
    if case.scheduler == "FIFO" or case.topology == "falling":
        return None
    others, q = len(REST) * LONG, case.guaranteed
    least = min(q, (1 - q) / len(REST))
    round_of_drr, round_of_wrr = LONG / least, (1 + len(REST)) * LONG
    latency = {
        "PQ": LONG,
        # For the packet on the wire, and for tokens, which are there when the last bit would be.
        "limited PQ": 2 * LONG,
        "WF2Q+": LONG,
        "SCFQ": others,
        "DRR": (3 - 2 * q) * round_of_drr,
        # Every class may take a packet too much, EF's is missing at its next visits.
        "WRR": (1 - q) * (round_of_wrr + LONG / q) + others,
    }[case.scheduler]
    burst = case.short * SHORT + case.long * LONG
    rate = 1.0 if case.scheduler == "PQ" else q
    size = burst / rate + case.hops * latency + (case.hops - 1) * LONG / rate
    return 8000 * size / BOTTLENECK


def cases() -> list[Case]:
    """Every point, each once."""
    found = [Case(s, topology, hops) for topology in TOPOLOGIES for s in SCHEDULERS for hops in HOPS]
    found += [Case(s, t, 6, n // 2, n // 2) for t in TOPOLOGIES[1:] for s in SCHEDULERS for n in FLOWS]
    found += [Case("PQ", "crossing", hops, short, 8 - short) for short in (0, 8) for hops in HOPS]
    found += [Case("limited PQ", t, 6, burst=burst) for t in TOPOLOGIES[1:] for burst in BURSTS]
    return list(dict.fromkeys(found))


def measure(case: Case, runs: int, jobs: int | None, store: Store) -> dict[tuple[int, str], list[float]]:
    """What each run came to, by bytes of a packet and measure."""
    study = ps.Study(network(case), duration="200 s", warm_up="20 s", name=case.scheduler).runs(runs)
    values, busy = {}, []
    for number in study.result(jobs=jobs, store=store).summaries():
        if number.metric == "utilisation":
            busy.append(number.values)
            continue
        size, _ = groups(case)[number.labels["of"]]
        quantile = number.labels.get("quantile")
        if number.metric == "loss":
            values[size, "loss"] = number.values
        elif number.metric == "jitter" and quantile is not None:
            values[size, f"jitter-{100 * float(quantile):.0f}"] = number.values
        elif number.metric == "delay":
            name = "late-max" if quantile is None else "late-99"
            values[size, name] = [1000 * value - empty(case, size) for value in number.values]
    # Of the link that was idle for longest.
    return values | {(size, "busy"): [min(run) for run in zip(*busy, strict=True)] for size, _ in groups(case).values()}


def point(case: Case, size: int, values: dict[tuple[int, str], list[float]]) -> dict:
    """A row: what was run, and mean and half an interval of each measure; of the longest delay, the longest of all."""
    row = {**vars(case), "bytes": size, "empty": empty(case, size), "bound": bound(case)}
    for (of, name), each in values.items():
        if of == size:
            row[name] = max(each) if name == "late-max" else [interval(each).mean, interval(each).half]
    return row


def differences(case: Case, values: dict, reference: dict) -> list[dict]:
    """How far a case lies above priority, run by run: runs of one number share their random numbers."""
    rows = []
    for (size, name), each in values.items():
        if name in figures.MEASURES:
            above = paired(each, reference[size, name])
            key = {"scheduler": case.scheduler, "topology": case.topology, "bytes": size, "measure": name}
            rows.append(key | {"above_pq": above.difference, "low": above.low, "high": above.high})
    return rows


def as_json(rows: list[dict]) -> str:
    """A line a row, numbers to five digits."""

    def short(value):
        if isinstance(value, list):
            return [short(item) for item in value]
        # Not the last bits of a difference that is none.
        return float(f"{round(value, 9):.5g}") if isinstance(value, float) else value

    return "[\n" + ",\n".join(json.dumps({key: short(value) for key, value in row.items()}) for row in rows) + "\n]\n"


def main() -> None:
    parser = argparse.ArgumentParser(description="Jitter of Expedited Forwarding under seven schedulers.")
    parser.add_argument("folder", type=Path, help="where the tables and the figures go")
    parser.add_argument("--runs", type=int, default=10, help="independent runs of each point (10)")
    parser.add_argument("--jobs", type=int, help="runs at the same time (all cores)")
    parser.add_argument("--store", type=Path, help="where finished runs are kept (FOLDER/runs)")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    store = Store(given.store or given.folder / "runs")

    every = cases()
    found = {}
    for number, case in enumerate(every, 1):
        found[case] = measure(case, given.runs, given.jobs, store)
        if number % 20 == 0 or number == len(every):
            print(f"{number} of {len(every)} points", flush=True)

    points = [point(case, size, found[case]) for case in every for size, _ in groups(case).values()]
    usual = [Case(s, topology) for topology in TOPOLOGIES for s in SCHEDULERS[1:]]
    above = []
    for case in filter(found.get, usual):
        above += differences(case, found[case], found[replace(case, scheduler="PQ")])
    (given.folder / "points.json").write_text(as_json(points), encoding="utf-8")
    (given.folder / "differences.json").write_text(as_json(above), encoding="utf-8")
    # As the table has them, so that it alone can draw them again.
    figures.draw(json.loads(as_json(points)), given.folder)


if __name__ == "__main__":
    main()
