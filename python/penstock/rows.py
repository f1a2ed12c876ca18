"""Rows that a run delivers piece by piece while it proceeds (traces and time series), as frames, Parquet or CSV."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from penstock import _core
from penstock.errors import ArgumentError, InputError, PenstockError, ScenarioError, core_faults, numbers_of_run
from penstock.memory import require
from penstock.printable import json_text, path_text, printable, utf8
from penstock.processors import usable
from penstock.provenance import Provenance
from penstock.whole_file import whole_file

if TYPE_CHECKING:
    import polars as pl

Names = str | Sequence[str]

_T = TypeVar("_T")

ROWS = 1 << 17  # rows per piece, and per row group of a Parquet file

CSV_ROWS = 1 << 14  # rows per piece of text; a row has about 200 bytes


_KINDS: dict[str, tuple[str, int | None, str]] = {
    **{"integer": ("i8", None, "Int64"), "float": ("f8", None, "Float64"), "switch": ("u1", None, "Boolean")},
    **{"natural": ("u4", 2**32 - 1, "UInt32"), "small": ("u1", 2**8 - 1, "UInt8")},
    **{f"word{bits}": (f"u{bits // 8}", 2**bits - 1, "") for bits in (8, 16, 32)},
}
"""NumPy types of the core's columns by kind, the number that stands for null, and the type in a frame."""


class RowStream:
    """Rows that a run delivers in batches, to be read once.

    Parameters
    ----------
    scenario : str or Scenario
        TOML text of the scenario, or one that was read with these settings.
    options : dict of str to str, bool or sequence of str
        Keys of the section and their values; None leaves one out.
    name : str
        Name of the scenario in messages.
    folder : str, optional
        Folder of the files that it names.
    sets : sequence of (str, str)
        Settings changed after reading, as path and value.
    seed : int, optional
        Root of the random streams; by default the scenario's own.
    replication : int
        Number of the run, from 0.
    executor : {"horizon", "plain"}
        Order in which the engine works; the rows are the same.
    threads : int
        Number of cores; the rows are the same.

    Attributes
    ----------
    provenance : penstock.provenance.Provenance
        What the run is made from.

    Raises
    ------
    ScenarioError
        If the scenario has mistakes, or an option names what does not exist.
    """

    section: ClassVar[str]
    """The scenario's list of tables that selects the rows."""

    _of_core: ClassVar[type[_core.Trace | _core.Series]]
    _made_with: tuple[str | None, dict[str, Any]]
    _is_begun = _is_over = False  # whether anything has been read, and whether the end has

    def __init__(
        self,
        scenario: str | _core.Scenario,
        options: Mapping[str, Names | bool | None],
        *,
        name: str = "scenario",
        folder: str | None = None,
        sets: Sequence[tuple[str, str]] = (),
        seed: int | None = None,
        replication: int = 0,
        executor: str = "horizon",
        threads: int = 1,
    ) -> None:
        run = {"name": name, "folder": folder, "sets": list(sets), "seed": seed, "replication": replication}
        text = scenario if isinstance(scenario, str) else None
        if isinstance(scenario, str):
            with core_faults():
                scenario = _core.Scenario(scenario, utf8(name), list(sets), folder)
        read = scenario
        require([(name, read.memory)], 1)
        given = [(key, _words(key, value)) for key, value in options.items() if value is not None]
        self._check(read, name, bool(given))
        self._made_with = text, {**dict(given), **run, "executor": executor, "threads": threads}
        self.scenario = read
        self.warnings: list[str] = read.warnings
        self.seed, self.replication = numbers_of_run(read.seed if seed is None else seed, replication)
        self.name = Path(name).stem
        warm_up, duration = read.window
        self.provenance = Provenance(dict(sets), duration, warm_up, self.seed, self.replication)
        self._cancel = _core.Cancel()
        try:
            of = (read, self.seed, self.replication, given, self._cancel, executor, usable(threads))
            self._rows = self._of_core(*of, list(self._constants.items()))
        except _core.ScenarioError as error:
            lines = (line.partition(": ") for line in str(error).splitlines())
            raise ScenarioError(
                {"file": name, "line": None, "path": f"{self.section}.{key}", "message": why} for key, _, why in lines
            ) from None

    def __reduce__(self) -> tuple[Any, ...]:
        text, options = self._made_with
        if self._is_begun:
            raise ArgumentError("rows that have been read cannot be pickled or copied: use frame(), which can.")
        if text is None:
            raise ArgumentError("rows of a Scenario cannot be pickled or copied: make them from its TOML text.")
        return partial(type(self), text, **options), ()

    def _check(self, read: _core.Scenario, name: str, is_asked: bool) -> None:
        """Raises an error if the scenario does not allow such rows."""

    @property
    def schema(self) -> pl.Schema:
        """The columns and their types: a row's, then what the run was made from."""
        import polars as pl

        kinds = {**Provenance.columns(), "replication": pl.UInt64}
        # One number of 32 bits for each row, where they are not kept as the one value that they are.
        about = {
            name: pl.Categorical() if kinds.get(name, pl.String) == pl.String else kinds[name]
            for name in self._constants
        }
        return pl.Schema({**self.row_schema, **about})

    @property
    def row_schema(self) -> pl.Schema:
        """The columns of a row alone and their types."""
        import polars as pl

        columns = ((name, _KINDS[kind][2], words) for name, kind, words in self._rows.columns)
        return pl.Schema({name: getattr(pl, own)() if own else pl.Enum(words) for name, own, words in columns})

    @property
    def made_from(self) -> dict[str, Any]:
        """The scenario's name and what the run was made from, for JSON and the metadata of Parquet files."""
        about = self.provenance.data()
        replication = about.pop("first_replication")
        return {"scenario": self.name, **about, "replication": replication}

    @property
    def _constants(self) -> dict[str, Any]:
        """What the run was made from, as columns; settings are the text of a JSON object."""
        about = {**self.made_from, "scenario": printable(self.name)}
        return {**about, "settings": json_text(self.provenance.settings, indent=None)}

    def frames(self, rows: int = ROWS) -> Iterator[pl.DataFrame]:
        """Yields frames of `rows` rows; the last may have fewer."""
        yield from map(self._with_constants, self.row_frames(rows))

    def row_frames(self, rows: int = ROWS) -> Iterator[pl.DataFrame]:
        """Yields the same frames without what the run was made from."""
        import polars as pl

        if rows < 1:
            raise ArgumentError(f"rows: {rows} is no number of rows of a frame; at least 1.")
        columns, schema = self._rows.columns, self.row_schema
        parts: list[pl.DataFrame] = []
        left = rows
        while (batch := self._next(self._rows.next_batch, min(left, ROWS))) is not None:
            parts.append(_frame(columns, schema, batch[1]))
            left -= batch[0]
            if left == 0:
                yield pl.concat(parts)
                parts, left = [], rows
        if parts:
            yield pl.concat(parts)

    def _next(self, read: Callable[[int], _T | None], rows: int) -> _T | None:
        """The next piece of the run. Raises PenstockError if a user's component fails, InputError after the end."""
        self._refuse_again(self._is_over)
        self._is_begun = True
        with core_faults():
            piece = read(rows)
        self._is_over = not piece
        return piece

    def _refuse_again(self, is_read: bool) -> None:
        if is_read:
            raise InputError("the rows of this run have been read; make another trace or series.")

    def _with_constants(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The rows with what the run was made from, which the frame stores once per column."""
        import polars as pl

        schema = self.schema
        return frame.with_columns(pl.lit(value, schema[name]).alias(name) for name, value in self._constants.items())

    def close(self) -> None:
        """Stops the run."""
        self._cancel.set()

    def frame(self) -> pl.DataFrame:
        """Returns all rows in memory."""
        import polars as pl

        return self._with_constants(pl.concat([pl.DataFrame(schema=self.row_schema), *self.row_frames()]))

    def csv(self) -> Iterator[tuple[int, str]]:
        """Yields the rows as CSV in pieces, with the number of rows of each; the header is first."""
        import polars as pl

        yield 0, ",".join(self.schema) + "\n"
        # The values that all rows share become text once, as the end of each line.
        constants = self._with_constants(pl.DataFrame({"": [None]})).drop("")
        end = "," + constants.write_csv(include_header=False)
        for frame in self.row_frames(CSV_ROWS):
            yield frame.height, frame.write_csv(include_header=False, line_terminator=end)

    def write_parquet(self, path: str | Path) -> int:
        """Writes the rows into a Parquet file, and returns their number.

        The metadata entry ``penstock`` is JSON that says what the run was made from. Raises PenstockError if the file
        cannot be written; an existing file stays as it was.
        """
        events = 0
        with _written(path) as file:
            while (part := self._next(self._rows.next_row_group, ROWS)) is not None:
                events += part[0]
                file.write(part[1])
            about = ("penstock", json_text(self.made_from, indent=None))
            file.write(self._rows.end_parquet([*_types_for_readers(self.schema), about]))
        return events

    def write_csv(self, path: str | Path) -> int:
        """Writes the rows into a CSV file as :meth:`write_parquet` does, and returns their number."""
        events = 0
        with _written(path) as file:
            for rows, text in self.csv():
                file.write(text.encode())
                events += rows
        return events


def _words(key: str, value: Names | bool) -> str | bool | list[str]:
    """The value of an option for the core. Raises ArgumentError if it is no text or list of texts."""
    if isinstance(value, (str, bool)):
        return value
    words = list(value) if isinstance(value, Iterable) else [value]
    if not all(isinstance(word, str) for word in words):
        raise ArgumentError(f"{key}: needs a text, such as '10 ms' or a name, or a list of names, not {value!r}.")
    return words


def _types_for_readers(schema: pl.Schema) -> list[tuple[str, str]]:
    """The metadata of a Parquet file by which polars and Arrow restore the types of its columns."""
    import polars as pl

    file = BytesIO()
    pl.DataFrame(schema=schema).write_parquet(file)
    file.seek(0)
    return list(pl.read_parquet_metadata(file).items())


def _frame(columns: Sequence[tuple[str, str, list[str]]], schema: pl.Schema, values: Sequence[bytes]) -> pl.DataFrame:
    """The core's columns as a frame; the largest number of some kinds, and NaN, stand for null."""
    import numpy as np
    import polars as pl

    def column(name: str, kind: str) -> pl.Expr:
        one, none = pl.col(name), _KINDS[kind][1]
        if none is not None:
            # Arrow rejects codes that no word has, also under a null.
            known = pl.when(one != none).then(pl.when(one != none).then(one).otherwise(0))
            return known.cat.to(schema[name]) if kind.startswith("word") else known
        return one.cast(pl.Boolean) if kind == "switch" else one.fill_nan(None) if kind == "float" else one

    raw = [
        pl.Series(name, np.frombuffer(data, _KINDS[kind][0]))
        for (name, kind, _), data in zip(columns, values, strict=True)
    ]
    return pl.DataFrame(raw).select(column(name, kind) for name, kind, _ in columns)


@contextmanager
def _written(name: str | Path) -> Iterator[Any]:
    """A file that is written completely or not at all; an error names it."""
    import polars as pl

    path = Path(name)
    if path.is_dir():
        raise InputError(f"{path_text(str(path))} is a folder; give the name of a file.")
    try:
        with whole_file(path) as file:
            yield file
    except (OSError, pl.exceptions.PolarsError) as error:
        raise cannot_be_written(path, error) from None


def cannot_be_written(path: Path, error: Exception) -> PenstockError:
    """Returns the error for a file that could not be written."""
    why = (error.strerror if isinstance(error, OSError) else None) or str(error).splitlines()[0]
    return PenstockError(f"{path_text(str(path))} cannot be written: {why}.")
