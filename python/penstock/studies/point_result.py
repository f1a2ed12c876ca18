"""A point of a study with its runs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from penstock.provenance import Provenance
from penstock.records import RunResult
from penstock.results import Summary, summarise
from penstock.series import TimeSeries
from penstock.studies.request import PointRequest


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
        run = self.runs[0].request
        return TimeSeries(self.asked.scenario, name=run.name, sets=run.sets, seed=run.seed, replication=run.replication)
