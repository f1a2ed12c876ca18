"""A run to be made, how that is done, and what comes of it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from penstock import _core
from penstock.processors import usable
from penstock.records import Metric

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from penstock.records import Decided, RunRequest
    from penstock.store import Measured, Record, Store

__all__ = ["Ended", "Failed", "How", "Job", "Lost", "Made", "Stop", "Told", "failed", "gather", "make"]

_AT_ONCE = 1000
"""Metrics that are taken over from the core in one step, during which nothing else is done."""


@dataclass(slots=True)
class Job:
    """A run to be computed once, for every request that means the same."""

    request: RunRequest
    scenario: _core.Scenario
    key: str
    positions: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class How:
    """In which way the engine works, and on how many cores at most; see :func:`penstock.running.run_all`."""

    executor: str = "horizon"
    threads: int = 1


@dataclass(frozen=True, slots=True)
class Made:
    """A finished run; `record` if it is to be kept, which it is not yet; `measured` says what its numbers are of."""

    digest: str
    packet_hops: int
    threads: int
    metrics: list[Metric]
    record: Record | None = None
    measured: Measured | None = None
    decided: Sequence[Decided] | None = None


@dataclass(frozen=True, slots=True)
class Failed:
    """Why there is no run; `ours` if the fault is the simulator's, `attempts` how often it was tried."""

    message: str
    ours: bool
    attempts: int = 1


@dataclass(frozen=True, slots=True)
class Ended:
    """A job that has ended, and how."""

    job: Job
    how: Made | Failed


@dataclass(frozen=True, slots=True)
class Lost:
    """A worker process that ended before its run did; the run is made again."""

    job: Job
    how: str


@dataclass(frozen=True, slots=True)
class Told:
    """Something that people should know while runs are made, such as where a cluster shows what it does."""

    message: str


class Stop:
    """A flag that ends a run, and what is made of it."""

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
        """The metrics, of which there may be very many, as long as the flag is not raised."""
        for metric in metrics:
            if self._raised:
                raise _core.Cancelled("cancelled")
            yield metric


def make(
    scenario: _core.Scenario, request: RunRequest, key: str, how: How, store: Store | None, stop: Stop
) -> Made | Failed:
    """Makes a run, with what is to be written of it if there is a `store`."""
    try:
        begin = time.perf_counter()
        run = scenario.run(request.seed, request.replication, stop.cancel, how.executor, usable(how.threads))
        seconds = time.perf_counter() - begin
        metrics = gather(run, stop)
        measured = list(zip(scenario.measures, run.measured, strict=True))
        record = None
        if store is not None:
            numbers = stop.passing(metrics)
            of = (key, request, run.digest, run.packet_hops)
            record = store.encode(*of, numbers, seconds, measured, run.decided)
    except BaseException as error:  # a panic of the core is one, of a type that cannot be imported
        return failed(error)
    return Made(run.digest, run.packet_hops, run.threads, metrics, record, measured, run.decided)


def failed(error: BaseException) -> Failed:
    """What an exception says of a run."""
    ours = type(error).__name__ == "PanicException" or not isinstance(error, (ValueError, MemoryError))
    return Failed(str(error) or type(error).__name__, ours)


def gather(run: _core.Run, stop: Stop) -> list[Metric]:
    """The numbers of a run."""
    metrics: list[Metric] = []
    while rows := run.metrics_from(len(metrics), _AT_ONCE):
        metrics += stop.passing([Metric(name, dict(labels), unit, value) for name, labels, unit, value in rows])
    return metrics
