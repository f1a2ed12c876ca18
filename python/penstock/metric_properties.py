"""Properties of metrics, from the core's catalogue.

>>> [is_ratio(metric) for metric in ("fairness", "goodput")], [is_part(metric) for metric in ("loss", "fairness")]
([True, False], [True, False])
>>> [is_of_finished(metric) for metric in ("completion-time", "transfers")]
[True, False]
>>> [counts_finished(metric) for metric in ("transfers", "completion-time")]
[True, False]
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from penstock import _core


def _property(of: str) -> Callable[[str], bool]:
    """Returns a function that tells whether a metric has a property."""
    metrics = cache(lambda: frozenset(_core.metrics_with(of)))
    return lambda metric: metric in metrics()


is_ratio = _property("ratio")
"""Whether a metric is a share or an index between 0 and 1."""
is_part = _property("part")
"""Whether a metric is a part of a whole, shown in per cent."""
is_of_finished = _property("of-finished")
"""Whether only finished transfers have a metric."""
counts_finished = _property("counts-finished")
"""Whether a metric counts transfers by the label ``what``, including finished ones."""
