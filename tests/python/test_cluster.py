"""A Dask cluster makes the same runs, whoever ends in the middle; workers of another version make none."""

from __future__ import annotations

import logging
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import dask
import pytest
from test_workers import kept, numbers, requests

from penstock.errors import ArgumentError, InputError, PenstockError, RunsFailed
from penstock.running import run_all
from penstock.store import Store
from penstock.workers import connection, local_cluster
from penstock.workers.dask_worker import ClusterFolder
from penstock.workers.place import Place

HERE = Path(__file__).parent
LONGER = (("duration", "400 s"), ("warm-up", "0.5 s"))


def odd(*options):
    """What starts a worker with its oddities; without options it is one of a local cluster."""
    return [sys.executable, str(HERE / "odd_dask_worker.py"), *options]


class Scheduler:
    """A scheduler at a port of its own, with workers, each in a process."""

    def __init__(self, folder):
        self.folder = folder
        self.protocol, self.tls = "tcp", ()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.processes = []

    @property
    def on(self):
        return f"dask://127.0.0.1:{self.port}"

    def start(self, program, **environment):
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.processes.append(subprocess.Popen(program, env={**os.environ, **environment}, **quiet))
        return self.processes[-1]

    def schedule(self):
        options = ("--host", "127.0.0.1", "--port", str(self.port), "--no-dashboard", "--no-show", *self.tls)
        options += ("--protocol", self.protocol)
        return self.start([sys.executable, "-m", "distributed.cli.dask_scheduler", *options])

    def work(self, **environment):
        options = ("--host", "127.0.0.1", "--nthreads", "1", "--no-nanny", "--no-dashboard", "--memory-limit", "0")
        where = ("--local-directory", str(self.folder), "--death-timeout", "60", *self.tls)
        return self.start(odd(f"{self.protocol}://127.0.0.1:{self.port}", *options, *where), **environment)

    def end(self):
        for process in self.processes:
            process.kill()
            process.wait()


@pytest.fixture
def cluster(tmp_path, monkeypatch):
    # On a busy machine a scheduler takes long to begin.
    monkeypatch.setattr(connection.Connection, "ANSWER", 60.0)
    made = Scheduler(tmp_path / "dask")
    yield made
    made.end()


class Seen:
    """The last status, and the action after n runs."""

    def __init__(self, at=None, then=None):
        self.at, self.then, self.status = at, then, None

    def __call__(self, status):
        self.status = status
        if self.then is not None and status.done >= self.at:
            then, self.then = self.then, None
            then()


@contextmanager
def soon():
    begin = time.monotonic()
    yield
    assert time.monotonic() - begin < 120


def test_the_same_numbers_and_files_though_a_run_ends_its_workers(tmp_path, monkeypatch):
    monkeypatch.setattr(local_cluster, "command", odd)
    right = run_all(requests(12), store=Store(tmp_path / "threads"))
    seen = Seen()
    monkeypatch.setenv("DEADLY", "5")
    monkeypatch.setenv("SIGNAL", str(int(signal.SIGKILL)))
    with pytest.raises(RunsFailed) as caught, soon():
        run_all(requests(12), jobs=2, on="dask", store=Store(tmp_path / "dask"), progress=seen)
    [failure] = caught.value.failures
    assert failure.request.replication == 5
    assert failure.message.startswith(
        "ended 3 workers of the cluster, which had no other run then, the last one at tls://127.0.0.1:"
    )
    assert (seen.status.done, seen.status.failed) == (11, 1)
    assert 3 <= seen.status.replaced <= 4
    assert not any("dashboard" in note for note in seen.status.notes)
    files = kept(tmp_path / "threads")
    assert kept(tmp_path / "dask").items() < files.items()
    monkeypatch.delenv("DEADLY")
    made = run_all(requests(12), jobs=2, on="dask", store=Store(tmp_path / "dask"))
    assert numbers(made) == numbers(right)
    assert kept(tmp_path / "dask") == files
    assert sum(not run.cached for run in made) == 1


def test_the_scheduler_is_restarted_in_the_middle(cluster, tmp_path):
    first = [cluster.schedule(), cluster.work()]

    def restart():
        for process in first:
            process.kill()
            process.wait()
        # Were it there again at once, Dask's client would be back before anybody asked.
        time.sleep(3.0)
        cluster.schedule()
        cluster.work()

    seen = Seen(3, restart)
    with soon():
        made = run_all(requests(30, LONGER), on=cluster.on, store=Store(tmp_path / "store"), progress=seen)
    assert numbers(made) == numbers(run_all(requests(30, LONGER)))
    assert any("the scheduler has gone" in note for note in seen.status.notes)
    assert seen.status.done == 30


def test_a_worker_of_another_version_and_one_without_the_package_make_no_runs(cluster, tmp_path):
    cluster.schedule()
    cluster.work(ANOTHER="0" * 32)
    cluster.work(WITHOUT="yes")
    deadly = {"DEADLY": " ".join(map(str, range(4))), "SIGNAL": "9"}
    # They would end with the first run, had they been given one.
    refused = [cluster.work(ANOTHER="0" * 32, **deadly)]
    store = Store(tmp_path / "store")
    wait_for(cluster, 3)
    with pytest.raises(PenstockError, match="every worker is refused, and nothing more was run there"):
        run_all(requests(4), on=cluster.on, store=store)
    cluster.work()
    wait_for(cluster, 4)
    seen = Seen()
    with soon():
        made = run_all(requests(4), on=cluster.on, store=store, progress=seen)
    assert numbers(made) == numbers(run_all(requests(4)))
    notes = " ".join(seen.status.notes)
    assert notes.count("is refused, since it has Penstock 0.1.0 with model 000000000000") == 2
    assert notes.count("is refused, since it has no Penstock that works (ModuleNotFoundError") == 1
    assert [process.poll() for process in refused] == [None]


def test_an_interruption_ends_the_runs_on_the_workers(cluster):
    cluster.schedule()
    cluster.work()
    wait_for(cluster, 1)
    begin = time.monotonic()

    def interrupt(status):  # noqa: ARG001  (as progress is called)
        # By then the worker, which has one core, has been given a run that takes hours.
        if time.monotonic() - begin > 15:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_all(requests(2, (("duration", "10000000 s"),)), on=cluster.on, progress=interrupt)
    with soon():
        assert numbers(run_all(requests(2), on=cluster.on)) == numbers(run_all(requests(2)))


def wait_for(cluster, count):
    """Waits for n workers."""
    own = connection.Connection(Place.read(cluster.on), 1)
    end = time.monotonic() + 90
    while len(own.workers()) < count:
        assert time.monotonic() < end
        time.sleep(0.1)
    own.close()


def test_a_scheduler_that_does_not_answer_is_told_and_nothing_is_lost(monkeypatch, tmp_path):
    monkeypatch.setattr(connection.Connection, "ANSWER", 0.5)
    store = Store(tmp_path)
    run_all(requests(2), store=store)
    with pytest.raises(PenstockError, match=r"tcp://127.0.0.1:1: no Dask scheduler answers: "):
        run_all(requests(4), on="dask://127.0.0.1:1", store=store)
    # Stored runs need no cluster.
    assert all(run.cached for run in run_all(requests(2), on="dask://127.0.0.1:1", store=store))


@pytest.mark.parametrize(
    "text", ["dask://nowhere", "dask://h:0", "dask://h:70000", "dask://a b:1", "dask+tls://h:1", "d"]
)
def test_addresses_that_are_none(text):
    with pytest.raises(ArgumentError):
        Place.read(text)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", r"names no cluster 'lab'; there are: none\."),
        ("[lab", "cannot be read: "),
        ("lab = 3", "lab: must be a table with address, deployer, options, workers"),
        ("lab = {}", "lab: needs either address"),
        ("lab = { adress = 'x', workers = 0 }", "(?s)lab: unknown key 'adress'.*lab: needs either.*lab: workers must"),
        ("lab = { address = 'head' }", "lab: address 'head' is not of the form tcp://head.lab:8786"),
        ("lab = { address = 'tcp://h:1', workers = 3 }", "lab: workers is for a deployer; leave it out"),
        ("lab = { deployer = 'SSHCluster' }", "lab: deployer 'SSHCluster' is no class with its module"),
    ],
)
def test_all_mistakes_of_a_named_cluster_are_told(text, told, tmp_path, monkeypatch):
    file = tmp_path / "clusters.toml"
    monkeypatch.setenv("PENSTOCK_CLUSTERS", str(file))
    with pytest.raises(InputError, match="does not exist; a cluster called 'lab' needs a line there"):
        Place.read("dask:lab")
    file.write_text(text)
    with pytest.raises(InputError, match=told):
        Place.read("dask:lab")


def test_a_cluster_behind_tls_takes_its_certificate_from_the_settings_of_dask(cluster, tmp_path, monkeypatch):
    folder = ClusterFolder(tmp_path / "identity")
    folder.make()
    cluster.protocol = "tls"
    file = str(folder.identity)
    cluster.tls = ("--tls-ca-file", file, "--tls-cert", file, "--tls-key", file)
    cluster.schedule()
    cluster.work()
    clusters = tmp_path / "clusters.toml"
    clusters.write_text(f'lab = {{ address = "tls://127.0.0.1:{cluster.port}" }}\n')
    monkeypatch.setenv("PENSTOCK_CLUSTERS", str(clusters))
    tls = "distributed.comm.tls."
    with soon(), dask.config.set({f"{tls}{name}": file for name in ("ca-file", "client.cert", "client.key")}):
        assert numbers(run_all(requests(3), on="dask:lab")) == numbers(run_all(requests(3)))
    monkeypatch.setattr(connection.Connection, "ANSWER", 2.0)
    with pytest.raises(PenstockError, match="no Dask scheduler answers"):
        run_all(requests(1), on="dask:lab")


def test_a_named_cluster_is_deployed(tmp_path, monkeypatch):
    file = tmp_path / "clusters.toml"
    monkeypatch.setenv("PENSTOCK_CLUSTERS", str(file))
    options = '{ n_workers = 0, processes = false, threads_per_worker = 1, dashboard_address = "127.0.0.1:0" }'
    file.write_text(f'lab = {{ deployer = "distributed.LocalCluster", workers = 1, options = {options} }}\n')
    assert Place.read("dask:lab").is_elsewhere
    with soon():
        assert numbers(run_all(requests(3), on="dask:lab")) == numbers(run_all(requests(3)))
    file.write_text('lab = { deployer = "distributed.NoCluster" }\n')
    with pytest.raises(InputError, match=r"deployer distributed.NoCluster: .*install the package that has it"):
        run_all(requests(1), on="dask:lab")


def test_a_worker_that_is_still_beginning_when_its_parent_ends_leaves_no_folder(tmp_path):
    folder = tmp_path / "of-the-cluster"
    program = f"""
import sys, threading, time
from pathlib import Path
from penstock.workers import dask_worker

def begin():
    while True:
        (folder / "workspace").mkdir(parents=True, exist_ok=True)

folder = Path({str(folder)!r})
threading.Thread(target=begin, daemon=True).start()
dask_worker._watch(sys.stdin.buffer, dask_worker.ClusterFolder(folder))
"""
    process = subprocess.run([sys.executable, "-c", program], stdin=subprocess.DEVNULL, timeout=300, check=False)
    assert process.returncode == 0
    assert not folder.exists()


def test_collecting_a_client_that_could_not_be_closed_takes_no_lock_of_dask():
    program = """
import gc
from distributed.utils import LoopRunner
from penstock.workers.connection import Connection
from penstock.workers.place import Place

gc.disable()
connection = Connection(Place.read("dask"), 1)
connection.client.close()
connection.client.status = "closing"
connection.client = None
# Dask holds it while it starts an event loop, and a collection may begin then.
with LoopRunner._lock:
    gc.collect()
connection.close()
"""
    subprocess.run([sys.executable, "-c", program], timeout=120, check=True)


@pytest.mark.parametrize("late", [2, 3])
def test_a_loop_whose_thread_is_late_is_started_again(monkeypatch, late):
    from distributed.utils import LoopRunner

    calls = []
    start = LoopRunner._start_unlocked

    def begin(runner):
        calls.append(runner)
        assert len(calls) > late
        start(runner)

    monkeypatch.setattr(LoopRunner, "_start_unlocked", begin)
    if late < local_cluster.LOOPS:
        assert numbers(run_all(requests(2), on="dask")) == numbers(run_all(requests(2)))
    else:
        with pytest.raises(PenstockError, match="local cluster: the cluster cannot be started"):
            run_all(requests(1), on="dask")


def test_what_dask_leaves_behind_when_a_worker_ends_is_not_shown(caplog):
    from distributed.client import AllExit

    from penstock.workers.connection import _quiet

    _quiet()
    logger = logging.getLogger("asyncio")
    logger.error("never retrieved", exc_info=AllExit())
    logger.error("never retrieved", exc_info=OSError("of use"))
    assert [str(record.exc_info[1]) for record in caplog.records] == ["of use"]
