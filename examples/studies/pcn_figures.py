"""What figures beyond the print are made of: points that are run, and panels that they are drawn in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.running import RunResult


@dataclass(frozen=True)
class Point:
    """One point: the panel and series that it belongs to, its position across, and the run that gives it."""

    panel: str  # the panel that it is drawn in
    series: str
    x: float  # its position
    page: str  # the scenario
    value: Callable[[RunResult], float]  # from a run to the number
    effort: float = 0.0  # about how many packet-hops a run takes


@dataclass(frozen=True)
class Line:
    """What theory says: a name, and points that straight lines join; a gap where a point is missing."""

    name: str
    points: Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Panel:
    """Both axes and the theoretical curves."""

    name: str
    title: str
    across: str
    up: str
    log: bool = False
    lines: tuple[Line, ...] = ()


@dataclass(frozen=True)
class Figure:
    """A drawing: panels side by side with the same series."""

    name: str
    panels: tuple[Panel, ...]
