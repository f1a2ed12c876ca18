"""How much headroom, how much buffer and how many lossless ports does priority flow control need?

    python examples/studies/pfc_headroom.py results

sends from several hosts to one through a switch that pauses them, with random and with worst-case load, and writes

- `headroom.json`: for each speed and cable, the most headroom that any port used, next to the bound that the scenario
  reader demands and to the formula of SONiC's configuration for switches of one maker;
- `memory.json`: by the number of ports, the smallest memory with which the switch loses nothing and keeps its link
  busy, and the largest number of lossless ports of 4 MB, both by bisection;
- `ports.json`: that number of ports for other speeds and cables.

docs/studies/pfc-headroom.md has the results. The same for a switch of your own:

    python examples/studies/pfc_headroom.py --speed 400 --cable 40 --memory 16 --ports 32
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import penstock as ps
from penstock import _core

if TYPE_CHECKING:
    from collections.abc import Callable

LARGEST = 1500  # bytes of a packet
LIGHT = 299_792_458  # m/s
VELOCITY = 0.66  # of light, in a cable
INTERFACE = 800  # bytes under way in MAC and PHY, in SONiC's formula
QUANTA = {10: 67, 25: 80, 40: 118, 100: 394, 200: 453, 400: 905}
"""Pause quanta of 512 bits that a peer needs to stop, by Gbit/s: SONiC's table of peer response times."""
CABLES = (5, 40, 300)  # m
MEMORY = 4e6  # bytes of the switch whose ports are counted
BUSY = 0.98  # utilisation of a link that is not held back; the first packet takes 0.6 % of a run to arrive
LOADS = ("random", "worst case")


def response(speed: int) -> float:
    """Time in ns that a peer needs to stop."""
    return QUANTA[speed] * 512 / speed


def formula(rate: float, delay: float, response: float, packet: int = LARGEST) -> float:
    """Headroom in bytes by SONiC's formula, with packets that fill cells of memory.

    Bytes of two delays of a link of `rate` bit/s, of MAC and PHY, of the peer's response and a largest packet that
    delays the pause frame, and another largest packet that is arriving. Times are in s.
    """
    return packet + (packet + 2 * delay * rate / 8 + INTERFACE + response * rate / 8)


def sonic(speed: int, cable: float) -> float:
    """Headroom in bytes by SONiC's formula and table, for a port of `speed` Gbit/s and a cable of some m."""
    return formula(speed * 1e9, cable / (VELOCITY * LIGHT), 1e-9 * response(speed))


def pauses(speed: int, headroom: str) -> str:
    """The setting of a switch that pauses, whose peers stop after their response time."""
    return f'{{ xoff = "100 kB", xon = "90 kB", headroom = "{headroom}", processing = "{response(speed):.0f} ns" }}'


def link(speed: float, cable: float) -> str:
    """Rate and delay of a cable, in both directions."""
    delay = cable / (VELOCITY * LIGHT) * 1e9
    return f'rate = "{speed * 1000:.0f} Mbit/s"\ndelay = "{delay:.0f} ns"\nboth-ways = true'


def source(speed: float, load: str) -> str:
    """Largest packets at line rate in the worst case, otherwise as a Poisson process at 80 % of it."""
    if load == "worst case":
        return f'cbr = {{ rate = "{speed * 1000:.0f} Mbit/s", packet = "{LARGEST} bytes" }}'
    return f'poisson = {{ rate = "{speed * 800:.0f} Mbit/s", packet = "{LARGEST} bytes" }}'


def one_port(speed: int, cable: float, load: str, headroom: str = "1 MB") -> str:
    """A host that sends to one with a hundredth of its rate, while another sends to it, so that pause frames wait."""
    return f"""
duration = "2 ms"
[nodes]
sender = {{}}
other = {{}}
switch = {{ buffer.pool = {{ size = "64 MB" }}, pause = {pauses(speed, headroom)} }}
receiver = {{}}
[[links]]
name = "access"
from = ["sender", "other"]
to = "switch"
{link(speed, cable)}
[[links]]
from = "switch"
to = "receiver"
{link(speed / 100, cable)}
[[flows]]
name = "there"
from = "sender"
to = "receiver"
source.{source(speed, load)}
[[flows]]
name = "back"
from = "other"
to = "sender"
source.{source(speed, load)}
"""


class Switch(NamedTuple):
    """Speed of the ports in Gbit/s, length of the cables in m, and headroom of a port in bytes."""

    speed: int
    cable: float
    headroom: int


def incast(ports: int, load: str, memory: float, switch: Switch) -> str:
    """Hosts that send to one host; every port is lossless.

    Of the memory of the switch, each port to a host has its headroom, and the ports share the rest.
    """
    speed, cable, headroom = switch
    pool = memory - ports * headroom
    return f"""
duration = "{100_000 / speed:.0f} us"
[nodes]
hosts = {{ count = {ports} }}
switch = {{ buffer.pool = {{ size = "{pool:.0f} bytes" }}, pause = {pauses(speed, f"{headroom:.0f} bytes")} }}
receiver = {{}}
[[links]]
from = "hosts"
to = "switch"
{link(speed, cable)}
[[links]]
from = "switch"
to = "receiver"
{link(speed, cable)}
queue.tail-drop = {{ limit = "1000000 packets" }}
[[flows]]
name = "there"
from = "hosts"
to = "receiver"
count = {ports}
source.{source(speed, load)}
[[measure]]
metric = "drops"
of = "switch-receiver"
take = ["sum"]
[[measure]]
metric = "utilisation"
of = "switch-receiver"
"""


def used(speed: int, cable: float, load: str, headroom: str = "1 MB") -> float:
    """The most bytes that the headroom of the port held, which are the smallest that protects it under this load."""
    series = ps.TimeSeries(one_port(speed, cable, load, headroom), of="switch", what="headroom-held-bytes", on="change")
    held: list[float] = series.frame()["value"].to_list()
    return max(held, default=0.0)


def demanded(speed: int, cable: float) -> int:
    """The headroom that the scenario reader demands, from its message about too little."""
    [mistake] = _core.check(one_port(speed, cable, "random", headroom="1 byte"))
    found = re.search(r"at least (\d+) bytes", mistake["message"])
    assert found is not None, mistake["message"]
    return int(found[1])


def is_enough(ports: int, load: str, memory: float, switch: Switch) -> bool:
    """Whether a switch with this memory in bytes loses nothing and keeps the link to the receiver busy."""
    if memory <= ports * switch.headroom:
        return False
    [run] = ps.run_all([ps.RunRequest(incast(ports, load, memory, switch), replication=0)])
    found = {metric.name: metric.value for metric in run.metrics}
    return found["drops"] == 0.0 and found["utilisation"] > BUSY


def bisect(is_enough: Callable[[int], bool], low: int, high: int) -> int:
    """The smallest whole number from `low` + 1 to `high` that is enough, given that `high` is and more is too."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def headrooms() -> list[dict[str, float | str]]:
    """The headroom of each speed and cable: used, demanded and by formula."""
    rows: list[dict[str, float | str]] = []
    for speed in QUANTA:
        for cable in CABLES:
            row: dict[str, float | str] = {"speed_gbps": speed, "cable_m": cable}
            row |= {f"used, {load}": used(speed, cable, load) for load in LOADS}
            rows.append(row | {"demanded": demanded(speed, cable), "sonic": round(sonic(speed, cable))})
    return rows


def smallest_memory(ports: int, load: str, switch: Switch) -> int:
    """The smallest memory in kB that is enough for a number of lossless ports."""
    most = ports * max(1000, 2 * switch.headroom // 1000)
    return bisect(lambda kb: is_enough(ports, load, 1000 * kb, switch), 0, most)


def most_ports(load: str, memory: float, switch: Switch) -> int:
    """The largest number of lossless ports for which a memory in bytes is enough."""
    return bisect(lambda n: not is_enough(n, load, memory, switch), 1, int(memory / switch.headroom) + 2) - 1


def memories() -> list[dict[str, float | str]]:
    """The smallest memory for several numbers of ports, and the largest number of ports of a memory of 4 MB."""
    rows: list[dict[str, float | str]] = []
    switch = Switch(100, 40, demanded(100, 40))
    for load in LOADS:
        found: dict[int, float] = {ports: smallest_memory(ports, load, switch) for ports in (4, 8, 16, 32, 64)}
        found[most_ports(load, MEMORY, switch)] = MEMORY / 1000
        for ports, kilobytes in found.items():
            headroom = switch.headroom / 1000
            rows.append({"load": load, "ports": ports, "headroom_kb": headroom, "memory_kb": kilobytes})
    return rows


def ports_of_memory() -> list[dict[str, float | str]]:
    """The largest number of lossless ports of 4 MB by speed and cable: by bisection, and by the formula alone."""
    rows: list[dict[str, float | str]] = []
    for speed in (100, 400):
        for cable in CABLES:
            switch = Switch(speed, cable, demanded(speed, cable))
            row: dict[str, float | str] = {"speed_gbps": speed, "cable_m": cable, "headroom": switch.headroom}
            row |= {load: most_ports(load, MEMORY, switch) for load in LOADS}
            rows.append(row | {"sonic": int(MEMORY / sonic(speed, cable))})
    return rows


def own(speed: int, cable: float, memory: float, ports: int) -> None:
    """Prints the smallest headroom and memory, and the largest number of lossless ports, of one switch."""
    switch = Switch(speed, cable, demanded(speed, cable))
    print(f"headroom in bytes: {switch.headroom} demanded, {sonic(speed, cable):.0f} by SONiC's formula")
    for load in LOADS:
        print(
            f"{load} load: {used(speed, cable, load):.0f} bytes of headroom used; {ports} ports need"
            f" {smallest_memory(ports, load, switch)} kB; {memory / 1e6:g} MB are enough for"
            f" {most_ports(load, memory, switch)} ports"
        )


def main() -> None:
    """Makes the runs and writes the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", help="where to write the tables of the page")
    parser.add_argument("--speed", type=int, choices=QUANTA, default=100, help="Gbit/s of a port")
    parser.add_argument("--cable", type=float, default=40.0, help="length in m")
    parser.add_argument("--memory", type=float, default=MEMORY / 1e6, help="MB of the switch whose ports are counted")
    parser.add_argument("--ports", type=int, default=32, help="lossless ports whose memory is searched")
    asked = parser.parse_args()
    if asked.folder is None:
        own(asked.speed, asked.cable, 1e6 * asked.memory, asked.ports)
        return
    asked.folder.mkdir(parents=True, exist_ok=True)
    for name, rows in (("headroom", headrooms()), ("memory", memories()), ("ports", ports_of_memory())):
        (asked.folder / f"{name}.json").write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
