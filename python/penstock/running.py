"""Runs scenarios on all cores, keeping whatever is finished.

A run is a pure function of the scenario, the seed, the replication and the model version, so how many workers there
are and in which order they finish changes nothing in what :func:`run_all` returns.
"""

from __future__ import annotations

import signal
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from queue import Empty, SimpleQueue
from threading import current_thread, main_thread
from typing import TYPE_CHECKING, Any

from penstock import _core
from penstock.errors import InputError, RunsFailed, ScenarioError, StoreError
from penstock.interruption import ends
from penstock.memory import require
from penstock.printable import utf8
from penstock.processors import available, usable
from penstock.records import Metric, RunFailure, RunRequest, RunResult, Status, collection_paused, collection_resumed
from penstock.store import Picker, RunKeys, measuring
from penstock.workers import crew
from penstock.workers.job import Ended, Failed, How, Job, Lost, Made, Told
from penstock.workers.place import Place

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from types import FrameType

    from penstock.store import GroupCommit, Store
    from penstock.workers import Crew, Reserve
    from penstock.workers.dask_crew import DaskCrew

__all__ = ["Metric", "RunFailure", "RunRequest", "RunResult", "Status", "make_all", "run_all"]

_TICK = 0.2
"""Seconds between two looks at the clock while runs are under way; also how soon Ctrl-C is noticed."""


def run_all(
    requests: Iterable[RunRequest],
    *,
    jobs: int | None = None,
    store: Store | None = None,
    progress: Callable[[Status], None] | None = None,
    executor: str = "horizon",
    threads: int = 1,
    on: str = "threads",
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
    on : str, optional
        Who makes the runs: ``threads`` of this process; worker ``processes``, of which one that crashes or is killed
        costs no more than the run that it was making; or a Dask cluster, ``dask`` here, ``dask://HOST:PORT`` or
        ``dask:NAME``, which a settings file describes. The results are the same.

    Returns
    -------
    list of RunResult
        In the order of the requests.

    Raises
    ------
    ScenarioError
        If any scenario has mistakes; nothing is run then.
    InputError
        If the runs that are made at once take more memory than there is, or there are no such workers; nothing is run
        then. See ``penstock.memory.allow``.
    PenstockError
        If a cluster cannot be reached, or all of its workers are refused; what was finished before is kept.
    RunsFailed
        If any run failed; the others are finished and stored.
    StoreError
        If a finished run cannot be kept; what was finished before is kept.
    KeyboardInterrupt
        After Ctrl-C, once the running ones have stopped; what was finished is kept.
    """
    return make_all(_read(list(requests)), jobs=jobs, store=store, progress=progress, how=How(executor, threads), on=on)


def make_all(
    asked: Sequence[tuple[RunRequest, _core.Scenario]],
    *,
    jobs: int | None,
    store: Store | None,
    progress: Callable[[Status], None] | None,
    how: How,
    on: str,
    reserve: Reserve | None = None,
) -> list[RunResult]:
    """As :func:`run_all`, of scenarios that have been read; worker processes are left in `reserve` for further runs."""
    place = Place.read(on)
    if store is not None:
        _require_sources(asked)
    tally = _Tally(asked, store)
    status = tally.status
    with collection_paused():
        missing = tally.find(_distinct(asked))
    if not place.is_elsewhere:
        jobs = min(jobs or max(1, available() // usable(how.threads)), len(missing))
        sizes = {id(each): each.memory for each in {id(job.scenario): job.scenario for job in missing}.values()}
        require(((job.request.name, sizes[id(job.scenario)]) for job in missing), jobs)
    if missing and store is not None:
        store.prepare(job.request for job in missing)
    if all(job.request.hops for job in missing):
        # The longest first: none of them is left to run alone at the end.
        missing.sort(key=lambda job: -job.request.hops)
        status.work = sum(job.request.hops for job in missing)

    def tick() -> None:
        if progress is not None:
            progress(status)

    tick()
    made_by = partial(crew, place, jobs, how, store, reserve=reserve)
    with collection_resumed():
        _compute(missing, made_by, store, tally.collect, tick)
    if store is not None:
        store.gather([(job.key, job.request) for job in missing])
    return tally.told(missing)


def _require_sources(asked: Sequence[tuple[RunRequest, _core.Scenario]]) -> None:
    """Refuses to keep runs of components of plug-ins that nothing tells from another version of themselves."""
    for scenario in {id(scenario): scenario for _, scenario in asked}.values():
        if unidentified := scenario.unidentified_components:
            names = ", ".join(unidentified)
            message = f"{names} of a plug-in has no source, by which stored runs of its versions could be told apart"
            raise InputError(f"{message}; give Plugin::new the source, or run without a store")


class _Tally:
    """What has come of requests by now."""

    def __init__(self, asked: Sequence[tuple[RunRequest, _core.Scenario]], store: Store | None) -> None:
        requests = self._requests = [request for request, _ in asked]
        self._scenarios = [scenario for _, scenario in asked]
        self._measures = {id(scenario): scenario.measures for _, scenario in asked}
        pickers = {number: Picker(measures) for number, measures in self._measures.items()}
        self._pickers = [pickers[id(scenario)] for _, scenario in asked]
        self._joined: dict[tuple[Any, ...], tuple[RunRequest, _core.Scenario] | None] = {}
        self._store = store
        self._results: list[RunResult | None] = [None] * len(requests)
        self._failures: list[RunFailure] = []
        self.status = Status(total=len(requests))

    def find(self, work: Sequence[Job]) -> list[Job]:
        """Takes what the store has; gives what it has not, or not with all numbers that are asked for."""
        found = self._store.find([(job.key, job.request) for job in work]) if self._store is not None else {}
        requests, results = self._requests, self._results
        missing: list[Job] = []
        scenarios = {id(job.scenario): job.scenario for job in work}
        windows = {name: scenario.window for name, scenario in scenarios.items()}
        for job in work:
            if (run := found.get(job.key)) is None:
                missing += self._jobs(job, job.positions, ())
                continue
            window, left = windows[id(job.scenario)], []
            for position in job.positions:
                if (own := self._pickers[position].of(run)) is None:
                    left.append(position)
                    continue
                results[position] = own.result(requests[position], window)
            if left:
                missing += self._jobs(job, left, [text for text, _ in run.measured or ()])
        self.status.cached = self.status.done = len(requests) - sum(len(job.positions) for job in missing)
        return missing

    def _jobs(self, job: Job, positions: list[int], known: Sequence[str]) -> list[Job]:
        """Runs for some positions that give what is asked for and what is `known` already; one if possible."""
        first = positions[0]
        scenario, request = self._scenarios[first], self._requests[first]
        own = self._measures[id(scenario)]
        texts = dict.fromkeys((*own, *known))
        for position in positions[1:]:
            texts |= dict.fromkeys(self._measures[id(self._scenarios[position])])
        if len(texts) == len(set(own)):
            return [job if positions is job.positions else Job(request, scenario, job.key, positions)]
        asked = (id(scenario), request.sets, tuple(texts))
        if asked not in self._joined:
            self._joined[asked] = measuring(request, scenario, texts)
        if (joined := self._joined[asked]) is not None:
            return [Job(replace(request, sets=joined[0].sets), joined[1], job.key, positions)]
        apart: dict[tuple[str, ...], list[int]] = {}
        for position in positions:
            apart.setdefault(tuple(self._measures[id(self._scenarios[position])]), []).append(position)
        return [Job(self._requests[it[0]], self._scenarios[it[0]], job.key, it) for it in apart.values()]

    def collect(self, end: Ended | Lost | Told) -> None:
        """Takes what has ended, and is kept if it is to be."""
        status = self.status
        if isinstance(end, Told):
            status.notes += (end.message,)
            return
        job = end.job
        if isinstance(end, Lost):
            status.replaced += 1
            return
        if status.work:
            status.worked += job.request.hops
        match end.how:
            case Failed() as failed:
                status.failed += len(job.positions)
                self._failures.append(self._failure(job, failed))
            case Made() as made:
                status.packet_hops += made.packet_hops
                self._finish(job, made)

    def told(self, missing: Iterable[Job]) -> list[RunResult]:
        """The results.

        Raises
        ------
        RunsFailed
            If any run failed, in the order of the requests.
        """
        if self._failures:
            order = {id(self._requests[job.positions[0]]): job.positions[0] for job in missing}
            self._failures.sort(key=lambda failure: order[id(failure.request)])
            raise RunsFailed(self._failures, len(self._requests))
        return [result for result in self._results if result is not None]

    def _finish(self, job: Job, made: Made) -> None:
        for position in job.positions:
            request, window = self._requests[position], job.scenario.window
            metrics = self._pickers[position].metrics(made.metrics, made.measured)
            assert metrics is not None  # a job has the measures of all that ask for it
            self._results[position] = RunResult(
                request,
                metrics,
                made.digest,
                made.packet_hops,
                threads=made.threads,
                window=window,
                decided=made.decided,
            )
        self.status.done += len(job.positions)

    def _failure(self, job: Job, failed: Failed) -> RunFailure:
        request, file = self._requests[job.positions[0]], None
        if self._store is not None:
            attempts = failed.attempts
            file = self._store.keep_failed(job.key, request, failed.message, ours=failed.ours, attempts=attempts)
        return RunFailure(request, failed.message, failed.ours, file)


def _read(requests: Sequence[RunRequest]) -> list[tuple[RunRequest, _core.Scenario]]:
    """Reads every scenario once."""
    scenarios: dict[tuple[str, tuple[tuple[str, str], ...], str, str | None], _core.Scenario | None] = {}
    mistakes: list[_core.Mistake] = []
    read = []
    for request in requests:
        text = (request.scenario, request.sets, request.name, request.folder)
        if text not in scenarios:
            try:
                scenarios[text] = _core.Scenario(
                    request.scenario, utf8(request.name), list(request.sets), request.folder, leave_out=True
                )
            except _core.ScenarioError as error:
                scenarios[text] = None
                mistakes.extend(error.mistakes)
        scenario = scenarios[text]
        if scenario is not None:
            read.append((request, scenario))
    if mistakes:
        raise ScenarioError(mistakes)
    return read


def _distinct(asked: Sequence[tuple[RunRequest, _core.Scenario]]) -> list[Job]:
    """Joins requests that mean the same run."""
    work: dict[str, Job] = {}
    named: dict[int, RunKeys] = {}
    for position, (request, scenario) in enumerate(asked):
        if (keys := named.get(id(scenario))) is None:
            keys = named[id(scenario)] = RunKeys(scenario.canonical)
        key = keys.of(request.seed, request.replication)
        if (job := work.get(key)) is None:
            work[key] = Job(request, scenario, key, [position])
        else:
            job.positions.append(position)
    return list(work.values())


def _compute(
    work: Sequence[Job],
    made_by: Callable[[Callable[[Lost], None]], Crew | DaskCrew],
    store: Store | None,
    collect: Callable[[Ended | Lost | Told], None],
    tick: Callable[[], None],
) -> None:
    """Has `work` made, and collects what is kept; on any exception it stops the running ones before it goes on.

    An interruption comes as one more thing in the queue of what ended; see :class:`~penstock.workers.Crew`.
    """
    ended: SimpleQueue[Ended | Lost | Told | BaseException | int] = SimpleQueue()
    group = store.group() if store is not None else None
    workers = made_by(ended.put)
    with _queued_signals(ended.put, workers.stop) as handle:
        try:
            workers.start(work, ended.put)
            left = len(work)
            while left:
                with suppress(Empty):
                    match ended.get(timeout=_TICK):
                        case int(number):
                            handle(number)
                        case Ended() | Lost() | Told() as end:
                            left -= isinstance(end, Ended)
                            _keep(end, group, collect)
                        case error:
                            raise error
                if group is not None and (not left or group.is_due()):
                    group.commit()
                tick()
            with suppress(Empty):  # a signal that came behind the last run
                while True:
                    if isinstance(late := ended.get_nowait(), int):
                        handle(late)
        except BaseException as error:
            workers.stop()
            workers.join()
            _keep_all(ended, group, collect)
            if isinstance(error, KeyboardInterrupt):
                tick()  # who shows a copy of the status has the last runs too
            raise
        workers.join()


def _keep(end: Ended | Lost | Told, group: GroupCommit | None, collect: Callable[[Ended | Lost | Told], None]) -> None:
    """Collects a run as soon as it cannot be lost any more: when the disk has it, or at once if it is not kept."""
    record = end.how.record if isinstance(end, Ended) and isinstance(end.how, Made) else None
    if group is None or record is None:
        collect(end)
    else:
        group.add(record, partial(collect, end))


def _keep_all(
    ended: SimpleQueue[Ended | Lost | Told | BaseException | int],
    group: GroupCommit | None,
    collect: Callable[[Ended | Lost | Told], None],
) -> None:
    """Keeps what ended while the others were being stopped; it is to be counted too."""
    with suppress(Empty):
        while True:
            match ended.get_nowait():
                case Ended(how=Made()) as end:
                    _keep(end, group, collect)
    if group is not None:
        with suppress(StoreError):  # whatever came first is told
            group.commit()


@contextmanager
def _queued_signals(put: Callable[[int], None], stop: Callable[[], None]) -> Iterator[Callable[[int], object]]:
    """Puts the numbers of interrupting signals into a queue; gives what does then what the signal would have done.

    A signal that certainly ends it all stops the work at once, however long what is being written takes.
    """
    handlers: dict[int, Callable[[int, FrameType | None], object]] = {}

    def queue(number: int, _frame: FrameType | None) -> None:
        put(number)
        if ends(handlers[number]):
            stop()

    if current_thread() is main_thread():
        for interrupting in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            handler = signal.getsignal(interrupting)
            if callable(handler):
                handlers[interrupting] = handler
                signal.signal(interrupting, queue)
    try:
        yield lambda number: handlers[number](number, None)
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
