"""Outputs that traces, time series and views share."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from penstock._core import Scenario
from penstock.cli.console import emit, say, show, table, warn
from penstock.cli.cores import cores_told
from penstock.cli.files import read_scenario, require_folder
from penstock.cli.options import FrameFormat, read_sets
from penstock.errors import InputError
from penstock.printable import json_text, one_line, path_text
from penstock.rows import RowStream
from penstock.tabulation import made_from

if TYPE_CHECKING:
    import polars as pl


def form_of(form: FrameFormat, file: Path, output: Path | None) -> FrameFormat:
    """The format of --format, else of the file's ending. Raises InputError if the format and the file do not fit."""
    if form == "table" and output is not None:
        endings: dict[str, FrameFormat] = {".csv": "csv", ".parquet": "parquet"}
        form = endings.get(output.suffix.lower(), form)
    if form == "parquet" and output is None:
        raise InputError("a Parquet file needs a name: write --out FILE.")
    if form in ("table", "json") and output is not None:
        raise InputError(
            f"--out is for csv and parquet, by the ending of its name or --format; leave it out, or {form}."
        )
    if output is not None:
        require_folder(output, file)
    return form


class OneRun(NamedTuple):
    """A run of a scenario: the text of its file, the scenario (with the arrivals of a log) or its text, and options."""

    text: str
    scenario: str | Scenario
    options: dict[str, Any]

    def tell(self, made: RowStream, *, is_plain: bool = False) -> None:
        """Writes the warnings of a trace or time series, and why it uses fewer cores than it may."""
        warn(made.warnings)
        with cores_told(self.options["threads"]) as cores:
            cores.note(made.name, self.text, lambda: made.scenario, is_plain=is_plain)


def one_run(
    file: Path,
    subject: str,
    sets: list[str] | None,
    log: Path | None,
    *,
    seed: int | None,
    replication: int,
    threads: int,
) -> OneRun:
    """The run that the options of a verb name; messages call its rows `subject`, as :func:`read_scenario` does."""
    text, settings = read_scenario(file, subject), read_sets(sets)
    run = {"folder": str(file.parent), "sets": settings, "seed": seed, "replication": replication, "threads": threads}
    if log is None:
        return OneRun(text, text, run)
    from penstock.emulation.opened import opened

    return OneRun(text, opened(file, text, settings, seed=seed, log=log).asked.scenario, run)


def write_rows(
    made: RowStream,
    form: FrameFormat,
    output: Path | None,
    limit: int,
    *,
    member: str,
    count: str,
    cell: Callable[[str, Any], str],
    plain: Callable[["pl.Series"], bool],
    empty: str,
) -> None:
    """Writes rows in a format; `member` is their key in JSON, and `count` the noun for a number of rows.

    A table shows the texts of `cell`, without columns that are empty or `plain` in all rows; without rows, `empty`.
    """
    match form:
        case "table":
            _show_rows(made, limit, cell, plain, empty)
        case "json":
            emit(json_text(made.made_from).rstrip().removesuffix("}").rstrip() + f',\n  "{member}": [')
            for number, frame in enumerate(made.row_frames()):
                emit("," * (number > 0) + frame.write_ndjson().rstrip("\n").replace("\n", ",\n"))
            emit("]}")
        case "csv" if output is None:
            for _, text in made.csv():
                emit(text)
        case _:
            assert output is not None
            rows = made.write_csv(output) if form == "csv" else made.write_parquet(output)
            say(f"{rows} {count} in {path_text(str(output))}.")


def _show_rows(
    made: RowStream, limit: int, cell: Callable[[str, Any], str], plain: Callable[["pl.Series"], bool], empty: str
) -> None:
    """Shows the first rows as a table, with their origin."""
    import polars as pl

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


def _cell(column: str, value: Any, cell: Callable[[str, Any], str]) -> str:
    return f"{value // 10**12}.{value % 10**12:012d}" if column == "time_ps" else cell(column, value)
