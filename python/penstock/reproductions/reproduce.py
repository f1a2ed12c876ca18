"""Runs a study's rows under one or several readings and gathers their numbers.

All runs share one seed: replication n of one row and replication n of another, or of the same row under another
reading, draw the same random numbers wherever they draw any. Differences are therefore taken run by run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.errors import InputError
from penstock.reproductions.outcome import Outcome
from penstock.running import RunRequest, run_all

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from penstock.reproductions.reading import Readings
    from penstock.reproductions.study import Study
    from penstock.reproductions.tables import Row, Table
    from penstock.running import RunResult, Status
    from penstock.store import Store

__all__ = ["SEED", "Outcome", "Plan", "reproduce"]

SEED = 1
"""Root of the random streams of every reproduction."""

EXPERIMENT = 5e6
"""Packet-hops that a run made for a claim alone is expected to take; they are short."""


class Plan:
    """The runs of some tables under some readings, to be made together.

    Parameters
    ----------
    study : Study
        What to run.
    tables : iterable of str
        Ids of the tables; all that have numbers if empty.
    runs : int
        How often each row is run.
    """

    def __init__(self, study: Study, tables: Iterable[str], runs: int) -> None:
        if runs < 1:
            raise InputError(f"{runs} runs are too few; at least 1")
        self.study = study
        self.tables = study.document.chosen_tables(tables)
        self.runs = runs
        self.requests: list[RunRequest] = []
        self._jobs: list[tuple[Outcome, Table, Row, list[str]]] = []
        self._experiments: list[tuple[Outcome, str]] = []

    def add(self, readings: Readings, rows: Callable[[Table, Row], bool] | None = None) -> Outcome:
        """Plans all rows (or those that `rows` accepts) under `readings`; the outcome is filled by :meth:`finish`."""
        outcome = Outcome(self.study.document, readings, self.tables, self.runs)
        settings = readings.settings()
        for table in self.tables:
            for row in table.rows:
                if rows is not None and not rows(table, row):
                    continue
                parts = self.study.build(settings, table, row)
                self._jobs.append((outcome, table, row, list(parts)))
                effort = self.study.effort
                hops = {part: effort(settings, table, row, part) if effort else 0.0 for part in parts}
                for replication in range(self.runs):
                    for part, text in parts.items():
                        name = "-".join(["table", table.id, *map(str, row.key.values()), *([part] if part else [])])
                        self.requests.append(RunRequest(text, (), SEED, replication, name, hops[part]))
        return outcome

    def add_experiments(self, outcome: Outcome, names: Collection[str] | None = None) -> None:
        """Plans what the claims need beyond the tables, all or those named; once, after the last :meth:`add`."""
        if self.study.experiments is None:
            return
        for name, text in self.study.experiments(outcome.readings.settings()).items():
            if names is not None and name not in names:
                continue
            self._experiments.append((outcome, name))
            hops = EXPERIMENT if self.study.effort else 0.0
            self.requests += [RunRequest(text, (), SEED, replication, name, hops) for replication in range(self.runs)]

    def finish(self, results: Sequence[RunResult]) -> None:
        """Puts the results of :attr:`requests` into the outcomes."""
        settings = {id(outcome): outcome.readings.settings() for outcome, *_ in self._jobs}
        left = iter(results)
        for outcome, table, row, parts in self._jobs:
            for _ in range(self.runs):
                made = {part: next(left) for part in parts}
                outcome.add(table, row, self.study.measure(settings[id(outcome)], table, row, made), made)
        for outcome, name in self._experiments:
            outcome.experiments[name] = [next(left) for _ in range(self.runs)]
            outcome.packet_hops += sum(result.packet_hops for result in outcome.experiments[name])
        for outcome in {id(outcome): outcome for outcome, *_ in self._jobs}.values():
            self._gather(outcome)

    def _gather(self, outcome: Outcome) -> None:
        """All runs are in: adds the numbers that need all of them."""
        if self.study.gather is None:
            return
        settings = outcome.readings.settings()
        for table, row, values in outcome.measured():
            more = self.study.gather(settings, table, row, values)
            values.update({name: list(numbers) for name, numbers in more.items()})


def reproduce(
    study: Study,
    tables: Iterable[str],
    readings: Readings,
    runs: int,
    *,
    jobs: int | None = None,
    store: Store | None = None,
    progress: Callable[[Status], None] | None = None,
    claims: bool = False,
) -> Outcome:
    """Runs every row of `tables` (all, if none is named) `runs` times under `readings`.

    With `claims` also the experiments that the claims need.
    """
    plan = Plan(study, tables, runs)
    outcome = plan.add(readings)
    if claims:
        plan.add_experiments(outcome)
    plan.finish(run_all(plan.requests, jobs=jobs, store=store, progress=progress))
    return outcome
