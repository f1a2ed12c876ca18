"""``penstock trace``: every event of a run."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penstock.cli.options import MemoryOption, SeedOption, ThreadsOption, read_sets
from penstock.cli.rows import (
    AtOption,
    FlowsOption,
    FormatOption,
    LimitOption,
    OutputOption,
    ReplicationOption,
    RowFormat,
    SetOfOneOption,
    StartOption,
    StopOption,
    form_of,
    read_scenario,
    refuse_files,
    show_rows,
    write_rows,
)

if TYPE_CHECKING:
    from penstock.rows import RowStream
    from penstock.trace import PacketTrace

__all__ = ["trace"]


class Executor(StrEnum):
    """In which order the engine works."""

    HORIZON = "horizon"
    PLAIN = "plain"


def trace(
    file: Annotated[Path, typer.Argument(help="The scenario, a TOML file.", metavar="FILE")],
    *,
    at: AtOption = None,
    flows: FlowsOption = None,
    events: Annotated[
        list[str] | None,
        typer.Option(
            "--event",
            metavar="KIND",
            help="Only send, accept, mark, drop, transmit, receive, timer, window or duplicate; may be repeated.",
            show_default=False,
        ),
    ] = None,
    start: StartOption = None,
    stop: StopOption = None,
    output: OutputOption = None,
    pcap: Annotated[
        Path | None,
        typer.Option(
            "--pcap",
            metavar="DIR",
            help="Write what each link transmits into this folder, as LINK.pcapng with nanosecond times.",
            show_default=False,
        ),
    ] = None,
    limit: LimitOption = 50,
    seed: SeedOption = None,
    replication: ReplicationOption = 0,
    sets: SetOfOneOption = None,
    threads: ThreadsOption = 1,
    memory: MemoryOption = None,
    executor: Annotated[
        Executor,
        typer.Option(
            "--executor", help="How the engine works: horizon is fast; plain is its reference. The trace is the same."
        ),
    ] = Executor.HORIZON,
    form: FormatOption = RowFormat.TABLE,
) -> None:
    """Trace a run: what happens to every packet, when and where.

    One run, with the numbers that it has without a trace. The scenario's [[trace]] says which events are kept, or the
    options --at, --flow, --event, --start and --stop do instead. A table ends after some rows; other forms hold all.
    With --pcap, captures of what the links transmit, for tshark and the like, take the place of the table.
    """
    from penstock.cli.console import warn
    from penstock.cli.cores import cores_told
    from penstock.memory import allow
    from penstock.trace import PacketTrace

    if pcap is not None:
        _refuse_beside_captures(form, output, events)
    form = form_of(form, output)
    refuse_files(form, output)
    allow(memory)
    text, settings = read_scenario(file, "a trace is"), read_sets(sets)
    made = PacketTrace(
        text,
        name=str(file),
        folder=str(file.parent),
        sets=settings,
        seed=seed,
        replication=replication,
        at=at,
        flows=flows,
        events=events,
        start=start,
        stop=stop,
        executor=executor.value,
        threads=threads,
    )
    warn(made.warnings)
    with cores_told(threads) as cores:
        cores.note(made.name, text, lambda: made.scenario, is_plain=executor is Executor.PLAIN)
    if pcap is not None:
        _write_captures(made, pcap)
        return
    write_rows(made, form, output, limit, member="events", count="events", show=_show)


def _refuse_beside_captures(form: RowFormat, output: Path | None, events: list[str] | None) -> None:
    """Captures stand alone, and hold transmissions alone."""
    from penstock.errors import InputError

    if form is not RowFormat.TABLE:
        raise InputError(f"--pcap writes captures; leave out --format {form.value}, or --pcap.")
    if output is not None:
        raise InputError("--pcap names the folder of the captures; leave out --out.")
    if events:
        raise InputError("captures hold transmissions alone; leave out --event, or --pcap.")


def _write_captures(made: "PacketTrace", folder: Path) -> None:
    from penstock.cli.console import say
    from penstock.printable import path_text

    packets = made.write_pcapng(folder)
    if packets:
        say(f"{sum(packets.values())} packets of {len(packets)} links in {path_text(str(folder))}.")
    else:
        say("No link transmits a packet that is asked for (cells are not captured); no capture was written.")


def _show(made: "RowStream", limit: int) -> None:
    show_rows(
        made,
        limit,
        cell=_cell,
        plain=lambda column: column.name == "retransmission" and not column.any(),
        empty="No such event.",
    )


def _cell(column: str, value: Any) -> str:
    match column:
        case "retransmission":
            return "yes" if value else ""
        case "cwnd" | "ssthresh":
            return f"{value:.4g}"
    return str(value)
