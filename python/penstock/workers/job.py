"""A run to be made, how it is made, and its outcome."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from penstock import _core
from penstock.processors import usable
from penstock.records import Decided, Measured, Metric, RunRequest
from penstock.store import manifest
from penstock.store.runfile import Record, encode

_AT_ONCE = 1000  # metrics that are copied from the core in one step, which cannot be interrupted


@dataclass(slots=True)
class Job:
    """A run to be computed once; `positions` are the indexes of the requests for it."""

    request: RunRequest
    scenario: _core.Scenario
    key: str
    positions: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class How:
    """How runs are made."""

    executor: str = "horizon"  # executor of the engine; see :func:`penstock.running.run_all`
    threads: int = 1  # maximum number of cores
    keeps: bool = False  # whether the files of runs are wanted


@dataclass(frozen=True, slots=True)
class Made:
    """A finished run; `record` is its file, not written yet, `measured` which numbers belong to which measure."""

    digest: str
    packet_hops: int
    threads: int
    metrics: list[Metric]
    record: Record | None = None
    measured: Measured | None = None
    decided: Sequence[Decided] | None = None


@dataclass(frozen=True, slots=True)
class Failed:
    """The reason of a failure; `ours` if the fault is the simulator's, `attempts` the number of attempts."""

    message: str
    ours: bool
    attempts: int = 1


@dataclass(frozen=True, slots=True)
class Ended:
    """A job with its outcome."""

    job: Job
    how: Made | Failed


@dataclass(frozen=True, slots=True)
class Lost:
    """A worker process that died during a run, which is repeated."""

    job: Job
    how: str


@dataclass(frozen=True, slots=True)
class Told:
    """A message for the user during the runs, such as the address of a cluster's dashboard."""

    message: str


class Stop:
    """A flag that ends a run and the copying of its numbers."""

    def __init__(self) -> None:
        self.cancel = _core.Cancel()
        self._raised = False

    def set(self) -> None:
        """Raises the flag."""
        self._raised = True
        self.cancel.set()

    def __bool__(self) -> bool:
        return self._raised

    def passing(self, metrics: Sequence[Metric]) -> Iterator[Metric]:
        """Yields the metrics until the flag is raised; there may be very many."""
        for metric in metrics:
            if self._raised:
                raise _core.Cancelled("cancelled")
            yield metric


def make(scenario: _core.Scenario, request: RunRequest, key: str, how: How, stop: Stop) -> Made | Failed:
    """Makes a run, with the content of its file if it is wanted."""
    try:
        begin = time.perf_counter()
        run = scenario.run(request.seed, request.replication, stop.cancel, how.executor, usable(how.threads))
        seconds = time.perf_counter() - begin
        metrics = metrics_of(run, stop)
        measured = list(zip(scenario.measures, run.measured, strict=True))
        record = None
        if how.keeps:
            of = (key, request, run.digest, run.packet_hops, stop.passing(metrics))
            record = Record(key, encode(*of, manifest.Made.now(seconds, request), measured, run.decided))
    except BaseException as error:  # also a panic of the core, whose type cannot be imported
        return failed(error)
    return Made(run.digest, run.packet_hops, run.threads, metrics, record, measured, run.decided)


def failed(error: BaseException) -> Failed:
    """Returns the failure that an exception stands for."""
    ours = type(error).__name__ == "PanicException" or not isinstance(error, (ValueError, MemoryError))
    return Failed(str(error) or type(error).__name__, ours)


def metrics_of(run: _core.Run, stop: Stop) -> list[Metric]:
    """Returns the numbers of a run."""
    metrics: list[Metric] = []
    while rows := run.metrics_from(len(metrics), _AT_ONCE):
        metrics += stop.passing([Metric(name, dict(labels), unit, value) for name, labels, unit, value in rows])
    return metrics
