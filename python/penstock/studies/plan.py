"""A study that is ready to run: its scenario, points and number of runs; and parts of it for several machines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Any, Self

from penstock import _core
from penstock.errors import InputError, ScenarioError, core_faults
from penstock.printable import quoted, utf8
from penstock.studies.compare import Compare
from penstock.studies.definition import Definition, Point
from penstock.studies.derived import at
from penstock.studies.precision import Precision
from penstock.studies.ranges import Range
from penstock.studies.request import PointRequest, distinct, effort
from penstock.studies.toml_text import Locate, Mistakes, TomlError, parsed
from penstock.studies.warmup import FindWarmUp

RUNS = 5  # default number of runs of each point


@dataclass(frozen=True)
class StudyPlan:
    """A study that can be run."""

    name: str  # name of the study in results
    text: str  # TOML text of the scenario
    scenario: str  # file of the scenario, or another name for messages
    points: Sequence[Point]  # the points
    description: str | None = None  # one sentence for readers; the scenario's own if left out
    runs: int = RUNS  # number of independent runs of each point
    seed: int | None = None  # root of the random streams at all points; the scenario's own if left out
    place: str = ""  # file of the study, for messages
    is_file: bool = False  # whether it is a study file, rather than a scenario or a sweep of one
    origins: Mapping[str, int | None] = field(default_factory=dict)  # settings that the study makes, with their lines
    metrics: Mapping[str, str] = field(default_factory=dict)  # numbers that are computed from others in each run
    precision: Precision | None = None  # target that determines the number of runs
    warm_up: FindWarmUp | None = None  # how to find the warm-up
    compare: Compare | None = None  # the comparison
    definition: Definition | None = None  # where the points come from, if it has ranges; see at
    asks: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # the sections `[sensitivity]` and `[search]`

    @property
    def scenario_name(self) -> str:
        """The scenario's name in results."""
        return PurePath(self.scenario).stem

    @property
    def ranges(self) -> Mapping[str, Range]:
        """The ranges of a sensitivity study or a search, by name."""
        return {} if self.definition is None else self.definition.ranges

    def at(self, sampled: Sequence[Mapping[str, Any]]) -> Self:
        """Returns the study at other points in its ranges. Raises ScenarioError if a derived value has mistakes."""
        assert self.definition is not None
        definition = replace(self.definition, sampled=[dict(each) for each in sampled])
        found = (definition, self.text, self.scenario, self.place, lambda *where: self.origins.get(str(where[-1])))
        return replace(self, points=points_of(*found))

    def read(self, replications: Sequence[int] | None = None) -> list[PointRequest]:
        """Reads the scenario at each point; `replications` selects runs, all by default.

        Raises ScenarioError with each mistake once, and PenstockError if a component of the user fails. A key without
        effect at some points only is in their ``left_out``.
        """
        runs = self.runs if self.precision is None else self.precision.least
        numbers = tuple(range(runs) if replications is None else replications)
        folder = str(PurePath(self.scenario).parent)
        asked: list[PointRequest] = []
        mistakes: list[_core.Mistake] = []
        derived: set[str] = set()
        with core_faults():
            made = _core.scenarios(self.text, utf8(self.scenario), [point.sets for point in self.points], folder)
        for point, scenario in zip(self.points, made, strict=True):
            if isinstance(scenario, list):
                mistakes.extend(self._told(scenario, point, derived))
                continue
            seed = scenario.seed if self.seed is None else self.seed
            useless = tuple(map(self._placed, scenario.left_out))
            hops = effort(scenario.canonical)
            asked.append(
                PointRequest(self.text, self.scenario_name, point, scenario, seed, numbers, hops, folder, useless)
            )
        if not mistakes and (len(asked) > 1 or not self.ranges):  # else other points in the ranges may be otherwise
            firsts = asked[0].left_out if asked else ()
            mistakes += [each for each in firsts if all(each in other.left_out for other in asked)]
        if mistakes:
            raise ScenarioError(distinct(mistakes))
        return asked

    def _told(self, found: Sequence[_core.Mistake], point: Point, derived: set[str]) -> Iterator[_core.Mistake]:
        """The mistakes of a point; one of a derived setting, which differs between points, only the first time."""
        for mistake in map(self._placed, found):
            path = mistake["path"]
            if path not in point.derived or path not in self.origins:
                yield mistake
            elif path not in derived:
                derived.add(path)
                yield {**mistake, "message": f"{mistake['message']}{at(point.parameters)}"}

    def _placed(self, mistake: _core.Mistake) -> _core.Mistake:
        """Moves a mistake of a setting to where the study makes the setting."""
        path = mistake["file"].removeprefix("--set ")
        if path == mistake["file"] or path not in self.origins:
            return mistake
        shown = path + below(path, mistake["path"])
        return {"file": self.place, "line": self.origins[path], "path": shown, "message": mistake["message"]}


def below(setting: str, path: str) -> str:
    """Returns the part of a mistake's path that is inside the value of a setting.

    >>> below("r1-r2.queue", "links[1].queue.red.limit"), below("r1-r2.rate", "links[1].rate")
    ('.red.limit', '')
    >>> below("measure", "measure[2].of")
    '[2].of'
    """
    _, dot, keys = setting.partition(".")  # the place has another name in the path, such as links[1] for r1-r2
    inside = re.match(r".*?\." + re.escape(keys) if dot else re.escape(setting), path)
    rest = "" if inside is None else path[inside.end() :]
    return rest if rest.startswith((".", "[")) else ""


def document_of(text: str) -> dict[str, Any]:
    """A scenario's text as plain values; empty if it is no TOML, which the core's reader reports better."""
    try:
        return parsed(text)
    except TomlError:
        return {}


def points_of(
    definition: Definition, text: str, scenario: str, place: str, locate: Locate = lambda *_: None
) -> list[Point]:
    """Returns the points of a definition. Raises ScenarioError if it or the scenario's TOML has mistakes."""
    document = document_of(text)
    if not document and (found := _core.check(text, utf8(scenario), [], str(PurePath(scenario).parent))):
        raise ScenarioError(found)
    mistakes = Mistakes()
    points = definition.points(document, mistakes)
    mistakes.raise_any(place, locate)
    return points


MOST_SHARDS = 10_000  # maximum number of shards; beyond it, starting a process takes longer than most runs
_FORM = re.compile(r"(\d{1,9})/(\d{1,9})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Shard:
    """One of `count` parts of a study, counted from 1: runs are dealt in turn, which spreads long and short ones."""

    number: int
    count: int

    @classmethod
    def read(cls, text: str) -> Self:
        """Reads the value of ``--shard``. Raises InputError if it has another form, or there is no such shard.

        >>> Shard.read("2/8")
        Shard(number=2, count=8)
        """
        found = _FORM.fullmatch(text.strip())
        if found is None:
            raise InputError(f"--shard {quoted(text)} is not of the form I/N, such as 2/8.")
        number, count = int(found[1]), int(found[2])
        if not 1 <= count <= MOST_SHARDS:
            raise InputError(f"--shard {quoted(text)}: a study has 1 to {MOST_SHARDS} shards, not {count}.")
        if not 1 <= number <= count:
            raise InputError(f"--shard {quoted(text)}: of {count} shards there are 1/{count} to {count}/{count}.")
        return cls(number, count)

    def of(self, asked: Sequence[PointRequest]) -> list[PointRequest]:
        """Returns the points with their runs of this shard; points without any are left out."""
        found, before = [], 0
        for point in asked:
            own = point.replications[(self.number - 1 - before) % self.count :: self.count]
            before += len(point.replications)
            if own:
                found.append(replace(point, replications=own))
        return found


def refuse_unknown_runs(plan: StudyPlan, option: str) -> None:
    """Raises InputError if runs of a study depend on others: it has a precision target, or a warm-up to be found."""
    for is_there, what in ((plan.precision, "a precision target"), (plan.warm_up, "a warm-up that is to be found")):
        if is_there is not None:
            raise InputError(
                f"{plan.name} has {what}, so which runs there are depends on others, and {option} cannot divide them; "
                "give --on processes on one machine, or a fixed number of runs and a fixed warm-up."
            )
