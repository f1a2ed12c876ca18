"""A look at one setting of a scenario: makes its runs and reports numbers as they finish."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Thread
from typing import Any

from penstock.cli.options import words_of
from penstock.errors import PenstockError, ScenarioError, line_of
from penstock.lab.alternatives import alternatives
from penstock.lab.parameters import applied, controls, entries, measured, slots
from penstock.printable import command_text, file_word, printable_lines
from penstock.processors import available
from penstock.records import RunResult, Status
from penstock.results import Summary, finite
from penstock.series import TimeSeries
from penstock.store import Store
from penstock.studies.definition import Point
from penstock.studies.plan import StudyPlan, document_of
from penstock.studies.request import PointRequest, PointResult, warnings_of
from penstock.studies.runner import Runner

Event = dict[str, Any]

_SAMPLES_PER_RUN = 600
_CLOSEST_NS = 10
_MOST_LINES = 8


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
        self._point, self._panel, self._tell = point, panel, tell
        self._series: TimeSeries | None = None
        self._is_cancelled = False

    def cancel(self) -> None:
        """Asks the run to stop."""
        self._is_cancelled = True
        if self._series is not None:
            self._series.close()

    def run(self) -> None:
        """Samples the run."""
        event: dict[str, Any] = {"kind": "panel", "label": self._panel.label, "unit": "", "lines": [], "left_out": 0}
        try:
            event |= self._sampled()
        except Exception as error:  # cancelled runs raise too; the numbers do not need this panel
            event["why"] = str(error) if isinstance(error, PenstockError) else f"{type(error).__name__}: {error}"
        if not self._is_cancelled:
            self._tell(event)

    def _sampled(self) -> dict[str, Any]:
        """The unit, the lines, and the count of lines beyond them."""
        import polars as pl

        point, panel = self._point, self._panel
        every = max(_CLOSEST_NS, round(point.scenario.window[1] * 1e9 / _SAMPLES_PER_RUN))
        asked: dict[str, Any] = {"of": panel.of, "what": panel.what, "every": f"{every} ns"}
        self._series = TimeSeries(point.scenario, **asked, sum=panel.what == "queue", seed=point.seed)
        if self._is_cancelled:  # while it was made
            self._series.close()
        frame = self._series.frame()
        words = [pl.col(column).cast(pl.String) for column in ("flow", "place")]
        lines = [
            {"name": name, "x": (own["time_ps"] / 1e12).to_list(), "y": own["value"].fill_nan(None).to_list()}
            for (name,), own in frame.group_by(pl.coalesce(*words, pl.lit(panel.of)), maintain_order=True)
        ]
        unit = frame["unit"][0] if frame.height else ""
        return {"unit": unit, "lines": lines[:_MOST_LINES], "left_out": len(lines[_MOST_LINES:])}


_MOST_NUMBERS = 400
_SEARCH_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Asked:
    """Request of a page."""

    text: str  # the scenario's TOML text
    sets: tuple[tuple[str, str], ...]  # settings changed after reading, as path and value
    runs: int  # how many independent runs
    panel: str = ""  # label of the panel over time; the first one if there is no such label


class _Cancelled(BaseException):
    """Stops the runs of a look; finished runs are kept."""


class Look(Thread):
    """Makes the runs of one setting in its own thread; calls `tell`, from any thread, with each event and then None."""

    def __init__(
        self, file: Path, asked: Asked, jobs: int | None, folder: Path | None, tell: Callable[[Event | None], None]
    ) -> None:
        super().__init__(name="penstock-look", daemon=True)
        self._file, self._asked, self._folder, self._tell = file, asked, folder, tell
        self._jobs = jobs or available()
        self._is_cancelled = False
        self._over_time: OverTime | None = None
        self._told = 0.0

    def cancel(self) -> None:
        """Asks the runs to stop; :meth:`join` waits for them."""
        self._is_cancelled = True
        if self._over_time is not None:
            self._over_time.cancel()

    def run(self) -> None:
        """Makes the runs."""
        try:
            self._run()
        except _Cancelled:
            pass
        except ScenarioError as error:
            self._tell({"kind": "mistakes", "mistakes": [_placed(each) for each in error.mistakes]})
        except PenstockError as error:
            self._tell({"kind": "failed", "message": str(error)})
        except Exception as error:  # an internal error must not leave the page waiting
            message = printable_lines(f"This is a bug in Penstock: {type(error).__name__}: {error}")
            self._tell({"kind": "failed", "message": message})
        finally:
            if self._over_time is not None:
                self._over_time.join()
            self._tell(None)

    def _run(self) -> None:
        file, asked = self._file, self._asked
        written = document_of(asked.text)
        document = applied(written, asked.sets)
        shown = panels(document)
        labels = [each.label for each in shown]
        self._tell({"kind": "controls", "groups": controls(document, written), "panels": labels})
        plan = StudyPlan(file.stem, asked.text, str(file), [Point({}, asked.sets)], runs=asked.runs)
        (point,) = plan.read()
        begin, end = point.scenario.window
        self._tell(
            {
                "kind": "scenario",
                "description": printable_lines(point.scenario.description or ""),
                "warnings": warnings_of([point]),
                "sizes": dict(zip(("nodes", "links", "flows"), point.scenario.sizes, strict=True)),
                "window": [begin, end],
                "command": command(file, asked.sets, asked.runs, self._folder),
                "python": program(file, asked.sets, asked.runs, point.seed, self._folder),
            }
        )
        panel = next((each for each in shown if each.label == asked.panel), shown[0] if shown else None)
        begun = time.perf_counter()
        runs: list[RunResult] = []
        runner = Runner(jobs=self._jobs, store=Store(self._folder), progress=self._progress)
        while len(runs) < asked.runs:
            self._check()
            # Doubling rounds: the first numbers come soon, and few rounds wait for their slowest run.
            until = min(asked.runs, len(runs) + max(self._jobs, len(runs)))
            (made,) = runner.make([replace(point, replications=tuple(range(len(runs), until)))])
            runs += made
            self._numbers(point, runs, time.perf_counter() - begun)
            if self._over_time is None and panel is not None:
                self._over_time = OverTime(point, panel, self._tell)
                self._over_time.start()
                if self._is_cancelled:  # while it was made
                    self._over_time.cancel()
                self._options(document)
        self._tell({"kind": "done", "seconds": time.perf_counter() - begun})

    def _check(self) -> None:
        if self._is_cancelled:
            raise _Cancelled

    def _progress(self, status: Status) -> None:
        """Stops cancelled runs, and reports progress a few times per second."""
        self._check()
        now = time.monotonic()
        if now - self._told > 0.3:
            self._told = now
            self._tell({"kind": "progress", "done": status.done, "of": self._asked.runs, "failed": status.failed})

    def _numbers(self, point: PointRequest, runs: Sequence[RunResult], seconds: float) -> None:
        summaries = PointResult(point, runs).summaries()
        self._tell(
            {
                "kind": "numbers",
                "runs": len(runs),
                "of": self._asked.runs,
                "stored": sum(run.cached for run in runs),
                "seconds": seconds,
                "left_out": max(0, len(summaries) - _MOST_NUMBERS),
                "metrics": [_metric(each) for each in summaries[:_MOST_NUMBERS]],
            }
        )

    def _options(self, document: dict[str, Any]) -> None:
        until, options, folder = time.monotonic() + _SEARCH_SECONDS, {}, str(self._file.parent)
        for slot in slots(document):
            self._check()
            if time.monotonic() > until:
                break
            options[slot["path"]] = alternatives(self._asked.text, self._asked.sets, folder, document, slot)
        self._tell({"kind": "options", "options": options})


def _metric(summary: Summary) -> dict[str, Any]:
    known = summary.interval
    return {
        "metric": summary.metric,
        "labels": summary.labels,
        "unit": summary.unit,
        "mean": finite(known.mean),
        "low": known.low,
        "high": known.high,
    }


def _placed(mistake: Any) -> dict[str, Any]:
    """A mistake as the page shows it: at a line of the text, or at the control of a setting."""
    is_set = mistake["file"].startswith("--set ")
    return {
        "line": None if is_set else mistake["line"],
        "path": mistake["path"],
        "setting": mistake["file"].removeprefix("--set ") if is_set else None,
        "message": printable_lines(mistake["message"]),
        "text": printable_lines(line_of(mistake)),
    }


def command(file: Path, sets: Sequence[tuple[str, str]], runs: int, store: Path | None) -> str:
    """Returns the command that repeats the runs.

    >>> from pathlib import Path
    >>> command(Path("net.toml"), [("a-b.rate", "2 Mbit/s")], 10, None)
    "penstock run net.toml --set 'a-b.rate=2 Mbit/s' --runs 10"
    >>> command(Path("-n.toml"), [], 1, None)
    'penstock run ./-n.toml --runs 1'
    """
    given = {"--set": [f"{path}={value}" for path, value in sets], "--runs": runs, "--store": store}
    return command_text(["penstock", "run", file_word(file), *words_of(given)])


def program(file: Path, sets: Sequence[tuple[str, str]], runs: int, seed: int, store: Path | None) -> str:
    """Returns the program that repeats the runs, with the same store."""
    settings = "".join(f"    ({path!r}, {value!r}),\n" for path, value in sets)
    return f"""\
from pathlib import Path

import penstock as ps

file = Path({str(file)!r})
sets = ({chr(10) * bool(settings)}{settings})
text = file.read_text(encoding="utf-8")
common = {{"sets": sets, "seed": {seed}, "name": file.stem, "folder": str(file.parent)}}
requests = [ps.RunRequest(text, replication=number, **common) for number in range({runs})]
results = ps.run_all(requests, store=ps.Store({"" if store is None else repr(str(store))}))
print(ps.to_frame(results))
"""
