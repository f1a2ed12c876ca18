"""``penstock bench``: how fast this machine simulates."""

from typing import Annotated

import typer

from penstock.cli.options import Format, FormatOption, ThreadsOption

__all__ = ["bench"]


def bench(
    name: Annotated[str | None, typer.Argument(help="Only this workload or group.", metavar="NAME")] = None,
    flows: Annotated[
        int | None,
        typer.Option(
            "--flows", metavar="N", min=1, max=1_000_000, help="Flows in cbr and tcp-many.", show_default=False
        ),
    ] = None,
    threads: ThreadsOption = 1,
    output: FormatOption = Format.TABLE,
) -> None:
    """Measure the speed of standard workloads.

    CPU time, time and peak memory of one run each, in a process of its own. fat-tree, a large one, only if it is named.
    """
    import json

    from penstock.bench import GROUPS, LARGE, RESIZABLE, WORKLOADS, measure_apart
    from penstock.cli.console import emit, say, show, table
    from penstock.cli.suggest import suggestion
    from penstock.errors import InputError

    if name is not None and name not in WORKLOADS and name not in GROUPS:
        allowed = [*WORKLOADS, *GROUPS]
        raise InputError(
            f"there is no workload '{name}'{suggestion(name, allowed)} The workloads are {', '.join(allowed)}."
        )
    usual = [workload for workload in WORKLOADS if workload not in LARGE]
    chosen = usual if name is None else list(GROUPS.get(name, (name,)))
    if flows is not None and not set(chosen) & set(RESIZABLE):
        raise InputError(f"--flows changes nothing in {name}; it is for {' and '.join(RESIZABLE)}.")
    measured = []
    for workload in chosen:
        say(f"{workload} ...")
        measured.append(measure_apart(workload, flows if workload in RESIZABLE else None, threads))
    if output is Format.JSON:
        emit(json.dumps(measured, indent=2))
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
    show(table("one run each, CPU time without the interpreter's start", columns, rows, right=columns[1:]))
