"""SIGKILL of worker processes at random moments; ``tests/stress/workers.py`` does the same for longer."""

from __future__ import annotations

import sys

import pytest
from worker_kills import Counts, kill_studies


@pytest.mark.skipif(sys.platform != "linux", reason="processes are found as Linux tells them")
@pytest.mark.parametrize("on", ["processes", "dask"])
def test_killed_workers_lose_no_run_and_change_no_number(tmp_path, on):
    counts = kill_studies(2, 100, tmp_path, seed=3, on=on)
    assert counts.kills > 0
    assert counts.replaced > 0
    assert (counts.lost, counts.changed, counts.damaged, counts.unfinished) == (0, 0, 0, 0)


def test_what_goes_wrong_would_be_told():
    told = str(Counts(7, 5, 1, 2, 3, 4))
    for part in ("7 worker", "5 of them", "1 runs lost", "2 numbers", "3 files", "4 studies"):
        assert part in told
