"""Runs scenarios on all cores, and keeps whatever is finished.

A run is a pure function of scenario, seed, replication and model version: workers and their order change no result.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import current_thread, main_thread
from types import FrameType
from typing import TYPE_CHECKING, Any

from penstock import _core
from penstock.errors import InputError, RunsFailed, ScenarioError, StoreError, core_faults, numbers_of_run
from penstock.interruption import ends
from penstock.memory import require
from penstock.printable import utf8
from penstock.processors import available, usable
from penstock.records import Metric, RunFailure, RunRequest, RunResult, Status
from penstock.results import grouped
from penstock.store import RunKeys, Store, measuring, pick
from penstock.workers import Crew, Reserve, crew
from penstock.workers.job import Ended, Failed, How, Job, Lost, Made, Told
from penstock.workers.place import Place

if TYPE_CHECKING:
    from penstock.workers.dask_crew import DaskCrew

__all__ = ["Metric", "RunFailure", "RunRequest", "RunResult", "Status", "make_all", "read_all", "run_all"]

_TICK = 0.2  # seconds between two calls of `progress` during runs; also the delay until Ctrl-C is noticed


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
    """Makes all runs: takes those that are in `store`, and keeps the others there as they finish.

    Parameters
    ----------
    requests : iterable of RunRequest
        The runs.
    jobs : int, optional
        Number of simultaneous runs; by default one per available core.
    store : Store, optional
        Store of finished runs.
    progress : callable, optional
        Called with the status after every change and several times a second.
    executor : {"horizon", "plain"}, optional
        Executor of the engine; does not change the results.
    threads : int, optional
        Number of cores that one run may use; does not change the results. Many runs finish sooner with one core each.
    on : str, optional
        Workers: ``threads`` of this process, worker ``processes`` (a crash loses only the run in progress), or a Dask
        cluster: ``dask`` on this machine, ``dask://HOST:PORT``, or ``dask:NAME`` from the settings file. Does not
        change the results.

    Returns
    -------
    list of RunResult
        In the order of the requests.

    Raises
    ------
    ScenarioError
        If any scenario has mistakes; nothing is run. Keys without effect are mistakes too, except in requests with
        settings.
    InputError
        If simultaneous runs need more memory than there is (see ``penstock.memory.allow``), there are no such
        workers or executor, or `jobs` or `threads` is below 1; nothing is run.
    PenstockError
        If a cluster cannot be reached, or all of its workers are refused; finished runs are kept.
    RunsFailed
        If any run failed; the others are finished and stored.
    StoreError
        If a finished run cannot be kept; earlier ones are kept.
    KeyboardInterrupt
        After Ctrl-C, once the runs in progress have stopped; finished ones are kept.
    """
    asked = read_all(requests)
    # With settings it may be a point of a study, whose other points may need these keys.
    whole = {id(scenario): scenario for request, scenario in asked if not request.sets}
    if useless := [mistake for scenario in whole.values() for mistake in scenario.left_out]:
        raise ScenarioError(useless)
    return make_all(asked, jobs=jobs, store=store, progress=progress, how=How(executor, threads), on=on)


def make_all(
    asked: Sequence[tuple[RunRequest, _core.Scenario]],
    *,
    how: How,
    jobs: int | None = None,
    store: Store | None = None,
    progress: Callable[[Status], None] | None = None,
    on: str = "threads",
    reserve: Reserve | None = None,
    told: Callable[[RunResult, _core.Scenario], None] | None = None,
) -> list[RunResult]:
    """Like :func:`run_all`, for scenarios that were read; workers stay in `reserve`, and `told` gets each new run."""
    place = Place.read(on)
    for name, number in (("jobs", 1 if jobs is None else jobs), ("threads", how.threads)):
        if not (hasattr(number, "__index__") and number >= 1):
            raise InputError(f"{name}: {number!r} is not a whole number from 1.")
    if how.executor not in ("horizon", "plain"):
        raise InputError(f"executor: there is no {how.executor!r}; allowed are 'horizon' and 'plain'.")
    if store is not None:
        _require_sources(asked)
    tally = _Tally(asked, store)
    status = tally.status
    missing = tally.find(_distinct(asked))
    if not place.is_elsewhere:
        most = max(1, available() // usable(how.threads)) if jobs is None else jobs
        jobs = min(most, len(missing))
        sizes = {id(each): each.memory for each in {id(job.scenario): job.scenario for job in missing}.values()}
        require(((job.request.name, sizes[id(job.scenario)]) for job in missing), jobs)
    if missing and store is not None:
        store.prepare(job.request for job in missing)
    if all(job.request.hops for job in missing):
        # Longest first, so that none of them runs alone at the end.
        missing.sort(key=lambda job: -job.request.hops)
        status.work = sum(job.request.hops for job in missing)

    def tick() -> None:
        if progress is not None:
            progress(status)

    tick()
    with closing(Reserve()) if reserve is None else nullcontext(reserve) as kept:
        made_by = partial(crew, place, jobs, replace(how, keeps=store is not None), reserve=kept)
        _compute(missing, made_by, tally.collect, tick)
    if told is not None:
        tally.tell(told)
    return tally.results(missing)


def _require_sources(asked: Sequence[tuple[RunRequest, _core.Scenario]]) -> None:
    """Refuses to keep runs of plug-in components whose versions cannot be distinguished."""
    for scenario in {id(scenario): scenario for _, scenario in asked}.values():
        if unidentified := scenario.unidentified_components:
            names = ", ".join(unidentified)
            message = f"{names} of a plug-in has no source, by which stored runs of its versions could be distinguished"
            raise InputError(f"{message}; give Plugin::new the source, or run without a store")


class _Tally:
    """The results of requests so far."""

    def __init__(self, asked: Sequence[tuple[RunRequest, _core.Scenario]], store: Store | None) -> None:
        requests = self._requests = [request for request, _ in asked]
        self._scenarios = [scenario for _, scenario in asked]
        self._measures = {id(scenario): scenario.measures for _, scenario in asked}
        self._joined: dict[tuple[Any, ...], tuple[RunRequest, _core.Scenario] | None] = {}
        self._store = store
        self._results: list[RunResult | None] = [None] * len(requests)
        self._failures: list[RunFailure] = []
        self.status = Status(total=len(requests))

    def find(self, work: Sequence[Job]) -> list[Job]:
        """Takes runs from the store; returns those that are missing or lack requested numbers."""
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
                if (own := run.with_measures(self._measured(position))) is None:
                    left.append(position)
                    continue
                results[position] = own.result(requests[position], window)
            if left:
                missing += self._jobs(job, left, [text for text, _ in run.measured or ()])
        self.status.cached = self.status.done = len(requests) - sum(len(job.positions) for job in missing)
        return missing

    def _measured(self, position: int) -> Sequence[str]:
        return self._measures[id(self._scenarios[position])]

    def _jobs(self, job: Job, positions: list[int], known: Sequence[str]) -> list[Job]:
        """Returns jobs for some positions with the requested and the `known` measures; one job if possible."""
        first = positions[0]
        scenario, request = self._scenarios[first], self._requests[first]
        own = self._measures[id(scenario)]
        texts = dict.fromkeys((*own, *known))
        for position in positions[1:]:
            texts |= dict.fromkeys(self._measured(position))
        if len(texts) == len(set(own)):
            return [job if positions is job.positions else Job(request, scenario, job.key, positions)]
        asked = (id(scenario), request.sets, tuple(texts))
        if asked not in self._joined:
            self._joined[asked] = measuring(request, scenario, texts)
        if (joined := self._joined[asked]) is not None:
            return [Job(replace(request, sets=joined[0].sets), joined[1], job.key, positions)]
        apart = grouped(positions, lambda each: tuple(self._measured(each)))
        return [Job(self._requests[it[0]], self._scenarios[it[0]], job.key, it) for it in apart.values()]

    def collect(self, end: Ended | Lost | Told) -> None:
        """Counts what a worker reports; keeps a finished run in the store first, so that it cannot be lost."""
        status = self.status
        match end:
            case Told(message):
                status.notes += (message,)
            case Lost():
                status.replaced += 1
            case Ended(job, Failed() as failed):
                status.failed += len(job.positions)
                self._failures.append(self._failure(job, failed))
            case Ended(job, Made() as made):
                if self._store is not None and made.record is not None:
                    self._store.write(made.record)
                for position in job.positions:
                    metrics = pick(self._measured(position), made.metrics, made.measured)
                    assert metrics is not None  # a job has the measures of all its requests
                    of = (self._requests[position], metrics, made.digest, made.packet_hops)
                    window, decided = job.scenario.window, made.decided
                    self._results[position] = RunResult(*of, threads=made.threads, window=window, decided=decided)
                status.packet_hops += made.packet_hops
                status.done += len(job.positions)
        if status.work and isinstance(end, Ended):
            status.worked += end.job.request.hops

    def tell(self, told: Callable[[RunResult, _core.Scenario], None]) -> None:
        for result, scenario in zip(self._results, self._scenarios, strict=True):
            if result is not None and result.threads is not None:
                told(result, scenario)

    def results(self, missing: Iterable[Job]) -> list[RunResult]:
        """Returns the results; raises RunsFailed, with the failures in the order of the requests, if any run failed."""
        if self._failures:
            order = {id(self._requests[job.positions[0]]): job.positions[0] for job in missing}
            self._failures.sort(key=lambda failure: order[id(failure.request)])
            raise RunsFailed(self._failures, len(self._requests))
        return [result for result in self._results if result is not None]

    def _failure(self, job: Job, failed: Failed) -> RunFailure:
        request, file = self._requests[job.positions[0]], None
        if self._store is not None:
            attempts = failed.attempts
            file = self._store.keep_failed(job.key, request, failed.message, ours=failed.ours, attempts=attempts)
        return RunFailure(request, failed.message, failed.ours, _own_file(request) or file)


def _own_file(request: RunRequest) -> str | None:
    """Returns the user's file of the scenario if it still has this text: other files that it names are next to it."""
    file = Path(request.folder or "") / f"{request.name}.toml"
    with suppress(OSError, ValueError):  # a name that no file can have is a ValueError
        if file.read_text(encoding="utf-8") == request.scenario:
            return str(file)
    return None


def read_all(requests: Iterable[RunRequest]) -> list[tuple[RunRequest, _core.Scenario]]:
    """Reads each scenario once."""
    scenarios: dict[tuple[str, tuple[tuple[str, str], ...], str, str | None], _core.Scenario | None] = {}
    mistakes: list[_core.Mistake] = []
    found = []
    for given in requests:
        seed, replication = numbers_of_run(given.seed, given.replication)
        # Numbers of numpy, for example, are no JSON.
        is_plain = seed is given.seed and replication is given.replication
        request = given if is_plain else replace(given, seed=seed, replication=replication)
        text = (request.scenario, request.sets, request.name, request.folder)
        if text not in scenarios:
            try:
                with core_faults():
                    scenarios[text] = _core.Scenario(
                        request.scenario, utf8(request.name), list(request.sets), request.folder, leave_out=True
                    )
            except ScenarioError as error:
                scenarios[text] = None
                mistakes.extend(error.mistakes)
        scenario = scenarios[text]
        if scenario is not None:
            found.append((request, scenario))
    if mistakes:
        raise ScenarioError(mistakes)
    return found


def _distinct(asked: Sequence[tuple[RunRequest, _core.Scenario]]) -> list[Job]:
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
    collect: Callable[[Ended | Lost | Told], None],
    tick: Callable[[], None],
) -> None:
    """Makes the runs of `work` and collects them; on any exception it stops the runs in progress before it raises."""
    ended: SimpleQueue[Ended | Lost | Told | BaseException | int] = SimpleQueue()
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
                            collect(end)
                        case error:
                            raise error
                tick()
            with suppress(Empty):  # signals after the last run
                while True:
                    if isinstance(late := ended.get_nowait(), int):
                        handle(late)
        except BaseException as error:
            workers.stop()
            workers.join()
            with suppress(Empty, StoreError):  # keeps what finished meanwhile; the first error is reported
                while True:
                    match ended.get_nowait():
                        case Ended(how=Made()) as end:
                            collect(end)
            if isinstance(error, KeyboardInterrupt):
                tick()  # for displays that copy the status
            raise
        workers.join()


@contextmanager
def _queued_signals(put: Callable[[int], None], stop: Callable[[], None]) -> Iterator[Callable[[int], object]]:
    """Puts interrupting signals into a queue; yields a function that calls the original handler of a signal.

    A signal whose handler always raises also stops the work at once, without waiting for a write in progress.
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
