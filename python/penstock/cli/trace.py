"""``penstock trace``: every event of a run."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penstock.cli.options import MemoryOption, SeedOption, SetOption, ThreadsOption, read_sets, whole_number

if TYPE_CHECKING:
    from penstock.trace import PacketTrace

__all__ = ["trace"]


class TraceFormat(StrEnum):
    """How a trace is written."""

    TABLE = "table"
    CSV = "csv"
    PARQUET = "parquet"
    JSON = "json"


class Executor(StrEnum):
    """In which order the engine works."""

    HORIZON = "horizon"
    PLAIN = "plain"


def trace(
    file: Annotated[Path, typer.Argument(help="The scenario, a TOML file.", metavar="FILE")],
    *,
    at: Annotated[
        list[str] | None,
        typer.Option(
            "--at",
            metavar="NAME",
            help="Only at this node with its ports, or at this link, or at a group of them; may be repeated.",
            show_default=False,
        ),
    ] = None,
    flows: Annotated[
        list[str] | None,
        typer.Option(
            "--flow",
            metavar="NAME",
            help="Only of this group of flows or calls, or of a member such as tcp[3]; may be repeated.",
            show_default=False,
        ),
    ] = None,
    events: Annotated[
        list[str] | None,
        typer.Option(
            "--event",
            metavar="KIND",
            help="Only send, accept, mark, drop, transmit, receive, timer or window; may be repeated.",
            show_default=False,
        ),
    ] = None,
    start: Annotated[
        str | None, typer.Option("--start", metavar="TIME", help="Only from this instant on.", show_default=False)
    ] = None,
    stop: Annotated[
        str | None, typer.Option("--stop", metavar="TIME", help="Only until this instant.", show_default=False)
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            metavar="PATH",
            help="The file that is written; standard output by default, but for parquet.",
            show_default=False,
        ),
    ] = None,
    pcap: Annotated[
        Path | None,
        typer.Option(
            "--pcap",
            metavar="DIR",
            help="Write what each link transmits into this folder, as LINK.pcapng with nanosecond times.",
            show_default=False,
        ),
    ] = None,
    limit: Annotated[
        int,
        typer.Option(
            "--limit", metavar="N", min=1, help="The most rows of a table; 50 by default.", show_default=False
        ),
    ] = 50,
    seed: SeedOption = None,
    replication: Annotated[
        int,
        typer.Option(
            "--replication",
            metavar="N",
            parser=whole_number,
            help="Which of the independent runs, counted from 0; the first by default.",
            show_default=False,
        ),
    ] = 0,
    sets: SetOption = None,
    threads: ThreadsOption = 1,
    memory: MemoryOption = None,
    executor: Annotated[
        Executor,
        typer.Option(
            "--executor", help="How the engine works: horizon is fast; plain is its reference. The trace is the same."
        ),
    ] = Executor.HORIZON,
    form: Annotated[
        TraceFormat, typer.Option("--format", help="A table for people; csv, parquet or JSON for programs.")
    ] = TraceFormat.TABLE,
) -> None:
    """Trace a run: what happens to every packet, when and where.

    One run, with the numbers that it has without a trace. The scenario's [[trace]] says which events are kept, or the
    options --at, --flow, --event, --start and --stop do instead. A table ends after some rows; other forms hold all.
    With --pcap, captures of what the links transmit, for tshark and the like, take the place of the table.
    """
    from penstock.cli.console import say, warn
    from penstock.cli.files import read_text
    from penstock.errors import InputError
    from penstock.memory import allow
    from penstock.printable import path_text
    from penstock.studies.file import is_study
    from penstock.trace import PacketTrace

    if pcap is not None:
        _refuse_beside_captures(form, output, events)
    if form is TraceFormat.PARQUET and output is None:
        raise InputError("a Parquet file needs a name: write --output PATH.")
    if form in (TraceFormat.TABLE, TraceFormat.JSON) and output is not None:
        raise InputError(
            f"--output is for csv and parquet; leave it out, or write --format csv in the place of {form.value}."
        )
    allow(memory)
    text = read_text(file)
    if is_study(text):
        raise InputError(f"{path_text(str(file))} is a study; a trace is of one run: give its scenario, with --set.")
    made = PacketTrace(
        text,
        name=str(file),
        folder=str(file.parent),
        sets=read_sets(sets),
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
    if pcap is not None:
        _write_captures(made, pcap)
        return
    match form:
        case TraceFormat.TABLE:
            _show(made, file.stem, limit)
        case TraceFormat.JSON:
            _emit_json(made, file.stem, dict(read_sets(sets)))
        case TraceFormat.CSV if output is None:
            _emit_csv(made)
        case _:
            assert output is not None
            events_written = made.write_csv(output) if form is TraceFormat.CSV else made.write_parquet(output)
            say(f"{events_written} events in {path_text(str(output))}.")


def _refuse_beside_captures(form: TraceFormat, output: Path | None, events: list[str] | None) -> None:
    """Captures stand alone, and hold transmissions alone."""
    from penstock.errors import InputError

    if form is not TraceFormat.TABLE:
        raise InputError(f"--pcap writes captures; leave out --format {form.value}, or --pcap.")
    if output is not None:
        raise InputError("--pcap names the folder of the captures; leave out --output.")
    if events:
        raise InputError("captures hold transmissions alone; leave out --event, or --pcap.")


def _write_captures(made: "PacketTrace", folder: Path) -> None:
    from penstock.cli.console import say
    from penstock.printable import path_text

    packets = made.write_pcapng(folder)
    if packets:
        say(f"{sum(packets.values())} packets of {len(packets)} links in {path_text(str(folder))}.")
    else:
        say("No link transmits anything that is asked for; no capture was written.")


def _show(made: "PacketTrace", name: str, limit: int) -> None:
    """The first rows as a table, without the columns that are empty in all of them."""
    import polars as pl

    from penstock.cli.console import show, table
    from penstock.printable import one_line

    # One row more tells whether there are others.
    frame = next(made.frames(limit + 1), pl.DataFrame(schema=made.schema))
    shown = frame.head(limit)
    columns = [name for name in shown.columns if shown[name].null_count() < shown.height]
    if "retransmission" in columns and not shown["retransmission"].any():
        columns.remove("retransmission")
    rows = [
        ["" if value is None else _cell(column, value) for column, value in zip(columns, row, strict=True)]
        for row in shown.select(columns).iter_rows()
    ]
    titles = ["time (s)" if column == "time_ps" else column for column in columns]
    numbers = [title for title, column in zip(titles, columns, strict=True) if made.schema[column].is_numeric()]
    show(table(f"{one_line(name)}: replication {made.replication}, seed {made.seed}", titles, rows, right=numbers))
    if frame.height > limit:
        show("... and more: --limit shows more of them, --format csv or parquet all.")
    elif not frame.height:
        show("No such event.")


def _cell(column: str, value: Any) -> str:
    match column:
        case "time_ps":
            return f"{value // 10**12}.{value % 10**12:012d}"
        case "retransmission":
            return "yes" if value else ""
        case "cwnd" | "ssthresh":
            return f"{value:.4g}"
    return str(value)


def _emit_csv(made: "PacketTrace") -> None:
    """The header and all rows, a piece at a time."""
    from io import BytesIO

    from penstock.cli.console import emit

    emit(",".join(made.schema))
    for frame in made.frames():
        text = BytesIO()
        frame.write_csv(text, include_header=False)
        emit(text.getvalue().decode())


def _emit_json(made: "PacketTrace", name: str, settings: dict[str, str]) -> None:
    """One JSON object, an event on each line of its list."""
    from io import BytesIO

    from penstock.cli.console import emit
    from penstock.printable import json_text

    about = {"scenario": name, "settings": settings, "seed": made.seed, "replication": made.replication}
    emit(json_text(about).rstrip().removesuffix("}").rstrip() + ',\n  "events": [')
    before = ""
    for frame in made.frames():
        text = BytesIO()
        frame.write_ndjson(text)
        lines = text.getvalue().decode().rstrip("\n")
        emit(before + lines.replace("\n", ",\n"))
        before = ","
    emit("]}")
