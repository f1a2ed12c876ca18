"""Runs ns-2 on the assured-forwarding study and on the workloads of the speed comparison.

    python3 ns2.py table                         the six rows, five seeds each
    python3 ns2.py table --set delayed_ack=1     the same with another reading
    python3 ns2.py sensitivity                   what each setting does, as Markdown
    python3 ns2.py speed                         packet-hops, CPU time and their ratio

Other programs call `run(settings, seed)`. The settings and their defaults are at the top of af.tcl.
"""

import argparse
import concurrent.futures
import os
import statistics
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKET_BITS = 576 * 8
METRICS = ("max_tcp", "min_tcp", "avg_tcp", "max_udp", "min_udp", "fairness")

ROWS = {
    "1.28M none": {"udp": 1_280_000, "precedences": "none"},
    "1.28M 2DP 192": {"udp": 1_280_000, "precedences": 2, "cir": 192_000},
    "1.28M 2DP 256": {"udp": 1_280_000, "precedences": 2, "cir": 256_000},
    "128k none": {"udp": 128_000, "precedences": "none"},
    "128k 2DP 192": {"udp": 128_000, "precedences": 2, "cir": 192_000},
    "128k 2DP 256": {"udp": 128_000, "precedences": 2, "cir": 256_000},
}

# [Goyal99 table 2] and, for rows with marking, [Goyal99 table 3]: with two precedences its marker is the same.
PRINTED = {
    "1.28M none": [(0.64, 0.05, 0.21, 299.40, 296.92, 0.101)],
    "1.28M 2DP 192": [(26.06, 14.27, 19.90, 123.74, 118.81, 0.494), (24.81, 11.00, 19.89, 126.82, 117.57, 0.493)],
    "1.28M 2DP 256": [(26.52, 15.97, 22.81, 98.14, 91.61, 0.658), (26.38, 19.29, 22.76, 97.82, 93.13, 0.656)],
    "128k none": [(28.36, 10.17, 21.36, 108.69, 106.06, 0.570)],
    "128k 2DP 192": [(31.76, 7.46, 25.04, 74.62, 73.42, 0.796), (34.66, 19.33, 25.04, 74.71, 73.56, 0.799)],
    "128k 2DP 256": [(32.27, 16.76, 27.91, 49.03, 46.95, 0.951), (33.79, 19.84, 28.07, 48.38, 46.26, 0.960)],
}

# One change at a time from the defaults of af.tcl.
VARIANTS = {
    "as in af.tcl": {},
    "TCP starts at 0": {"tcp_starts": 0},
    "TCP and UDP start at 0": {"tcp_starts": 0, "udp_starts": 0},
    "TCP at 0, UDP within 0.1 s": {"tcp_starts": 0, "udp_starts": 0.1},
    "UDP spacing random": {"udp_random": 1},
    "delayed ACKs": {"delayed_ack": 1},
    "minimum RTO 0": {"min_rto": 0},
    "first RTO 3 s": {"initial_rto": 3},
    "tick 0.01 s": {"tick": 0.01},
    "bucket 16,000 bytes": {"bucket": 16_000},
    "bucket 64,000 bytes": {"bucket": 64_000},
    "minimum RTO 0, tick 0.01 s": {"min_rto": 0, "tick": 0.01},
    "back-off of RFC 2988, maximum RTO 60 s": {"rfc2988": 1, "max_rto": 60},
    "fixes of 2001-2006 off": {"modern_fixes": 0},
    "limited transmit": {"limited_transmit": 1},
    "SYN": {"syn": 1},
    "NewReno": {"variant": "Newreno"},
    "gentle RED": {"gentle": 1},
    "wait_ off": {"wait": 0},
    "mean packet 500 bytes": {"mean_packet": 500},
    "one average over the whole queue": {"averages": "total"},
    "separate averages": {"averages": "separate"},
    "entry queues of 200 packets": {"entry_limit": 200},
    "all queues of 200 packets": {"limit": 200, "entry_limit": 200},
    "TCP at 0, UDP random, delayed ACKs, bucket 16,000 bytes": {
        "tcp_starts": 0,
        "udp_random": 1,
        "delayed_ack": 1,
        "bucket": 16_000,
    },
}
SENSITIVITY_ROWS = ("128k none", "128k 2DP 192", "1.28M 2DP 192", "1.28M none")
NEEDS_MARKING = {"bucket", "averages"}  # settings of the marker and of RED_n
NEEDS_PLAIN_RED = {"gentle", "wait"}  # settings that dsRED does not have

WORKLOADS = {
    "cbr": ["cbr.tcl"],
    "parking-lot": ["parking-lot.tcl"],
    "tcp-bulk": ["tcp-bulk.tcl"],
    "tcp-many": ["tcp-many.tcl"],
    "af": ["af.tcl", "per_flow=0"],
}


def call(script, settings=()):
    """Runs one script; returns its results and the user and system time of the ns process, in seconds."""
    process = subprocess.Popen(
        ["ns", str(HERE / script), *settings], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    with process.stdout, process.stderr:
        out, err = process.stdout.read(), process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    # ns ends with code 0 after some errors, and writes about them to either stream.
    if process.returncode != 0 or err or not out.startswith("packet_hops="):
        raise RuntimeError(f"ns {script} {' '.join(settings)}: {(err or out).strip()[:2000]}")
    return dict(item.split("=", 1) for item in out.split()), usage.ru_utime + usage.ru_stime


def jain(values):
    """Jain's fairness index [Goyal99 s4]."""
    squares = sum(value * value for value in values)
    return sum(values) ** 2 / (len(values) * squares) if squares else float("nan")


def run(settings, seed):
    """One run of the assured-forwarding study.

    Returns the columns of the printed tables (kb/s, whole packets, over the whole time), `throughputs` of the
    50 flows (every tenth is UDP) and the packets dropped at the marker (`entry_drops`) and at the bottleneck.
    """
    given = {"seed": seed, **settings}
    result, _ = call("af.tcl", [f"{name}={value}" for name, value in given.items()])
    seconds = float(given.get("until", 100.1))
    packets = [int(count) for count in result["packets"].split(",")]
    if not int(given.get("syn", 0)) and int(result["bytes"]) * 8 != sum(packets) * PACKET_BITS:
        raise RuntimeError("a packet on a receiver's link was not 576 bytes long")
    rates = [count * PACKET_BITS / seconds / 1000 for count in packets]
    tcp = [rate for i, rate in enumerate(rates, start=1) if i % 10]
    udp = rates[9::10]
    return {
        "max_tcp": max(tcp),
        "min_tcp": min(tcp),
        "avg_tcp": statistics.fmean(tcp),
        "max_udp": max(udp),
        "min_udp": min(udp),
        "fairness": jain(rates),
        "throughputs": rates,
        "packets": packets,
        "entry_drops": int(result["entry_drops"]),
        "core_drops": int(result["core_drops"]),
    }


def replicate(cases, seeds, jobs):
    """Runs every (name, settings) of `cases` with every seed; returns name -> list of results, in seed order."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = {name: [pool.submit(run, settings, seed) for seed in seeds] for name, settings in cases}
        return {name: [future.result() for future in runs] for name, runs in futures.items()}


def cell(results, metric):
    values = [result[metric] for result in results]
    digits = 3 if metric == "fairness" else 2
    spread = statistics.stdev(values) if len(values) > 1 else 0.0
    return f"{statistics.fmean(values):.{digits}f} ({spread:.{digits}f})"


def heading(first):
    print("| " + " | ".join([first, *METRICS]) + " |")
    print("|" + "---|" * (len(METRICS) + 1))


def table(overrides, seeds, jobs):
    """Mean and standard deviation over the seeds for the six rows, each followed by the printed numbers."""
    found = replicate([(name, {**row, **overrides}) for name, row in ROWS.items()], seeds, jobs)
    heading("row")
    for name, results in found.items():
        print(f"| {name} | " + " | ".join(cell(results, metric) for metric in METRICS) + " |")
        for number, printed in enumerate(PRINTED[name], start=2):
            print(f"| table {number} | " + " | ".join(f"{value}" for value in printed) + " |")


def has_effect(row, change):
    """Whether a change can make a difference in a row."""
    idle = NEEDS_MARKING if ROWS[row]["precedences"] == "none" else NEEDS_PLAIN_RED
    return not change or not change.keys() <= idle


def sensitivity(overrides, seeds, jobs):
    """Effect of each setting on its own."""
    cases = [
        ((row, variant), {**ROWS[row], **overrides, **change})
        for row in SENSITIVITY_ROWS
        for variant, change in VARIANTS.items()
        if has_effect(row, change)
    ]
    found = replicate(cases, seeds, jobs)
    for row in SENSITIVITY_ROWS:
        print(f"\n**{row}**\n")
        heading("setting")
        for number, printed in enumerate(PRINTED[row], start=2):
            print(f"| *printed, table {number}* | " + " | ".join(f"{value}" for value in printed) + " |")
        for (in_row, variant), results in found.items():
            if in_row == row:
                print(f"| {variant} | " + " | ".join(cell(results, metric) for metric in METRICS) + " |")


def speed(repeats):
    """User and system time of the whole ns process, one run after the other, and the part of it that is set-up."""
    print("| workload | packet-hops | CPU s | of it set-up | million hops per CPU s | without set-up |")
    print("|---|---|---|---|---|---|")
    for name, (script, *settings) in WORKLOADS.items():
        for _ in range(repeats):
            _, before = call(script, [*settings, "until=0.0001"])
            result, seconds = call(script, settings)
            hops = int(result["packet_hops"])
            rates = f"{hops / seconds / 1e6:.2f} | {hops / (seconds - before) / 1e6:.2f}"
            print(f"| {name} | {hops:,} | {seconds:.2f} | {before:.2f} | {rates} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("table", "sensitivity", "speed"))
    parser.add_argument("--seeds", type=int, default=5, help="number of seeds, from 1")
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each workload for speed")
    parser.add_argument("--set", nargs="*", default=[], metavar="NAME=VALUE", help="settings of af.tcl for all rows")
    arguments = parser.parse_args()
    overrides = dict(pair.split("=", 1) for pair in arguments.set)
    seeds = range(1, arguments.seeds + 1)
    if arguments.what == "speed":
        speed(arguments.repeats)
    else:
        {"table": table, "sensitivity": sensitivity}[arguments.what](overrides, seeds, arguments.jobs)


if __name__ == "__main__":
    main()
