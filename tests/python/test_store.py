from __future__ import annotations

import errno
import io
import json
import multiprocessing
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from penstock.errors import StoreError
from penstock.records import Metric, RunRequest
from penstock.running import run_all
from penstock.store import Store, default_folder, run_key

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
    assert files(tmp_path) == [f"runs/{KEY[:2]}/{KEY}.json", f"runs/{KEY[:2]}/{KEY}.parquet"]


def test_a_run_without_metrics_is_kept_too(tmp_path):
    put(Store(tmp_path), [])
    assert Store(tmp_path).get(KEY).metrics == []


def test_the_key_depends_on_everything():
    keys = {run_key("{}", 1, 0), run_key("{} ", 1, 0), run_key("{}", 2, 0), run_key("{}", 1, 1), run_key("{}", 11, 0)}
    assert len(keys) == 5
    assert run_key("{}", 1, 0) == KEY


@pytest.mark.parametrize("suffix", ["json", "parquet"])
@pytest.mark.parametrize("damage", ["empty", "cut", "flipped", "missing", "folder"])
def test_damage_counts_as_missing_and_is_repaired(tmp_path, suffix, damage):
    store = Store(tmp_path)
    put(store)
    file = tmp_path / "runs" / KEY[:2] / f"{KEY}.{suffix}"
    content = file.read_bytes()
    file.unlink()
    if damage == "empty":
        file.write_bytes(b"")
    elif damage == "cut":
        file.write_bytes(content[: len(content) // 2])
    elif damage == "flipped":
        middle = len(content) // 2 if suffix == "parquet" else content.index(b"checksum") + 14
        file.write_bytes(content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :])
    elif damage == "folder":
        file.mkdir()
    assert store.get(KEY) is None
    if damage != "folder":
        put(store)
        assert store.get(KEY) is not None


def test_a_manifest_of_another_run_is_not_believed(tmp_path):
    store = Store(tmp_path)
    put(store)
    other = run_key("other", 1, 0)
    for suffix in ("json", "parquet"):
        target = tmp_path / "runs" / other[:2] / f"{other}.{suffix}"
        target.parent.mkdir(exist_ok=True)
        target.write_bytes((tmp_path / "runs" / KEY[:2] / f"{KEY}.{suffix}").read_bytes())
    assert store.get(other) is None


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
    assert len(files(tmp_path)) == 2


def test_threads_may_write_the_same_run_at_once(tmp_path):
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: _write_often(tmp_path), range(8)))
    assert len(files(tmp_path)) == 2


def test_a_file_where_the_folder_should_be(tmp_path):
    file = tmp_path / "results"
    file.write_text("")
    for folder in (file, file / "deeper"):
        with pytest.raises(StoreError, match=f"must be a folder, but {file} is a file") as caught:
            Store(folder).prepare()
        assert "--store DIR" in str(caught.value)


def test_a_read_only_file_system(tmp_path, monkeypatch):
    def refuse(*_args, **_kwargs):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr("tempfile.TemporaryFile", refuse)
    with pytest.raises(StoreError, match=r"may not be used.*Read-only"):
        Store(tmp_path).prepare()


class FullDisk(io.BytesIO):
    def write(self, _content):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.usefixtures("core")
def test_a_full_disk_says_which_file_and_what_is_kept(tmp_path, monkeypatch):
    store = Store(tmp_path)
    requests = [RunRequest("", replication=i) for i in range(3)]
    run_all(requests[:1], store=store)
    before = files(tmp_path)
    real = os.fdopen

    def full(handle, *_args, **_kwargs):
        os.close(handle)
        return FullDisk()

    monkeypatch.setattr(os, "fdopen", full)
    with pytest.raises(StoreError) as caught:
        run_all(requests, jobs=1, store=store)
    monkeypatch.setattr(os, "fdopen", real)
    assert "the disk is full" in str(caught.value)
    assert ".parquet could not be written" in str(caught.value)
    assert f"kept in {tmp_path}" in str(caught.value)
    assert caught.value.exit_code == 1
    assert files(tmp_path) == before
    assert run_all(requests[:1], store=store)[0].cached


def test_the_manifest_tells_people_what_the_run_was(tmp_path):
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
