"""How sure a comparison of runs is: estimates with their error, decisions about several, findings, and their words."""

import math
import statistics
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from penstock.reproductions.outcome import Outcome
from penstock.statistics import Interval, holm, interval
from penstock.unit_scale import number, plus_minus

ClaimTest = Callable[[Outcome, Mapping[str, "Finding"]], "Finding"]
"Tests one claim on the outcome; the findings of the claims before it may be used."

CONFIRMED = "confirmed"
REFUTED = "refuted"
UNDECIDED = "undecided"
LEVEL = 0.05
"""Probability of error that a verdict may carry."""
MOST_RUNS = 2**19
"""Upper limit of the search for a number of runs."""
SHOWN = 4
"""How many tests are named one by one."""
MOST_TIMES = 20
"""The number of runs that would decide a claim is shown up to this multiple of the runs made.

The number takes the mean of the runs for the truth. At twenty times it lies 0.4 of its standard error from the margin
(one statement at 5 %), and a truth on the margin itself leaves it that close in three studies of ten: beyond, the runs
tell neither how many more nor on which side."""


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
    def of(cls, values: Sequence[float]) -> "Estimate":
        """The estimate that these runs give.

        Raises ArithmeticError if some run has no number, as with a share of nothing, or an infinite one.
        """
        if any(value != values[0] for value in values) and not all(map(math.isfinite, values)):
            raise ArithmeticError(f"no mean of {', '.join(map(str, values))}")
        around = interval(values)
        n = len(values)
        return cls(around.mean, deviation(values) / math.sqrt(n), around.low, around.high, n)

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
        return _student(lead / self.error, self.runs)


def deviation(values: Sequence[float]) -> float:
    """Standard deviation from run to run; 0 where all are equal, without a rounding error."""
    return 0.0 if min(values) == max(values) else statistics.stdev(values)


def difference(left: Sequence[float], right: Sequence[float]) -> Estimate:
    """`left` minus `right`, run by run, as runs that share random numbers should be compared."""
    return Estimate.of([a - b for a, b in zip(left, right, strict=True)])


def ratio(left: Sequence[float], right: Sequence[float]) -> Estimate:
    """`left` over `right`, run by run."""
    return Estimate.of([a / b for a, b in zip(left, right, strict=True)])


def rank_correlation(left: Sequence[float], right: Sequence[float]) -> float:
    """Spearman's rank correlation; 0 where all of one side are equal."""
    if len(set(left)) == 1 or len(set(right)) == 1:
        return 0.0
    return statistics.correlation(_ranks(left), _ranks(right))


def _ranks(values: Sequence[float]) -> list[float]:
    """Equal values share the mean of their ranks."""
    ordered = sorted(values)
    return [ordered.index(value) + (ordered.count(value) - 1) / 2 for value in values]


@dataclass(frozen=True)
class Test:
    """A statement about one estimate: the probabilities of such runs if it were false, and if it were true."""

    __test__ = False  # not for the test runner

    label: str
    estimate: Estimate
    p_if_false: float
    p_if_true: float
    lead: float = 0.0
    """How far the estimate lies on the side of the statement; negative on the other."""

    def runs_to_settle(self, level: float) -> int | None:
        """How many runs would settle it at this level, if mean and spread stay; None if no number would.

        The smallest n with P(t > lead sqrt(n) / s) < level, Student's with n - 1 degrees of freedom.
        """
        if self.estimate.runs < 2:
            return None
        spread = self.estimate.error * math.sqrt(self.estimate.runs)
        if spread == 0 or self.lead == 0:
            return self.estimate.runs if self.lead else None
        candidates = range(3, MOST_RUNS + 1)
        place = bisect_left(
            candidates, True, key=lambda runs: _student(abs(self.lead) / spread * math.sqrt(runs), runs) < level
        )
        return candidates[place] if place < len(candidates) else None


def _student(lead: float, runs: int) -> float:
    """Probability that a mean of `runs` runs lies `lead` of its standard errors or more above the truth."""
    from scipy.special import stdtr

    return float(stdtr(runs - 1, -lead))


def above(label: str, estimate: Estimate, bound: float) -> Test:
    """The statement that the true mean lies above `bound`."""
    return Test(label, estimate, estimate.p_above(bound), estimate.p_below(bound), estimate.mean - bound)


def below(label: str, estimate: Estimate, bound: float) -> Test:
    """The statement that the true mean lies below `bound`."""
    return Test(label, estimate, estimate.p_below(bound), estimate.p_above(bound), bound - estimate.mean)


def within(label: str, estimate: Estimate, low: float, high: float) -> Test:
    """The statement that the true mean lies between `low` and `high`: two one-sided tests (equivalence)."""
    outside = 2 * min(estimate.p_above(high), estimate.p_below(low))
    lead = min(estimate.mean - low, high - estimate.mean)
    return Test(label, estimate, max(estimate.p_above(low), estimate.p_below(high)), min(1.0, outside), lead)


@dataclass(frozen=True)
class Decision:
    """What several tests together say about the statement that all of them hold, or that any of them does."""

    verdict: str  # `confirmed`, `refuted` or `undecided`
    held: tuple[Test, ...]  # tests that are shown to hold
    failed: tuple[Test, ...]  # tests that are shown not to hold
    open: tuple[Test, ...]  # the other tests
    level: float = LEVEL  # probability of error that the verdict may carry
    is_any: bool = False  # whether one that holds is enough

    @property
    def tests(self) -> tuple[Test, ...]:
        """All of them."""
        return self.held + self.failed + self.open

    @property
    def runs_to_decide(self) -> int | None:
        """About how many runs would decide it, if means and spreads stay as they are; None if no number would.

        All open statements have to be settled; one that fails is enough to refute the whole, or one that holds to
        confirm that any does. Each at the level divided by the number of statements, as Holm's procedure begins.
        """
        level = self.level / max(1, len(self.tests))
        needed = [((test.lead > 0) == self.is_any, test.runs_to_settle(level)) for test in self.open]
        enough = [runs for decides, runs in needed if decides and runs is not None]
        if enough:
            return min(enough)
        runs = [runs for _, runs in needed]
        return None if None in runs else max((each for each in runs if each is not None), default=None)


def decide(tests: Iterable[Test], level: float = LEVEL, *, is_any: bool = False) -> Decision:
    """Decides whether all `tests` hold, or any, with the probabilities corrected for their number (Holm)."""
    tests = list(tests)
    if_false = holm([test.p_if_false for test in tests])
    if_true = holm([test.p_if_true for test in tests])
    held = tuple(test for test, p in zip(tests, if_false, strict=True) if p < level)
    failed = tuple(test for test, p in zip(tests, if_true, strict=True) if p < level)
    rest = tuple(test for test in tests if test not in held and test not in failed)
    is_refuted = len(failed) == len(tests) > 0 if is_any else bool(failed)
    is_confirmed = bool(held) if is_any else len(held) == len(tests)
    verdict = REFUTED if is_refuted else CONFIRMED if is_confirmed else UNDECIDED
    return Decision(verdict, held, failed, rest, level, is_any)


@dataclass(frozen=True)
class Finding:
    """What the runs say about a claim."""

    verdict: str  # `confirmed`, `refuted` or `undecided`
    evidence: str  # a sentence with the numbers that the verdict rests on
    note: str = ""  # a remark; may be empty
    decision: Decision | None = field(default=None, repr=False)  # the statistical tests that the verdict comes from
    needed: int | None = None  # about how many runs would decide it, of a stored finding, which has no decision

    @classmethod
    def of(cls, decision: Decision, evidence: str, note: str = "") -> "Finding":
        """The finding that a decision about several tests makes."""
        return cls(decision.verdict, evidence, note, decision)

    @classmethod
    def certain(cls, holds: bool, evidence: str, note: str = "") -> "Finding":
        """The finding of a test that leaves nothing to chance."""
        return cls(CONFIRMED if holds else REFUTED, evidence, note)

    def at(self, level: float) -> "Finding":
        """The same at another probability of error; its decision keeps its share of that, such as half."""
        if self.decision is None or level == LEVEL:
            return self
        share = self.decision.level / LEVEL
        decision = decide(self.decision.tests, level * share, is_any=self.decision.is_any)
        return replace(self, verdict=decision.verdict, decision=decision)

    @property
    def runs_to_decide(self) -> int | None:
        """About how many runs would decide an undecided claim; None if it is decided or no number would."""
        if self.verdict != UNDECIDED:
            return None
        return self.needed if self.decision is None else self.decision.runs_to_decide


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
