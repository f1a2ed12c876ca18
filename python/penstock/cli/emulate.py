"""``penstock emulate``: real packets through a scenario's network."""

import json
from pathlib import Path
from typing import Annotated, Literal

from penstock.cli import options
from penstock.cli.console import emit, say, show, table, warn
from penstock.cli.files import emit_result, read_text, require_folder, write
from penstock.cli.studies import show_results
from penstock.cli.verb import option
from penstock.emulation import making
from penstock.emulation.making import PACKETS, Emulated
from penstock.emulation.namespaces import read_settings, remove_leftovers
from penstock.emulation.opened import opened
from penstock.emulation.programs import Program
from penstock.printable import json_text, path_text

MtuOption = Annotated[
    int, option("--mtu BYTES", "Largest IP packet of real nodes, 576 to 1500 (the default).", bounds=(576, 1500))
]

SysctlOption = Annotated[
    list[str] | None,
    option(
        "--sysctl NAME=VALUE", "A kernel setting of real nodes, such as net.ipv4.tcp_moderate_rcvbuf=0; repeatable."
    ),
]


def emulate(
    file: options.ScenarioFile,
    *,
    run: Annotated[
        list[str] | None,
        option(
            "--run NODE: COMMAND",
            "Run a program at a real node, such as 'h1: iperf3 -c h2'; 'h1 at 1 s: ...' starts it 1 s after the "
            "beginning. Repeatable. Programs know the names of real nodes; those still running at the end are stopped.",
        ),
    ] = None,
    log: Annotated[Path | None, option("--log FILE", "Write the arrivals of real packets, for --replay.")] = None,
    overload: Annotated[
        Literal["note", "end"],
        option(
            "--overload",
            "If more than a tenth of the packets of a second are more than 1 ms late, and the second has at least 100: "
            "note it (the default), or end the run.",
        ),
    ] = "note",
    mtu: MtuOption = 1500,
    sysctl: SysctlOption = None,
    seed: options.Seed = None,
    replication: options.Replication = 0,
    sets: options.OneSet = None,
    output: options.Output = "table",
    out: Annotated[Path | None, option("--out -o FILE", "Write the results to a file, as JSON.")] = None,
) -> int | None:
    """Pass real packets through a simulated network.

    Nodes with real = true become network namespaces of this machine (Linux, as root), and everything between them is
    simulated. Packets of programs replace the flows of the file between real nodes. The numbers are as in 'penstock
    run', with the lateness of packets. Everything is removed at the end.
    """
    for each in (log, out):
        if each is not None:
            require_folder(each, file)
    found = opened(file, read_text(file), options.read_sets(sets), seed=seed, replication=replication, mtu=mtu)
    programs = [Program.read(text, found.real, found.asked.scenario.window[1]) for text in run or ()]
    settings = read_settings(sysctl or ())
    making.check(found)
    warn(found.asked.scenario.warnings)
    clear()
    say(f"Real nodes: {', '.join(found.real)} (MTU {mtu}, offloads off). Takes {found.asked.scenario.window[1]:g} s.")
    if found.replaced:
        say(f"Packets of programs replace the flows {', '.join(found.replaced)}.")
    choices = {"ends_on_overload": overload == "end", "keeps_log": log is not None}
    made = making.emulate(found, programs, mtu=mtu, settings=settings, **choices)
    if made.absent_offloads:
        say(f"These offloads do not exist: {', '.join(made.absent_offloads)}.")
    if log is not None and made.emulation.log is not None:
        write(log, made.emulation.log.encode())
        say(f"{path_text(log)}: {made.emulation.injected} arrivals. Digest {made.emulation.run.digest}.")
    _show(made, replication, output, out)
    if made.emulation.overloaded_at is not None:
        when = f"in the second before {made.emulation.overloaded_at:.1f} s"
        say(f"overload: {when}, more than 10 % of at least 100 packets were more than 1 ms late.")
        return 1 if overload == "end" else None
    return None


def clear() -> None:
    """Removes what killed runs left, and says so."""
    if removed := remove_leftovers():
        say(f"Removed namespaces of a killed run: {', '.join(removed)}.")


def _show(made: Emulated, replication: int, output: options.Format, out: Path | None) -> None:
    if output == "json" or out is not None:
        emit_result(json_text({**json.loads(made.result.json()), "emulation": made.json()}), out)
        return
    for each in made.programs:
        how = "ended by Penstock" if each.code is None else f"exit code {each.code}"
        emit(f"--- {each.program.node}: {each.program.command} ({how})\n{each.output}{each.errors}")
    show_results(made.result, replication)
    of = made.emulation
    rows = [(name.replace("_", " "), str(getattr(of, name)), "packets") for name in PACKETS]
    if of.lateness is not None:
        names = ("lateness, median", "lateness, 99 %", "lateness, 99.9 %", "lateness, maximum")
        rows += [(name, f"{1e6 * value:.0f}", "us") for name, value in zip(names, of.lateness, strict=True)]
        rows.append(("later than 1 ms", f"{100 * of.late / max(1, of.delivered + of.unsent):.3g}", "%"))
    show(table("Real packets", ["what", "value", "unit"], rows, right=["value"]))
