"""Counts the instructions of a packet-hop over links of growing delay: what a link holds must not make packets dearer.

    python bench/delays.py                         all networks, delays from 1 us to 1 s
    python bench/delays.py bcn jitter              only these
    python bench/delays.py --seconds 1e-6,1,10     other delays

Ends with code 1 if a network takes over 20 % more instructions than at its shortest delay. Each network sends packets
over long links into another kind of node. Each point is the difference between two lengths of a run, both longer than
it takes to fill the links, under valgrind's callgrind and without Python.
"""

import argparse
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from instructions import build, count

MARGIN = 0.2
"""Visits that are longer or shorter move the counts by less than this."""

DELAYS = (1e-6, 1e-3, 1.0)

STEADY = 0.1
"""Seconds simulated after the links are full, in the shorter of two runs; twice as many in the longer."""

RATE = 1e9
"""Of a long link, in bit/s."""

Tables = dict[str, str]
"""What a network has besides long links: keys of the middle `node`, its `inputs`, its link `out`, and `more` tables."""

CBR = 'source.cbr = { rate = "900 Mbit/s", packet = "1500 bytes" }'
POISSON = 'source.poisson = { rate = "900 Mbit/s", packet = "1500 bytes" }'
SHARED = 'buffer.dynamic-threshold = { size = "1 MB", alpha = 1 }'
BCN = 'reaction-point.bcn = { floor = "8 Mbit/s" }'
PAUSE = 'pause = { xoff = "900 kB", xon = "800 kB" }'

NETWORKS: dict[str, Tables] = {
    "one-input": {"senders": "1"},
    "two-inputs": {},
    "three-inputs": {"senders": "3"},
    "eight-inputs": {"senders": "8"},
    "hundred-inputs": {"senders": "100"},
    "marking": {"out": 'queue.step-marking = { limit = "1000 packets", threshold = "100 packets" }'},
    "codel": {"out": "queue.codel = {}"},
    "fq-codel": {"out": "scheduler.fq-codel = {}\nqueue.codel = {}"},
    "shared-buffer": {"node": SHARED},
    "shared-buffer-of-eight": {"node": SHARED, "senders": "8"},
    "bcn": {"node": "congestion-point.bcn = { equilibrium = 16 }", "ends": BCN},
    "bcn-of-three": {"node": "congestion-point.bcn = { equilibrium = 16 }", "ends": BCN, "senders": "3"},
    "pause": {"node": f"{SHARED}, {PAUSE}"},
    "random-ties": {"head": 'ties = "random"'},
    "jitter": {"long": 'impairment.reordering = { probability = 0.1, delay = "1 ms" }'},
    "jitter-and-random-ties": {
        "head": 'ties = "random"',
        "long": 'impairment.reordering = { probability = 0.1, delay = "1 ms" }',
    },
    "tcp": {
        "source": "source.ftp = {{}}\ntransport.tcp = {{ congestion-control = 'cubic', recovery = 'sack', "
        "syn = false, initial-window = '{window} packets', max-window = '{window} packets', initial-rto = '60 s' }}",
        "long": 'impairment.loss = { probability = "0.01 %" }\nqueue.tail-drop = { limit = "1000000 packets" }',
        "out": 'queue.tail-drop = { limit = "1000000 packets" }',
    },
}


def text(network: Tables, delay: float) -> str:
    """The scenario of a network whose long links have this delay, in seconds."""
    senders = int(network.get("senders", "2"))
    # A pipe full of packets there and back, and the queue of the bottleneck.
    window = round(2 * delay * RATE / 12_000 / senders) + 20
    share = RATE / senders
    source = network.get("source", CBR if senders < 3 else POISSON).replace("900 Mbit/s", f"{round(0.9 * share)} bit/s")
    if "source" in network:
        source = source.format(window=window)
    return f"""
duration = "1 s"
{network.get("head", "")}
measure = []
[nodes]
a = {{ count = {senders}, {network.get("ends", "")} }}
r = {{ {network.get("node", "")} }}
z = {{ {network.get("ends", "")} }}
[[links]]
from = "a"
to = "r"
rate = "{round(share)} bit/s"
delay = "{round(delay * 1e12)} ps"
both-ways = true
{network.get("long", "")}
[[links]]
from = "r"
to = "z"
rate = "{round(RATE)} bit/s"
delay = "{round(delay * 1e12)} ps"
both-ways = true
{network.get("out", "")}
[[flows]]
name = "f"
from = "a"
to = "z"
start = {{ uniform = ["0 s", "100 us"] }}
{source}
"""


def per_hop(program: str, name: str, delay: float, folder: Path) -> float:
    """Instructions per packet-hop of a network, once its links are full."""
    scenario = folder / f"{name}-{delay}.toml"
    scenario.write_text(text(NETWORKS[name], delay))
    full = (5 if name == "tcp" else 2) * delay
    (hops, instructions), (more_hops, more_instructions) = (
        count(program, scenario, round(full + STEADY * n, 9)) for n in (1, 2)
    )
    return (more_instructions - instructions) / (more_hops - hops)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", default=",".join(map(str, DELAYS)), help="delays, by commas")
    parser.add_argument("--program", help="the example `simulate`, if it has been built")
    parser.add_argument("networks", nargs="*", metavar="NETWORK", help="count these only; all by default")
    arguments = parser.parse_args()
    names = arguments.networks or list(NETWORKS)
    if unknown := [name for name in names if name not in NETWORKS]:
        parser.error(f"no such network: {', '.join(unknown)}; there are {', '.join(NETWORKS)}")
    delays = [float(each) for each in arguments.seconds.split(",")]
    program = arguments.program or build()
    print(f"{'instructions per packet-hop':30}" + "".join(f"{f'{delay:g} s':>12}" for delay in delays), flush=True)
    grown = []
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        points = {name: [pool.submit(per_hop, program, name, each, Path(folder)) for each in delays] for name in names}
        for name, futures in points.items():
            counted = [future.result() for future in futures]
            print(f"{name:30}" + "".join(f"{each:12.1f}" for each in counted), flush=True)
            if max(counted) > counted[0] * (1 + MARGIN):
                grown.append(name)
    if grown:
        print(f"FAILED: a packet-hop costs over {MARGIN:.0%} more where links are longer: {', '.join(grown)}.")
        return 1
    print(f"none costs over {MARGIN:.0%} more where links are longer")
    return 0


if __name__ == "__main__":
    sys.exit(main())
