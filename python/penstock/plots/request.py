"""The options of a plot, equal for all kinds."""

from __future__ import annotations

from dataclasses import dataclass

from penstock.errors import InputError
from penstock.printable import quoted, suggestion

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
    """What to draw.

    Parameters
    ----------
    kind : str, optional
        One of :data:`KINDS`; by default what suits the numbers.
    x : str, optional
        The x axis: a parameter, a label, or the end of its path.
    y : tuple of str
        The numbers, such as ``goodput[near]``; each has a row of panels.
    by : str, optional
        What distinguishes lines, bars or boxes; the y axis of a heat map.
    facet : str, optional
        What distinguishes panels.
    where : tuple of (str, str)
        Names and values; only numbers with these are drawn.
    intervals : bool
        Whether to draw 95 % confidence intervals.
    note : bool
        Whether to note the number of runs and the kind of intervals.
    width : str
        ``column`` or ``page``: one or two columns of a paper.
    height : float, optional
        Height in inches; by default as the panels need.
    log : str
        Logarithmic axes: ``x``, ``y`` or ``xy``.
    title, x_label, y_label : str, optional
        Texts; by default no title, and names with units.
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
        twice = next((role for role in self.named if self.named.count(role) > 1), None)
        if twice is not None:
            raise InputError(f"{quoted(twice)} stands for more than one of x, by and facet; one is enough.")

    @property
    def named(self) -> list[str]:
        """The columns of x, by and facet that are given."""
        return [role for role in (self.x, self.by, self.facet) if role is not None]


@dataclass(frozen=True)
class Roles:
    """The kind of a plot, and the columns of its x axis, series and panels."""

    kind: str
    x: str | None = None
    by: str | None = None
    facet: str | None = None

    @property
    def named(self) -> list[str]:
        """The columns of x, by and facet."""
        return [role for role in (self.x, self.by, self.facet) if role is not None]

    def short(self, column: str) -> str:
        """Returns the shortest end of a column's path that says what it is; empty if the values need no name.

        >>> Roles("line").short("r1-r2.queue.tail-drop.limit"), Roles("line").short("r1-r2.scheduler.wrr.weights.ef")
        ('limit', 'weights.ef')
        >>> Roles("line").short("bulk.count"), Roles("line", x="a-b.rate", by="b-c.rate").short("a-b.rate")
        ('bulk.count', 'a-b.rate')
        """
        if column in ("of", "statistic", "cause"):
            return ""
        parts = column.split(".")
        others = [name.split(".") for name in self.named if name != column]
        shortest = 2 if parts[-1] == "count" or (len(parts) > 1 and parts[-2] in ("weights", "class")) else 1
        ends = (parts[-length:] for length in range(shortest, len(parts)))
        return ".".join(next((end for end in ends if all(name[-len(end) :] != end for name in others)), parts))
