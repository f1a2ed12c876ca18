"""Words for evidence: estimates, counts of tests, and those that fail or stay open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from penstock.reproductions.evidence import Decision, Estimate, Test
from penstock.statistics import Interval
from penstock.unit_scale import number, plus_minus

SHOWN = 4
"""How many tests are named one by one."""
MOST_TIMES = 20
"""The number of runs that would decide a claim is shown up to this multiple of the runs made.

The number takes the mean of the runs for the truth. At twenty times it lies 0.4 of its standard error from the margin
(one statement at 5 %), and a truth on the margin itself leaves it that close in three studies of ten: beyond, the runs
tell neither how many more nor on which side."""


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
    """Range of the values."""
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


def turns(changes: Mapping[str, str], quote: str = "") -> str:
    """Other verdicts, each with the answers under which it is given.

    Examples
    --------
    >>> turns({"x-a1=b": "refuted", "x-a2=c": "undecided", "x-a3=d": "refuted"})
    'refuted under x-a1=b, x-a3=d; undecided under x-a2=c'
    """
    answers: dict[str, list[str]] = {}
    for answer, verdict in changes.items():
        answers.setdefault(verdict, []).append(f"{quote}{answer}{quote}")
    return "; ".join(f"{verdict} under {', '.join(own)}" for verdict, own in answers.items())


def runs_told(needed: int | None, runs: int) -> str:
    """How many runs would decide a claim that `runs` of them leave undecided, where they can tell.

    Examples
    --------
    >>> runs_told(36, 5)
    'About 36 runs would decide it.'
    """
    if needed is None:
        return "No number of runs would decide it." if runs > 1 else "One run does not tell how many would decide it."
    if needed > MOST_TIMES * runs:
        return f"More than {MOST_TIMES * runs} runs would decide it, or it is too close to the margin to tell."
    return f"About {needed} runs would decide it."


def listed(tests: Sequence[Test]) -> str:
    """The first few tests, each with its estimate."""
    named = [f"{test.label} {signed(test.estimate)}" for test in tests[:SHOWN]]
    more = [f"{len(tests) - SHOWN} more"] if len(tests) > SHOWN else []
    return "; ".join(named + more)
