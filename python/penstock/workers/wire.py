"""A run on its way to another process, and what comes back: plain values, which pickle quickly."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from penstock import _core
from penstock.printable import utf8
from penstock.records import Metric, RunRequest
from penstock.store import Record, run_key
from penstock.workers.job import Failed, How, Job, Made, Stop, failed, make

if TYPE_CHECKING:
    from penstock.store import Store

__all__ = ["answered", "asked", "decoded"]


def asked(job: Job) -> tuple[Any, ...]:
    """What another process has to know of a run."""
    request = job.request
    return (request.scenario, request.name, request.sets, request.seed, request.replication, request.folder, job.key)


def answered(asked: Any, how: How, store: Store | None, stop: Stop) -> Any:
    """Makes a run there; never raises."""
    text, name, sets, seed, replication, folder, key = asked
    request = RunRequest(text, sets, seed, replication, name, folder=folder)
    try:
        scenario = _scenario(text, name, sets, folder)
    except BaseException as error:  # it has been read before, so this is short of memory or of a file, or a bug
        return failed(error)
    if run_key(scenario.canonical, seed, replication) != key:
        return Failed("a file that the scenario names has changed since the runs began", ours=False)
    match make(scenario, request, key, how, store, stop):
        case Failed() as answer:
            return answer
        case Made() as made:
            rows = [(metric.name, metric.labels, metric.unit, metric.value) for metric in made.metrics]
            content = None if made.record is None else made.record.content
            return made.digest, made.packet_hops, made.threads, rows, content, made.measured, made.decided


def decoded(job: Job, answer: Any) -> Made | Failed:
    """What another process says of a run."""
    if isinstance(answer, Failed):
        return answer
    digest, packet_hops, threads, rows, content, measured, decided = answer
    record = None if content is None else Record(job.key, content)
    return Made(digest, packet_hops, threads, [Metric(*row) for row in rows], record, measured, decided)


@lru_cache(maxsize=8)
def _scenario(text: str, name: str, sets: tuple[tuple[str, str], ...], folder: str | None) -> _core.Scenario:
    return _core.Scenario(text, utf8(name), list(sets), folder, leave_out=True)
