"""Runs scenarios on all cores, keeping whatever is finished.

A run is a pure function of the scenario, the seed, the replication and the model version, so how many workers there
are and in which order they finish changes nothing in what :func:`run_all` returns.
"""

from __future__ import annotations

import os
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from penstock import _core
from penstock.errors import RunsFailed, ScenarioError, StoreError
from penstock.records import Metric, RunFailure, RunRequest, RunResult, Status
from penstock.store import run_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from penstock.store import Store

__all__ = ["Metric", "RunFailure", "RunRequest", "RunResult", "Status", "run_all"]

_TICK = 0.2
"""Seconds between two looks at the clock while runs are under way; also how soon Ctrl-C is noticed."""


@dataclass(slots=True)
class _Job:
    """A run to be computed once, for every request that means the same."""

    request: RunRequest
    scenario: _core.Scenario
    key: str
    positions: list[int] = field(default_factory=list)


def run_all(
    requests: Iterable[RunRequest],
    *,
    jobs: int | None = None,
    store: Store | None = None,
    progress: Callable[[Status], None] | None = None,
) -> list[RunResult]:
    """Makes all runs, taking those from `store` that it has and keeping the others there as they finish.

    Parameters
    ----------
    requests : iterable of RunRequest
        What to run.
    jobs : int, optional
        How many runs at the same time; all cores by default.
    store : Store, optional
        Where finished runs are kept.
    progress : callable, optional
        Told the status after every change and several times a second.

    Returns
    -------
    list of RunResult
        In the order of the requests.

    Raises
    ------
    ScenarioError
        If any scenario has mistakes; nothing is run then.
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

    def finish(job: _Job, metrics: list[Metric], digest: str, packet_hops: int, cached: bool) -> None:
        for position in job.positions:
            results[position] = RunResult(requests[position], metrics, digest, packet_hops, cached)
        status.done += len(job.positions)

    missing = []
    if store is not None:
        store.prepare()
    for job in work:
        kept = store.get(job.key) if store is not None else None
        if kept is None:
            missing.append(job)
        else:
            status.cached += len(job.positions)
            finish(job, kept.metrics, kept.digest, kept.packet_hops, True)
    if all(job.request.hops for job in missing):
        # The longest first: none of them is left to run alone at the end.
        missing.sort(key=lambda job: -job.request.hops)
        status.work = sum(job.request.hops for job in missing)
    if progress is not None:
        progress(status)

    failures: list[RunFailure] = []

    def collect(job: _Job, future: Future[_core.Run]) -> None:
        if status.work:
            status.worked += job.request.hops
        error = future.exception()
        if isinstance(error, StoreError):
            raise error
        if error is not None:
            status.failed += len(job.positions)
            failures.append(_failure(job, error, store))
            return
        run = future.result()
        status.packet_hops += run.packet_hops
        finish(job, _metrics(run), run.digest, run.packet_hops, False)

    _compute(missing, jobs, store, collect, lambda: progress(status) if progress is not None else None)
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
                scenarios[text] = _core.Scenario(request.scenario, request.name, list(request.sets))
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
    jobs: int | None,
    store: Store | None,
    collect: Callable[[_Job, Future[_core.Run]], None],
    tick: Callable[[], None],
) -> None:
    """Runs `work` on threads; on any exception stops the running ones before it goes on."""
    if not work:
        return
    cancel = _core.Cancel()

    def one(job: _Job) -> _core.Run:
        run = job.scenario.run(job.request.seed, job.request.replication, cancel)
        if store is not None:
            store.put(job.key, job.request, run.digest, run.packet_hops, _metrics(run))
        return run

    workers = min(jobs or os.cpu_count() or 1, len(work))
    executor = ThreadPoolExecutor(workers, thread_name_prefix="penstock-run")
    pending: dict[Future[_core.Run], _Job] = {}
    # Waiting for thousands of futures takes a lock of each, and Ctrl-C in the middle of that would leave them taken.
    ended: SimpleQueue[Future[_core.Run]] = SimpleQueue()
    try:
        for job in work:
            future = executor.submit(one, job)
            pending[future] = job
            future.add_done_callback(ended.put)
        while pending:
            with suppress(Empty):
                future = ended.get(timeout=_TICK)
                while True:
                    collect(pending.pop(future), future)
                    future = ended.get_nowait()
            tick()
    except BaseException:
        cancel.set()
        executor.shutdown(wait=True, cancel_futures=True)
        # What ended meanwhile is kept too, and is to be counted.
        for future, job in pending.items():
            if future.done() and not future.cancelled() and future.exception() is None:
                collect(job, future)
        raise
    finally:
        executor.shutdown(wait=True, cancel_futures=True)


def _metrics(run: _core.Run) -> list[Metric]:
    return [Metric(name, dict(labels), unit, value) for name, labels, unit, value in run.metrics]


def _failure(job: _Job, error: BaseException, store: Store | None) -> RunFailure:
    # A Rust panic arrives as a BaseException of a type that cannot be imported.
    ours = type(error).__name__ == "PanicException" or not isinstance(error, (ValueError, MemoryError))
    message = str(error) or type(error).__name__
    file = store.keep_failed(job.key, job.request) if store is not None else None
    return RunFailure(job.request, message, ours, file)
