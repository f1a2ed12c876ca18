"""Runs in other processes: as plain values, which pickle quickly, and in batches for workers of a cluster."""

from __future__ import annotations

import time
from functools import lru_cache
from pathlib import Path
from typing import Any

from penstock import _core
from penstock.printable import utf8
from penstock.records import Metric, RunRequest
from penstock.store.manifest import folder_of, run_key
from penstock.store.runfile import Record
from penstock.workers.job import Failed, How, Job, Made, Stop, failed, make


def asked(job: Job) -> tuple[Any, ...]:
    """Returns what another process has to know of a run; its current folder may be another."""
    request, folder = job.request, job.request.folder
    if folder_of(request.scenario, request.sets, folder) is not None:
        folder = str(Path(folder or ".").absolute())  # as given: a link may lead elsewhere on another machine
    return (request.scenario, request.name, request.sets, request.seed, request.replication, folder, job.key)


def answered(asked: Any, how: How, stop: Stop) -> Any:
    """Makes a run in the other process; never raises."""
    text, name, sets, seed, replication, folder, key = asked
    request = RunRequest(text, sets, seed, replication, name, folder=folder)
    try:
        scenario = _scenario(text, name, sets, folder)
        if run_key(scenario.canonical, seed, replication) != key:  # a file may have changed since an earlier study
            _scenario.cache_clear()
            scenario = _scenario(text, name, sets, folder)
    except BaseException as error:  # it was read before: memory or a file is missing here, or this is a bug
        return failed(error)
    if run_key(scenario.canonical, seed, replication) != key:
        return Failed("a file that the scenario names has changed since the runs began", ours=False)
    match make(scenario, request, key, how, stop):
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


class Refused(Exception):  # noqa: N818  (named after what happened)
    """Raised by a worker whose version differs from the client's."""


def version() -> tuple[str, str]:
    """Returns the versions of the model and of the package, which must equal the client's."""
    return _core.MODEL_VERSION, _core.version()


def make_batch(
    expected: tuple[str, str], study: str, how: How, asked: list[tuple[Any, ...]]
) -> tuple[float, list[Any]]:
    """Executes runs one after the other; returns the elapsed seconds and the outcomes.

    `expected` are the client's versions; another version raises Refused. `study` names the runs for a cancellation.
    :func:`asked` and :func:`answered` encode runs and outcomes.
    """
    if (own := version()) != expected:
        raise Refused(f"has {told(own)}")
    begin, stop = time.perf_counter(), _stop(study)
    answers = [Failed("stopped", ours=False) if stop else answered(each, how, stop) for each in asked]
    return time.perf_counter() - begin, answers


def cancel(study: str) -> None:
    """Stops the runs of a study in this process."""
    _stop(study).set()


def told(versions: tuple[str, str]) -> str:
    """Returns versions as text.

    >>> told(("4f1c09a77be2d93b", "0.1.0"))
    'Penstock 0.1.0 with model 4f1c09a77be2'
    """
    return f"Penstock {versions[1]} with model {versions[0][:12]}"


@lru_cache(maxsize=64)
def _stop(_study: str) -> Stop:
    return Stop()
