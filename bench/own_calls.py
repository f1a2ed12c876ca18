"""Measures what a call of a component written in Python costs over the same component in Rust.

    python bench/own_calls.py [PAIRS]

Runs each example of `examples/own` and the built-in component that it equals in turn. Prints the CPU time per packet on
a link of both, as the minimum over all pairs, and the difference per call: CoDel is called twice for a packet, CUBIC
with an acknowledgement, which is every other packet. Take many pairs on a busy machine.
"""

import sys
import time
from pathlib import Path

from penstock import _core

OWN = Path(__file__).resolve().parent.parent / "examples" / "own"

LINK = """
[nodes]
a = {}
b = {}

[[links]]
name = "bottleneck"
from = "a"
to = "b"
rate = "1 Gbit/s"
delay = "1 ms"
PORT

[[flows]]
name = "f"
from = "a"
to = "b"
"""
POISSON = LINK.replace("PORT", "queue.COMPONENT") + 'source.poisson = { rate = "RATE", packet = "500 bytes" }'
TCP = 'packet = "1500 bytes", recovery.sack = {}, max-window = "200 packets", congestion-control.COMPONENT'
BULK = LINK.replace("PORT", "both-ways = true") + f"source.ftp = {{}}\ntransport.tcp = {{ {TCP} }}"
RED = '{ limit = "100 packets", min-threshold = "5 packets", max-threshold = "50 packets", max-probability = 0.1 }'
PAIRS = {
    "red": (POISSON.replace("RATE", "1 Gbit/s"), RED),
    "codel": (POISSON.replace("RATE", "900 Mbit/s"), '{ limit = "1000 packets" }'),
    "cubic": (BULK, "{}"),
}
CALLS = {"red": 1, "codel": 2, "cubic": 0.5}
SECONDS = {"red": 5, "codel": 5, "cubic": 60}


def cpu(name: str, component: str, use: str) -> tuple[float, int]:
    """Seconds of a run's own CPU time, and the packets that passed a link."""
    text = PAIRS[name][0].replace("COMPONENT", component)
    scenario = _core.Scenario(f'{use}duration = "{SECONDS[name]} s"\n{text}', "own", [], str(OWN))
    before = time.process_time()
    run = scenario.run(1, 0)
    return time.process_time() - before, run.packet_hops


def main() -> None:
    """Prints a line for each pair of components."""
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    print(f"{'ns of CPU per packet':24}{'built-in':>10}{'own':>10}{'per call':>10}")
    for name, (_, parameters) in PAIRS.items():
        both = [(f"{name} = {parameters}", ""), (f"my-{name} = {parameters}", f'use = "{name}.py"\n')]
        found = [[cpu(name, *each) for each in both] for _ in range(pairs)]
        packets = found[0][0][1]
        theirs, ours = (min(pair[side][0] for pair in found) / packets * 1e9 for side in (0, 1))
        print(f"{name:24}{theirs:10.1f}{ours:10.1f}{(ours - theirs) / CALLS[name]:10.1f}")


if __name__ == "__main__":
    main()
