from __future__ import annotations

import errno
import json
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from penstock.errors import StoreError
from penstock.records import Metric, RunRequest
from penstock.running import run_all
from penstock.store import Store, default_folder, folder, run_key
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
    assert (kept.manifest.digest, kept.manifest.packet_hops) == ("abc", 12)
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


def test_damaged_files_are_reported_on_standard_error_and_set_aside(tmp_path, capsys):
    store = Store(tmp_path)
    file = tmp_path / "runs" / KEY[:2] / f"{KEY}.json"
    for number in range(1, 4):
        put(store)
        file.write_bytes(file.read_bytes()[:-number])
        assert store.get(KEY) is None
        assert store.get(KEY) is None
        out, err = capsys.readouterr()
        place = tmp_path / "damaged" / f"{KEY}.json"
        assert (out, err) == (
            "",
            f"warning: {file} does not end in a checksum. It was moved to {place}; its run is repeated.\n",
        )
    assert (files(tmp_path / "damaged"), store.damaged()) == ([f"{KEY}.json"], 1)


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


@pytest.fixture(params=["mounted", errno.EROFS, errno.EACCES])
def make_read_only(request, monkeypatch):
    """Makes a folder read-only: as a mount, where that is allowed, and by what the system says."""
    mounted = []

    def refuse(path, *_more, **_options):
        raise OSError(request.param, os.strerror(request.param), path)

    def make(path):
        if request.param != "mounted":
            monkeypatch.setattr(folder, "write_whole", refuse)
            monkeypatch.setattr(Path, "replace", refuse)
            monkeypatch.setattr(tempfile, "TemporaryFile", lambda **named: refuse(named["dir"]))
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
    with pytest.raises(StoreError, match=r"no permission to use.*(Read-only|denied)") as caught:
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
    assert f"{file} does not end in a checksum, and cannot be moved away:" in str(caught.value)
    assert "no permission to use" in str(caught.value)


@pytest.mark.usefixtures("core")
@pytest.mark.parametrize("room", [0, 2])
def test_a_full_disk_says_which_file_and_what_is_kept(tmp_path, monkeypatch, room):
    store = Store(tmp_path)
    requests = [RunRequest("", replication=i) for i in range(6)]
    run_all(requests[:1], store=store)
    finished, left = [], [room]
    real = folder.write_whole

    def write(path, content):
        if path.suffix == ".json" and not left[0]:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(path, content)
        left[0] -= path.suffix == ".json"

    with monkeypatch.context() as patch:
        patch.setattr(folder, "write_whole", write)
        with pytest.raises(StoreError) as caught:
            run_all(requests, jobs=1, store=store, progress=lambda status: finished.append(status.done))
    assert "the disk is full" in str(caught.value)
    assert ".json could not be written" in str(caught.value)
    assert f"kept in {tmp_path}" in str(caught.value)
    assert caught.value.exit_code == 1
    assert len(files(tmp_path / "runs")) == 1 + room
    assert max(finished) <= 1 + room
    assert sum(result.cached for result in run_all(requests, store=store)) == 1 + room


def test_a_store_that_is_a_link_is_followed(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    put(Store(tmp_path / "link"))
    assert Store(tmp_path / "elsewhere").get(KEY) is not None


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
