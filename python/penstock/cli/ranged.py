"""What the verbs that look through ranges of parameters share: ``screen`` and ``search``."""

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

__all__ = ["RangedResult", "check_outputs", "show_ranged"]


class RangedResult(Protocol):
    """What came of looking through ranges."""

    @property
    def warnings(self) -> list[str]:
        """What is to be known before it is believed."""
        ...

    def frame(self) -> pl.DataFrame:
        """Its numbers in rows."""
        ...

    def json(self) -> str:
        """All of it for programs."""
        ...

    def plot(self) -> Picture:
        """A picture of it."""
        ...


Result = TypeVar("Result", bound=RangedResult)


def check_outputs(
    output: FrameFormat, out: Path | None, plots: Sequence[Path], memory: int | None, *, dry_run: bool
) -> FrameFormat:
    """Refuses formats and pictures before anything is run, and allows the runs their memory; returns the format.

    Raises
    ------
    InputError
        If one of them cannot be written.
    """
    output = format_of(output, out)
    check_format(output, dry_run=dry_run, out=out)
    check_endings(plots)
    allow(memory)
    return output


def show_ranged(
    result: Result,
    output: FrameFormat,
    out: Path | None,
    plots: Sequence[Path],
    show_table: Callable[[Result], None],
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
