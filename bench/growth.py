"""How time and memory grow with flows, hops, the rate of calls and simulated time.

    python bench/growth.py                          all, into the page of benchmarks
    python bench/growth.py flows-cbr hops           only these, printed

Every point is a scenario made with the public builder and run in a process of its own: CPU time of the set-up (from the
text to the first event) and of the rest, packet-hops and peak memory. Times are told relative to a reference workload
that runs before each curve, so that the numbers of a shared machine can be compared. Takes some four minutes.
"""

import argparse
import json
import statistics
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import page

from penstock import bench
from penstock.components import Cbr, Exponential, PoissonArrival, TailDrop
from penstock.network import Network


def row(links: int) -> str:
    """A hundred periodic flows of 64 kbit/s over so many links in a row, half full."""
    net = Network()
    nodes = [net.node(f"n{i}") for i in range(links + 1)]
    for a, b in pairwise(nodes):
        net.link(a, b, rate="12.8 Mbit/s", delay="1 ms", queue=TailDrop(limit="1000 packets"))
    net.flows("through", nodes[0], nodes[-1], count=100, source=Cbr(rate="64 kbit/s", packet="160 bytes"))
    return net.toml(description="A row of links", duration="30 s")


def calls(rate: int) -> str:
    """Calls of 64 kbit/s that come at random, so many a second, and last 10 s on average."""
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


class Curve(NamedTuple):
    """What grows, through which sizes, and the scenario of a size with the time that it simulates."""

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
}


def measure(name: str, size: int) -> dict:
    """A point of a curve, in this process: the set-up first, which is then left out of the whole."""
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
    """The same in a process of its own."""
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
        references, points = [], []
        for size in curve.sizes:
            whole = bench.measure_in_subprocess("cbr", duration="20 s")
            references.append(1 / whole["packet_hops_per_cpu_second"])
            points.append(apart(name, size))
        curves[name] = {
            **{"what": curve.what, "doc": curve.doc},
            "points": relative(points, statistics.median(references)),
        }
        print(f"\n{name}: {curve.doc}")
        print("\n".join(f"  {row}" for row in page.growth_rows(curves[name])), flush=True)
    if not arguments.names:
        page.GROWTH.write_text(json.dumps(curves, indent=1) + "\n")
        page.renew()


if __name__ == "__main__":
    main()
