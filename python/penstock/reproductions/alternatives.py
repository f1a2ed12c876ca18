"""Verdicts under every other answer to the open questions, one answer at a time.

An answer is tested for a claim if it changes a scenario whose runs the claim's test looks at, or how its numbers are
measured; under any other answer the verdict is the same without a run. Claims that need few packet-hops come first,
and those without a verdict under an answer before those that have one of an earlier model.

The looks before the last stop only for a clear result: at an error of 0.1 % (Haybittle-Peto), which leaves the last
look, with as many runs as the verdict under the chosen answers, its 5 %.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from penstock.errors import InputError
from penstock.progress import Progress
from penstock.reproductions.claims import Judgement, looks, plan_looked_at
from penstock.reproductions.evidence import LEVEL, UNDECIDED, Finding
from penstock.reproductions.fits import Fits, Looked, OtherVerdicts, Watched
from penstock.reproductions.outcome import Outcome
from penstock.reproductions.reproduce import Plan
from penstock.reproductions.statements import StatedTest
from penstock.reproductions.stored import Origin
from penstock.reproductions.study import Page, Study
from penstock.store import Store
from penstock.studies.runner import Runner, there

INTERIM = 0.001
"""Probability of error of a look before the last."""
FIRST = 3
"""Runs at the first look."""


@dataclass
class Budget:
    """How many runs may be made; None if there is no limit. Runs in the store are free."""

    left: int | None = None

    def spend(self, runs: int) -> bool:
        """Takes this many runs, if they are left."""
        if self.left is None or runs <= self.left:
            self.left = None if self.left is None else self.left - runs
            return True
        return False


class Alternatives:
    """Tests the claims of a study under other answers; finished runs are in `store`, so that it continues there.

    Raises InputError if `chosen`, the runs under the chosen answers, has others.
    """

    def __init__(self, study: Study, chosen: Outcome, store: Store | None = None, jobs: int | None = None) -> None:
        if chosen.readings.changed:
            raise InputError("other answers are held against the chosen ones; leave --reading and --as-printed out")
        self.study = study
        self.chosen = chosen
        self.store = store
        self.jobs = jobs
        self.readings = {f"{question}={key}": other for (question, key), other in chosen.readings.others().items()}
        others = {answer: readings.settings() for answer, readings in self.readings.items()}
        self._fits = Fits(study, chosen.readings, others=others)

    def run(
        self,
        judgements: Iterable[Judgement],
        budget: Budget,
        *,
        questions: Collection[str] = (),
        known: OtherVerdicts | None = None,
    ) -> OtherVerdicts:
        """Tests what the budget suffices for, of the answers to `questions`, or of all if empty.

        `judgements` are of the claims under the chosen answers; `known` are verdicts for pairs that are not tested now.
        """
        claims = {judgement.claim: self._looked(judgement) for judgement in judgements}
        cheap_first = sorted(claims, key=lambda name: self._hops(claims[name]))
        moved = {name: self._fits.rests_on(claims[name]) for name in cheap_first}
        asked = [answer for answer in self.readings if not questions or answer.partition("=")[0] in questions]
        tests = {
            answer: _Test(self, answer, {name: claims[name] for name in cheap_first if answer in moved[name]})
            for answer in asked
        }
        known = known or OtherVerdicts()
        pairs = [(answer, name) for name in cheap_first for answer in moved[name] if answer in tests]
        pairs.sort(key=lambda pair: pair[1] in known.verdicts.get(pair[0], {}))  # keeps the order of costs otherwise
        affordable = [pair for pair in pairs if tests[pair[0]].affords(pair[1], self.first, budget)]
        newly = {(answer, name): tests[answer].verdict(name, budget) for answer, name in affordable}
        verdicts = {}
        older: dict[tuple[str, str], Origin] = {}
        for answer in self.readings:
            found = {}
            for name in claims:
                pair = answer, name
                if verdict := newly.get(pair):
                    found[name] = verdict
                elif answer in moved[name] and (verdict := known.verdicts.get(answer, {}).get(name)):
                    found[name] = verdict
                    older |= {pair: known.older[pair]} if pair in known.older else {}
            if found:
                verdicts[answer] = found
        left = {
            name: tuple(answer for answer in moved[name] if name not in verdicts.get(answer, {})) for name in claims
        }
        runs, packet_hops = self._work(claims, left)
        not_tested = {name: answers for name, answers in left.items() if answers}
        return OtherVerdicts(verdicts, not_tested, runs, packet_hops, older)

    def _looked(self, judgement: Judgement) -> Looked:
        """What the verdict looks at; other numbers of the evidence decide nothing."""
        test = self.study.claims[judgement.claim]
        if not isinstance(test, StatedTest):
            return judgement.looked
        watched = Watched(self.chosen)
        test.decide(watched)
        return watched.looked

    def _hops(self, looked: Looked) -> float:
        """About how many packet-hops one run of the rows takes that a claim looks at; 0 if the study cannot tell."""
        plan, _ = plan_looked_at(self.study, Looked(looked.numbers), self.chosen.readings, 1)
        return sum(part.hops for part in plan.parts)

    @property
    def first(self) -> int:
        """Runs at the first look."""
        return min(FIRST, self.chosen.runs)

    def _work(self, claims: Mapping[str, Looked], left: Mapping[str, Sequence[str]]) -> tuple[int, float]:
        """At most how many runs, and about how many packet-hops, the tests that are left would take."""
        hops: dict[Page, float] = {}
        for answer, readings in self.readings.items():
            looked = Looked.of(claims[name] for name, answers in left.items() if answer in answers)
            if looked.numbers or looked.experiments:
                plan, _ = plan_looked_at(self.study, looked, readings, 1)
                hops |= {part.page: part.hops for part in plan.parts}
        return len(hops) * self.chosen.runs, sum(hops.values()) * self.chosen.runs


@dataclass
class _Test:
    """The tests of some claims under one other answer."""

    of: Alternatives  # what they belong to
    answer: str  # the answer
    claims: Mapping[str, Looked]  # what the tests of the claims look at
    _missing: dict[Page, list[str]] = field(init=False)
    _paid: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Looks which runs the store lacks, by scenario, in the order of their replications."""
        plan, _ = self._plan(self.claims, self.of.chosen.runs)
        points, store = plan.points(), self.of.store
        kept = there(points, store) if store is not None else [{} for _ in points]
        self._missing = {
            part.page: ["" if key in own else key for key in point.keys()]  # noqa: SIM118  (not a mapping)
            for part, point, own in zip(plan.parts, points, kept, strict=True)
        }

    def affords(self, name: str, runs: int, budget: Budget) -> bool:
        """Whether the budget has the runs that a claim lacks; they are taken from it."""
        plan, _ = self._plan([name], runs)
        keys = {key for part in plan.parts for key in self._missing[part.page][:runs]} - self._paid - {""}
        if not budget.spend(len(keys)):
            return False
        self._paid |= keys
        return True

    def verdict(self, name: str, budget: Budget) -> str | None:
        """The verdict with the fewest runs that decide; None if the budget lacks them, or the answer lacks rows."""
        runs = self.of.chosen.runs
        for count in looks(self.of.first, runs):
            if not self.affords(name, count, budget):
                return None
            plan, outcome = self._plan([name], count)
            with Progress() as progress:
                plan.run(Runner(jobs=self.of.jobs, store=self.of.store, progress=progress))
            is_last = count == runs
            findings = _Findings(self.of.study, outcome, LEVEL if is_last else INTERIM)
            try:
                verdict = findings[name].verdict
            except (KeyError, ArithmeticError):
                return None  # under this answer its test needs other rows, or has a share of nothing
            if is_last or verdict != UNDECIDED:
                return verdict
        return None

    def _plan(self, names: Iterable[str], runs: int) -> tuple[Plan, Outcome]:
        looked = Looked.of(self.claims[name] for name in names)
        return plan_looked_at(self.of.study, looked, self.of.readings[self.answer], runs)


class _Findings(dict[str, Finding]):
    """The findings of an outcome, each made when it is asked for first."""

    def __init__(self, study: Study, outcome: Outcome, level: float) -> None:
        super().__init__()
        self._study = study
        self._outcome = outcome
        self._level = level

    def __missing__(self, name: str) -> Finding:
        test = self._study.claims[name]
        decision = test.decide(self._outcome) if isinstance(test, StatedTest) else None
        finding = test(self._outcome, self) if decision is None else Finding.of(decision, "")
        self[name] = finding.at(self._level)
        return self[name]
