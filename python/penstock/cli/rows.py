"""Options and outputs that traces, time series and views share."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penstock.cli.options import whole_number

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars as pl

    from penstock.rows import RowStream

__all__ = [
    "AtOption",
    "FlowsOption",
    "FormatOption",
    "LimitOption",
    "OutputOption",
    "ReplicationOption",
    "RowFormat",
    "SetOfOneOption",
    "StartOption",
    "StopOption",
    "form_of",
    "read_scenario",
    "refuse_files",
    "show_rows",
    "write_rows",
]


class RowFormat(StrEnum):
    """How rows are written."""

    TABLE = "table"
    CSV = "csv"
    PARQUET = "parquet"
    JSON = "json"


FormatOption = Annotated[
    RowFormat, typer.Option("--format", help="A table for people; csv, parquet or JSON for programs.")
]
AtOption = Annotated[
    list[str] | None,
    typer.Option(
        "--at",
        metavar="NAME",
        help="Only at this node with its ports, or at this link, or at a group of them; may be repeated.",
        show_default=False,
    ),
]
FlowsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--flow",
        metavar="NAME",
        help="Only of this group of flows or calls, or of a member such as tcp[3]; may be repeated.",
        show_default=False,
    ),
]
SetOfOneOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="PATH=VALUE",
        help="Change a setting of the scenario; may be repeated. One value each, as there is one run.",
        show_default=False,
    ),
]
StartOption = Annotated[
    str | None, typer.Option("--start", metavar="TIME", help="Only from this instant on.", show_default=False)
]
StopOption = Annotated[
    str | None, typer.Option("--stop", metavar="TIME", help="Only until this instant.", show_default=False)
]
OutputOption = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        "--output",
        metavar="FILE",
        help="The file that is written, .csv or .parquet; standard output by default, but for parquet.",
        show_default=False,
    ),
]
LimitOption = Annotated[
    int,
    typer.Option("--limit", metavar="N", min=1, help="The most rows of a table; 50 by default.", show_default=False),
]
ReplicationOption = Annotated[
    int,
    typer.Option(
        "--replication",
        metavar="N",
        parser=whole_number,
        help="Which of the independent runs, counted from 0; the first by default.",
        show_default=False,
    ),
]


def form_of(form: RowFormat, output: Path | None) -> RowFormat:
    """The form that is asked for, which the name of a file says where nothing else does."""
    endings = {".csv": RowFormat.CSV, ".parquet": RowFormat.PARQUET}
    if form is not RowFormat.TABLE or output is None:
        return form
    return endings.get(output.suffix.lower(), form)


def refuse_files(form: RowFormat, output: Path | None) -> None:
    """Refuses a form without the file that it needs, and a file for one that has none."""
    from penstock.errors import InputError

    if form is RowFormat.PARQUET and output is None:
        raise InputError("a Parquet file needs a name: write --out FILE.")
    if form in (RowFormat.TABLE, RowFormat.JSON) and output is not None:
        raise InputError(
            f"--out is for csv and parquet, by the ending of its name or --format; leave it out, or {form.value}."
        )


def read_scenario(file: Path, subject: str) -> str:
    """The text of a scenario; a study is refused, since the `subject` is of one run."""
    from penstock.cli.files import read_text
    from penstock.errors import InputError
    from penstock.printable import path_text
    from penstock.studies.file import is_study

    text = read_text(file)
    if is_study(text):
        raise InputError(f"{path_text(str(file))} is a study; {subject} of one run: give its scenario, with --set.")
    return text


def write_rows(
    made: "RowStream",
    form: RowFormat,
    output: Path | None,
    limit: int,
    *,
    member: str,
    count: str,
    show: "Callable[[RowStream, int], None]",
) -> None:
    """Writes rows as they were asked for.

    Parameters
    ----------
    made : RowStream
        The rows.
    form, output, limit
        As the options say.
    member : str
        Where JSON has them.
    count : str
        What a row is, when they are counted.
    show : function
        Writes a table.
    """
    from penstock.cli.console import say
    from penstock.printable import path_text

    match form:
        case RowFormat.TABLE:
            show(made, limit)
        case RowFormat.JSON:
            _emit_json(made, member)
        case RowFormat.CSV if output is None:
            _emit_csv(made)
        case _:
            assert output is not None
            rows = made.write_csv(output) if form is RowFormat.CSV else made.write_parquet(output)
            say(f"{rows} {count} in {path_text(str(output))}.")


def show_rows(
    made: "RowStream",
    limit: int,
    *,
    cell: "Callable[[str, Any], str]",
    plain: "Callable[[pl.Series], bool]",
    empty: str,
) -> None:
    """The first rows as a table, without the columns that are empty, or `plain`, in all of them, and their origin."""
    import polars as pl

    from penstock.cli.console import show, table
    from penstock.printable import one_line
    from penstock.tabulation import made_from

    # One row more tells whether there are others.
    frame = next(made.row_frames(limit + 1), pl.DataFrame(schema=made.row_schema))
    shown = frame.head(limit)
    columns = [
        column.name for column in shown.iter_columns() if column.null_count() < shown.height and not plain(column)
    ]
    rows = [
        ["" if value is None else _cell(column, value, cell) for column, value in zip(columns, row, strict=True)]
        for row in shown.select(columns).iter_rows()
    ]
    titles = ["time (s)" if column == "time_ps" else column for column in columns]
    numbers = [title for title, column in zip(titles, columns, strict=True) if made.schema[column].is_numeric()]
    show(table(f"{one_line(made.name)}: replication {made.replication}, seed {made.seed}", titles, rows, right=numbers))
    if frame.height > limit:
        show("... and more: --limit shows more of them, --format csv or parquet all.")
    elif not frame.height:
        show(empty)
    show(made_from([made.provenance], []))


def _cell(column: str, value: Any, cell: "Callable[[str, Any], str]") -> str:
    return f"{value // 10**12}.{value % 10**12:012d}" if column == "time_ps" else cell(column, value)


def _emit_csv(made: "RowStream") -> None:
    """The header and all rows, a piece at a time."""
    from penstock.cli.console import emit

    for _, text in made.csv():
        emit(text)


def _emit_json(made: "RowStream", member: str) -> None:
    """One JSON object, a row on each line of its list."""
    from penstock.cli.console import emit
    from penstock.printable import json_text

    emit(json_text(made.made_from).rstrip().removesuffix("}").rstrip() + f',\n  "{member}": [')
    before = ""
    for frame in made.row_frames():
        emit(before + frame.write_ndjson().rstrip("\n").replace("\n", ",\n"))
        before = ","
    emit("]}")
