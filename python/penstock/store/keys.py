"""The names of runs, known before they are made."""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache
from typing import TYPE_CHECKING

from penstock import _core

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["RunKeys", "run_key"]


class RunKeys:
    """The names of the runs of one scenario, what they have in common being hashed once.

    Parameters
    ----------
    canonical : str
        The scenario in its canonical form.
    """

    def __init__(self, canonical: str) -> None:
        self._started = hashlib.blake2b(f"[{json.dumps(canonical)}".encode(), digest_size=32)
        self._end = f", {json.dumps(_core.MODEL_VERSION)}]"

    def each(self, seed: int, replications: Iterable[int]) -> list[str]:
        """The names of many runs of one seed."""
        before = self._started.copy()
        before.update(f', "{seed}", "'.encode())
        end, copy, names = f'"{self._end}', before.copy, []
        for replication in replications:
            started = copy()
            started.update(f"{replication}{end}".encode())
            names.append(started.hexdigest())
        return names

    def of(self, seed: int, replication: int) -> str:
        """As :func:`run_key`."""
        started = self._started.copy()
        started.update(f', "{seed}", "{replication}"{self._end}'.encode())
        return started.hexdigest()


def run_key(canonical: str, seed: int, replication: int) -> str:
    """The name of a run's result, known before it runs.

    Parameters
    ----------
    canonical : str
        The scenario in its canonical form.
    seed : int
        Root of the random streams.
    replication : int
        Which of several statistically independent runs.

    Returns
    -------
    str
        64 hexadecimal digits, which also depend on the model version.
    """
    return _keys(canonical, _core.MODEL_VERSION).of(seed, replication)


@lru_cache(maxsize=16)
def _keys(canonical: str, _version: str) -> RunKeys:
    return RunKeys(canonical)
