"""How time and memory grow with flows, hops, the rate of calls, simulated time and the size of networks.

    python bench/growth.py                          all, into the page of benchmarks
    python bench/growth.py flows-cbr hops           only these, printed
    python bench/growth.py fat-tree --keep          only this, into the page

Every point is a scenario made with the public builder and run in a process of its own: CPU time of the set-up (from the
text to the first event) and of the rest, packet-hops and peak memory. Times are relative to a reference workload
that runs before each point, so that the numbers of a shared machine can be compared. Takes some five minutes.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable
from itertools import combinations, pairwise
from math import dist
from typing import NamedTuple

import benchmarks_page as page

from penstock import bench
from penstock.components import Cbr, Exponential, Ftp, PoissonArrival, TailDrop, Tcp
from penstock.network import Network, Node
from penstock.topologies import leaf_spine, waxman

PROVIDER_DELAYS = (1000, 30_000)
"""Of the shortest and of the longest link of a provider's network, in microseconds."""


def row(links: int) -> str:
    """A hundred periodic flows of 64 kbit/s over a row of n links, half full."""
    net = Network()
    nodes = [net.node(f"n{i}") for i in range(links + 1)]
    for a, b in pairwise(nodes):
        net.link(a, b, rate="12.8 Mbit/s", delay="1 ms", queue=TailDrop(limit="1000 packets"))
    net.flows("through", nodes[0], nodes[-1], count=100, source=Cbr(rate="64 kbit/s", packet="160 bytes"))
    return net.toml(description="A row of links", duration="30 s")


def calls(rate: int) -> str:
    """Calls of 64 kbit/s that arrive at random at a rate per second, and last 10 s on average."""
    net = Network()
    a, b = net.node("a"), net.node("b")
    net.link(a, b, rate=f"{rate * 10 * 128} kbit/s", delay="5 ms", queue=TailDrop(limit="1000 packets"))
    net.link(b, a, rate="100 Mbit/s", delay="5 ms")
    net.calls(
        *("calls", a, b),
        arrivals=PoissonArrival(interval=f"{1_000_000 // rate} us"),
        holding=Exponential(mean="10 s"),
        source=Cbr(rate="64 kbit/s", packet="160 bytes"),
    )
    return net.toml(description="Calls over a link", duration="30 s")


def fat_tree(hosts: int) -> str:
    """The workload `fat-tree` by number of hosts: 16, 128 or 1,024, with switches of 4, 8 or 16 ports."""
    return bench.fat_tree(round((4 * hosts) ** (1 / 3)))


def leaves_and_spines(hosts: int) -> str:
    """16 hosts of 1 Gbit/s at each leaf, and four spines over links of 4 Gbit/s; each host has four transfers."""
    net = Network()
    queue = TailDrop(limit="100 packets")
    made = leaf_spine(net, hosts // 16, 4, 16, rate="4 Gbit/s", host_rate="1 Gbit/s", delay="1 us", queue=queue)
    _transfers(net, made.hosts, (1, hosts // 16, hosts // 3, hosts // 2 + 1), "5 ms")
    return net.toml(description="Transfers over leaves and spines", duration="100 ms")


def provider(nodes: int) -> str:
    """A provider's network: random places, links of 100 Mbit/s and 1 to 30 ms by length, four transfers per node."""
    rate = "100 Mbit/s"
    drawn = waxman(Network(), nodes, rate=rate, delay="1 ms")  # for its places and links alone
    across = max(dist(*pair) for pair in combinations(drawn.places, 2))
    lengths = {(a, b): dist(drawn.places[a], drawn.places[b]) for a, b in drawn.links}
    shortest, longest = min(lengths.values()), max(lengths.values())
    net = Network()
    group = net.nodes("node", nodes)
    for (a, b), length in lengths.items():
        more = (PROVIDER_DELAYS[1] - PROVIDER_DELAYS[0]) * (length - shortest) / (longest - shortest)
        # Transfers take the shortest way by length, as `waxman` weighs links.
        weight = max(1, round(1000 * length / across))
        for ends in ((group[a], group[b]), (group[b], group[a])):
            delay, queue = f"{PROVIDER_DELAYS[0] + round(more)} us", TailDrop(limit="250 packets")
            net.link(*ends, rate=rate, delay=delay, weight=weight, queue=queue)
    # A round trip takes up to 0.26 s without queues.
    _transfers(net, group, (1, 7, nodes // 3, nodes // 2 + 1), "200 ms", initial_rto="1 s")
    return net.toml(description="Transfers over a provider's network", duration="4 s")


def _transfers(
    net: Network, hosts: Node, shifts: tuple[int, ...], min_rto: str, *, initial_rto: str | None = None
) -> None:
    """An endless transfer from each host to the host i places further, for each i of `shifts`."""
    tcp = Tcp(variant="new-reno", initial_rto=initial_rto or min_rto, min_rto=min_rto)
    for number, shift in enumerate(shifts):
        name = f"transfers{number}"
        net.flows(name, hosts, hosts, shift=shift, start=("0 s", "1 ms"), source=Ftp(), transport=tcp)


class Curve(NamedTuple):
    """The growing quantity, its sizes, and for each size the scenario with its simulated time."""

    what: str
    sizes: tuple[int, ...]
    text: Callable[[int], str]
    seconds: Callable[[int], float]
    doc: str


# Less time for more flows, so that the work stays about the same; every flow starts within it.
CURVES = {
    "flows-cbr": Curve(
        "flows",
        (10, 100, 1000, 10_000, 100_000),
        bench.cbr,
        lambda flows: max(60_000 / flows, 0.5),
        "periodic flows over one link",
    ),
    "flows-tcp": Curve(
        "flows",
        (10, 100, 1000, 10_000, 30_000),
        bench.tcp_many,
        lambda flows: 1 + max(4000 / flows, 0.2),
        "TCP flows over a dumbbell",
    ),
    "hops": Curve("links in a row", (1, 2, 4, 8, 16, 32, 64), row, lambda _: 60, "100 periodic flows over them all"),
    "calls": Curve(
        "calls per second", (1, 10, 100, 1000), calls, lambda rate: max(3000 / rate, 20), "calls that come and go"
    ),
    "time-cbr": Curve(
        "seconds simulated",
        (100, 1000, 10_000, 100_000),
        lambda _: bench.cbr(100),
        float,
        "100 periodic flows over one link",
    ),
    "time-tcp": Curve(
        "seconds simulated", (2, 10, 50, 250), lambda _: bench.tcp_many(100), float, "100 TCP flows over a dumbbell"
    ),
    # Long enough that the first milliseconds, in which all flows begin, are a small part.
    "fat-tree": Curve("hosts", (16, 128, 1024), fat_tree, lambda hosts: max(6.4 / hosts, 0.02), "fat tree"),
    "leaf-spine": Curve(
        "hosts", (32, 128, 512, 2048), leaves_and_spines, lambda hosts: max(6.4 / hosts, 0.02), "leaves and spines"
    ),
    "provider": Curve("nodes", (40, 80, 150), provider, lambda _: 4, "provider's network, links of 1 to 30 ms"),
}


def measure(name: str, size: int) -> dict:
    """Measures a point of a curve in this process: the set-up first, which is then subtracted from the whole."""
    curve = CURVES[name]
    text, seconds = curve.text(size), curve.seconds(size)
    setup = bench.measure_scenario(text, name, f"{seconds:g} s", only_setup=True)
    whole = bench.measure_scenario(text, name, f"{seconds:g} s")
    return {
        "size": size,
        "seconds": seconds,
        "packet_hops": whole["packet_hops"],
        "setup_cpu_seconds": setup["cpu_seconds"],
        "run_cpu_seconds": max(whole["cpu_seconds"] - setup["cpu_seconds"], 1e-6),
        "peak_bytes": whole["peak_rss_bytes"],
    }


def apart(name: str, size: int) -> dict:
    """Measures a point in a process of its own."""
    command = [sys.executable, __file__, "--point", name, str(size)]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def relative(points: list[dict], reference: float) -> list[dict]:
    """The points with their times in units of the reference's time for a packet-hop."""
    return [
        {
            **{key: point[key] for key in ("size", "seconds", "packet_hops", "peak_bytes")},
            "time": point["run_cpu_seconds"] / reference,
            "setup": point["setup_cpu_seconds"] / reference,
        }
        for point in points
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"curves; all of {', '.join(CURVES)} if none")
    parser.add_argument("--keep", action="store_true", help="into the page, where these are not all")
    parser.add_argument("--point", nargs=2, metavar=("NAME", "SIZE"), help="one point, as JSON")
    arguments = parser.parse_args()
    if arguments.point:
        name, size = arguments.point
        print(json.dumps(measure(name, int(size))))
        return
    if unknown := set(arguments.names) - set(CURVES):
        parser.error(f"no such curve: {', '.join(sorted(unknown))}; they are {', '.join(CURVES)}")
    curves = {}
    for name in arguments.names or CURVES:
        curve = CURVES[name]
        references, points, load, measured = [], [], os.getloadavg()[0], page.measured()
        for size in curve.sizes:
            whole = bench.measure_in_subprocess("cbr", duration="20 s")
            references.append(1 / whole["packet_hops_per_cpu_second"])
            points.append(apart(name, size))
        curves[name] = {
            **{"what": curve.what, "doc": curve.doc, "load": [load, os.getloadavg()[0]], "measured": measured},
            "points": relative(points, statistics.median(references)),
        }
        print(
            f"\n{name}: {curve.doc}; load {load:.1f} to {os.getloadavg()[0]:.1f}, "
            f"reference {1 / statistics.median(references):.3g}/s"
        )
        print("\n".join(f"  {row}" for row in page.growth_rows(curves[name])), flush=True)
    if arguments.keep or not arguments.names:
        kept = json.loads(page.GROWTH.read_text()) if arguments.names else {}
        page.GROWTH.write_text(json.dumps({**kept, **curves}, indent=1) + "\n")
        page.renew()


if __name__ == "__main__":
    main()
