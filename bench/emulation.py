"""Goodput of real TCP through an emulated link, lateness of its packets, and the highest packet rate.

As root, on a machine that is idle otherwise:

    python bench/emulation.py
    python bench/emulation.py --seconds 20 --rates 100 --controls cubic
    python bench/emulation.py --rates --packets 300000 400000

Packets of 64 bytes come from this program itself, since iperf3 sends fewer than an emulation carries: it hands the
kernel 60 datagrams at a time, which the kernel segments (UDP_SEGMENT [udp(7)]), and has real-time priority.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

MSS_SHARE = 1448 / 1500
"""Payload of a full packet of TCP with timestamps."""
NETWORK = """
duration = "{duration} s"
[nodes]
h1 = {{ real = true }}
h2 = {{ real = true }}
r = {{}}
[[links]]
from = "h1"
to = "r"
rate = "10 Gbit/s"
delay = "2 ms"
both-ways = true
[[links]]
from = "r"
to = "h2"
rate = "{rate} Mbit/s"
delay = "2 ms"
both-ways = true
queue.tail-drop = {{ limit = "{limit} packets" }}
"""


UDP_SEGMENT = 103
PAYLOAD = 64 - 28
"""Bytes behind the headers of IP and UDP in a packet of 64 bytes."""
BURST = 60


def emulate(rate: float, limit: int, seconds: float, programs: list[str]) -> dict[str, Any]:
    """The measurements of an emulation with these programs."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "bench.toml"
        file.write_text(NETWORK.format(duration=seconds + 2, rate=rate, limit=limit))
        runs = [word for each in programs for word in ("--run", each)]
        command = [sys.executable, "-m", "penstock", "emulate", str(file), "--format", "json", *runs]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    found: dict[str, Any] = json.loads(done.stdout)["emulation"]
    return found


def reported(found: dict[str, Any]) -> dict[str, Any] | None:
    """The report of the client of iperf3, if there is one."""
    output = found["programs"][1]["stdout"]
    report = json.loads(output) if output.lstrip().startswith("{") else {}
    return report if report.get("end") else None


def send(to: str, seconds: float, rate: float) -> None:
    """Sends packets of 64 bytes at a rate, and prints their number."""
    out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    out.setsockopt(socket.IPPROTO_UDP, UDP_SEGMENT, PAYLOAD)
    os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    data, sent, begin = bytes(BURST * PAYLOAD), 0, time.monotonic()
    while (now := time.monotonic() - begin) < seconds:
        if sent <= now * rate:
            out.sendto(data, (to, 9))
            sent += BURST
    print(sent)


def hear() -> None:
    """Keeps a port open without reading from it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as heard:
        heard.bind(("", 9))
        time.sleep(3600)


def lateness(found: dict[str, Any]) -> str:
    """Quantiles in us and the share above 1 ms."""
    values = found["lateness"] or {}
    cells = [f"{1e6 * value:.0f}" for value in values.values()]
    return " | ".join([*cells, f"{100 * found['share_above_1_ms']:.2g} %"])


def main() -> None:
    """Prints a table for a page."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--seconds", type=float, default=8.0, help="of each transfer")
    options.add_argument("--rates", type=float, nargs="*", default=[10, 100, 1000], help="of the link, in Mbit/s")
    options.add_argument("--controls", nargs="+", default=["reno", "cubic"], help="congestion controls of Linux")
    options.add_argument("--packets", type=float, nargs="+", default=[200_000, 400_000], help="of 64 bytes a second")
    options.add_argument("--send", type=float, metavar="RATE", help=argparse.SUPPRESS)
    options.add_argument("--hear", action="store_true", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.hear:
        hear()
    if given.send:
        return send("h2", given.seconds, given.send)
    load = os.getloadavg()[0]
    print(f"load average at the start: {load:.1f}" + (" (not idle: figures are too bad)" if load > 0.5 else ""))
    print("| link | control | goodput | of the ideal | p50 | p99 | p99.9 | max (us) | above 1 ms |")
    print("|---|---|---|---|---|---|---|---|---|")
    for rate in given.rates:
        # Twice the number of packets in a round trip of 8 ms, at least 50.
        limit = max(50, round(2 * rate * 1e6 * 8e-3 / 12_000))
        for control in given.controls:
            client = f"h1 at 500 ms: iperf3 -c h2 -C {control} -t {given.seconds:g} -J"
            found = emulate(rate, limit, given.seconds, ["h2: iperf3 -s -1", client])
            if (report := reported(found)) is None:
                print(f"| {rate:g} Mbit/s | {control} | no result | | {lateness(found)} |")
                continue
            goodput = report["end"]["sum_received"]["bits_per_second"] / 1e6
            ideal = f"{100 * goodput / (rate * MSS_SHARE):.1f} %"
            print(f"| {rate:g} Mbit/s | {control} | {goodput:.4g} Mbit/s | {ideal} | {lateness(found)} |", flush=True)
    print("| packets of 64 bytes, sent a second | delivered | unread | p50 | p99 | p99.9 | max (us) | above 1 ms |")
    print("|---|---|---|---|---|---|---|---|")
    this = f"{sys.executable} {Path(__file__).resolve()}"
    for rate in given.packets:
        sender = f"h1 at 500 ms: {this} --seconds {given.seconds:g} --send {rate:g}"
        found = emulate(4800, 1000, given.seconds, [f"h2: {this} --hear", sender])
        packets, sent = found["packets"], float(found["programs"][1]["stdout"] or 0)
        counts = [sent, packets["delivered"], packets["unread"]]
        rates = " | ".join(f"{each / given.seconds:.0f}" for each in counts)
        print(f"| {rates} | {lateness(found)} |", flush=True)


if __name__ == "__main__":
    main()
