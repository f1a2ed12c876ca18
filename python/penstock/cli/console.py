"""Output of the command line: results to standard output, everything else to standard error."""

from __future__ import annotations

import logging
import os
import re
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from io import StringIO
from itertools import islice
from typing import TYPE_CHECKING, Any, TextIO, cast

from penstock.errors import InputError, PenstockError
from penstock.printable import one_line, printable, printable_lines

if TYPE_CHECKING:
    from rich.console import RenderableType

_COLOURS = re.compile(r"(\x1b\[[0-9;]*m)")
_MOST_ROWS = 50
_PIPE_WIDTH = 160
"""Columns without a terminal; wide enough that no number is broken."""


def say(message: str) -> None:
    """Writes a message to standard error; a closed terminal is no error."""
    with suppress(OSError):
        print(printable_lines(message), file=sys.stderr)


def warn(warnings: Sequence[str], kind: str = "warning") -> None:
    """Writes warnings, or messages of another kind, to standard error."""
    for warning in warnings:
        say(f"{kind}: {warning}")


def tell_for_libraries() -> None:
    """Shows warnings and log messages of libraries as ours: on one printable line, without positions in their code."""

    def show_warning(message: Warning | str, *_: object, **__: object) -> None:
        say(f"warning: {one_line(str(message))}")

    class Said(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            say(f"warning: {one_line(record.getMessage())}")

    warnings.showwarning = show_warning
    # The handler of loggers that have none.
    logging.lastResort = Said(logging.WARNING)


def emit(text: str) -> None:
    """Writes a result to standard output; a closed pipe ends the process. Raises PenstockError if writing fails."""
    with _written():
        print(printable_lines(text), end="" if text.endswith("\n") else "\n", flush=True)


def emit_bytes(content: bytes) -> None:
    """Writes bytes to standard output; raises as :func:`emit`."""
    with _written():
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()


def refuse_terminal(what: str) -> None:
    """Refuses to write a result of this kind to a terminal, before anything is run."""
    if sys.stdout is not None and sys.stdout.isatty():
        raise InputError(f"{what} is not text and is not shown on a terminal; redirect it with '> FILE'.")


@contextmanager
def _written() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        _leave_output()
        sys.exit(1)
    except OSError as error:
        _leave_output()
        raise PenstockError(
            f"standard output cannot be written: {error.strerror or error}; finished runs are kept."
        ) from None


def _leave_output() -> None:
    """Discards unwritten output, which the interpreter would otherwise try to write at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def show(*what: RenderableType) -> None:
    """Shows a result to people: with colours on a terminal, without trailing blanks elsewhere."""
    if not what:
        return
    if sys.stdout is not None and sys.stdout.isatty():
        from rich.console import Console

        terminal = Console(highlight=False, file=cast("TextIO", _Printable(sys.stdout)))
        for renderable in what:
            terminal.print(_plain(renderable))
        return
    text = "".join(_piped(renderable) for renderable in what)
    emit("".join(f"{line.rstrip()}\n" for line in text.splitlines()))


class _Printable:
    """A terminal that accepts colours and no other control sequence."""

    def __init__(self, terminal: TextIO) -> None:
        self._terminal = terminal

    def write(self, text: str) -> int:
        """Writes text; every second piece is a colour."""
        pieces = _COLOURS.split(text)
        pieces[::2] = map(printable_lines, pieces[::2])
        self._terminal.write("".join(pieces))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._terminal, name)


def _piped(renderable: RenderableType) -> str:
    """The text without a terminal."""
    if isinstance(renderable, PlainTable) and (lines := renderable.lines(_PIPE_WIDTH)) is not None:
        return "".join(f"{line}\n" for line in lines)
    from rich.console import Console

    text = StringIO()
    Console(file=text, highlight=False, width=_PIPE_WIDTH).print(_plain(renderable))
    return text.getvalue()


def _plain(renderable: RenderableType) -> RenderableType:
    """Text without markup: brackets in names of a scenario are plain text."""
    from rich.text import Text

    return Text(printable_lines(renderable)) if isinstance(renderable, str) else renderable


class PlainTable:
    """A title and a table without lines; the columns `right` are aligned right."""

    def __init__(
        self, title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[str] = ()
    ) -> None:
        self._title = printable(title)
        self._columns = [printable(column) for column in columns]
        self._rows = [[printable(cell) for cell in row] for row in rows]
        self._right = [printable(column) for column in right]

    def lines(self, width: int) -> list[str] | None:
        """The lines, or None if they do not fit or are not plain ASCII; faster than rich for thousands of rows."""
        if not all(cell.isascii() or "±" in cell for row in self._rows for cell in row):
            return None
        columns = list(zip(self._columns, *self._rows, strict=True))
        widths = [max(map(len, column)) for column in columns]
        if max(len(self._title), sum(widths) + 2 * len(widths)) > width or not self._title.isascii():
            return None
        if any("\n" in text for text in (self._title, *(cell for column in columns for cell in column))):
            return None
        ends = [str.rjust if name in self._right else str.ljust for name in self._columns]
        laid = [
            [place(cell, wide) for cell in column] for place, column, wide in zip(ends, columns, widths, strict=True)
        ]
        return [self._title, *map("  ".join, zip(*laid, strict=True))]

    def __rich__(self) -> RenderableType:
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        made = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
        for column in self._columns:
            made.add_column(column, justify="right" if column in self._right else "left")
        for row in self._rows:
            made.add_row(*map(Text, row))
        return Group(Text(self._title, style="bold"), made)


def titled(name: str, description: str | None) -> str:
    """The title of the results of a study or scenario."""
    return f"{one_line(name)}: {one_line(description)}" if description else one_line(name)


table = PlainTable


def show_first(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], total: int, of: str = "", *, right: Sequence[str]
) -> None:
    """Shows a table of the first 50 of `total` rows, and how many more there are; `of` is a noun for them."""
    show(PlainTable(title, columns, list(islice(rows, _MOST_ROWS)), right=right))
    if total > _MOST_ROWS:
        show(f"... and {total - _MOST_ROWS} more{of and ' '}{of}; --format json has all of them.")
