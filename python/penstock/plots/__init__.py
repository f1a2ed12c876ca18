"""Pictures of results: one grammar for lines, bars, distributions, series over time, heat maps and boxes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from penstock.errors import InputError, PenstockError
from penstock.plots.data import Data, from_frame
from penstock.plots.request import ENDINGS, PlotRequest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import polars as pl

    from penstock.plots.canvas import Picture

__all__ = ["check_endings", "picture", "plot", "request_of", "save"]


def plot(frame: pl.DataFrame, **asked: Any) -> Picture:
    """Draws a frame: one of results, or any with columns of numbers, such as one over time.

    Parameters
    ----------
    frame : polars.DataFrame
        Of results (columns ``metric`` and ``mean``), of single observations (``metric`` and ``value``), or with a
        column for each number.
    **asked
        As of :meth:`penstock.studies.result.StudyResult.plot`.

    Returns
    -------
    matplotlib.figure.Figure
        Its ``savefig`` writes the same bytes for the same numbers.

    Raises
    ------
    InputError
        If a column or number does not exist, or there is nothing to plot.
    """
    return picture(from_frame(frame), request_of(**asked))


def picture(data: Data, request: PlotRequest) -> Picture:
    """The picture of some numbers.

    Raises
    ------
    InputError
        If what is asked for does not suit them.
    PenstockError
        If matplotlib is not installed.
    """
    from penstock.plots.chart import chart_of

    chart = chart_of(data, request)
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise PenstockError("plots need matplotlib, which is not installed: pip install matplotlib.") from None
    from penstock.plots.canvas import draw

    return draw(chart, request)


def request_of(
    kind: str | None = None,
    *,
    x: str | None = None,
    y: str | Sequence[str] = (),
    by: str | None = None,
    facet: str | None = None,
    where: Mapping[str, Any] | None = None,
    **more: Any,
) -> PlotRequest:
    """What is asked for, as it is said in Python."""
    from penstock.plots.places import text_of

    chosen = tuple((name, text_of(value)) for name, value in (where or {}).items())
    return PlotRequest(kind, x, (y,) if isinstance(y, str) else tuple(y), by, facet, chosen, **more)


def check_endings(files: Sequence[Path]) -> None:
    """Looks at the names of pictures before anything long is done.

    Raises
    ------
    InputError
        If an ending is unknown, or there is no such folder.
    """
    from penstock.printable import path_text, quoted

    for file in files:
        shown, ending = path_text(file), file.suffix.lower().lstrip(".")
        if ending not in ENDINGS:
            what = f"ends with {quoted(file.suffix)}" if file.suffix else "has no ending"
            raise InputError(f"{shown}: {what}; pictures end with {', '.join(f'.{each}' for each in ENDINGS)}.")
        if os.path.isdir(file):  # noqa: PTH112  (no error where the name is too long)
            raise InputError(f"{shown}: is a folder; name a file in it, such as {path_text(file / 'plot.svg')}.")
        if not os.path.isdir(file.parent):  # noqa: PTH112
            raise InputError(f"{shown}: there is no folder {path_text(file.parent)}; make it first.")


def save(drawn: Picture, file: Path) -> None:
    """Writes a picture, whole or not at all.

    Raises
    ------
    PenstockError
        If it cannot be written.
    """
    from penstock.printable import path_text
    from penstock.whole_file import write_whole

    content = drawn.content(file.suffix.lower().lstrip("."))
    try:
        write_whole(file, content)
    except OSError as error:
        raise PenstockError(f"{path_text(file)}: cannot be written: {error.strerror or error}.") from None
