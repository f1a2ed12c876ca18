"""How sure a comparison of runs is: estimates with their error, and decisions about several of them at once."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.statistics import holm, interval

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["LEVEL", "Decision", "Estimate", "Test", "above", "below", "decide", "difference", "ratio", "within"]

LEVEL = 0.05
"""Probability of error that a verdict may carry."""


@dataclass(frozen=True)
class Estimate:
    """A mean of independent runs, its standard error, and its 95 % interval (none with a single run).

    Examples
    --------
    >>> Estimate.of([1.0, 2.0, 3.0]).mean
    2.0
    """

    mean: float
    error: float
    low: float | None
    high: float | None
    runs: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Estimate:
        """The estimate that these runs give."""
        around = interval(values)
        n = len(values)
        deviation = 0.0 if min(values) == max(values) else statistics.stdev(values)
        return cls(around.mean, deviation / math.sqrt(n), around.low, around.high, n)

    def p_above(self, bound: float) -> float:
        """Probability of a mean so high, or higher, if the true one were `bound` (Student's t)."""
        return self._tail(self.mean - bound)

    def p_below(self, bound: float) -> float:
        """Probability of a mean so low, or lower, if the true one were `bound`."""
        return self._tail(bound - self.mean)

    def _tail(self, lead: float) -> float:
        if self.runs < 2:
            return 1.0
        if self.error == 0:
            return 0.0 if lead > 0 else 1.0
        from scipy.special import stdtr  # type: ignore[import-untyped]

        return float(stdtr(self.runs - 1, -lead / self.error))


def difference(left: Sequence[float], right: Sequence[float]) -> Estimate:
    """`left` minus `right`, run by run, as runs that share random numbers should be compared."""
    return Estimate.of([a - b for a, b in zip(left, right, strict=True)])


def ratio(left: Sequence[float], right: Sequence[float]) -> Estimate:
    """`left` over `right`, run by run."""
    return Estimate.of([a / b for a, b in zip(left, right, strict=True)])


@dataclass(frozen=True)
class Test:
    """A statement about one estimate: the probabilities of such runs if it were false, and if it were true."""

    __test__ = False  # not for the test runner

    label: str
    estimate: Estimate
    p_if_false: float
    p_if_true: float


def above(label: str, estimate: Estimate, bound: float) -> Test:
    """The statement that the true mean lies above `bound`."""
    return Test(label, estimate, estimate.p_above(bound), estimate.p_below(bound))


def below(label: str, estimate: Estimate, bound: float) -> Test:
    """The statement that the true mean lies below `bound`."""
    return Test(label, estimate, estimate.p_below(bound), estimate.p_above(bound))


def within(label: str, estimate: Estimate, low: float, high: float) -> Test:
    """The statement that the true mean lies between `low` and `high`: two one-sided tests (equivalence)."""
    outside = 2 * min(estimate.p_above(high), estimate.p_below(low))
    return Test(label, estimate, max(estimate.p_above(low), estimate.p_below(high)), min(1.0, outside))


@dataclass(frozen=True)
class Decision:
    """What several tests together say about the statement that all of them hold.

    Parameters
    ----------
    verdict : str
        ``confirmed``, ``refuted`` or ``undecided``.
    held, failed, open : tuple of Test
        Those shown to hold, those shown not to hold, and the rest.
    """

    verdict: str
    held: tuple[Test, ...]
    failed: tuple[Test, ...]
    open: tuple[Test, ...]


def decide(tests: Iterable[Test], level: float = LEVEL) -> Decision:
    """Decides whether all `tests` hold, with the probabilities corrected for their number (Holm)."""
    tests = list(tests)
    if_false = holm([test.p_if_false for test in tests])
    if_true = holm([test.p_if_true for test in tests])
    held = tuple(test for test, p in zip(tests, if_false, strict=True) if p < level)
    failed = tuple(test for test, p in zip(tests, if_true, strict=True) if p < level)
    rest = tuple(test for test in tests if test not in held and test not in failed)
    verdict = "refuted" if failed else "confirmed" if len(held) == len(tests) else "undecided"
    return Decision(verdict, held, failed, rest)
