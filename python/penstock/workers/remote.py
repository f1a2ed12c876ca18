"""What a worker of a cluster does: it makes batches of runs, and refuses those of another version."""

from __future__ import annotations

import time
from functools import lru_cache
from typing import Any

from penstock import _core
from penstock.store import Store
from penstock.workers.job import Failed, How, Stop
from penstock.workers.wire import answered

__all__ = ["Refused", "cancel", "make_batch", "version"]


class Refused(Exception):  # noqa: N818  (named after what happened)
    """A worker makes no runs, since they would not be those that were asked for."""


def version() -> tuple[str, str]:
    """The versions of the model and of the package, which have to be those of who asks."""
    return _core.MODEL_VERSION, _core.version()


def make_batch(
    expected: tuple[str, str], study: str, how: How, keeps: bool, asked: list[tuple[Any, ...]]
) -> tuple[float, list[Any]]:
    """Makes runs one after the other.

    Parameters
    ----------
    expected : (str, str)
        The versions of who asks.
    study : str
        The name under which they can be cancelled.
    how : How
        In which way they are made.
    keeps : bool
        Whether the files of runs come back too.
    asked : list of tuple
        See :func:`penstock.workers.wire.asked`.

    Returns
    -------
    (float, list)
        How long it took in seconds, and what came of each; see :func:`penstock.workers.wire.decoded`.

    Raises
    ------
    Refused
        If this is another version.
    """
    if (own := version()) != expected:
        raise Refused(f"has {told(own)}")
    begin, stop = time.perf_counter(), _stop(study)
    # It only says what a file would hold; nothing is read or written here.
    store = Store(".") if keeps else None
    answers = [Failed("stopped", ours=False) if stop else answered(each, how, store, stop) for each in asked]
    return time.perf_counter() - begin, answers


def cancel(study: str) -> None:
    """Ends the runs of a study that are under way here."""
    _stop(study).set()


def told(versions: tuple[str, str]) -> str:
    """Versions for people.

    Examples
    --------
    >>> told(("4f1c09a77be2d93b", "0.1.0"))
    'Penstock 0.1.0 with model 4f1c09a77be2'
    """
    return f"Penstock {versions[1]} with model {versions[0][:12]}"


@lru_cache(maxsize=64)
def _stop(_study: str) -> Stop:
    return Stop()
