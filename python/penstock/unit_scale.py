"""Properties and units of metrics, and numbers with a fitting unit."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache

from penstock import _core
from penstock.statistics import Interval


def _property(of: str) -> Callable[[str], bool]:
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


_STEPS: dict[str, tuple[tuple[float, str], ...]] = {
    "bit/s": ((1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s"), (1.0, "bit/s")),
    "s": ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")),
}


_LARGEST = 1e20
"""Numbers from here on are shown with an exponent; so are intervals below its reciprocal."""


def plus_minus(numbers: Interval, digits: int | None = None) -> str:
    """Returns a mean and half its interval, with the digits that the interval supports, but `digits` at most.

    >>> plus_minus(Interval(20.318, 20.2, 20.43, 10))
    '20.32 ±0.12'
    >>> plus_minus(Interval(20.318, None, None, 1))
    '20.32'
    >>> plus_minus(Interval(1234567.0, 1232000.0, 1237134.0, 10))
    '1234600 ±2600'
    >>> plus_minus(Interval(0.101094, 0.101034, 0.101154, 10), 4)
    '0.1011 ±0.0001'
    >>> plus_minus(Interval(-0.3, -47.3, 46.7, 10))
    '0 ±47'
    >>> plus_minus(Interval(3e40, 2e40, 4e40, 10))
    '3e+40 ±1e+40'
    """
    half = numbers.half
    if math.isnan(numbers.mean):
        return "unknown"
    if half is None:
        return number(numbers.mean)
    if half == 0:
        return f"{number(numbers.mean)} ±0"
    if max(half, abs(numbers.mean)) >= _LARGEST or half < 1 / _LARGEST:
        return f"{numbers.mean:.4g} ±{half:.2g}"
    # Two digits of the interval are all that can be known about it from a few runs.
    places = 1 - math.floor(math.log10(half))
    if digits is not None and numbers.mean != 0:
        most = digits - 1 - math.floor(math.log10(abs(numbers.mean)))
        if places > most:
            places, half = most, math.ceil(half * 10**most) / 10**most
    # A mean that is rounded to zero has no sign.
    return f"{round(numbers.mean, places) + 0.0:.{max(places, 0)}f} ±{round(half, places):.{max(places, 0)}f}"


def with_bounds(numbers: Interval, whole: float | None = None) -> str:
    """Returns a mean and the bounds of its interval, with two digits of their distance to 0 or to the `whole`.

    >>> with_bounds(Interval(4.02, 0.281, 32.04, 5), 100.0), with_bounds(Interval(99.904, 97.6, 99.9957, 5), 100.0)
    ('4 (0.28 to 32)', '99.904 (97.6 to 99.9957)')
    """
    half = numbers.half or math.inf
    finest = 1 - math.floor(math.log10(half)) + 2 if math.isfinite(half) and half > 0 else 0
    finest = max(finest, 6 if whole is None else 6 - math.floor(math.log10(whole)))

    def text(value: float | None) -> str:
        distance = min(abs(value or 0.0), math.inf if whole is None else abs(whole - (value or 0.0)))
        places = 1 - math.floor(math.log10(distance)) if distance > 0 else 0
        shown = f"{value:.{min(max(places, 0), finest)}f}"
        return shown.rstrip("0").rstrip(".") if "." in shown else shown

    return f"{text(numbers.mean)} ({text(numbers.low)} to {text(numbers.high)})"


def number(value: float) -> str:
    """Returns a number with four significant digits, and all digits before the point up to 20.

    >>> number(20.318), number(1234567.2), number(9999.7), number(0.000012345), number(-0.0)
    ('20.32', '1234567', '10000', '1.234e-05', '0')
    """
    if 1000 <= abs(value) < _LARGEST:
        return f"{value:.0f}"
    return f"{value + 0.0:.4g}"


@dataclass(frozen=True, slots=True)
class Scale:
    """The scale of the numbers of one metric."""

    size: float  # size of the shown unit in the metric's own unit
    unit: str  # the shown unit; empty for plain ratios
    digits: int | None = None  # maximum number of digits of a mean; by default as many as its interval supports
    whole: float | None = None  # maximum in the shown unit, of ratios

    def text(self, numbers: Interval) -> str:
        """Returns a mean and half its interval, its bounds if lopsided, or neither if all runs are 0 or the `whole`."""
        low, high = (None if end is None else end / self.size for end in (numbers.low, numbers.high))
        found = Interval(numbers.mean / self.size, low, high, numbers.runs)
        if found.half == 0 and found.mean in (0, self.whole):
            return number(found.mean)
        return with_bounds(found, self.whole) if found.is_lopsided else plus_minus(found, self.digits)


def scale(metric: str, unit: str, means: Iterable[float]) -> Scale:
    """Returns the scale for the largest of `means`, so that all numbers of a metric compare.

    >>> scale("delay", "s", [0.0941, 0.266]).unit, scale("goodput", "bit/s", [0.0, 1105300.0]).unit
    ('ms', 'Mbit/s')
    >>> scale("loss", "1", [0.0177]).text(Interval(0.0177, 0.0156, 0.0198, 5))
    '1.77 ±0.21'
    >>> scale("loss", "1", [0.04]).text(Interval(0.04, 0.0028, 0.32, 5))
    '4 (0.28 to 32)'
    >>> scale("loss", "1", [0.0]).text(Interval(0.0, 0.0, 0.0, 5))
    '0'
    >>> scale("power", "bit/s^2", [2675500000.0]).text(Interval(2675500000.0, 2667400000.0, 2683600000.0, 5))
    '2.6755 ±0.0081'
    >>> scale("power", "bit/s^2", [2675500000.0]).unit
    'Gbit/s^2'
    >>> scale("queue", "packets", [16.1]).unit
    'packets'
    """
    if unit == "1":
        if is_part(metric):
            return Scale(0.01, "%", 4, 100.0)
        return Scale(1.0, "", 4, 1.0 if is_ratio(metric) else None)
    steps = _STEPS.get(unit)
    if steps is None and unit.startswith("bit/"):
        # Of a derived number, such as bit/s^2.
        steps = tuple((size, prefix + unit) for size, prefix in ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, "")))
    if steps is None:
        return Scale(1.0, unit)
    largest = max((abs(mean) for mean in means if math.isfinite(mean)), default=0.0)
    if largest == 0:
        return Scale(1.0, unit)
    return Scale(*next((step for step in steps if largest >= step[0]), steps[-1]))
