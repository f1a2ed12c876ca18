"""Words for evidence: estimates, counts of tests, and those that fail or stay open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.digits import number, plus_minus
from penstock.statistics import Interval

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from penstock.reproductions.evidence import Decision, Estimate, Test

__all__ = ["about", "between", "failures", "held", "listed", "signed", "unsettled"]

SHOWN = 4
"""How many tests are named one by one."""


def about(estimate: Estimate) -> str:
    """A mean and half its interval."""
    return plus_minus(Interval(estimate.mean, estimate.low, estimate.high, estimate.runs))


def signed(estimate: Estimate) -> str:
    """A mean with its sign, and its interval."""
    mean = f"{'+' if estimate.mean > 0 else ''}{number(estimate.mean)}"
    if estimate.low is None or estimate.high is None:
        return mean
    return f"{mean} ({number(estimate.low)} to {number(estimate.high)})"


def between(values: Iterable[float]) -> str:
    """The smallest and the greatest value."""
    values = list(values)
    return f"{number(min(values))} to {number(max(values))}"


def held(decision: Decision) -> str:
    """How many tests hold, of how many."""
    return f"{len(decision.held)} of {len(decision.held) + len(decision.failed) + len(decision.open)}"


def failures(failed: Sequence[Test]) -> str:
    """The tests that speak against a claim; empty if none does."""
    return f" Against it: {listed(failed)}." if failed else ""


def unsettled(still_open: Sequence[Test]) -> str:
    """The tests that these runs do not decide; empty if there are none."""
    return f"Not settled by these runs: {listed(still_open)}." if still_open else ""


def listed(tests: Sequence[Test]) -> str:
    """The first few tests, each with its estimate."""
    named = [f"{test.label} {signed(test.estimate)}" for test in tests[:SHOWN]]
    more = [f"{len(tests) - SHOWN} more"] if len(tests) > SHOWN else []
    return "; ".join(named + more)
