"""Share of transfers that finished; completion times and slowdowns are only of those."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.short_values import value_text
from penstock.unit_scale import counts_finished

if TYPE_CHECKING:
    from penstock.plots.data import Datum
    from penstock.results import Summary

_WARNED = 0.99  # share of finished transfers below which their numbers carry a warning


@dataclass(frozen=True, slots=True)
class Finished:
    """Counts of transfers that arrived and that finished, over all runs."""

    finished: float
    arrived: float

    @property
    def share(self) -> float:
        """Share of finished transfers; 1 if none arrived."""
        return self.finished / self.arrived if self.arrived else 1.0

    @property
    def text(self) -> str:
        """The counts as text.

        >>> Finished(816, 900).text
        '816 of 900'
        """
        return f"{self.finished:.10g} of {self.arrived:.10g}"

    @property
    def is_warned(self) -> bool:
        """Whether the unfinished transfers are too many to trust the numbers of the others."""
        return self.share < _WARNED


def group_of(number: Summary | Datum) -> Hashable:
    """Returns the group of transfers and the point that a number belongs to."""
    labels = (item for item in number.labels.items() if item[0] not in ("statistic", "quantile", "what"))
    return (*labels,), (*((name, value_text(value)) for name, value in number.point.items()),)


def finished_of(numbers: Iterable[Summary | Datum]) -> dict[Hashable, Finished]:
    """Returns the counts of each group at each point, where known."""
    counts: dict[Hashable, dict[str, float]] = {}
    for number in numbers:
        if counts_finished(number.metric) and "what" in number.labels:
            values = number.values or (getattr(number, "mean", math.nan),)
            counts.setdefault(group_of(number), {})[number.labels["what"]] = math.fsum(values)
    return {
        group: Finished(found["finished"], found["arrived"])
        for group, found in counts.items()
        if math.isfinite(found.get("finished", math.nan)) and math.isfinite(found.get("arrived", math.nan))
    }


def range_text(found: Iterable[Finished]) -> str:
    """Returns the range of counts over several groups or points as text; empty if there are none.

    >>> range_text([Finished(816, 900)]), range_text([Finished(816, 900), Finished(9, 9)])
    ('816 of 900 finished', '90.67 to 100 % finished')
    """
    each = list(dict.fromkeys(found))
    if len(each) <= 1:
        return "".join(f"{one.text} finished" for one in each)
    low, high = min(one.share for one in each), max(one.share for one in each)
    shares = f"{100 * low:.4g}" if low == high else f"{100 * low:.4g} to {100 * high:.4g}"
    return f"{shares} % finished"
