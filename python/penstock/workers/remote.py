"""Functions that workers of a cluster run: batches of runs, refused by workers of another version."""

from __future__ import annotations

import time
from functools import lru_cache
from typing import Any

from penstock import _core
from penstock.workers.job import Failed, How, Stop
from penstock.workers.wire import answered


class Refused(Exception):  # noqa: N818  (named after what happened)
    """Raised by a worker whose version differs from the client's."""


def version() -> tuple[str, str]:
    """Returns the versions of the model and of the package, which must equal the client's."""
    return _core.MODEL_VERSION, _core.version()


def make_batch(
    expected: tuple[str, str], study: str, how: How, keeps: bool, asked: list[tuple[Any, ...]]
) -> tuple[float, list[Any]]:
    """Executes runs one after the other; returns the elapsed seconds and the outcomes.

    `expected` are the client's versions; another version raises Refused. `study` names the runs for a cancellation, and
    `keeps` returns the files of runs too. Runs and outcomes are encoded as in :mod:`penstock.workers.wire`.
    """
    if (own := version()) != expected:
        raise Refused(f"has {told(own)}")
    begin, stop = time.perf_counter(), _stop(study)
    answers = [Failed("stopped", ours=False) if stop else answered(each, how, keeps, stop) for each in asked]
    return time.perf_counter() - begin, answers


def cancel(study: str) -> None:
    """Stops the runs of a study in this process."""
    _stop(study).set()


def told(versions: tuple[str, str]) -> str:
    """Returns versions as text.

    Examples
    --------
    >>> told(("4f1c09a77be2d93b", "0.1.0"))
    'Penstock 0.1.0 with model 4f1c09a77be2'
    """
    return f"Penstock {versions[1]} with model {versions[0][:12]}"


@lru_cache(maxsize=64)
def _stop(_study: str) -> Stop:
    return Stop()
