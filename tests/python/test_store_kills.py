"""SIGKILL at random moments; ``tests/stress/store.py`` does the same for longer."""

from __future__ import annotations

from kills import Counts, check, expected, kill_stores

from penstock.records import RunRequest
from penstock.store import Store


def test_no_kill_takes_a_kept_run_or_changes_a_number(tmp_path):
    counts = kill_stores(2, 200, tmp_path, seed=1)
    assert counts.kills > 0
    assert counts.told > 0
    assert (counts.lost, counts.changed, counts.damaged) == (0, 0, 0)
    assert not list(tmp_path.rglob("damaged"))


def test_lost_changed_and_damaged_runs_would_be_counted(tmp_path):
    right = expected(3)
    names = list(right)
    for name in names[:2]:
        Store(tmp_path).put(name, RunRequest(""), "not this", 0, [])
    file = tmp_path / "runs" / names[0][:2] / f"{names[0]}.json"
    file.write_bytes(file.read_bytes()[1:])
    counts = Counts()
    check(tmp_path, right, set(names), counts)
    assert (counts.lost, counts.changed, counts.damaged) == (2, 1, 1)
