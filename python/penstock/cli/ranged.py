"""Outputs of the verbs with ranges of parameters: ``screen`` and ``search``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from penstock.cli.console import say, warn
from penstock.cli.frames import check_format, emit_frame, emit_result, format_of
from penstock.memory import allow
from penstock.plots import check_endings, save
from penstock.printable import path_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import polars as pl

    from penstock.cli.options import FrameFormat
    from penstock.plots.canvas import Picture


class RangedResult(Protocol):
    """Result of a sensitivity study or a search."""

    @property
    def warnings(self) -> list[str]:
        """Reasons for caution."""
        ...

    def frame(self) -> pl.DataFrame:
        """The numbers as a frame."""
        ...

    def json(self) -> str:
        """The JSON form."""
        ...

    def plot(self) -> Picture:
        """A plot."""
        ...


Result = TypeVar("Result", bound=RangedResult)


def check_outputs(
    output: FrameFormat, out: Path | None, plots: Sequence[Path], memory: int | None, *, dry_run: bool
) -> FrameFormat:
    """Checks formats and pictures before anything is run, sets the memory limit, and returns the format.

    Raises InputError if one of them cannot be written.
    """
    output = format_of(output, out)
    check_format(output, dry_run=dry_run, out=out)
    check_endings(plots)
    allow(memory)
    return output


def show_ranged(
    result: Result, output: FrameFormat, out: Path | None, plots: Sequence[Path], show_table: Callable[[Result], None]
) -> None:
    """Writes the pictures, and the result in its format."""
    warn(result.warnings)
    for each in plots:
        save(result.plot(), each)
        say(f"{path_text(each)}: written.")
    if output in ("csv", "parquet"):
        emit_frame(result.frame(), output, out)
    elif output == "json":
        emit_result(result.json(), out)
    else:
        show_table(result)
