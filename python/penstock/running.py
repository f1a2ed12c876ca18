"""Runs scenarios on all cores, keeping whatever is finished.

A run is a pure function of the scenario, the seed, the replication and the model version, so how many workers there
are and in which order they finish changes nothing in what :func:`run_all` returns.
"""

from __future__ import annotations

import os
import signal
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from queue import Empty, SimpleQueue
from threading import Thread, current_thread, main_thread
from typing import TYPE_CHECKING

from penstock import _core
from penstock.errors import RunsFailed, ScenarioError, StoreError
from penstock.memory import require
from penstock.printable import utf8
from penstock.records import Metric, RunFailure, RunRequest, RunResult, Status
from penstock.store import run_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from types import FrameType

    from penstock.store import GroupCommit, Record, Store

__all__ = ["Metric", "RunFailure", "RunRequest", "RunResult", "Status", "run_all"]

_TICK = 0.2
"""Seconds between two looks at the clock while runs are under way; also how soon Ctrl-C is noticed."""


_AT_ONCE = 1000
"""Metrics that are taken over from the core in one step, during which nothing else is done."""


@dataclass(slots=True)
class _Job:
    """A run to be computed once, for every request that means the same."""

    request: RunRequest
    scenario: _core.Scenario
    key: str
    positions: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Ended:
    """How a job ended; `record` if the run is to be kept, which it is not yet."""

    job: _Job
    run: _core.Run | BaseException
    metrics: list[Metric] = field(default_factory=list)
    record: Record | None = None


def run_all(
    requests: Iterable[RunRequest],
    *,
    jobs: int | None = None,
    store: Store | None = None,
    progress: Callable[[Status], None] | None = None,
    executor: str = "horizon",
    threads: int = 1,
) -> list[RunResult]:
    """Makes all runs, taking those from `store` that it has and keeping the others there as they finish.

    Parameters
    ----------
    requests : iterable of RunRequest
        What to run.
    jobs : int, optional
        How many runs at the same time; by default as many as there are cores for.
    store : Store, optional
        Where finished runs are kept.
    progress : callable, optional
        Told the status after every change and several times a second.
    executor : {"horizon", "plain"}, optional
        In which order the engine works; the results are the same.
    threads : int, optional
        How many cores one run may use; the results are the same. Many runs are done sooner with one core each.

    Returns
    -------
    list of RunResult
        In the order of the requests.

    Raises
    ------
    ScenarioError
        If any scenario has mistakes; nothing is run then.
    InputError
        If the runs that are made at once take more memory than there is; nothing is run then. See
        ``penstock.memory.allow``.
    RunsFailed
        If any run failed; the others are finished and stored.
    StoreError
        If a finished run cannot be kept; what was finished before is kept.
    KeyboardInterrupt
        After Ctrl-C, once the running ones have stopped; what was finished is kept.
    """
    requests = list(requests)
    work = _plan(requests)
    status = Status(total=len(requests))
    results: list[RunResult | None] = [None] * len(requests)

    def finish(job: _Job, metrics: list[Metric], digest: str, packet_hops: int, used: int | None) -> None:
        for position in job.positions:
            results[position] = RunResult(requests[position], metrics, digest, packet_hops, used is None, used)
        status.done += len(job.positions)

    missing = []
    for job in work:
        kept = store.get(job.key) if store is not None else None
        if kept is None:
            missing.append(job)
        else:
            status.cached += len(job.positions)
            finish(job, kept.metrics, kept.digest, kept.packet_hops, None)
    if jobs is None:
        jobs = max(1, (os.cpu_count() or 1) // threads)
    sizes = {id(scenario): scenario.memory for scenario in {id(job.scenario): job.scenario for job in missing}.values()}
    require(((job.request.name, sizes[id(job.scenario)]) for job in missing), min(jobs, len(missing)))
    if missing and store is not None:
        store.prepare()
    if all(job.request.hops for job in missing):
        # The longest first: none of them is left to run alone at the end.
        missing.sort(key=lambda job: -job.request.hops)
        status.work = sum(job.request.hops for job in missing)
    if progress is not None:
        progress(status)

    failures: list[RunFailure] = []

    def collect(end: _Ended) -> None:
        job, run = end.job, end.run
        if status.work:
            status.worked += job.request.hops
        if isinstance(run, BaseException):
            status.failed += len(job.positions)
            failures.append(_failure(job, run, store))
            return
        status.packet_hops += run.packet_hops
        finish(job, end.metrics, run.digest, run.packet_hops, run.threads)

    _compute(
        missing, jobs, store, (executor, threads), collect, lambda: progress(status) if progress is not None else None
    )
    if failures:
        order = {id(job.request): job.positions[0] for job in missing}
        failures.sort(key=lambda failure: order[id(failure.request)])
        raise RunsFailed(failures, len(requests))
    return [result for result in results if result is not None]


def _plan(requests: Sequence[RunRequest]) -> list[_Job]:
    """Reads every scenario once and joins requests that mean the same run."""
    scenarios: dict[tuple[str, tuple[tuple[str, str], ...], str], _core.Scenario | None] = {}
    mistakes: list[_core.Mistake] = []
    work: dict[str, _Job] = {}
    for position, request in enumerate(requests):
        text = (request.scenario, request.sets, request.name)
        if text not in scenarios:
            try:
                scenarios[text] = _core.Scenario(request.scenario, utf8(request.name), list(request.sets))
            except _core.ScenarioError as error:
                scenarios[text] = None
                mistakes.extend(error.mistakes)
        scenario = scenarios[text]
        if scenario is not None:
            key = run_key(scenario.canonical, request.seed, request.replication)
            work.setdefault(key, _Job(request, scenario, key)).positions.append(position)
    if mistakes:
        raise ScenarioError(mistakes)
    return list(work.values())


def _compute(
    work: Sequence[_Job],
    jobs: int,
    store: Store | None,
    how: tuple[str, int],
    collect: Callable[[_Ended], None],
    tick: Callable[[], None],
) -> None:
    """Runs `work` on threads, each run with the executor and so many cores as `how` says; collects what is kept.

    On any exception it stops the running ones before it goes on.

    Threads and this one meet only in queues written in C, and an interruption comes as one more thing in the queue:
    raised between any two instructions it could leave a lock taken that nobody releases, or lose a run that has ended.
    """
    cancel = _core.Cancel()
    stopped: list[bool] = []
    waiting: SimpleQueue[_Job] = SimpleQueue()
    ended: SimpleQueue[_Ended | int] = SimpleQueue()
    group = store.group() if store is not None else None
    for job in work:
        waiting.put(job)

    def one(job: _Job) -> _Ended:
        try:
            run = job.scenario.run(job.request.seed, job.request.replication, cancel, *how)
            metrics = _metrics(run, stopped)
            record = None
            if store is not None:
                record = store.encode(job.key, job.request, run.digest, run.packet_hops, _wanted(metrics, stopped))
        except BaseException as error:  # a panic of the core is one; all are told by the thread that asked
            return _Ended(job, error)
        return _Ended(job, run, metrics, record)

    def run_waiting() -> None:
        with suppress(Empty):
            while not stopped:
                ended.put(one(waiting.get_nowait()))

    workers = min(jobs, len(work))
    threads = [Thread(target=run_waiting, name=f"penstock-run-{i}", daemon=True) for i in range(workers)]
    with _queued_signals(ended.put) as handle:
        try:
            for thread in threads:
                thread.start()
            left = len(work)
            while left:
                with suppress(Empty):
                    match ended.get(timeout=_TICK):
                        case int(number):
                            handle(number)
                        case _Ended() as end:
                            left -= 1
                            _keep(end, group, collect)
                if group is not None and (not left or group.is_due()):
                    group.commit()
                tick()
        except BaseException as error:
            stopped.append(True)
            cancel.set()
            for thread in threads:
                thread.join()
            _keep_all(ended, group, collect)
            if isinstance(error, KeyboardInterrupt):
                tick()  # who shows a copy of the status has the last runs too
            raise


def _keep(end: _Ended, group: GroupCommit | None, collect: Callable[[_Ended], None]) -> None:
    """Collects a run as soon as it cannot be lost any more: when the disk has it, or at once if it is not kept."""
    if group is None or end.record is None:
        collect(end)
    else:
        group.add(end.record, partial(collect, end))


def _keep_all(ended: SimpleQueue[_Ended | int], group: GroupCommit | None, collect: Callable[[_Ended], None]) -> None:
    """Keeps what ended while the others were being stopped; it is to be counted too."""
    with suppress(Empty):
        while True:
            match ended.get_nowait():
                case _Ended(run=_core.Run()) as end:
                    _keep(end, group, collect)
    if group is not None:
        with suppress(StoreError):  # whatever came first is told
            group.commit()


@contextmanager
def _queued_signals(put: Callable[[int], None]) -> Iterator[Callable[[int], object]]:
    """Puts the numbers of interrupting signals into a queue; gives what does then what the signal would have done."""
    handlers: dict[int, Callable[[int, FrameType | None], object]] = {}
    if current_thread() is main_thread():
        for interrupting in (signal.SIGINT, signal.SIGTERM):
            handler = signal.getsignal(interrupting)
            if callable(handler):
                handlers[interrupting] = handler
                signal.signal(interrupting, lambda number, _frame: put(number))
    try:
        yield lambda number: handlers[number](number, None)
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _metrics(run: _core.Run, stopped: Sequence[bool]) -> list[Metric]:
    metrics: list[Metric] = []
    while rows := run.metrics_from(len(metrics), _AT_ONCE):
        metrics += _wanted([Metric(name, dict(labels), unit, value) for name, labels, unit, value in rows], stopped)
    return metrics


def _wanted(metrics: Sequence[Metric], stopped: Sequence[bool]) -> Iterator[Metric]:
    """The metrics, of which there may be very many, as long as nobody has stopped what is made of them."""
    for metric in metrics:
        if stopped:
            raise _core.Cancelled("cancelled")
        yield metric


def _failure(job: _Job, error: BaseException, store: Store | None) -> RunFailure:
    # A Rust panic arrives as a BaseException of a type that cannot be imported.
    ours = type(error).__name__ == "PanicException" or not isinstance(error, (ValueError, MemoryError))
    message = str(error) or type(error).__name__
    file = store.keep_failed(job.key, job.request) if store is not None else None
    return RunFailure(job.request, message, ours, file)
