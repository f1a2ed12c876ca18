"""Reports why runs use fewer cores than ``--threads`` asks for, once for each scenario of a command."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from penstock import _core
from penstock._core import Scenario
from penstock.cli.console import say
from penstock.printable import path_text, shortened
from penstock.processors import available
from penstock.progress import Progress
from penstock.records import RunRequest, RunResult
from penstock.running import make_all, read_all
from penstock.studies.runner import Runner
from penstock.workers.job import How


class Cores:
    """Collects the messages; the parameter is that of :func:`cores_told`."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self._noted: dict[tuple[str, str], str] = {}  # empty for scenarios that can use all cores

    @property
    def messages(self) -> list[str]:
        """A sentence for each scenario with such a run, about the first one."""
        return list(filter(None, self._noted.values()))

    def note(
        self, name: str, text: str, read: Callable[[], Scenario], used: int | None = None, *, is_plain: bool = False
    ) -> None:
        """Adds a run by the name and text of its scenario; `read` reads that scenario, if there is something to report.

        `used` is the number of cores that the run used; None if unknown: then the parts of the network are counted.
        """
        which = name, text
        if self.threads == 1 or which in self._noted or (used or 0) >= self.threads:
            return
        if is_plain:
            why = "runs on one core: --executor plain has no more"
        else:
            division = read().division(self.threads)
            used = used or min(division["parts"], available())
            why = _why(used, division, self.threads) if used < self.threads else ""
        self._noted[which] = f"{path_text(name)} {why}." if why else ""

    def note_run(self, run: RunResult, scenario: Scenario) -> None:
        """Adds a run that was made."""
        self.note(run.request.name, run.request.scenario, lambda: scenario, run.threads)


@contextmanager
def cores_told(threads: int) -> Iterator[Cores]:
    """Collects which runs use fewer cores, and reports them at the end, after the last progress line."""
    cores = Cores(threads)
    try:
        yield cores
    finally:
        for message in cores.messages:
            say(message)


def run_all_told(threads: int, requests: Iterable[RunRequest], **options: Any) -> list[RunResult]:
    """As :func:`penstock.running.run_all` with a progress display; the runs are noted as by :func:`cores_told`."""
    with cores_told(threads) as cores, Progress() as progress:
        options = {"how": How(threads=threads), "progress": progress, "told": cores.note_run, **options}
        return make_all(read_all(requests), **options)


@contextmanager
def runner_told(threads: int, **options: Any) -> Iterator[Runner]:
    """A :class:`Runner` with these options and a progress display, whose runs are noted as by :func:`cores_told`."""
    with cores_told(threads) as cores, Progress() as progress:
        yield Runner(threads=threads, progress=progress, told=cores.note_run, **options)


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
