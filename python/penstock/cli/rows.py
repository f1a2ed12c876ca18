"""Outputs that traces, time series and views share."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import polars as pl

    from penstock._core import Scenario
    from penstock.cli.options import FrameFormat
    from penstock.rows import RowStream


def form_of(form: "FrameFormat", output: Path | None) -> "FrameFormat":
    """The format of rows: that of --format, else that of the file's ending."""
    if form != "table" or output is None:
        return form
    endings: dict[str, FrameFormat] = {".csv": "csv", ".parquet": "parquet"}
    return endings.get(output.suffix.lower(), form)


def refuse_files(form: "FrameFormat", output: Path | None) -> None:
    """Refuses Parquet without a file, and a file for a table or JSON."""
    from penstock.errors import InputError

    if form == "parquet" and output is None:
        raise InputError("a Parquet file needs a name: write --out FILE.")
    if form in ("table", "json") and output is not None:
        raise InputError(
            f"--out is for csv and parquet, by the ending of its name or --format; leave it out, or {form}."
        )


def read_scenario(file: Path, subject: str) -> str:
    """The text of a scenario; refuses a study, because the `subject` is of one run."""
    from penstock.cli.files import read_text
    from penstock.errors import InputError
    from penstock.printable import path_text
    from penstock.studies.file import is_study

    text = read_text(file)
    if is_study(text):
        raise InputError(f"{path_text(str(file))} is a study; {subject} of one run: give its scenario, with --set.")
    return text


def replayed(
    file: Path, text: str, log: Path | None, sets: "Sequence[tuple[str, str]]", seed: int | None
) -> "str | Scenario":
    """The scenario with the arrivals of a log; its text without one."""
    if log is None:
        return text
    from penstock.emulation.opened import opened, read_log

    return opened(file, text, sets, seed=seed, log=read_log(log)).asked.scenario


def write_rows(
    made: "RowStream",
    form: "FrameFormat",
    output: Path | None,
    limit: int,
    *,
    member: str,
    count: str,
    show: "Callable[[RowStream, int], None]",
) -> None:
    """Writes rows in a format; `form`, `output` and `limit` are values of the options.

    `member` is their key in JSON, `count` the noun for a number of rows, and `show` writes a table.
    """
    from penstock.cli.console import say
    from penstock.printable import path_text

    match form:
        case "table":
            show(made, limit)
        case "json":
            _emit_json(made, member)
        case "csv" if output is None:
            _emit_csv(made)
        case _:
            assert output is not None
            rows = made.write_csv(output) if form == "csv" else made.write_parquet(output)
            say(f"{rows} {count} in {path_text(str(output))}.")


def show_rows(
    made: "RowStream",
    limit: int,
    *,
    cell: "Callable[[str, Any], str]",
    plain: "Callable[[pl.Series], bool]",
    empty: str,
) -> None:
    """Shows the first rows as a table with their origin, without columns that are empty or `plain` in all rows."""
    import polars as pl

    from penstock.cli.console import show, table
    from penstock.printable import one_line
    from penstock.tabulation import made_from

    # One more row than is shown, to know if there are others.
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
    """Writes the header and all rows in batches."""
    from penstock.cli.console import emit

    for _, text in made.csv():
        emit(text)


def _emit_json(made: "RowStream", member: str) -> None:
    """Writes one JSON object with a row per line."""
    from penstock.cli.console import emit
    from penstock.printable import json_text

    emit(json_text(made.made_from).rstrip().removesuffix("}").rstrip() + f',\n  "{member}": [')
    before = ""
    for frame in made.row_frames():
        emit(before + frame.write_ndjson().rstrip("\n").replace("\n", ",\n"))
        before = ","
    emit("]}")
