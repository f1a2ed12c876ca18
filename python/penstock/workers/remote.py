"""Runs in other processes, and in batches for workers of a cluster."""

import time
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from penstock import _core
from penstock.printable import utf8
from penstock.records import RunRequest
from penstock.store.manifest import folder_of, run_key
from penstock.workers.job import Failed, How, Job, Made, Stop, failed, make

Asked = tuple[RunRequest, str]  # what another process has to know of a run: its request and its key


def asked(job: Job) -> Asked:
    """Returns a run for another process, whose current folder may be another."""
    request, folder = job.request, job.request.folder
    if folder_of(request.scenario, request.sets, folder) is not None:
        folder = str(Path(folder or ".").absolute())  # as given: a link may lead elsewhere on another machine
    return replace(request, folder=folder), job.key


def answered(asked: Asked, how: How, stop: Stop) -> Made | Failed:
    """Makes a run in the other process; never raises."""
    request, key = asked
    of = (request.scenario, request.name, request.sets, request.folder)
    try:
        scenario = _scenario(*of)
        if run_key(scenario.canonical, request.seed, request.replication) != key:
            _scenario.cache_clear()  # a file may have changed since an earlier study
            scenario = _scenario(*of)
    except BaseException as error:  # it was read before: memory or a file is missing here, or this is a bug
        return failed(error)
    if run_key(scenario.canonical, request.seed, request.replication) != key:
        return Failed("a file that the scenario names has changed since the runs began", ours=False)
    return make(scenario, request, key, how, stop)


@lru_cache(maxsize=8)
def _scenario(text: str, name: str, sets: tuple[tuple[str, str], ...], folder: str | None) -> _core.Scenario:
    return _core.Scenario(text, utf8(name), list(sets), folder, leave_out=True)


def version() -> tuple[str, str]:
    """Returns the versions of the model and of the package, which must equal the client's."""
    return _core.MODEL_VERSION, _core.version()


def make_batch(study: str, how: How, asked: list[Asked]) -> tuple[float, list[Made | Failed]]:
    """Executes the runs of a `study` one after the other; returns the elapsed seconds and the outcomes."""
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
