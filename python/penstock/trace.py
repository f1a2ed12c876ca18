"""Traces: every event of a run, as frames, Parquet or CSV, and captures of what links transmit.

A trace goes through memory in pieces of :data:`ROWS` rows, however long it is; only :meth:`RowStream.frame` holds
all of it.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from queue import Empty, Full, Queue
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from penstock import _core
from penstock.errors import InputError, PenstockError, ScenarioError
from penstock.memory import require
from penstock.printable import path_text, utf8

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import polars as pl

    Names = str | Sequence[str]

__all__ = ["ROWS", "PacketTrace", "RowStream"]

ROWS = 1 << 17
"""Rows of each piece, and of each row group of a Parquet file."""

CAPTURED = 1 << 24
"""Bytes of captures that are in memory before they are written."""

_AHEAD = 2
"""Pieces that may wait to be written while the run goes on."""

_TICK = 0.1
"""Seconds between two looks at whether the other side is still there."""


class RowStream:
    """Rows that a run hands over in batches, to be read once."""

    def __init__(self, rows: _core.Trace | _core.Series, cancel: _core.Cancel) -> None:
        self._rows = rows
        self._cancel = cancel

    @property
    def schema(self) -> pl.Schema:
        """The columns and their types."""
        import polars as pl

        kinds: dict[str, pl.DataType] = {
            "integer": pl.Int64(),
            "natural": pl.UInt32(),
            "small": pl.UInt8(),
            "switch": pl.Boolean(),
            "float": pl.Float64(),
        }
        return pl.Schema(
            {name: pl.Enum(words) if kind == "word" else kinds[kind] for name, kind, words in self._rows.columns}
        )

    def frames(self, rows: int = ROWS) -> Iterator[pl.DataFrame]:
        """The rows in frames of so many rows; the last may have fewer."""
        make = _Frames(self._rows.columns, self.schema)
        while (batch := self._rows.next_batch(rows)) is not None:
            yield make(batch[1])

    def frame(self) -> pl.DataFrame:
        """All rows, in memory."""
        import polars as pl

        return pl.concat([pl.DataFrame(schema=self.schema), *self.frames()])

    def write_parquet(self, path: str | Path) -> int:
        """Writes the rows into a Parquet file; returns how many there are.

        Raises
        ------
        PenstockError
            If the file cannot be written; what there is of it is removed.
        """
        from polars.io.plugins import register_io_source

        def write(pieces: Callable[[], Iterator[pl.DataFrame]]) -> None:
            source = register_io_source(lambda *_: pieces(), schema=self.schema)
            source.sink_parquet(path, compression="lz4", row_group_size=ROWS, statistics=False)

        return _into_file(path, lambda: self._handed_over(write))

    def write_csv(self, path: str | Path) -> int:
        """Writes the rows into a CSV file; returns how many there are.

        Raises
        ------
        PenstockError
            If the file cannot be written; what there is of it is removed.
        """

        def write() -> int:
            events = 0
            with Path(path).open("wb") as file:
                file.write((",".join(self.schema) + "\n").encode())
                for frame in self.frames():
                    frame.write_csv(file, include_header=False)
                    events += frame.height
            return events

        return _into_file(path, write)

    def _handed_over(self, write: Callable[[Callable[[], Iterator[pl.DataFrame]]], None]) -> int:
        """Lets another thread write the pieces while this one, which is told of interruptions, makes the next.

        The writer's exception, if it has one, is raised here.
        """
        make = _Frames(self._rows.columns, self.schema)
        queue: Queue[list[bytes] | None] = Queue(_AHEAD)
        given_up = Event()
        failed: list[BaseException] = []

        def pieces() -> Iterator[pl.DataFrame]:
            while not given_up.is_set():
                with suppress(Empty):
                    piece = queue.get(timeout=_TICK)
                    if piece is None:
                        return
                    yield make(piece)
            raise InterruptedError("the trace was given up")

        def work() -> None:
            try:
                write(pieces)
            except BaseException as error:  # whatever it is, it is told by the thread that asked
                failed.append(error)

        def put(piece: list[bytes] | None) -> bool:
            while writer.is_alive():
                with suppress(Full):
                    queue.put(piece, timeout=_TICK)
                    return True
            return False

        writer = Thread(target=work, name="penstock-trace", daemon=True)
        writer.start()
        events = 0
        try:
            while (batch := self._rows.next_batch(ROWS)) is not None and put(batch[1]):
                events += batch[0]
            put(None)
        except BaseException:
            self._cancel.set()
            given_up.set()
            writer.join()
            raise
        writer.join()
        if failed:
            raise failed[0]
        return events


class PacketTrace(RowStream):
    """A run whose events can be read once, in the order of time.

    Parameters
    ----------
    scenario : str
        The scenario's TOML text.
    name : str
        What it is called in messages.
    folder : str, optional
        Where the files that it names are.
    sets : sequence of (str, str)
        Settings changed after reading, as path and value.
    seed : int, optional
        Root of the random streams; the scenario's own if left out.
    replication : int
        Which of the independent runs, from 0.
    at : str or sequence of str, optional
        Nodes, links or groups of them. A node has the ports of the links that begin there.
    flows : str or sequence of str, optional
        Groups of flows or calls, or members such as ``"tcp[3]"``.
    events : str or sequence of str, optional
        ``send``, ``accept``, ``mark``, ``drop``, ``transmit``, ``receive``, ``timer``, ``window``.
    start, stop : str, s, optional
        When the trace begins and ends, both inclusive.
    executor : {"horizon", "plain"}
        In which order the engine works; the trace is the same.
    threads : int
        How many cores the run may use; the trace is the same.

    Raises
    ------
    ScenarioError
        If the scenario has mistakes, or what is asked for does not exist.

    Notes
    -----
    If any of `at`, `flows`, `events`, `start` and `stop` is given, they stand in the place of the scenario's
    ``[[trace]]``.
    """

    def __init__(
        self,
        scenario: str,
        *,
        name: str = "scenario",
        folder: str | None = None,
        sets: Sequence[tuple[str, str]] = (),
        seed: int | None = None,
        replication: int = 0,
        at: Names | None = None,
        flows: Names | None = None,
        events: Names | None = None,
        start: str | None = None,
        stop: str | None = None,
        executor: str = "horizon",
        threads: int = 1,
    ) -> None:
        try:
            read = _core.Scenario(scenario, utf8(name), list(sets), folder)
        except _core.ScenarioError as error:
            raise ScenarioError(error.mistakes) from None
        require([(name, read.memory)], 1)
        self.warnings: list[str] = read.warnings
        self.seed: int = read.seed if seed is None else seed
        self.replication = replication
        cancel = _core.Cancel()
        lists = {"at": at, "flows": flows, "events": events}
        options: list[tuple[str, str | list[str]]] = [
            (key, [names] if isinstance(names, str) else list(names))
            for key, names in lists.items()
            if names is not None
        ]
        options += [(key, text) for key, text in (("start", start), ("stop", stop)) if text is not None]
        try:
            self._trace = _core.Trace(read, self.seed, replication, options, cancel, executor, threads)
        except _core.ScenarioError as error:
            raise ScenarioError(option_mistake(name, "trace", line) for line in str(error).splitlines()) from None
        super().__init__(self._trace, cancel)

    def write_pcapng(self, folder: str | Path) -> dict[str, int]:
        """Writes what links transmit into a folder, as a capture ``LINK.pcapng`` for each link that transmits anything.

        Of what the trace keeps, places, flows and times count, and kinds of events do not.

        Returns
        -------
        dict of str to int
            How many packets each link's capture has.

        Raises
        ------
        InputError
            If the folder is a file.
        PenstockError
            If a file cannot be written; what there is of the captures is removed.
        """
        return _Captures(Path(folder)).write(self._trace)


class _Frames:
    """Makes frames of the core's columns."""

    def __init__(self, columns: Sequence[tuple[str, str, list[str]]], schema: pl.Schema) -> None:
        import numpy as np

        kinds: dict[str, Any] = {
            "integer": np.int64,
            "natural": np.uint32,
            "small": np.uint8,
            "switch": np.uint8,
            "float": np.float64,
            "word": np.uint32,
        }
        self._columns = [(name, kind, kinds[kind]) for name, kind, _ in columns]
        self._schema = schema

    def __call__(self, values: Sequence[bytes]) -> pl.DataFrame:
        import numpy as np
        import polars as pl

        raw = pl.DataFrame(
            [
                pl.Series(name, np.frombuffer(data, dtype))
                for (name, _, dtype), data in zip(self._columns, values, strict=True)
            ]
        )
        return raw.select(self._value(name, kind) for name, kind, _ in self._columns)

    def _value(self, name: str, kind: str) -> pl.Expr:
        """A column whose largest number, or not a number, stands for nothing."""
        import polars as pl

        column = pl.col(name)
        match kind:
            case "natural":
                return pl.when(column != 2**32 - 1).then(column)
            case "small":
                return pl.when(column != 2**8 - 1).then(column)
            case "word":
                return pl.when(column != 2**32 - 1).then(column).cat.to(self._schema[name])
            case "switch":
                return column.cast(pl.Boolean)
            case "float":
                return column.fill_nan(None)
        return column


class _Captures:
    """The captures in a folder, which are whole in the end or not there."""

    def __init__(self, folder: Path) -> None:
        if folder.exists() and not folder.is_dir():
            raise InputError(f"{path_text(str(folder))} is a file; give the name of a folder.")
        self._folder = folder
        self._packets: dict[str, int] = {}

    def write(self, trace: _core.Trace) -> dict[str, int]:
        """Writes all of them; returns how many packets each has."""
        is_new = not self._folder.exists()
        path = self._folder
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            while parts := trace.next_captures(CAPTURED):
                for link, packets, data in parts:
                    path = self._path(link)
                    mode = "ab" if link in self._packets else "wb"
                    self._packets[link] = self._packets.get(link, 0) + packets
                    with path.open(mode) as file:
                        file.write(data)
        except BaseException as error:
            self._remove(with_folder=is_new)
            if isinstance(error, OSError):
                raise _cannot_be_written(path, error) from None
            raise
        return self._packets

    def _path(self, link: str) -> Path:
        return self._folder / f"{link}.pcapng"

    def _remove(self, *, with_folder: bool) -> None:
        for link in self._packets:
            with suppress(OSError):
                self._path(link).unlink(missing_ok=True)
        if with_folder:
            with suppress(OSError):
                self._folder.rmdir()


def option_mistake(name: str, section: str, line: str) -> _core.Mistake:
    """What the core says of an option: its key and what is wrong."""
    key, _, message = line.partition(": ")
    return {"file": name, "line": None, "path": f"{section}.{key}", "message": message}


def _into_file(name: str | Path, write: Callable[[], int]) -> int:
    """Writes a file; one that cannot be written as a whole is removed."""
    import polars as pl

    path = Path(name)
    if path.is_dir():
        raise InputError(f"{path_text(str(path))} is a folder; give the name of a file.")
    try:
        try:
            return write()
        except BaseException as error:
            _remove(path)
            if isinstance(error, (OSError, pl.exceptions.PolarsError)):
                raise _cannot_be_written(path, error) from None
            raise
    except KeyboardInterrupt:
        # Where polars was at work, it and Python each tell of one interruption: the second may come before the removal.
        _remove(path)
        raise


def _remove(path: Path) -> None:
    if path.is_file() or path.is_symlink():
        with suppress(OSError):
            path.unlink()


def _cannot_be_written(path: Path, error: Exception) -> PenstockError:
    why = (error.strerror if isinstance(error, OSError) else None) or str(error).splitlines()[0]
    return PenstockError(f"{path_text(str(path))} cannot be written: {why}; finished runs are kept.")
