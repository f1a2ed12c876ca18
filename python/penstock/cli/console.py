"""What the command line says, and where: results to standard output, everything else to standard error."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console, RenderableType

__all__ = ["emit", "say", "show", "table", "warn"]

_PIPE_WIDTH = 160
"""Columns where there is no terminal to ask; wide enough that no number is broken."""


def say(message: str) -> None:
    """A message for people, on standard error."""
    print(message, file=sys.stderr)


def warn(warnings: Sequence[str]) -> None:
    """What a scenario probably does not mean, on standard error."""
    for warning in warnings:
        say(f"warning: {warning}")


def emit(text: str) -> None:
    """A result, exactly as it is, on standard output."""
    sys.stdout.write(text if text.endswith("\n") else text + "\n")


def show(*what: RenderableType) -> None:
    """A result laid out for people; coloured only on a terminal."""
    terminal = console()
    for renderable in what:
        terminal.print(renderable)


def console() -> Console:
    """Standard output as Rich sees it."""
    from rich.console import Console

    return Console(highlight=False, width=None if sys.stdout.isatty() else _PIPE_WIDTH)


def table(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[str] = ()
) -> RenderableType:
    """A plain table; the columns in `right` hold numbers."""
    from rich.console import Group
    from rich.markup import escape
    from rich.table import Table
    from rich.text import Text

    made = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for column in columns:
        made.add_column(column, justify="right" if column in right else "left")
    for row in rows:
        made.add_row(*(escape(cell) for cell in row))
    return Group(Text(title, style="bold"), made)
