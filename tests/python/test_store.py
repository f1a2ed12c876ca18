from __future__ import annotations

import errno
import json
import multiprocessing
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from penstock.errors import StoreError
from penstock.records import Metric, RunRequest
from penstock.running import run_all
from penstock.store import GroupCommit, Record, Store, commit, default_folder, folder, run_key
from penstock.store import store as store_module
from penstock.store.damaged import Damaged
from penstock.template import TEMPLATE

METRICS = [Metric("delay", {"flow": "voice", "of": "ä"}, "s", 0.1 + 0.2), Metric("odd", {}, "", float("nan"))]
KEY = run_key("{}", 1, 0)


def put(store, metrics=METRICS):
    store.put(KEY, RunRequest("", seed=7, replication=3), "abc", 12, metrics)


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in Path(folder).rglob("*") if path.is_file())


def test_what_is_put_comes_back_to_the_last_bit(tmp_path):
    store = Store(tmp_path)
    put(store)
    kept = store.get(KEY)
    assert kept.metrics[0] == METRICS[0]
    assert kept.metrics[1].value != kept.metrics[1].value
    assert (kept.digest, kept.packet_hops) == ("abc", 12)
    assert files(tmp_path) == [f"runs/{KEY[:2]}/{KEY}.json"]


def test_a_run_without_metrics_is_kept_too(tmp_path):
    put(Store(tmp_path), [])
    assert Store(tmp_path).get(KEY).metrics == []


def test_the_key_depends_on_everything():
    keys = {run_key("{}", 1, 0), run_key("{} ", 1, 0), run_key("{}", 2, 0), run_key("{}", 1, 1), run_key("{}", 11, 0)}
    assert len(keys) == 5
    assert run_key("{}", 1, 0) == KEY


def test_a_file_is_replaced_as_a_whole(tmp_path):
    store = Store(tmp_path)
    put(store)
    put(store, METRICS[:1])
    assert store.get(KEY).metrics == METRICS[:1]
    assert files(tmp_path) == [f"runs/{KEY[:2]}/{KEY}.json"]


def test_damaged_files_are_said_on_standard_error_and_all_kept(tmp_path, capsys):
    store = Store(tmp_path)
    file = tmp_path / "runs" / KEY[:2] / f"{KEY}.json"
    for number in range(1, 4):
        put(store)
        file.write_bytes(file.read_bytes()[:-number])
        assert store.get(KEY) is None
        assert store.get(KEY) is None
        out, err = capsys.readouterr()
        place = tmp_path / "damaged" / f"{KEY[:16]}-{number}"
        assert (out, err) == (
            "",
            f"warning: {file} does not end in a checksum. "
            f"It was moved to {place} and counts as missing: its run is made again.\n",
        )
    assert len(files(tmp_path / "damaged")) == 3


def test_what_another_process_has_made_good_meanwhile_stays(tmp_path, monkeypatch):
    store = Store(tmp_path)
    put(store)
    file = tmp_path / "runs" / KEY[:2] / f"{KEY}.json"
    sound = file.read_bytes()
    file.write_bytes(sound[:-1])
    real = Damaged.set_aside

    def late(self, *arguments):
        file.write_bytes(sound)
        return real(self, *arguments)

    monkeypatch.setattr(Damaged, "set_aside", late)
    assert store.get(KEY).digest == "abc"
    assert files(tmp_path) == [f"runs/{KEY[:2]}/{KEY}.json"]


def _write_often(folder):
    for _ in range(20):
        put(Store(folder))
        assert Store(folder).get(KEY) is not None


def test_processes_may_write_the_same_run_at_once(tmp_path):
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_write_often, args=(tmp_path,)) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    assert len(files(tmp_path)) == 1


def test_threads_may_write_the_same_run_at_once(tmp_path):
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: _write_often(tmp_path / "not" / "there"), range(8)))
    assert len(files(tmp_path)) == 1


def test_a_file_where_the_folder_should_be(tmp_path):
    file = tmp_path / "results"
    file.write_text("")
    for place in (file, file / "deeper"):
        for use in (Store(place).prepare, lambda place=place: Store(place).get(KEY)):
            with pytest.raises(StoreError, match=f"must be a folder, but {file} is a file") as caught:
                use()
            assert "--store DIR" in str(caught.value)
            assert caught.value.exit_code == 2


class ReadOnly:
    """``os`` on a file system that cannot be written."""

    def __init__(self, number=errno.EROFS):
        self.number = number

    def __getattr__(self, name):
        return getattr(os, name)

    def open(self, path, flags, *more, **options):
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            self.refuse(path)
        return os.open(path, flags, *more, **options)

    def refuse(self, path, *_more, **_options):
        raise OSError(self.number, os.strerror(self.number), path)

    write = fsync = mkdir = rmdir = rename = unlink = refuse


def stand_in(monkeypatch, system):
    for module in (folder, commit, store_module):
        monkeypatch.setattr(module, "os", system)


@pytest.fixture(params=["mounted", errno.EROFS, errno.EACCES])
def make_read_only(request, monkeypatch):
    """Makes a folder read-only: as a mount, where that is allowed, and by what the system says."""
    mounted = []

    def make(path):
        if request.param != "mounted":
            stand_in(monkeypatch, ReadOnly(request.param))
            return
        if shutil.which("mount") is None or subprocess.run(["mount", "--bind", path, path], check=False).returncode:
            pytest.skip("mounting is not allowed here")
        mounted.append(path)
        subprocess.run(["mount", "-o", "remount,bind,ro", path], check=True)

    yield make
    for path in mounted:
        subprocess.run(["umount", path], check=True)


@pytest.mark.usefixtures("core")
def test_a_read_only_store_that_holds_every_run_is_read(tmp_path, make_read_only):
    requests = [RunRequest("", replication=i) for i in range(3)]
    first = run_all(requests, store=Store(tmp_path))
    make_read_only(tmp_path)
    again = run_all(requests, store=Store(tmp_path))
    assert [result.metrics for result in again] == [result.metrics for result in first]
    assert all(result.cached for result in again)


def test_a_read_only_store_that_lacks_a_run_says_so_before_any_is_made(tmp_path, core, make_read_only):
    run_all([RunRequest("")], store=Store(tmp_path))
    make_read_only(tmp_path)
    made = core.Scenario.runs
    with pytest.raises(StoreError, match=r"may not be used.*(Read-only|denied)") as caught:
        run_all([RunRequest("", replication=i) for i in range(3)], store=Store(tmp_path))
    assert str(tmp_path) in str(caught.value)
    assert "--store DIR" in str(caught.value)
    assert core.Scenario.runs == made


def test_a_damaged_file_in_a_read_only_store_is_told(tmp_path, make_read_only):
    put(Store(tmp_path))
    file = tmp_path / "runs" / KEY[:2] / f"{KEY}.json"
    file.write_bytes(b"[" * 100_000)
    make_read_only(tmp_path)
    with pytest.raises(StoreError) as caught:
        Store(tmp_path).get(KEY)
    assert f"{file} does not end in a checksum, and could not be moved out of the way:" in str(caught.value)
    assert "may not be used" in str(caught.value)


LINKED = ["runs", f"runs/{KEY[:2]}", f"runs/{KEY[:2]}/{KEY}.json", "failed", "damaged", "scenarios", "store.json"]


@pytest.mark.parametrize("name", LINKED)
@pytest.mark.parametrize("where", ["folder", "nothing", "store"])
def test_nothing_is_written_through_a_link(tmp_path, name, where):
    outside, root = tmp_path / "outside", tmp_path / "store"
    outside.mkdir()
    (root / name).parent.mkdir(parents=True)
    (root / name).symlink_to({"folder": outside, "nothing": tmp_path / "nothing", "store": "."}[where])
    store = Store(root)
    refused = rf"{root / name} is a symbolic link, and nothing is read or written through links"
    if name.startswith("runs"):
        for use in (lambda: put(store), lambda: store.get(KEY)):
            with pytest.raises(StoreError, match=refused):
                use()
    if name in ("runs", "failed", "damaged", "scenarios", "store.json"):
        with pytest.raises(StoreError, match=refused):
            store.prepare()
    if name == "failed":
        assert store.keep_failed(KEY, RunRequest("a = 1")) is None
    if name == "damaged":
        put(store)
        (root / "runs" / KEY[:2] / f"{KEY}.json").write_bytes(b"")
        with pytest.raises(StoreError, match=refused):
            store.get(KEY)
    assert (files(outside), (tmp_path / "nothing").exists()) == ([], False)


def test_links_to_the_store_itself_are_followed(tmp_path):
    (tmp_path / "elsewhere" / "store").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere" / "store")
    put(Store(tmp_path / "link"))
    assert Store(tmp_path / "elsewhere" / "store").get(KEY) is not None
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    with pytest.raises(StoreError, match=r"circle cannot be used.*levels of symbolic links"):
        Store(tmp_path / "circle").prepare()


def test_a_scenario_that_failed_replaces_no_linked_file(tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (tmp_path / "store" / "failed").mkdir(parents=True)
    (tmp_path / "store" / "failed" / f"{KEY[:16]}.toml").symlink_to(victim)
    assert Store(tmp_path / "store").keep_failed(KEY, RunRequest("a = 1")) is None
    assert victim.read_text() == "mine"


class FullDisk(ReadOnly):
    """Takes so many files more."""

    def __init__(self, files):
        super().__init__()
        self.files = files

    def write(self, handle, content):
        self.files -= 1
        if self.files < 0:
            os.write(handle, content[:100])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return os.write(handle, content)

    def __getattribute__(self, name):
        return object.__getattribute__(self, name) if name in ("write", "files") else getattr(os, name)


@pytest.mark.usefixtures("core")
@pytest.mark.parametrize("room", [0, 2])
def test_a_full_disk_says_which_file_and_what_is_kept(tmp_path, monkeypatch, room):
    store = Store(tmp_path)
    requests = [RunRequest("", replication=i) for i in range(6)]
    run_all(requests[:1], store=store)
    finished = []
    with monkeypatch.context() as patch:
        stand_in(patch, FullDisk(room))
        with pytest.raises(StoreError) as caught:
            run_all(requests, jobs=1, store=store, progress=lambda status: finished.append(status.done))
    assert "the disk is full" in str(caught.value)
    assert ".json could not be written" in str(caught.value)
    assert f"kept in {tmp_path}" in str(caught.value)
    assert caught.value.exit_code == 1
    assert len(files(tmp_path / "runs")) == 1 + room
    assert max(finished) <= 1 + room
    assert sum(result.cached for result in run_all(requests, store=store)) == 1 + room


def test_a_disk_that_cannot_synchronise_keeps_nothing(tmp_path, monkeypatch):
    def broken(_):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    told = []
    group = Store(tmp_path).group()
    group.add(Store(tmp_path).encode(KEY, RunRequest(""), "", 0, []), lambda: told.append(KEY))
    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises(StoreError, match=rf"{KEY}.json: Input/output error"):
        group.commit()
    assert (told, files(tmp_path), len(group)) == ([], [], 0)


def test_a_group_is_due_by_age_number_and_size(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda _: None)
    monkeypatch.setattr(GroupCommit, "AGE", 1e9)
    group = Store(tmp_path).group()
    assert not group.is_due()
    for number in range(GroupCommit.RUNS):
        assert not group.is_due()
        group.add(Record(run_key("{}", number, 0), b"x"), lambda: None)
    assert group.is_due()
    group.commit()
    assert (len(group), group.is_due(), len(files(tmp_path))) == (0, False, GroupCommit.RUNS)
    group.add(Record(KEY, bytes(GroupCommit.SIZE)), lambda: None)
    assert group.is_due()
    monkeypatch.setattr(GroupCommit, "AGE", 0.0)
    group = Store(tmp_path).group()
    group.add(Record(KEY, b"x"), lambda: None)
    assert group.is_due()


def test_a_group_costs_one_synchronisation_a_run_and_few_more(tmp_path, monkeypatch):
    """What a disk takes for that is another's matter; ``tests/stress/store.py`` measures it."""
    calls = []
    monkeypatch.setattr(os, "fsync", calls.append)
    group = Store(tmp_path).group()
    for number in range(GroupCommit.RUNS):
        group.add(Store(tmp_path).encode(run_key("{}", number, 0), RunRequest(""), "", 0, []), lambda: None)
    group.commit()
    assert len(calls) <= GroupCommit.RUNS + 256 + 4


@pytest.mark.parametrize("suffix", ["json", "table"])
def test_results_stay_pure_when_damage_is_said(tmp_path, suffix):
    (tmp_path / "a.toml").write_text(TEMPLATE)
    command = [sys.executable, "-m", "penstock.cli", "run", "a.toml", "--runs", "3", "--store", "store"]

    def run():
        return subprocess.run(
            [*command, "--format", suffix], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60
        )

    first = run()
    for file in list((tmp_path / "store").glob("runs/*/*.json"))[:2]:
        file.write_bytes(b"[" * 100_000)
    again = run()
    lines = again.stderr.splitlines()
    assert len(lines) == 2
    assert all(line.startswith("warning: store/runs/") for line in lines)
    third = run()
    assert (first.stderr, third.stderr) == ("", "")
    if suffix == "json":
        assert first.stdout == again.stdout == third.stdout


def test_the_file_tells_people_what_the_run_was(tmp_path):
    put(Store(tmp_path))
    manifest = json.loads((tmp_path / "runs" / KEY[:2] / f"{KEY}.json").read_text())
    assert (manifest["seed"], manifest["replication"], manifest["packet_hops"]) == (7, 3, 12)


def test_where_runs_are_kept_by_default(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("PENSTOCK_STORE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert default_folder() == tmp_path / ".cache" / "penstock"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert default_folder() == tmp_path / "cache" / "penstock"
    monkeypatch.setenv("PENSTOCK_STORE", str(tmp_path / "mine"))
    assert default_folder() == tmp_path / "mine"
