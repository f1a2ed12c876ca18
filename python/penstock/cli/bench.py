"""``penstock bench``: how fast this machine simulates."""

from functools import partial
from pathlib import Path
from typing import Annotated

from penstock import _core
from penstock._core import Scenario
from penstock.bench import GROUPS, LARGE, RESIZABLE, WORKLOADS, Measurement, is_file, measure_in_subprocess, text_of
from penstock.cli import options
from penstock.cli.console import emit, say, show, table
from penstock.cli.verb import argument, option
from penstock.errors import InputError, ScenarioError
from penstock.memory import allow
from penstock.printable import json_text, quoted, shortened, suggestion, utf8
from penstock.processors import usable


def bench(
    name: Annotated[str | None, argument("NAME", "Only this workload or group, or your own scenario (TOML).")] = None,
    flows: Annotated[
        int | None, option("--flows N", "Number of flows of cbr and tcp-many.", bounds=(1, 1_000_000))
    ] = None,
    duration: Annotated[str | None, option("--duration TIME", "Simulated time, such as '500 ms'.")] = None,
    setup: Annotated[bool, option("--setup", "Stop before the first packet.")] = False,
    threads: options.Threads = 1,
    memory: options.Memory = None,
    output: options.Output = "table",
) -> None:
    """Measure the speed of standard workloads.

    Shows CPU time, elapsed time and peak memory of one run of each, in a process of its own, and the paths that its
    events took through the engine. The large workload fat-tree runs only if it is named.
    """
    if name is not None and name not in WORKLOADS and name not in GROUPS and not is_file(name):
        allowed = [*WORKLOADS, *GROUPS]
        hint = suggestion(name, allowed, ".")
        known = f"The workloads are {', '.join(allowed)}; a file's name ends with .toml."
        raise InputError(f"there is no workload {quoted(name)}{hint} {known}")
    allow(memory)
    usual = [workload for workload in WORKLOADS if workload not in LARGE]
    chosen = usual if name is None else list(GROUPS.get(name, (name,)))
    if flows is not None and not set(chosen) & set(RESIZABLE):
        raise InputError(f"--flows changes nothing in {name}; it is for {' and '.join(RESIZABLE)}.")
    duration = None if duration is None else utf8(duration)
    _check(chosen, duration)
    measured = []
    for workload in chosen:
        say(f"{workload} ...")
        resized = flows if workload in RESIZABLE else None
        measured.append(measure_in_subprocess(workload, resized, duration, threads=usable(threads), only_setup=setup))
        if not setup:
            from penstock.cli.cores import cores_told

            with cores_told(threads) as cores:
                read = partial(_scenario, workload, resized, duration)
                cores.note(Path(workload).stem, workload, read, measured[-1]["threads"])
    if output == "json":
        emit(json_text(measured))
        return
    if setup:
        show(table("from the scenario's text to the first packet", *_setup_rows(measured, flows, duration)))
        return
    rows = [
        (
            str(result["workload"]),
            f"{result['packet_hops']:,}",
            f"{result['cpu_seconds']:.3f} s",
            f"{result['packet_hops_per_cpu_second'] / 1e6:.2f} M/s",
            f"{result['wall_seconds']:.3f} s",
            f"{result['threads']}",
            f"{result['peak_rss_bytes'] / 2**20:.0f} MiB",
            f"{result['goodput_bps'] / 1e6:.1f} Mbit/s",
            f"{result['delivered']:,}",
            f"{result['drops']:,}",
        )
        for result in measured
    ]
    costs = ["packet-hops", "CPU time", "packet-hops", "time", "threads", "peak memory"]
    columns = ["workload", *costs, "goodput", "delivered", "drops"]
    show(table("one run each; CPU time without the start of the interpreter", columns, rows, right=columns[1:]))
    ways = ["workload", *_WAYS, *_PORTS]
    shares = [_ways(each) for each in measured]
    show(table("events by path through the engine, and ports by kind", ways, shares, right=ways[1:]))


_WAYS = {"one instant at a time": "plain", "sweeps": "sweeps", "windows": "windows"}
_PORTS = {
    "FIFO": "tail-drop-fifo",
    "precomputed": "precomputed",
    "service loop": "event-driven-loop",
    "event-driven": "event-driven",
    "of switches": "of-switches",
}


def _ways(measured: Measurement) -> tuple[str, ...]:
    """Share of a run's events on each path through the engine, and number of ports of each kind."""
    events, ports = measured["events"], measured["ports"]
    total = sum(events.values())
    shares = (f"{events[way] / max(total, 1):.0%}" if events[way] else "" for way in _WAYS.values())
    counts = (f"{ports[kind]:,}" if ports[kind] else "" for kind in _PORTS.values())
    return (measured["workload"], *shares, *counts)


def _scenario(workload: str, flows: int | None, duration: str | None) -> Scenario:
    text, folder = text_of(workload, flows)
    return _core.Scenario(text, workload, [] if duration is None else [("duration", duration)], folder)


def _check(chosen: list[str], duration: str | None) -> None:
    """Refuses a file with mistakes, and a duration that a workload cannot have."""
    sets = [] if duration is None else [("duration", duration)]
    for workload in chosen:
        if not (sets or is_file(workload)):
            continue
        text, folder = text_of(workload)
        mistakes = _core.check(text, workload, sets, folder)
        if mistakes and is_file(workload):
            raise ScenarioError(mistakes)
        if mistakes:
            why = f"{mistakes[0]['path']}: {mistakes[0]['message']}"
            raise InputError(f"--duration {shortened(duration or '', 60)}, {workload}: {why}.")


def _setup_rows(
    measured: list[Measurement], flows: int | None, duration: str | None
) -> tuple[list[str], list[tuple[str, str, str, str]]]:
    """Cost of building each workload, and the memory per flow: the difference to a tenth of the flows."""
    rows = []
    for built in measured:
        workload, per_flow = built["workload"], ""
        # The memory of fewer flows is too small next to Python's.
        if workload in RESIZABLE and flows is not None and flows >= 5000:
            tenth = measure_in_subprocess(workload, flows // 10, duration, only_setup=True)
            more = built["peak_rss_bytes"] - tenth["peak_rss_bytes"]
            per_flow = f"{more / (flows - flows // 10):,.0f} bytes"
        peak = f"{built['peak_rss_bytes'] / 2**20:.0f} MiB"
        rows.append((workload, f"{built['cpu_seconds'] * 1e3:.1f} ms", peak, per_flow))
    return ["workload", "CPU time", "peak memory", "per flow"], rows
