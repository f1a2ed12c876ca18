"""Measures what a call of a component written in Python costs over the same component in Rust.

    python bench/own_calls.py [PAIRS]

Runs each example of `examples/own` and the built-in component that it equals in turn, and prints the CPU time per
packet on the bottleneck of both, as the minimum over all pairs, and their difference. CPU time is that of the process;
a run on another core at the same time still slows it, so take many pairs on a busy machine.
"""

import sys
import time
from pathlib import Path

from penstock import _core

OWN = Path(__file__).resolve().parent.parent / "examples" / "own"

QUEUES = """
[nodes]
a = {}
b = {}

[[links]]
name = "bottleneck"
from = "a"
to = "b"
rate = "1 Gbit/s"
delay = "1 ms"
queue.COMPONENT

[[flows]]
name = "poisson"
from = "a"
to = "b"
source.poisson = { rate = "RATE", packet = "500 bytes" }
"""
CONTROLS = """
[nodes]
a = {}
b = {}

[[links]]
name = "bottleneck"
from = "a"
to = "b"
rate = "1 Gbit/s"
delay = "1 ms"
both-ways = true

[[flows]]
name = "tcp"
from = "a"
to = "b"
source.ftp = {}
transport.tcp = { packet = "1500 bytes", recovery.sack = {}, max-window = "200 packets", congestion-control.COMPONENT }
"""
RED = '{ limit = "100 packets", min-threshold = "5 packets", max-threshold = "50 packets", max-probability = 0.1 }'
PAIRS = {
    "red": (QUEUES.replace("RATE", "1 Gbit/s"), RED),
    "codel": (QUEUES.replace("RATE", "900 Mbit/s"), '{ limit = "1000 packets" }'),
    "cubic": (CONTROLS, "{}"),
}
SECONDS = 2


def cpu(name: str, component: str, use: str) -> tuple[float, int]:
    """Seconds of a run's own CPU time, and the packets that passed the bottleneck."""
    text = PAIRS[name][0].replace("COMPONENT", component)
    scenario = _core.Scenario(f'{use}duration = "{SECONDS} s"\n{text}', "own", [], str(OWN))
    before = time.process_time()
    run = scenario.run(1, 0)
    return time.process_time() - before, run.packet_hops


def main() -> None:
    """Prints a line for each pair of components."""
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    print(f"{'ns of CPU per packet':24}{'built-in':>10}{'own':>10}{'more':>10}")
    for name, (_, parameters) in PAIRS.items():
        both = [(f"{name} = {parameters}", ""), (f"my-{name} = {parameters}", f'use = "{name}.py"\n')]
        found = [[cpu(name, *each) for each in both] for _ in range(pairs)]
        packets = found[0][0][1]
        theirs, ours = (min(pair[side][0] for pair in found) / packets * 1e9 for side in (0, 1))
        print(f"{name:24}{theirs:10.1f}{ours:10.1f}{ours - theirs:10.1f}")


if __name__ == "__main__":
    main()
