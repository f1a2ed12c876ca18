"""Queues and congestion windows over the first run of a setting."""

from __future__ import annotations

import math
from array import array
from dataclasses import dataclass
from threading import Thread
from typing import TYPE_CHECKING, Any

from penstock import _core
from penstock.errors import PenstockError
from penstock.lab.settings import entries, measured

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from penstock.studies.request import PointRequest

_SAMPLES = 600
"""Samples per run."""
_LINES = 8
"""Maximum count of lines in a panel."""
_TYPES = {"integer": "q", "float": "d", "word8": "B", "word16": "H", "word32": "I"}
"""Type codes of :mod:`array` for the column types of the core."""


@dataclass(frozen=True, slots=True)
class Panel:
    """A state to show over time."""

    label: str
    of: str
    what: str


def panels(document: Mapping[str, Any]) -> list[Panel]:
    """Returns the panels of a scenario: queues of links, those with a declared queue first, and TCP windows."""
    links, windows, watched = [], [], measured(document)
    for section, path, entry in entries(dict(document)):
        if "[" in path:
            continue
        if section == "links":
            is_declared = any(key in entry for key in ("queue", "scheduler", "class"))
            links.append((path not in watched, not is_declared, Panel(f"Queue of {path}", path, "queue")))
        elif section == "flows" and isinstance(entry.get("transport"), dict) and "tcp" in entry["transport"]:
            windows.append(Panel(f"Congestion windows of {path}", path, "cwnd"))
    return [panel for *_, panel in sorted(links, key=lambda each: each[:2])] + windows


class OverTime(Thread):
    """Repeats the first replication with sampling, and tells the samples, or why there are none, in one event."""

    def __init__(self, point: PointRequest, panel: Panel, tell: Callable[[dict[str, Any]], None]) -> None:
        super().__init__(name="penstock-over-time", daemon=True)
        self._point = point
        self._panel = panel
        self._tell = tell
        self._cancel = _core.Cancel()
        self._is_cancelled = False

    def cancel(self) -> None:
        """Asks the run to stop."""
        self._is_cancelled = True
        self._cancel.set()

    def run(self) -> None:
        """Samples the run."""
        event: dict[str, Any] = {"kind": "panel", "label": self._panel.label, "unit": "packets", "lines": []}
        try:
            event["lines"] = self._lines()
        except Exception as error:  # cancelled runs raise too; the numbers do not need this panel
            event["why"] = str(error) if isinstance(error, PenstockError) else f"{type(error).__name__}: {error}"
        if not self._is_cancelled:
            self._tell(event)

    def _lines(self) -> list[dict[str, Any]]:
        point, panel = self._point, self._panel
        every = max(1, round(point.scenario.window[1] * 1e9 / _SAMPLES))
        options: dict[str, Any] = {"of": panel.of, "what": panel.what, "every": f"{every} ns"}
        if panel.what == "queue":
            options["sum"] = True
        series = _core.Series(point.scenario, point.seed, 0, list(options.items()), self._cancel)
        names = {name: (kind, words) for name, kind, words in series.columns}
        found: dict[str, dict[str, Any]] = {}
        while (batch := series.next_batch(1 << 14)) is not None:
            columns = dict(zip(names, batch[1], strict=True))
            # Without polars: its import takes longer than a typical run.
            read = {
                name: array(_TYPES[names[name][0]], columns[name]) for name in ("time_ps", "place", "flow", "value")
            }
            for time, place, flow, value in zip(*read.values(), strict=True):
                known = ((names["flow"][1], flow), (names["place"][1], place))
                name = next((words[at] for words, at in known if at < len(words)), panel.of)
                if name not in found and len(found) == _LINES:
                    continue
                line = found.setdefault(name, {"name": name, "x": [], "y": []})
                line["x"].append(time / 1e12)
                line["y"].append(None if math.isnan(value) else value)
        return list(found.values())
