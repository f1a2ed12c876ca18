"""What a plot is asked for: one grammar for all kinds."""

from __future__ import annotations

from dataclasses import dataclass

from penstock.errors import InputError
from penstock.printable import quoted
from penstock.suggest import suggestion

__all__ = ["ENDINGS", "KINDS", "WIDTHS", "PlotRequest", "Roles"]

KINDS = {
    "line": "means over what varies, with error bars",
    "bar": "means side by side, with error bars",
    "cdf": "how the runs of a number are distributed, or its quantiles",
    "series": "a number over time, of a frame with a time column",
    "heatmap": "means over two things that vary, as colours",
    "box": "quartiles of the runs, with the mean and its interval",
}
ENDINGS = ("svg", "pdf", "png")
WIDTHS = {"column": 3.5, "page": 7.16}
"""Inches: one column and both columns of a page of IEEE's or ACM's proceedings."""


@dataclass(frozen=True)
class PlotRequest:
    """What is to be drawn.

    Parameters
    ----------
    kind : str, optional
        One of :data:`KINDS`; by default what suits the numbers.
    x : str, optional
        What stands across: a parameter, a label, or the end of its path.
    y : tuple of str
        The numbers, such as ``goodput[near]``; a row of panels for each.
    by : str, optional
        What tells lines, bars or boxes apart; what stands up in a heat map.
    facet : str, optional
        What tells panels apart.
    where : tuple of (str, str)
        Names and values: only these numbers are drawn.
    intervals : bool
        Whether 95 % confidence intervals are drawn.
    note : bool
        Whether the picture says how many runs it is of, and what its intervals are.
    width : str
        ``column`` or ``page``: one or two columns of a paper.
    height : float, optional
        Inches; by default what the panels take.
    log : str
        Axes with a logarithmic scale: ``x``, ``y`` or ``xy``.
    title, x_label, y_label : str, optional
        Texts in place of none, and of the names with their units.
    """

    kind: str | None = None
    x: str | None = None
    y: tuple[str, ...] = ()
    by: str | None = None
    facet: str | None = None
    where: tuple[tuple[str, str], ...] = ()
    intervals: bool = True
    note: bool = True
    width: str = "column"
    height: float | None = None
    log: str = ""
    title: str | None = None
    x_label: str | None = None
    y_label: str | None = None

    def __post_init__(self) -> None:
        if self.kind is not None and self.kind not in KINDS:
            hint = suggestion(self.kind, KINDS, ".")
            raise InputError(f"there is no kind of plot {quoted(self.kind)}{hint} The kinds are {', '.join(KINDS)}.")
        if self.width not in WIDTHS:
            raise InputError(f"a plot is {' or '.join(WIDTHS)} wide, not {quoted(self.width)}.")
        if self.height is not None and not 1 <= self.height <= 20:
            raise InputError(f"a plot is 1 to 20 inches high, not {self.height:g}.")
        if self.log not in ("", "x", "y", "xy", "yx"):
            raise InputError(f"a logarithmic axis is x, y or xy, not {quoted(self.log)}.")
        roles = [role for role in (self.x, self.by, self.facet) if role is not None]
        twice = next((role for role in roles if roles.count(role) > 1), None)
        if twice is not None:
            raise InputError(f"{quoted(twice)} stands for more than one of x, by and facet; one is enough.")


@dataclass(frozen=True)
class Roles:
    """The kind of a plot, and the columns that stand across, apart and in panels."""

    kind: str
    x: str | None = None
    by: str | None = None
    facet: str | None = None

    def short(self, column: str) -> str:
        """How a plot calls a column: the end of its path, of a weight with its class, or nothing if values need none.

        Examples
        --------
        >>> Roles("line").short("r1-r2.queue.tail-drop.limit"), Roles("line").short("r1-r2.scheduler.wrr.weights.ef")
        ('limit', 'weights.ef')
        """
        if column in ("of", "statistic", "cause"):
            return ""
        parts = column.split(".")
        return ".".join(parts[-2:]) if len(parts) > 1 and parts[-2] in ("weights", "class") else parts[-1]
