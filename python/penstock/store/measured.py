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


def pick(asked: Sequence[str], metrics: Sequence[Metric], measured: Measured | None) -> Sequence[Metric] | None:
    """Returns the numbers of the `asked` measures, in canonical form, of a run with others too; None if some miss."""
    if measured is None or [text for text, _ in measured] == list(asked):
        return metrics
    places: dict[str, range] = {}
    at = 0
    for text, count in measured:
        places.setdefault(text, range(at, at + count))
        at += count
    if any(text not in places for text in asked):
        return None
    return [metrics[place] for text in asked for place in places[text]]


def with_measures(run: StoredRun | None, asked: Sequence[str]) -> StoredRun | None:
    """Returns a stored run with the numbers of these measures only; None if some are missing."""
    if run is None or (metrics := pick(asked, run.metrics, run.measured)) is None:
        return None
    return run if metrics is run.metrics else replace(run, metrics=metrics, measured=None)


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
