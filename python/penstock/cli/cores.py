"""Reports why runs use fewer cores than ``--threads`` asks for, once for each scenario of a command."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from penstock import _core
from penstock._core import Scenario
from penstock.cli.console import say
from penstock.errors import RunsFailed
from penstock.printable import path_text, shortened, utf8
from penstock.processors import available
from penstock.progress import Progress
from penstock.records import RunRequest, RunResult
from penstock.running import run_all
from penstock.studies.request import PointRequest
from penstock.studies.runner import Runner


class Cores:
    """Collects the messages; the parameter is that of :func:`cores_told`."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self._noted: dict[tuple[str, str], str] = {}
        self._divided: set[tuple[str, str]] = set()

    @property
    def messages(self) -> list[str]:
        """A sentence for each scenario with such a run, about the first one."""
        return list(self._noted.values())

    def note(
        self, name: str, text: str, read: Callable[[], Scenario], used: int | None = None, *, is_plain: bool = False
    ) -> None:
        """Adds a run, by name and text of its scenario.

        `read` returns the scenario with the run's settings; it is called only if there is something to report. `used`
        is the number of cores that it used; if unknown, the number of parts of the network, computed once per scenario.
        `is_plain` says that the plain executor makes it.
        """
        which = name, text
        if self.threads == 1 or which in self._noted or which in self._divided:
            return
        if is_plain:
            why = "runs on one core: --executor plain has no more"
        elif used is not None and used >= self.threads:
            return
        else:
            division = read().division(self.threads)
            if used is None:
                self._divided.add(which)
                used = min(division["parts"], available())
            if used >= self.threads:
                return
            why = _why(used, division, self.threads)
        self._noted[which] = f"{path_text(name)} {why}."

    def note_run(self, request: RunRequest, used: int | None = None, scenario: Scenario | None = None) -> None:
        """Adds a run by its request; reads its scenario if it is not given."""

        def read() -> Scenario:
            if scenario is not None:
                return scenario
            return _core.Scenario(
                request.scenario, utf8(request.name), list(request.sets), request.folder, leave_out=True
            )

        self.note(request.name, request.scenario, read, used)

    def run_all(self, requests: Iterable[RunRequest], **options: Any) -> list[RunResult]:
        """As :func:`penstock.running.run_all`; adds the runs, also if some fail."""
        requests = list(requests)
        try:
            results = run_all(requests, threads=self.threads, **options)
        except RunsFailed as error:
            failed = {each.request for each in error.failures}
            for request in requests:
                if request not in failed:
                    self.note_run(request)
            raise
        for result in results:
            if result.threads is not None:
                self.note_run(result.request, result.threads)
        return results


@contextmanager
def cores_told(threads: int) -> Iterator[Cores]:
    """Collects which runs use fewer cores, and reports them at the end, after the last progress line."""
    cores = Cores(threads)
    try:
        yield cores
    finally:
        for message in cores.messages:
            say(message)


@contextmanager
def runner_told(threads: int, **options: Any) -> Iterator[Runner]:
    """A runner of points with a progress display, whose runs are noted as by :func:`cores_told`.

    Takes the parameters of :class:`Runner`.
    """
    with cores_told(threads) as cores, Progress() as progress:
        yield _NotingRunner(cores, progress=progress, **options)


class _NotingRunner(Runner):
    """Adds each run to `cores`; the other parameters are as for :class:`Runner`."""

    def __init__(self, cores: Cores, **options: Any) -> None:
        super().__init__(threads=cores.threads, **options)
        self._cores = cores

    def make(self, points: Sequence[PointRequest]) -> list[Sequence[RunResult]]:
        """As that of :class:`Runner`."""
        try:
            made = super().make(points)
        except RunsFailed as error:
            self._note_rest(points, error)
            raise
        if self._cores.threads == 1:
            return made
        for point, runs in zip(points, made, strict=True):
            for run in runs:
                if run.threads is not None:
                    self._cores.note_run(run.request, run.threads, point.scenario)
        return made

    def _note_rest(self, points: Sequence[PointRequest], error: RunsFailed) -> None:
        """If a run fails, the results of the others are not known here; looks at the network only."""
        failed = {each.request for each in error.failures}
        for point in points:
            if (made := next((each for each in point.requests() if each not in failed), None)) is not None:
                self._cores.note_run(made, scenario=point.scenario)


def _why(used: int, division: "_core.Division", threads: int) -> str:
    """The number of cores of a run, and why not more."""
    parts, cores_here = division["parts"], available()
    if cores_here < parts:
        parts, reasons = cores_here, [f"this machine has {cores_here}"]
    else:
        reasons = [_bound(division)] if parts < threads else []
    if used < parts:
        reasons.append(f"{parts} would mostly wait for each other: too few events between two synchronisations")
    cores = "one core" if used == 1 else f"{used} of {threads} cores"
    return f"runs on {cores}: {'; and '.join(reasons)}"


def _bound(division: "_core.Division") -> str:
    """The limit that the network sets."""
    parts, most = division["parts"], division["most"]
    if division["clusters"] <= 1:
        return "its network cannot be cut, since everything in it is joined without delay"
    if most == division["clusters"]:
        why = f"only {most} parts of it have a delay between them"
    else:
        share, busiest = division["share"], shortened(division["busiest"], 100)
        why = (
            f"{busiest} has {share * 100:.0f} % of the load, counted in flows that pass, and a part with it has no less"
        )
    if parts == most:
        return f"its network allows {most} parts at most, since {why}"
    if parts == 1:
        return f"no cut of its network does a quarter more than one core ({why}, which allows {most} parts at most)"
    return f"its network is cut into {parts} parts, as evenly as its delays allow ({why})"
