"""The runs of a point, once its scenario has been read, with an estimate of their work, and once they are made."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from penstock import _core
from penstock.errors import line_of
from penstock.printable import utf8
from penstock.provenance import Provenance
from penstock.records import RunRequest, RunResult
from penstock.results import Summary, summarise
from penstock.store import RunKeys
from penstock.studies.definition import Point
from penstock.studies.quantity import Quantity, read_quantity, setting_text

if TYPE_CHECKING:
    from penstock.series import TimeSeries

_HOPS = 3  # assumed number of links per packet of a source with a rate; its route is not known here


@dataclass(frozen=True, slots=True)
class PointRequest:
    """The runs of one point."""

    text: str  # TOML text of the scenario
    name: str  # name of the scenario in results
    point: Point  # parameters and settings
    scenario: _core.Scenario  # the scenario with these settings
    seed: int  # root of the random streams; points with equal seeds share their random numbers
    replications: tuple[int, ...]  # numbers of the runs
    hops: float = 0.0  # estimated work of one run, such as its packet-hops; 0 if unknown
    folder: str | None = None  # folder of the files that the scenario names
    left_out: tuple[_core.Mistake, ...] = ()  # keys of the scenario without effect at this point

    def __reduce__(self) -> tuple[Any, ...]:
        # A scenario of the core cannot be pickled.
        return _again, ({each.name: getattr(self, each.name) for each in fields(self) if each.name != "scenario"},)

    def requests(self) -> list[RunRequest]:
        """The runs."""
        of_point = (self.text, self.point.sets, self.seed)
        about = (self.name, self.hops, self.folder)
        return [RunRequest(*of_point, number, *about) for number in self.replications]

    def keyed(self) -> list[tuple[str, RunRequest]]:
        """The runs with their keys in the store."""
        return list(zip(self.keys(), self.requests(), strict=True))

    def keys(self) -> list[str]:
        """The keys of the runs in the store."""
        named = RunKeys(self.scenario.canonical)
        return [named.of(self.seed, number) for number in self.replications]

    def first(self) -> RunRequest:
        """The first run."""
        return replace(self, replications=self.replications[:1]).requests()[0]

    @property
    def provenance(self) -> Provenance:
        """What the runs are made from."""
        begin, end = self.scenario.window
        return Provenance(dict(self.point.sets), end, begin, self.seed, min(self.replications))

    def window(self, begin: float, end: float | None = None) -> PointRequest | None:
        """Returns the same runs, counted between two instants in s, or to their end; None if nothing can be counted."""
        times = {"warm-up": begin, **({} if end is None else {"duration": end})}
        chosen = {path: setting_text(Quantity(Fraction(at), (("s", 1),))) for path, at in times.items()}
        kept = [(path, value) for path, value in self.point.sets if path not in chosen]
        sets = (*kept, *chosen.items())
        try:
            scenario = _core.Scenario(self.text, utf8(self.name), list(sets), self.folder, leave_out=True)
        except _core.ScenarioError:
            return None
        return replace(self, point=replace(self.point, sets=sets), scenario=scenario)


@dataclass(frozen=True, slots=True)
class PointResult:
    """A point and its runs."""

    asked: PointRequest  # what was run
    runs: Sequence[RunResult]  # in the order of their replication numbers
    rule: str = "t"  # how intervals are computed; see :class:`penstock.results.Summary`
    warning: str | None = None  # why the point missed its precision target, if it did

    def summaries(self) -> list[Summary]:
        """Returns its numbers, with its parameters and derived values."""
        return [replace(summary, point=self.parameters, rule=self.rule) for summary in summarise(self.runs)]

    @property
    def parameters(self) -> dict[str, Any]:
        """Its parameters and derived values, by name."""
        return {**self.asked.point.parameters, **self.asked.point.derived}

    @property
    def cached(self) -> int:
        """Number of its runs that came from the store."""
        return sum(run.cached for run in self.runs)

    @property
    def provenance(self) -> Provenance:
        """What its runs were made from."""
        return Provenance.of(self.runs)

    @property
    def series(self) -> TimeSeries | None:
        """The scenario's ``[[series]]`` in its first run, which is run again; None without any."""
        if not self.asked.scenario.has_series or not self.runs:
            return None
        from penstock.series import TimeSeries

        run = self.runs[0].request
        return TimeSeries(self.asked.scenario, name=run.name, sets=run.sets, seed=run.seed, replication=run.replication)


def _again(values: Mapping[str, Any]) -> PointRequest:
    text, name, point, folder = (values[each] for each in ("text", "name", "point", "folder"))
    return PointRequest(scenario=_core.Scenario(text, utf8(name), list(point.sets), folder, leave_out=True), **values)


def distinct(mistakes: Iterable[_core.Mistake]) -> list[_core.Mistake]:
    """Removes repeated mistakes."""
    return list({tuple(mistake.values()): mistake for mistake in mistakes}.values())


def warnings_of(asked: Sequence[PointRequest]) -> list[str]:
    """Returns the warnings of the scenarios of points, each once, and keys without effect at some points."""
    said = list(dict.fromkeys(warning for each in asked for warning in each.scenario.warnings))
    useless = Counter(line_of(mistake) for each in asked for mistake in each.left_out)
    return said + [f"{line} (at {count} of {len(asked)} points)" for line, count in useless.items()]


def effort(canonical: str) -> float:
    """Returns the bits that a scenario may send over its links: long runs start first by it, so only ratios matter.

    >>> link = '{"from": "a", "to": "b", "rate": "2 Mbit/s"}'
    >>> effort('{"duration": "10 s", "links": [%s], "flows": [{"source": {"ftp": {}}}]}' % link)
    20000000.0
    """
    page = json.loads(canonical)
    if not isinstance(page, dict):
        return 0.0
    offered, greedy = 0.0, not page.get("flows")
    for flow in page.get("flows", ()):
        laws = source.values() if isinstance(source := flow.get("source"), dict) else ()
        rates = [_amount(each.get("rate")) for each in laws if isinstance(each, dict)]
        members = flow.get("count") or _members(page, flow.get("from"))
        if any(rates):
            offered += _HOPS * sum(rates) * (members if isinstance(members, int) else 1)
        else:
            greedy = True
    if greedy:
        for link in page.get("links", ()):
            members = max(_members(page, link.get("from")), _members(page, link.get("to")))
            offered += _amount(link.get("rate")) * members
    return offered * _amount(page.get("duration"))


def _members(page: Mapping[str, Any], group: object) -> int:
    if isinstance(group, list):
        return sum(_members(page, each) for each in group)
    node = page.get("nodes", {}).get(group) if isinstance(group, str) else None
    count = node.get("count", 1) if isinstance(node, dict) else 1
    return count if isinstance(count, int) else 1


def _amount(text: object) -> float:
    quantity = read_quantity(text) if isinstance(text, str) else None
    return float(quantity.value) if quantity is not None else 0.0
