"""``penstock series``: the state of ports, flows and their components over time."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penstock.cli.options import MemoryOption, SeedOption, SetOption, ThreadsOption, read_sets, whole_number

if TYPE_CHECKING:
    import polars as pl

    from penstock.series import TimeSeries

__all__ = ["series"]


class SeriesFormat(StrEnum):
    """How series are written."""

    TABLE = "table"
    CSV = "csv"
    PARQUET = "parquet"
    JSON = "json"


def series(
    file: Annotated[Path, typer.Argument(help="The scenario, a TOML file.", metavar="FILE")],
    *,
    of: Annotated[
        list[str] | None,
        typer.Option(
            "--of",
            metavar="NAME",
            help="Of this link, node with its ports, group of flows, or a member such as tcp[3]; may be repeated.",
            show_default=False,
        ),
    ] = None,
    what: Annotated[
        list[str] | None,
        typer.Option(
            "--what",
            metavar="VARIABLE",
            help="Only this variable, such as queue, cwnd or queue.red.average; may be repeated.",
            show_default=False,
        ),
    ] = None,
    every: Annotated[
        str | None,
        typer.Option("--every", metavar="TIME", help="The interval at which it is read.", show_default=False),
    ] = None,
    on_change: Annotated[
        bool, typer.Option("--on-change", help="Read whenever it has changed, not at intervals.", show_default=False)
    ] = False,
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
    form: Annotated[
        SeriesFormat, typer.Option("--format", help="A table for people; csv, parquet or JSON for programs.")
    ] = SeriesFormat.TABLE,
) -> None:
    """Show the state of ports, flows and their components over time.

    One run, with the numbers that it has without. The scenario's [[series]] says what is read and when, or the options
    --of, --what, --every, --on-change, --start and --stop do instead. A table ends after some rows; other forms hold
    all.
    """
    from penstock.cli.console import say, warn
    from penstock.cli.files import read_text
    from penstock.errors import InputError
    from penstock.memory import allow
    from penstock.printable import path_text
    from penstock.series import TimeSeries
    from penstock.studies.file import is_study

    if form is SeriesFormat.PARQUET and output is None:
        raise InputError("a Parquet file needs a name: write --output PATH.")
    if form in (SeriesFormat.TABLE, SeriesFormat.JSON) and output is not None:
        raise InputError(
            f"--output is for csv and parquet; leave it out, or write --format csv in the place of {form.value}."
        )
    allow(memory)
    text = read_text(file)
    if is_study(text):
        raise InputError(f"{path_text(str(file))} is a study; series are of one run: give its scenario, with --set.")
    made = TimeSeries(
        text,
        name=str(file),
        folder=str(file.parent),
        sets=read_sets(sets),
        seed=seed,
        replication=replication,
        of=of,
        what=what,
        every=every,
        on="change" if on_change else None,
        start=start,
        stop=stop,
        threads=threads,
    )
    warn(made.warnings)
    match form:
        case SeriesFormat.TABLE:
            _show(made, file.stem, limit)
        case SeriesFormat.JSON:
            _emit_json(made, file.stem, dict(read_sets(sets)))
        case SeriesFormat.CSV if output is None:
            _emit_csv(made)
        case _:
            assert output is not None
            rows = made.write_csv(output) if form is SeriesFormat.CSV else made.write_parquet(output)
            say(f"{rows} values in {path_text(str(output))}.")


def _show(made: "TimeSeries", name: str, limit: int) -> None:
    """The first rows as a table, without the columns that are empty in all of them."""
    import polars as pl

    from penstock.cli.console import show, table
    from penstock.printable import one_line

    # One row more tells whether there are others.
    frame = next(made.frames(limit + 1), pl.DataFrame(schema=made.schema))
    shown = frame.head(limit)
    columns = [column for column in shown.columns if shown[column].null_count() < shown.height]
    if shown["series"].n_unique() == 1 and "series" in columns:
        columns.remove("series")
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
        show("Nothing was read: no route uses these ports, or the run ends before.")


def _cell(column: str, value: Any) -> str:
    match column:
        case "time_ps":
            return f"{value // 10**12}.{value % 10**12:012d}"
        case "value":
            return f"{value:.6g}"
    return str(value)


def _emit_csv(made: "TimeSeries") -> None:
    """The header and all rows, a piece at a time."""
    from penstock.cli.console import emit

    emit(",".join(made.schema))
    for frame in made.frames():
        emit(frame.write_csv(include_header=False))


def _emit_json(made: "TimeSeries", name: str, settings: dict[str, str]) -> None:
    """One JSON object, a value on each line of its list."""
    from penstock.cli.console import emit
    from penstock.printable import json_text

    about = {"scenario": name, "settings": settings, "seed": made.seed, "replication": made.replication}
    emit(json_text(about).rstrip().removesuffix("}").rstrip() + ',\n  "series": [')
    before = ""
    for frame in made.frames():
        emit(before + _lines(frame))
        before = ","
    emit("]}")


def _lines(frame: "pl.DataFrame") -> str:
    return frame.write_ndjson().rstrip("\n").replace("\n", ",\n")
