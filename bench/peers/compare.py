"""Compares Penstock with ns-2, ns-3 and htsim: the same work, and packet-hops per CPU second.

    python bench/peers/compare.py                       all workloads and peers but the largest
    python bench/peers/compare.py cbr --peer ns-2 --pairs 9
    python bench/peers/compare.py --peer htsim --htsim PROGRAM
    python bench/peers/compare.py --json FILE           all numbers, single runs too
    python bench/peers/compare.py --keep                add them to the page of benchmarks

bench/README.md describes the comparison and how to read it. A peer that is not there is left out. Ends with
code 1 if two did not do the same work, or if a median is below its required minimum.
"""

import argparse
import json
import os
import statistics
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

sys.path.append(str(Path(__file__).resolve().parents[1]))
import benchmarks_page as page
import network
import simulators
from simulators import NOTHING, Run, penstock

from penstock.bench import fat_tree


class Job(NamedTuple):
    """How a peer runs a workload."""

    # A script or a program, and its settings.
    command: list[str]
    # Simulated time of both, if the peer takes minutes for the whole workload.
    seconds: float | None = None
    # The scenario's text, if the peer's TCP differs from the workload's; the program gets its routes and starts.
    text: Callable[[], str] | None = None


class Workload(NamedTuple):
    """A workload of `penstock bench`, and how the peers that can do it run it."""

    jobs: dict[str, Job]
    # Minimum of the ratio to ns-2 in packet-hops per CPU second, set-up included, that the project promises.
    required: float | None = None
    # A smaller job for ns-2: flows between two nodes share an agent.
    shares: bool = False


def tree(ports: int, ns3_seconds: float, htsim_seconds: float) -> Workload:
    """The workload `fat-tree` by the ports of its switches: with SACK for ns-3, and with NewReno for htsim."""
    # Without SACK, ns-3's loss recovery loses a fifth of the goodput. htsim restarts the timer at each partial
    # acknowledgement, and sends nothing on the first duplicates.
    without_sack = {"partial_ack_timer": "every", "limited_transmit": False}
    return Workload(
        {
            "ns-3": Job(["fat-tree"], ns3_seconds, partial(fat_tree, ports, variant="sack")),
            "htsim": Job([], htsim_seconds, partial(fat_tree, ports, **without_sack)),
        }
    )


# af runs as in `penstock bench`, with the readings that the reproduction has chosen. ns-3 has neither RED_n nor
# colouring markers.
AF = ["tcp_starts=0", "udp_starts=0.1", "udp_random=1", "delayed_ack=1", "min_rto=0", "max_rto=100000", "per_flow=0"]
WORKLOADS = {
    "cbr": Workload({"ns-2": Job(["cbr.tcl"]), "ns-3": Job(["cbr"], 10)}, 37, shares=True),
    "parking-lot": Workload({"ns-2": Job(["parking-lot.tcl"]), "ns-3": Job(["parking-lot"], 2)}, 50, shares=True),
    "tcp-bulk": Workload({"ns-2": Job(["tcp-bulk.tcl"]), "ns-3": Job(["dumbbell", "--bulk=1"], 0.4)}, 7),
    "tcp-many": Workload({"ns-2": Job(["tcp-many.tcl"]), "ns-3": Job(["dumbbell"], 5)}, 21),
    "af": Workload({"ns-2": Job(["af.tcl", *AF])}, 15),
    "schedulers-fifo": Workload({"ns-2": Job(["schedulers.tcl"]), "ns-3": Job(["schedulers"], 2)}),
    "schedulers-priority": Workload(
        {
            "ns-2": Job(["schedulers.tcl", "scheduler_of_classes=priority"]),
            "ns-3": Job(["schedulers", "--priority=1"], 2),
        }
    ),
    "schedulers-wrr": Workload({"ns-2": Job(["schedulers.tcl", "scheduler_of_classes=wrr"])}),
    "fat-tree-4": tree(4, 0.1, 0.4),
    "fat-tree-8": tree(8, 0.02, 0.05),
    "fat-tree-16": tree(16, 0.005, 0.02),
}
# These run only if they are named, since ns-3 needs most of a minute for each run.
LARGE = ("fat-tree-16",)

# A peer's event schedulers: its default, and one that is often faster. The ratio to the fastest counts.
FORMS = {
    "ns-2": {"calendar": ["scheduler=Calendar"], "splay": ["scheduler=Splay"]},
    "ns-3": {"map": [], "heap": ["--SchedulerType=ns3::HeapScheduler"]},
    "htsim": {"multimap": []},
}
SHARED = {"splay, shared agents": ["scheduler=Splay", "own_agents=0"]}
PAIRS = {"ns-2": 5, "ns-3": 3, "htsim": 5}

# Permitted differences. Different generators draw the starting times, on which TCP's losses at the end of slow start
# depend: over ten seeds of ns-2, the drops of tcp-bulk have a standard deviation of 9 % (2,838 to 3,862), so two single
# runs differ by 25 % once in twenty times. Nothing else varies by more than 0.3 %.
BANDS = {"packet_hops": 0.02, "delivered": 0.02, "goodput": 0.01, "drops": 0.25}
# Routes and starts are the same in the fat trees, but one lost packet changes everything after it: over three seeds of
# Penstock, packet-hops vary by 3 %, goodput by 3 % and drops by 13 %.
IN_TREES = {"packet_hops": 0.03, "delivered": 0.03, "goodput": 0.05, "drops": 0.2}
# ns-3's receivers report bytes that arrived in order, which differs from what Penstock and ns-2 call delivered for TCP.
# Most of a thousand flows have timeouts. After a timeout, ns-3 sends all outstanding segments again, so more arrives
# twice, and its connections begin a round trip later with a handshake. The comparison is of the cost of a packet-hop.
OTHER_BANDS = {
    ("ns-3", "tcp-bulk"): {"packet_hops": 0.02, "goodput": 0.01, "drops": 0.25},
    ("ns-3", "tcp-many"): {"packet_hops": 0.05, "goodput": 0.2, "drops": 0.4},
    **{("htsim", f"fat-tree-{k}"): IN_TREES for k in (4, 8, 16)},
    **{("ns-3", f"fat-tree-{k}"): {w: band for w, band in IN_TREES.items() if w != "delivered"} for k in (4, 8, 16)},
}


class Comparison:
    """One workload in Penstock and in a peer."""

    def __init__(self, name: str, peer: str, pairs: int, htsim: str | None = None) -> None:
        self.name, self.peer, self.pairs = name, peer, pairs
        workload = WORKLOADS[name]
        self.command, self.seconds, text = workload.jobs[peer]
        if peer == "htsim":
            self.command = [str(htsim), *self.command]
        self.scenario = name
        if text is not None:
            self.scenario = simulators.kept(f"{name}-{peer}.toml", text())
            self.command = [*self.command, f"--network={simulators.kept(f'{name}.txt', network.plan(text()).text())}"]
        self.call = {"ns-2": simulators.ns2, "ns-3": simulators.ns3, "htsim": simulators.htsim}[peer]
        self.required = workload.required if peer == "ns-2" else None
        self.forms = {**FORMS[peer], **(SHARED if peer == "ns-2" and workload.shares else {})}
        self.bands = OTHER_BANDS.get((peer, name), BANDS)

    def same_work(self) -> tuple[dict, list[str], Run]:
        """The work of both, the numbers outside their bands, and the peer's counts, link by link in an untimed run."""
        ours = penstock(self.scenario, self.seconds)
        theirs = self.call(self.command, next(iter(self.forms.values())), self.seconds, exact=True)
        pairs = {what: (getattr(ours, what), getattr(theirs, what)) for what in self.bands}
        outside = [what for what, (a, b) in pairs.items() if abs(a - b) > self.bands[what] * max(a, b)]
        return {what: {"penstock": a, "peer": b} for what, (a, b) in pairs.items()}, outside, theirs

    def timed(self, form: str, counted: Run) -> Run:
        """A run that does not count at every link, whose work must equal that of the counted run."""
        run = self.call(self.command, self.forms[form], self.seconds)
        if (run.drops, run.goodput) != (counted.drops, counted.goodput):
            raise RuntimeError(f"{self.name} in {self.peer}, {form}, did not do what was counted")
        return run._replace(packet_hops=counted.packet_hops, delivered=counted.delivered)

    def runs(self) -> dict:
        """Runs all in turn, and takes the ratios pair by pair."""
        work, outside, counted = self.same_work()
        if outside:
            return {**self.about(work, outside), "reached": False}
        before = os.getloadavg()[0]
        ours, our_setups, references = [], [], []
        theirs: dict[str, list[Run]] = {form: [] for form in self.forms}
        setups: dict[str, list[float]] = {form: [] for form in self.forms}
        for number in range(self.pairs):
            reference = penstock("cbr")
            references.append(reference.packet_hops / reference.cpu)
            if number % 2 == 0:
                ours.append(penstock(self.scenario, self.seconds))
            our_setups.append(penstock(self.scenario, self.seconds, only_setup=True).cpu)
            for form, settings in self.forms.items():
                theirs[form].append(self.timed(form, counted))
                setups[form].append(self.call(self.command, settings, NOTHING).cpu)
            if number % 2 == 1:
                ours.append(penstock(self.scenario, self.seconds))
        us = side(ours, our_setups)
        results = {form: against(us, side(runs, setups[form])) for form, runs in theirs.items()}
        main = max(FORMS[self.peer], key=lambda form: results[form]["packet_hops_per_cpu_second"])
        reached = self.required is None or statistics.median(results[main]["ratios"]) >= self.required
        return {
            **self.about(work, outside),
            **{"reference": statistics.median(references), "load": [before, os.getloadavg()[0]]},
            **{"penstock": us, "forms": results, "main": main, "required": self.required, "reached": reached},
        }

    def about(self, work: dict, outside: list[str]) -> dict:
        """The subject of the comparison, and whether both did the same work."""
        return {
            **{"workload": self.name, "peer": self.peer, "version": simulators.version(self.peer)},
            **{"measured": page.measured()},
            **{"seconds": self.seconds, "work": work, "outside": outside, "bands": self.bands},
        }


def merged(kept: list[dict], new: list[dict]) -> list[dict]:
    """Stored and new results, peer by peer in the order of the workloads; new results replace stored ones."""
    found = {(one["peer"], one["workload"]): one for one in [*kept, *new]}
    return [found[peer, name] for peer in FORMS for name in WORKLOADS if (peer, name) in found]


def side(runs: list[Run], setups: list[float]) -> dict:
    """Results of one simulator."""
    setup = statistics.median(setups)
    return {
        "packet_hops_per_cpu_second": statistics.median(run.packet_hops / run.cpu for run in runs),
        "setup_cpu_seconds": setup,
        "steady": [run.packet_hops / max(run.cpu - setup, 1e-6) for run in runs],
        "whole": [run.packet_hops / run.whole for run in runs],
        "peak_bytes": max(run.peak for run in runs),
        "runs": [run._asdict() for run in runs],
    }


def against(ours: dict, theirs: dict) -> dict:
    """The peer's side, and the ratios of Penstock to it pair by pair."""
    pairs = list(zip(ours["runs"], theirs["runs"], strict=True))
    speed = [(a["packet_hops"] / a["cpu"]) / (b["packet_hops"] / b["cpu"]) for a, b in pairs]
    ratio = {key: [a / b for a, b in zip(ours[key], theirs[key], strict=True)] for key in ("steady", "whole")}
    return {
        **theirs,
        "ratios": speed,
        "steady_ratios": ratio["steady"],
        "whole_process_ratios": ratio["whole"],
        "setup_ratio": theirs["setup_cpu_seconds"] / max(ours["setup_cpu_seconds"], 1e-6),
    }


def show(compared: dict) -> None:
    """Prints a comparison; if the two did not do the same work, prints only that."""
    peer = compared["peer"]
    length = "" if compared["seconds"] is None else f", {compared['seconds']} s"
    print(f"\n{compared['workload']}{length}")
    print(f"  {'':22}{'Penstock':>16}{peer:>16}")
    for what, both in compared["work"].items():
        verdict = "outside" if what in compared["outside"] else "within"
        print(f"  {what:22}{both['penstock']:16,.0f}{both['peer']:16,.0f}  {verdict} {compared['bands'][what]:.0%}")
    if compared["outside"]:
        print("  not the same work: not timed")
        return
    ours = compared["penstock"]
    print(f"  {'':22}{'M hops/CPU s':>13}{'MiB':>7}   Penstock over {peer}: min  median     max  steady  set-up  whole")
    print(f"  {'Penstock':22}{ours['packet_hops_per_cpu_second'] / 1e6:13.2f}{ours['peak_bytes'] / 2**20:7.0f}")
    for form, result in compared["forms"].items():
        ratios = result["ratios"]
        steady, whole = page.without_setup(result), statistics.median(result["whole_process_ratios"])
        row = f"  {peer + ', ' + form:27}{result['packet_hops_per_cpu_second'] / 1e6:8.2f}"
        row += f"{result['peak_bytes'] / 2**20:7.0f}{'':19}{min(ratios):8.2f}{statistics.median(ratios):8.2f}"
        row += (
            f"{max(ratios):8.2f}{'' if steady is None else f'{steady:.2f}':>8}{result['setup_ratio']:8.1f}{whole:7.2f}"
        )
        if compared["required"] is not None and form == compared["main"]:
            row += f"  required {compared['required']}: {'yes' if compared['reached'] else 'NO'}"
        print(row, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"of {', '.join(WORKLOADS)}; if none, all but {', '.join(LARGE)}"
    )
    parser.add_argument("--peer", choices=list(FORMS), help="only this one")
    parser.add_argument("--pairs", type=int, help="runs of each (3 with ns-3, 5 with the others)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write everything")
    parser.add_argument("--keep", action="store_true", help="keep them for the page of benchmarks")
    parser.add_argument("--htsim", metavar="PROGRAM", help="htsim/fat-tree.cc, built with htsim's library")
    arguments = parser.parse_args()
    if unknown := set(arguments.names) - set(WORKLOADS):
        parser.error(f"no such workload: {', '.join(sorted(unknown))}; they are {', '.join(WORKLOADS)}")
    missing = {
        **{"ns-2": simulators.missing_ns2, "ns-3": simulators.missing_ns3},
        "htsim": lambda: simulators.missing_htsim(arguments.htsim),
    }
    everything = []
    for peer in FORMS if arguments.peer is None else [arguments.peer]:
        if reason := missing[peer]():
            print(f"\nskipped: {reason}")
            continue
        for name in arguments.names or [name for name in WORKLOADS if name not in LARGE]:
            if peer not in WORKLOADS[name].jobs:
                print(f"\n{name}: not compared with {peer}")
                continue
            comparison = Comparison(name, peer, arguments.pairs or PAIRS[peer], arguments.htsim)
            everything.append(comparison.runs())
            show(everything[-1])
    if arguments.json:
        arguments.json.write_text(json.dumps(everything, indent=1) + "\n")
    if arguments.keep:
        kept = json.loads(page.PEERS.read_text()) if page.PEERS.exists() else []
        sound = [compared for compared in everything if not compared["outside"]]
        page.PEERS.write_text(json.dumps(merged(kept, sound), indent=1) + "\n")
        page.renew()
    short = [f"{c['workload']} ({c['peer']})" for c in everything if c["outside"] or not c["reached"]]
    if short:
        print(f"\nFAILED: not the same work, or below the required minimum: {', '.join(short)}")
    return 1 if short else 0


if __name__ == "__main__":
    sys.exit(main())
