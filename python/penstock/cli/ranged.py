"""Checks and outputs of the verbs with ranges of parameters: ``screen`` and ``search``."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from penstock.cli.console import say, show
from penstock.cli.files import check_format, format_of
from penstock.cli.options import FrameFormat
from penstock.memory import allow
from penstock.plots import check_endings, save
from penstock.printable import one_line, path_text
from penstock.studies.ranges import Range

if TYPE_CHECKING:
    from penstock.plots.canvas import Picture


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


def save_plots(picture: Callable[[], "Picture"], files: Sequence[Path]) -> None:
    """Draws the picture in each file."""
    for each in files:
        save(picture(), each)
        say(f"{path_text(each)}: written.")


def show_ranges(ranges: Mapping[str, Range], names: list[str]) -> None:
    """Shows the ranges."""
    told = (
        f"{name} {each.text}{' (rounded to whole numbers)' * each.is_whole}"
        for name, (_, each) in zip(names, ranges.items(), strict=True)
    )
    show(f"ranges: {one_line('; '.join(told))}.")
