"""Plots of results: lines, bars, distributions, time series, heat maps and boxes, with one set of options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from penstock.plots.chart import chart_of
from penstock.plots.columns import text_of
from penstock.plots.data import Data, from_frame
from penstock.plots.request import PlotRequest

if TYPE_CHECKING:
    import polars as pl

    from penstock.plots.canvas import Picture


__all__ = ["picture", "plot", "request_of"]


def plot(frame: pl.DataFrame, **asked: Any) -> Picture:
    """Draws a frame of results, or any frame with columns of numbers.

    Parameters
    ----------
    frame : polars.DataFrame
        Results (columns ``metric`` and ``mean``), single observations (``metric`` and ``value``), or a column for each
        number.
    **asked
        As for :meth:`penstock.study_result.StudyResult.plot`, as are the result and the errors.
    """
    return picture(from_frame(frame), request_of(**asked))


def picture(data: Data, request: PlotRequest) -> Picture:
    """Draws numbers. Raises InputError if the request does not suit them."""
    from penstock.plots.canvas import draw

    return draw(chart_of(data, request), request)


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
    """Returns the request for the arguments of a Python call."""
    chosen = tuple((name, text_of(value)) for name, value in (where or {}).items())
    return PlotRequest(kind, x, (y,) if isinstance(y, str) else tuple(y), by, facet, chosen, **more)
