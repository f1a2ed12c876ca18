"""Counts the instructions that a packet-hop takes and compares them with the kept numbers.

    python bench/instructions.py               compare; ends with code 1 if a workload takes more than it may
    python bench/instructions.py --update      keep the new counts

The kept numbers in `instructions.toml` move with each change that has a reason to cost something.

The workloads come from `penstock bench`, shortened. Each runs twice, for a shorter and a longer time, under
valgrind's callgrind and without Python; the difference between the two is free of all set-up. Unlike time, these
numbers are the same on a busy machine.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from penstock.bench import WORKLOADS

HERE = Path(__file__).resolve().parent
KEPT = HERE / "instructions.toml"

# Another version of the compiler, or a processor whose memory copies use another path of the C library, changes the
# counts by some per cent in either direction. A regression that should fail changes them by more.
MARGIN = 0.05

# Seconds simulated in the shorter and the longer run. In the TCP workloads, all flows begin within the shorter one.
SECONDS = {
    "cbr": (1, 4),
    "parking-lot": (1, 2),
    "tcp-bulk": (0.15, 0.2),
    "tcp-many": (1.5, 2),
    "tcp-bulk-linux-6": (0.15, 0.2),
    "tcp-many-linux-6": (1.5, 2),
    "af": (20, 60),
    # The warm-up is 10 s, and the link is full soon after.
    "pcn-cbr": (13, 17),
    "pcn-vbr": (13, 17),
    "dualpi2": (0.3, 0.6),
    "fq-codel": (0.3, 0.6),
    "bbr": (0.3, 0.6),
    "prague": (0.3, 0.6),
    "schedulers-priority": (0.1, 0.3),
    "schedulers-drr": (0.1, 0.3),
}


def build() -> str:
    """Builds the program that runs a scenario; returns its path."""
    command = ["cargo", "build", "--locked", "--release", "-p", "penstock-scenario", "--example", "simulate"]
    ended = subprocess.run(
        [*command, "--message-format=json-render-diagnostics"], cwd=HERE.parent, stdout=subprocess.PIPE, check=True
    )
    built = [json.loads(line) for line in ended.stdout.splitlines()]
    [program] = [item["executable"] for item in built if item.get("target", {}).get("name") == "simulate"]
    return program


def rustc() -> str:
    return subprocess.run(["rustc", "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def count(program: str, scenario: Path, seconds: float) -> tuple[int, int]:
    """Packet-hops and instructions of one run."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, scenario, f"{seconds} s"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    hops = re.match(r"(\d+) packet-hops", ended.stdout)
    instructions = re.search(r"Collected : (\d+)", ended.stderr)
    if ended.returncode != 0 or hops is None or instructions is None:
        raise RuntimeError(f"{' '.join(map(str, command))}:\n{ended.stdout}{ended.stderr}")
    return int(hops[1]), int(instructions[1])


def per_hop(program: str, name: str, folder: Path) -> float:
    """Instructions per packet-hop of a workload."""
    scenario = folder / f"{name}.toml"
    scenario.write_text(WORKLOADS[name]())
    (hops, instructions), (more_hops, more_instructions) = (count(program, scenario, s) for s in SECONDS[name])
    return (more_instructions - instructions) / (more_hops - hops)


def keep(counted: dict[str, float]) -> None:
    head = "# Instructions per packet-hop, set-up left out. Written by `python bench/instructions.py --update`."
    numbers = [f"{name} = {value:.1f}" for name, value in counted.items()]
    KEPT.write_text("\n".join([head, f'rustc = "{rustc()}"', "", "[instructions]", *numbers]) + "\n")


def read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text()) if path.exists() else {"rustc": "", "instructions": {}}


def table(counted: dict[str, float], kept: dict[str, float]) -> str:
    """The printed table: for each workload the kept number, the counted one, and the change in per cent."""
    lines = [f"{'instructions per packet-hop':30}{'kept':>8}{'now':>8}{'change':>9}"]
    for name, now in counted.items():
        before = kept.get(name, float("nan"))
        lines.append(f"{name:30}{before:8.1f}{now:8.1f}{now / before - 1:+9.1%}")
    return "\n".join(lines)


def verdict(counted: dict[str, float], kept: dict[str, float]) -> tuple[int, list[str]]:
    """The exit code and the message, which names the workloads with too many instructions or without a kept number."""
    names = [name for name, now in counted.items() if not now <= kept.get(name, float("nan")) * (1 + MARGIN)]
    if not names:
        return 0, [f"none is more than {MARGIN:.0%} above the kept count"]
    return 1, [
        f"FAILED: more than {MARGIN:.0%} above the kept count: {', '.join(names)}.",
        "Find out why. If it must be so: python bench/instructions.py --update, and say why in the commit.",
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--update", action="store_true", help=f"write the new counts into {KEPT.name}")
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD", help="count these only; all by default")
    arguments = parser.parse_args()
    names = arguments.workloads or list(SECONDS)
    if unknown := [name for name in names if name not in SECONDS]:
        parser.error(f"no such workload: {', '.join(unknown)}; there are {', '.join(SECONDS)}")
    if arguments.update and arguments.workloads:
        parser.error("--update keeps the numbers of all workloads, so it takes no names")
    program = build()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        values = pool.map(lambda name: per_hop(program, name, Path(folder)), names)
        counted = dict(zip(names, values, strict=True))
    kept = read(KEPT)
    print(table(counted, kept["instructions"]))
    if arguments.update:
        keep(counted)
        print(f"kept in {KEPT.name}")
    if kept["rustc"] != rustc():
        print(f"The numbers in {KEPT.name} were counted with {kept['rustc']}; this is {rustc()}.")
    code, lines = verdict(counted, counted if arguments.update else kept["instructions"])
    print("\n".join(lines))
    return code


if __name__ == "__main__":
    sys.exit(main())
