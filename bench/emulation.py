"""Goodput of real TCP through an emulated link, lateness of its packets, and the highest packet rate.

As root, on a machine that is idle otherwise:

    python bench/emulation.py
    python bench/emulation.py --seconds 20 --rates 100 --controls cubic
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
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


def emulate(rate: float, limit: int, seconds: float, client: str) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """What an emulation measured, and what the client of iperf3 reported."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "bench.toml"
        file.write_text(NETWORK.format(duration=seconds + 2, rate=rate, limit=limit))
        runs = ["--run", "h2: iperf3 -s -1", "--run", f"h1 at 500 ms: {client} -t {seconds:g} -J"]
        command = [sys.executable, "-m", "penstock", "emulate", str(file), "--format", "json", *runs]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    found = json.loads(done.stdout)["emulation"]
    output = found["programs"][1]["stdout"]
    report = json.loads(output) if output.lstrip().startswith("{") else {}
    return found, report if report.get("end") else None


def lateness(found: dict[str, Any]) -> str:
    """Quantiles in us and the share above 1 ms."""
    values = found["lateness"] or {}
    cells = [f"{1e6 * value:.0f}" for value in values.values()]
    return " | ".join([*cells, f"{100 * found['share_above_1_ms']:.2g} %"])


def main() -> None:
    """Prints a table for a page."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--seconds", type=float, default=8.0, help="of each transfer")
    options.add_argument("--rates", type=float, nargs="+", default=[10, 100, 1000], help="of the link, in Mbit/s")
    options.add_argument("--controls", nargs="+", default=["reno", "cubic"], help="congestion controls of Linux")
    given = options.parse_args()
    load = os.getloadavg()[0]
    print(f"load average at the start: {load:.1f}" + (" (not idle: figures are too bad)" if load > 0.5 else ""))
    print("| link | control | goodput | of the ideal | p50 | p99 | p99.9 | max (us) | above 1 ms |")
    print("|---|---|---|---|---|---|---|---|---|")
    for rate in given.rates:
        # Twice the packets of the round trip of 8 ms, at least 50.
        limit = max(50, round(2 * rate * 1e6 * 8e-3 / 12_000))
        for control in given.controls:
            found, report = emulate(rate, limit, given.seconds, f"iperf3 -c h2 -C {control}")
            if report is None:
                print(f"| {rate:g} Mbit/s | {control} | no result | | {lateness(found)} |")
                continue
            goodput = report["end"]["sum_received"]["bits_per_second"] / 1e6
            ideal = f"{100 * goodput / (rate * MSS_SHARE):.1f} %"
            print(f"| {rate:g} Mbit/s | {control} | {goodput:.4g} Mbit/s | {ideal} | {lateness(found)} |", flush=True)
    # Packets of 64 bytes: 36 behind the headers of IP and UDP.
    found, _ = emulate(4800, 1000, given.seconds, "iperf3 -u -b 0 -l 36 -c h2")
    packets = found["packets"]
    print(f"packets of 64 bytes: {packets['delivered'] / given.seconds:.0f} a second, {packets['unread']} unread")


if __name__ == "__main__":
    main()
