"""Runs and their outcomes as plain values, which pickle quickly, for other processes."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from penstock import _core
from penstock.printable import utf8
from penstock.records import Metric, RunRequest
from penstock.store.manifest import run_key
from penstock.store.runfile import Record
from penstock.workers.job import Failed, How, Job, Made, Stop, failed, make


def asked(job: Job) -> tuple[Any, ...]:
    """Returns what another process has to know of a run."""
    request = job.request
    return (request.scenario, request.name, request.sets, request.seed, request.replication, request.folder, job.key)


def answered(asked: Any, how: How, keeps: bool, stop: Stop) -> Any:
    """Makes a run in the other process; never raises."""
    text, name, sets, seed, replication, folder, key = asked
    request = RunRequest(text, sets, seed, replication, name, folder=folder)
    try:
        scenario = _scenario(text, name, sets, folder)
    except BaseException as error:  # it was read before: memory or a file is missing here, or this is a bug
        return failed(error)
    if run_key(scenario.canonical, seed, replication) != key:
        return Failed("a file that the scenario names has changed since the runs began", ours=False)
    match make(scenario, request, key, how, keeps, stop):
        case Failed() as answer:
            return answer
        case Made() as made:
            rows = [(metric.name, metric.labels, metric.unit, metric.value) for metric in made.metrics]
            content = None if made.record is None else made.record.content
            return made.digest, made.packet_hops, made.threads, rows, content, made.measured, made.decided


def decoded(job: Job, answer: Any) -> Made | Failed:
    """Returns the outcome of a run from the answer of another process."""
    if isinstance(answer, Failed):
        return answer
    digest, packet_hops, threads, rows, content, measured, decided = answer
    record = None if content is None else Record(job.key, content)
    return Made(digest, packet_hops, threads, [Metric(*row) for row in rows], record, measured, decided)


@lru_cache(maxsize=8)
def _scenario(text: str, name: str, sets: tuple[tuple[str, str], ...], folder: str | None) -> _core.Scenario:
    return _core.Scenario(text, utf8(name), list(sets), folder, leave_out=True)
