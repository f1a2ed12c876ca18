"""Runs a workload in Penstock, ns-2, ns-3 or htsim, and returns its counts and its cost."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
BUILT = HERE.parents[1] / "target" / "peers"
PENSTOCK = Path(sys.executable).with_name("penstock")

# ns-3's modules; pkg-config's include paths are wrong in Debian's package, and not needed there.
MODULES = ["ns3-internet", "ns3-point-to-point", "ns3-traffic-control"]
# Ends the peers' scripts almost at once, so that only the set-up is left.
NOTHING = 0.0001


class Run(NamedTuple):
    """Counts and cost of one run: CPU time for the comparison, CPU time of all its processes, peak memory."""

    packet_hops: int
    delivered: int
    drops: int
    goodput: float
    cpu: float
    whole: float
    peak: int


def call(command: list[str]) -> tuple[str, float, int]:
    """Output, user and system time, and peak memory of a command."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        # Only a line or two goes to stderr, so the process never waits for a reader.
        out, err = process.stdout.read(), process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0 or not out:
        raise RuntimeError(f"{' '.join(command)}: {(err or out).strip()[:2000]}")
    return out, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def penstock(name: str, seconds: float | None = None, *, only_setup: bool = False) -> Run:
    """Runs the text of a workload or of a scenario file to its counters, or to the first event."""
    more = [*([] if seconds is None else ["--duration", f"{seconds} s"]), *(["--setup"] if only_setup else [])]
    out, whole, _ = call([str(PENSTOCK), "bench", name, "--format", "json", *more])
    [seen] = json.loads(out)
    counts = (seen["packet_hops"], seen["delivered"], seen["drops"], seen["goodput_bps"])
    return Run(*counts, cpu=seen["cpu_seconds"], whole=whole, peak=seen["peak_rss_bytes"])


def counted(command: list[str]) -> Run:
    """A peer's run, which prints its counts as name=value."""
    out, cpu, peak = call(command)
    # ns ends with code 0 after some errors.
    if not out.startswith("packet_hops="):
        raise RuntimeError(f"{' '.join(command)}: {out[:2000]}")
    seen = dict(item.split("=", 1) for item in out.split())
    delivered = sum(map(int, seen["packets"].split(","))) if "packets" in seen else int(seen["delivered"])
    counts = (int(seen["packet_hops"]), delivered, int(seen["drops"]), float(seen["goodput"]))
    return Run(*counts, cpu=cpu, whole=cpu, peak=peak)


def ns2(command: list[str], form: list[str], seconds: float | None, *, exact: bool = False) -> Run:
    """Runs one of our scripts with its settings; `form` says how it runs, `exact` counts link by link."""
    script, *settings = command
    until = [] if seconds is None else [f"until={seconds}"]
    counting = ["exact=1", *(["per_flow=1"] if script == "af.tcl" else [])] if exact else []
    return counted(["ns", str(HERE / "ns2" / script), *settings, *form, *until, *counting])


def ns3(command: list[str], form: list[str], seconds: float | None, *, exact: bool = False) -> Run:
    """Runs one of our programs for ns-3 in the same way."""
    program, *settings = command
    until = [] if seconds is None else [f"--until={seconds}"]
    return counted([str(BUILT / program), *settings, *form, *until, *(["--exact=1"] if exact else [])])


def htsim(command: list[str], _form: list[str], seconds: float | None, **_exact: bool) -> Run:
    """Runs one of our programs that was built with htsim's library; it always counts link by link."""
    return counted([*command, f"--until={seconds}"])


def kept(name: str, text: str) -> str:
    """The path of a file with this text, which a simulator reads."""
    BUILT.mkdir(parents=True, exist_ok=True)
    file = BUILT / name
    file.write_text(text, encoding="utf-8")
    return str(file)


def missing_ns2() -> str | None:
    """Why ns-2 cannot run."""
    return None if shutil.which("ns") else "ns-2 is not installed (Debian: apt-get install ns2)"


def missing_ns3() -> str | None:
    """Why ns-3 cannot run; builds its programs if it can."""
    absent = [tool for tool in ("g++", "pkg-config") if not shutil.which(tool)]
    if absent or subprocess.run(["pkg-config", "--exists", *MODULES], check=False).returncode != 0:
        return "ns-3 is not installed (Debian: apt-get install libns3-dev g++ pkg-config)"
    BUILT.mkdir(parents=True, exist_ok=True)
    libraries = subprocess.run(["pkg-config", "--libs-only-l", *MODULES], capture_output=True, text=True, check=True)
    for source in sorted((HERE / "ns3").glob("*.cc")):
        program = BUILT / source.stem
        headers = [*(HERE / "ns3").glob("*.h"), HERE / "network.h"]
        newest = max(file.stat().st_mtime for file in (source, *headers))
        if not program.exists() or program.stat().st_mtime < newest:
            command = ["g++", "-std=c++17", "-O2", str(source), "-o", str(program), *libraries.stdout.split()]
            subprocess.run(command, check=True)
    return None


def missing_htsim(program: str | None) -> str | None:
    """Why htsim cannot run."""
    if program is None:
        return "htsim is not given (--htsim PROGRAM, see bench/README.md)"
    return None if os.access(program, os.X_OK) else f"htsim is not given: {program} is no program"


def version(peer: str) -> str:
    """A peer's version; htsim has none."""
    if peer == "htsim":
        return "unknown"
    if peer == "ns-2":
        said = subprocess.run(["dpkg-query", "-W", "-f=${Version}", "ns2"], capture_output=True, text=True, check=False)
        return said.stdout.strip() or "unknown"
    said = subprocess.run(["pkg-config", "--modversion", MODULES[0]], capture_output=True, text=True, check=False)
    return said.stdout.strip() or "unknown"
