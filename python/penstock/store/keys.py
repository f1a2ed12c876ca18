"""Names of runs, computed from the simulation."""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache
from typing import TYPE_CHECKING

from penstock import _core

if TYPE_CHECKING:
    from collections.abc import Iterable


class RunKeys:
    """The names of the runs of one scenario, whose common part is hashed once."""

    def __init__(self, canonical: str) -> None:
        self._started = hashlib.blake2b(f"[{json.dumps(canonical)}".encode(), digest_size=32)
        self._end = f", {json.dumps(_core.MODEL_VERSION)}]"

    def each(self, seed: int, replications: Iterable[int]) -> list[str]:
        """Returns the names of several runs of one seed."""
        return [self.of(seed, replication) for replication in replications]

    def of(self, seed: int, replication: int) -> str:
        """Returns the name of a run; see :func:`run_key`."""
        started = self._started.copy()
        started.update(f', "{seed}", "{replication}"{self._end}'.encode())
        return started.hexdigest()


def run_key(canonical: str, seed: int, replication: int) -> str:
    """Returns the name of a run's result: 64 hexadecimal digits, which also depend on the model version."""
    return _keys(canonical, _core.MODEL_VERSION).of(seed, replication)


@lru_cache(maxsize=16)
def _keys(canonical: str, _version: str) -> RunKeys:
    return RunKeys(canonical)
