"""Power cuts: of a run that was reported as kept nothing is lost, and no wrong number is ever read."""

from __future__ import annotations

import random
import re

import pytest
from power_cuts import ORDERS, crash, kept, recorded

from penstock.records import Metric, RunRequest
from penstock.running import run_all
from penstock.store import Store, run_key

STATES = 40
"""Of the disk, for each workload and order."""


def metrics(number):
    return [Metric("delay", {"flow": f"f{i}"}, "s", number + i / 7) for i in range(3)]


def key(number):
    return run_key("{}", number, 0)


KEYS = [key(number) for number in range(30)]


def keep(store, recorder, numbers, *, told=None):
    group = store.group()
    for number in numbers:
        record = store.encode(key(number), RunRequest("", seed=number), f"{number:x}", number, metrics(number))
        group.add(record, lambda number=number: recorder.kept(key(number)))
        if told == "early":
            recorder.kept(key(number))
    group.commit()


def new_store(root, recorder, **more):
    """Groups of one, of several and of many, in a store that is yet to be made."""
    store = Store(root / "cache" / "penstock")
    store.prepare()
    for numbers in (range(1), range(1, 6), range(6, 30)):
        keep(store, recorder, numbers, **more)


def damaged_store(root, recorder):
    """Runs that are found damaged, moved aside and made again, beside a sound one."""
    store = Store(root / "cache" / "penstock", warn=lambda _: None)
    recorder.kept(key(0))
    for number in range(1, 5):
        assert store.get(key(number)) is None
        keep(store, recorder, [number])
    keep(store, recorder, range(5, 12))


def shared_store(root, recorder):
    """The same runs kept twice, as two processes may."""
    for _ in range(2):
        keep(Store(root / "cache" / "penstock"), recorder, range(8))


def prepare_damaged(root):
    store = Store(root / "cache" / "penstock")
    for number in range(5):
        store.put(key(number), RunRequest("", seed=number), f"{number:x}", number, metrics(number))
        file = store.folder / "runs" / key(number)[:2] / f"{key(number)}.json"
        file.write_bytes(file.read_bytes()[: 1 << 20 if number == 0 else 100 * number])


WORKLOADS = {"new": new_store, "damaged": damaged_store, "shared": shared_store}


def wrong(folder, told):
    """What a store that was struck by a power cut does not hold as it should."""
    warnings = []
    store = Store(folder, warn=warnings.append)
    mistakes = []
    for number, name in enumerate(KEYS):
        found = store.get(name)
        if found is None:
            if name in told:
                mistakes.append(f"run {number} is lost")
        elif (found.metrics, found.digest, found.packet_hops) != (metrics(number), f"{number:x}", number):
            mistakes.append(f"run {number} has wrong numbers")
    return mistakes, warnings


def work(root, workload, ignores=(), **more):
    root.mkdir()
    if workload == "damaged":
        prepare_damaged(root)
    with recorded(root, ignores) as recorder:
        WORKLOADS[workload](root, recorder, **more)
    return recorder


def struck(recorder, order, tmp_path, states=STATES, seed=0):
    """Goes through states of the disk; gives all mistakes and all that was found damaged."""
    rng = random.Random(f"{order} {seed}")
    mistakes, warnings = [], []
    for number in range(states):
        target = tmp_path / f"state-{number}"
        target.mkdir()
        cut = rng.randint(0, len(recorder.log))
        crash(recorder, cut, order, rng, target)
        told = set(kept(recorder, cut))
        found, said = wrong(target / "cache" / "penstock", told)
        mistakes += found
        warnings += said
        # And the store can be gone on with.
        with recorded(target) as goes_on:
            keep(Store(target / "cache" / "penstock"), goes_on, range(3))
        assert set(wrong(target / "cache" / "penstock", told | set(KEYS[:3]))[0]) <= set(found)
    return mistakes, warnings


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("workload", WORKLOADS)
def test_no_power_cut_takes_a_kept_run_or_changes_a_number(tmp_path, workload, order):
    recorder = work(tmp_path / "before", workload)
    mistakes, warnings = struck(recorder, order, tmp_path)
    assert mistakes == []
    # Only what was damaged before: a power cut leaves no half of a run under its name.
    damaged = {f"{name}.json" for name in KEYS[1:5]} if workload == "damaged" else set()
    assert {re.search(r"\w+\.json", warning)[0] for warning in warnings} <= damaged


@pytest.mark.usefixtures("core")
@pytest.mark.parametrize("order", ORDERS)
def test_what_run_all_counts_as_done_is_on_the_disk(tmp_path, order):
    requests = [RunRequest("", replication=number) for number in range(12)]
    (tmp_path / "before").mkdir()
    with recorded(tmp_path / "before") as recorder:
        folder = tmp_path / "before" / "store"
        run_all(requests, store=Store(folder), progress=lambda status: recorder.kept(status.done))
    names = [file.stem for file in folder.glob("runs/*/*.json")]
    assert len(names) == 12
    rng = random.Random(order)
    for number in range(STATES):
        target = tmp_path / f"state-{number}"
        target.mkdir()
        cut = rng.randint(0, len(recorder.log))
        crash(recorder, cut, order, rng, target)
        store = Store(target / "store")
        found = [kept for kept in map(store.get, names) if kept is not None]
        assert len(found) >= max(kept(recorder, cut), default=0)


@pytest.mark.parametrize("ignores", ["files", "folders"])
def test_a_store_that_does_not_synchronise_would_be_caught(tmp_path, ignores):
    recorder = work(tmp_path / "before", "new", {ignores})
    mistakes, warnings = struck(recorder, "none", tmp_path)
    assert any("is lost" in mistake for mistake in mistakes)
    assert bool(warnings) is (ignores == "files")


def test_a_store_that_reports_too_early_would_be_caught(tmp_path):
    recorder = work(tmp_path / "before", "new", told="early")
    mistakes, _ = struck(recorder, "journal", tmp_path)
    assert any("is lost" in mistake for mistake in mistakes)
