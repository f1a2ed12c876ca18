"""Selects a run's numbers by their ``[[measure]]``.

Runs are named by their simulation, so one file serves scenarios that measure the same simulation differently.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from penstock import _core, toml
from penstock.printable import utf8

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from penstock.records import Measured, Metric, RunRequest
    from penstock.store.runfile import StoredRun


class Picker:
    """Selects the numbers of some measures, in canonical form, from runs that may have others too."""

    def __init__(self, asked: Sequence[str]) -> None:
        self._asked = asked
        self._last: Measured | None = None
        self._places: Sequence[int] | None = None

    def metrics(self, metrics: Sequence[Metric], measured: Measured | None) -> Sequence[Metric] | None:
        """Returns the numbers; None if some are missing."""
        if measured is None:
            return metrics
        if measured is not self._last:
            self._last, self._places = measured, _places(measured, self._asked)
        if isinstance(self._places, range):
            return metrics
        return None if self._places is None else [metrics[place] for place in self._places]

    def of(self, run: StoredRun | None) -> StoredRun | None:
        """Returns a stored run with these numbers only; None if some are missing."""
        if run is None or (metrics := self.metrics(run.metrics, run.measured)) is None:
            return None
        return run if metrics is run.metrics else replace(run, metrics=metrics, measured=None)


def _places(measured: Measured, asked: Sequence[str]) -> Sequence[int] | None:
    """Returns the indexes of the numbers in a run; a range if they are all of them, None if some are missing."""
    if [text for text, _ in measured] == list(asked):
        return range(sum(count for _, count in measured))
    begins: dict[str, range] = {}
    at = 0
    for text, count in measured:
        begins.setdefault(text, range(at, at + count))
        at += count
    if any(text not in begins for text in asked):
        return None
    return [place for text in asked for place in begins[text]]


def measuring(
    request: RunRequest, scenario: _core.Scenario, measures: Iterable[str]
) -> tuple[RunRequest, _core.Scenario] | None:
    """Returns the same run with other measures as a new request; None if no scenario can have all of them.

    `scenario` is that of its text and settings; `measures` are in canonical form.
    """
    texts = [text for text in dict.fromkeys(measures) if text != scenario.measures[-1]]
    try:
        value = toml.value([json.loads(text) for text in texts])
    except ValueError:  # the default measures of a scenario that names none
        return None
    kept = tuple(pair for pair in request.sets if pair[0].partition("[")[0] != "measure")
    sets = (*kept, ("measure", value))
    try:
        read = _core.Scenario(request.scenario, utf8(request.name), list(sets), request.folder, leave_out=True)
    except _core.ScenarioError:
        return None
    same = read.canonical == scenario.canonical and read.measures == [*texts, scenario.measures[-1]]
    return (replace(request, sets=sets), read) if same else None
