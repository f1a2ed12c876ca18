"""Runs a study's rows under one or several readings and gathers their numbers.

All runs share one seed: replication n of one row and replication n of another, or of the same row under another
reading, draw the same random numbers wherever they draw any. Differences are therefore taken run by run.
"""

from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from penstock import _core
from penstock.errors import InputError, ScenarioError
from penstock.printable import utf8
from penstock.records import RunResult
from penstock.reproductions.loading import DATA
from penstock.reproductions.outcome import Outcome
from penstock.reproductions.reading import Readings
from penstock.reproductions.study import Page, Study, folder_of, page_of, text_beside
from penstock.reproductions.tables import Cell, Row, Table
from penstock.studies.definition import Point
from penstock.studies.request import PointRequest, distinct, effort, warnings_of
from penstock.studies.runner import Runner
from penstock.studies.toml_text import Lines, path_of
from penstock.studies.verify import beginning

SEED = 1
"""Root of the random streams of every reproduction."""

EXPERIMENT = 5e6
"""Packet-hops that a run made for a claim alone is expected to take; they are short."""


@dataclass(frozen=True, slots=True)
class Part:
    """A scenario that is needed: its page, its name, of what it is, and about how many packet-hops a run takes."""

    page: Page
    name: str
    parameters: dict[str, Any]
    hops: float


class Plan:
    """The runs of some tables under some readings, to be made together.

    `tables`: ids of the tables; all that have numbers if empty.
    """

    def __init__(self, study: Study, tables: Iterable[str], runs: int) -> None:
        if runs < 1:
            raise InputError(f"{runs} runs are too few; at least 1")
        self.study = study
        self.tables = study.document.chosen_tables(tables)
        self.runs = runs
        self.parts: list[Part] = []
        self._jobs: list[tuple[Outcome, Table, Row, list[str]]] = []
        self._experiments: list[tuple[Outcome, str]] = []

    def add(self, readings: Readings, rows: Container[tuple[str, tuple[Cell, ...]]] | None = None) -> Outcome:
        """Plans all rows under `readings`, or `rows` by table and id; the outcome is filled by :meth:`finish`."""
        outcome = Outcome(self.study.document, readings, self.tables, self.runs)
        settings = readings.settings()
        for table in self.tables:
            for row in table.rows:
                if rows is not None and (table.id, row.id) not in rows:
                    continue
                parts = self.study.build(settings, table, row)
                self._jobs.append((outcome, table, row, list(parts)))
                for part, page in parts.items():
                    hops = self.study.effort(settings, table, row, part) if self.study.effort else 0.0
                    name = "-".join(["table", table.id, *map(str, row.key.values()), *([part] if part else [])])
                    parameters = {"table": table.id, **row.key, **({"part": part} if part else {})}
                    self.parts.append(Part(page_of(page), name, parameters, hops))
        return outcome

    def add_experiments(self, outcome: Outcome, names: Collection[str] | None = None) -> None:
        """Plans what the claims need beyond the tables, all or those named; once, after the last :meth:`add`."""
        for name, page in self.study.experiments(outcome.readings.settings()).items():
            if names is not None and name not in names:
                continue
            self._experiments.append((outcome, name))
            hops = EXPERIMENT if self.study.effort else 0.0
            self.parts.append(Part(page_of(page), name, {"experiment": name}, hops))

    def points(self) -> list[PointRequest]:
        """The points of the plan: one for each scenario of each row, and for each experiment.

        Raises ScenarioError if a scenario has mistakes, which is a fault of the study's.
        """
        folder = str(folder_of(self.study.document))
        scenarios: dict[Page, _core.Scenario] = {}
        mistakes: list[_core.Mistake] = []
        for part in self.parts:
            page = part.page
            if page in scenarios:
                continue
            try:
                name = utf8(page.file or part.name)
                scenarios[page] = _core.Scenario(page.text, name, list(page.sets), folder, leave_out=True)
            except _core.ScenarioError as error:
                mistakes.extend(self._placed(mistake, part) for mistake in error.mistakes)
        mistakes += self._without_effect(scenarios)
        if mistakes:
            raise ScenarioError(distinct(mistakes))
        points = []
        for part in self.parts:
            page, scenario = part.page, scenarios[part.page]
            hops = part.hops or effort(scenario.canonical)
            numbers = tuple(range(self.runs))
            point = Point(part.parameters, page.sets)
            useless = tuple(self._placed(mistake, part) for mistake in scenario.left_out)
            points.append(PointRequest(page.text, part.name, point, scenario, SEED, numbers, hops, folder, useless))
        return points

    def _without_effect(self, scenarios: Mapping[Page, _core.Scenario]) -> "list[_core.Mistake]":
        """Keys that have no effect in any scenario of the same text."""
        parts: dict[Page, Part] = {}
        for part in self.parts:
            parts.setdefault(part.page, part)
        by_text: dict[str, list[tuple[Part, list[_core.Mistake]]]] = {}
        for page, scenario in scenarios.items():
            by_text.setdefault(page.text, []).append((parts[page], scenario.left_out))
        return [
            self._placed(each, part)
            for (part, first), *others in by_text.values()
            for each in first
            if all(each in own for _, own in others)
        ]

    def _placed(self, mistake: "_core.Mistake", part: Part) -> "_core.Mistake":
        """The mistake of a setting, placed in the document's file if the study is a folder."""
        path, document = mistake["file"].removeprefix("--set "), self.study.document
        if document.folder is None or path == mistake["file"]:
            return mistake
        number = [table.id for table in document.tables].index(part.parameters["table"])
        place = ("table", number, "set", path)
        file = utf8(str(document.folder / DATA))
        return {"file": file, "line": self._lines.of(*place), "path": path_of(place), "message": mistake["message"]}

    @cached_property
    def _lines(self) -> Lines:
        return Lines(text_beside(self.study.document, DATA) or "")

    def run(self, runner: Runner | None = None) -> None:
        """Makes all runs, and puts them into the outcomes."""
        points = self.points()
        if self.study.document.folder is not None:
            self.verify(points)
        self.finish((runner if runner is not None else Runner()).make(points))

    def verify(self, points: Sequence[PointRequest]) -> None:
        """Looks, on the beginning of a run of each table's first row, whether the row's numbers can be measured.

        Raises InputError if one cannot, which somebody's own study may have wrong.
        """
        left = iter(points)
        seen = set()
        for outcome, table, row, names in self._jobs:
            parts = {name: next(left) for name in names}
            if table.id not in seen:
                seen.add(table.id)
                asked = [replace(beginning(part), replications=(0,)) for part in parts.values()]
                found = (runs[0] for runs in Runner(jobs=1).make(asked))
                self.study.measure(outcome.readings.settings(), table, row, dict(zip(names, found, strict=True)))

    def finish(self, made: Sequence[Sequence[RunResult]]) -> None:
        """Puts the results of :attr:`parts` into the outcomes: of each row the runs that all its parts have."""
        settings = {id(outcome): outcome.readings.settings() for outcome, *_ in self._jobs}
        left = iter(made)
        for outcome, table, row, names in self._jobs:
            parts = {name: {run.request.replication: run for run in next(left)} for name in names}
            for number in sorted(set(range(self.runs)).intersection(*parts.values())):
                results = {name: runs[number] for name, runs in parts.items()}
                outcome.add(table, row, self.study.measure(settings[id(outcome)], table, row, results), results)
        for outcome, name in self._experiments:
            outcome.experiments[name] = list(next(left))
            outcome.packet_hops += sum(result.packet_hops for result in outcome.experiments[name])
        for outcome in {id(outcome): outcome for outcome, *_ in self._jobs}.values():
            gather(self.study, outcome)


def gather(study: Study, outcome: Outcome) -> None:
    """Adds the numbers that need all runs of a row, when all are in."""
    settings = outcome.readings.settings()
    for table, row, values in outcome.measured():
        more = study.gather(settings, table, row, values)
        values.update({name: list(numbers) for name, numbers in more.items()})


def reproduce(
    study: Study,
    tables: Iterable[str],
    readings: Readings,
    runs: int,
    runner: Runner | None = None,
    *,
    claims: bool = False,
) -> Outcome:
    """Runs every row of `tables` (all, if none is named) `runs` times under `readings`.

    With `claims` also the experiments that the claims need.
    """
    plan, outcome = planned(study, tables, readings, runs, claims=claims)
    plan.run(runner)
    return outcome


def planned(
    study: Study, tables: Iterable[str], readings: Readings, runs: int, *, claims: bool = False
) -> tuple[Plan, Outcome]:
    """What :func:`reproduce` runs, and what it fills."""
    plan = Plan(study, tables, runs)
    outcome = plan.add(readings)
    if claims:
        plan.add_experiments(outcome)
    return plan, outcome


@dataclass(frozen=True, slots=True)
class Checked:
    """What a sound study has."""

    scenarios: int  # how many scenarios its rows make under the chosen answers
    answers: int  # how many other answers were tried, one at a time
    warnings: list[str]  # what should be known of the scenarios


def check_answers(study: Study) -> Checked:
    """Reads every scenario under every answer, and runs the beginning of the first row of each table.

    Raises ScenarioError with all mistakes, each once and with the answer under which it occurs.
    """
    chosen = Readings(study.document)
    others = {f" (with {question}={key})": other for (question, key), other in chosen.others().items()}
    mistakes: list[_core.Mistake] = []
    asked: list[PointRequest] = []
    for which, readings in {"": chosen, **others}.items():
        plan, _ = planned(study, [], readings, 1)
        try:
            points = plan.points()
            asked = asked or points
            plan.verify(points)
        except (ScenarioError, InputError) as error:
            known = {(mistake["path"], mistake["message"]) for mistake in mistakes}
            mistakes += [
                {**each, "message": f"{each['message']}{which}"}
                for each in _mistakes(study, error)
                if (each["path"], each["message"]) not in known
            ]
    if mistakes:
        raise ScenarioError(distinct(mistakes))
    return Checked(len(asked), len(others), warnings_of(asked))


def _mistakes(study: Study, error: ScenarioError | InputError) -> "list[_core.Mistake]":
    if isinstance(error, ScenarioError):
        return error.mistakes
    file = utf8(str(folder_of(study.document) / DATA))
    return [{"file": file, "line": None, "path": "", "message": str(error).rstrip(".")}]
