"""Threads and processes make the same runs; a process that is killed takes nothing with it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from penstock import _core
from penstock.errors import PenstockError, RunsFailed, ScenarioError
from penstock.records import RunRequest
from penstock.running import read_all, run_all
from penstock.store import Store, run_key
from penstock.studies.definition import Point
from penstock.studies.request import PointRequest
from penstock.studies.runner import Runner
from penstock.template import TEMPLATE
from penstock.workers import processes
from penstock.workers.job import Failed, How, Job, Made, Stop
from penstock.workers.pipe import environment
from penstock.workers.remote import answered, asked

SETS = (("duration", "2 s"), ("warm-up", "0.5 s"))
HERE = Path(__file__).parent


def requests(count=6, sets=SETS):
    return [RunRequest(TEMPLATE, sets, replication=number, name="small") for number in range(count)]


def numbers(results):
    return [(result.request, result.metrics, result.digest, result.packet_hops) for result in results]


def kept(folder):
    """The files of the runs, without how long each took, and the checksum over that."""
    differs = re.compile(rb'^ "(made|checksum)": .*\n', re.MULTILINE)
    return {file.name: differs.sub(b"", file.read_bytes()) for file in folder.glob("runs/*/*.json")}


@pytest.fixture
def deadly(monkeypatch):
    """Worker processes that end when they are to make certain runs."""

    def prepare(replications, number):
        monkeypatch.setenv("DEADLY", " ".join(map(str, replications)))
        monkeypatch.setenv("SIGNAL", str(int(number)))
        monkeypatch.setattr(processes, "command", lambda: [sys.executable, str(HERE / "deadly_worker.py")])

    return prepare


def test_processes_and_threads_give_the_same_numbers_and_the_same_files(tmp_path):
    made = {on: run_all(requests(), jobs=2, on=on, store=Store(tmp_path / on)) for on in ("threads", "processes")}
    assert numbers(made["threads"]) == numbers(made["processes"])
    assert kept(tmp_path / "threads") == kept(tmp_path / "processes") != {}
    assert all(result.cached for result in run_all(requests(), on="processes", store=Store(tmp_path / "threads")))
    plain = run_all(requests(2), on="processes", executor="plain")
    assert numbers(plain) == numbers(made["threads"])[:2]


def test_there_are_no_other_workers():
    with pytest.raises(ValueError, match=r"there are no workers 'clouds'; allowed are threads, processes, dask, "):
        run_all(requests(1), on="clouds")


def test_mistakes_are_told_before_any_process_is_started(monkeypatch):
    monkeypatch.setattr(processes, "command", lambda: pytest.fail("started"))
    with pytest.raises(ScenarioError):
        run_all(requests(1, (("nothing", "1"),)), on="processes")


def test_a_run_that_ends_three_processes_is_reported_and_the_others_are_made(tmp_path, deadly):
    right = numbers(run_all(requests()))
    deadly([2], signal.SIGKILL)
    replaced = []
    with pytest.raises(RunsFailed) as caught:
        run_all(
            requests(),
            jobs=2,
            on="processes",
            store=Store(tmp_path),
            progress=lambda status: replaced.append(status.replaced),
        )
    (failure,) = caught.value.failures
    assert (failure.request.replication, failure.ours) == (2, False)
    assert failure.message.startswith("ended 3 worker processes, the last one by SIGKILL; ")
    assert replaced[-1] == 3
    found = run_all([request for request in requests() if request.replication != 2], store=Store(tmp_path))
    assert all(result.cached for result in found)
    assert numbers(found) == right[:2] + right[3:]


def test_a_crash_is_called_ours(deadly):
    deadly([0], signal.SIGSEGV)
    with pytest.raises(RunsFailed, match=r"failed \(a bug in Penstock.*the last one by SIGSEGV"):
        run_all(requests(1), on="processes")


def test_a_process_that_reads_something_else_makes_no_run():
    made = answered((RunRequest(TEMPLATE, SETS), "0" * 64), How(), Stop())
    assert made == Failed("a file that the scenario names has changed since the runs began", ours=False)


MATRIX = """
duration = "1 s"
nodes = { a = {}, b = {} }
links = [{ from = "a", to = "b", rate = "1 Mbit/s", delay = "1 ms" }]
flows = [{ name = "f", matrix = "loads.csv", source.cbr = { rate = "1 kbit/s", packet = "100 bytes" } }]
"""


def test_a_worker_reads_the_files_of_a_scenario_from_any_folder_and_after_a_change(tmp_path, monkeypatch):
    (tmp_path / "study").mkdir()
    (tmp_path / "link").symlink_to("study")
    for load in (1, 2):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "study" / "loads.csv").write_text(f",b\na,{load}\n")
        [(request, scenario)] = read_all([RunRequest(MATRIX, name="files", folder="link")])
        job = Job(request, scenario, run_key(scenario.canonical, 1, 0))
        message = asked(job)
        assert message[0].folder == str(tmp_path / "link")
        monkeypatch.chdir(tmp_path / "study")
        answer = answered(message, How(), Stop())
        assert isinstance(answer, Made), answer
        assert answer.digest == scenario.run(1, 0).digest


def test_processes_that_never_get_ready_are_told(monkeypatch):
    monkeypatch.setattr(processes, "command", lambda: [sys.executable, "-c", "raise SystemExit(3)"])
    with pytest.raises(PenstockError, match="no worker process can be started: it ends with exit code 3 before"):
        run_all(requests(2), jobs=2, on="processes")
    monkeypatch.setattr(processes, "command", lambda: ["/nowhere/python"])
    with pytest.raises(PenstockError, match="no worker process can be started: No such file"):
        run_all(requests(2), jobs=2, on="processes")


def test_processes_stay_from_round_to_round_and_end_with_their_runner(monkeypatch):
    started = []

    def opened(*arguments, begin=subprocess.Popen, **options):
        started.append(begin(*arguments, **options))
        return started[-1]

    monkeypatch.setattr(subprocess, "Popen", opened)
    seen = []
    runners = [Runner(jobs=1, on="processes", progress=lambda status: seen.append(status.replaced))]
    scenario = _core.Scenario(TEMPLATE, "small", list(SETS))

    def made(*replications):
        [results] = runners[0].make([PointRequest(TEMPLATE, "small", Point({}, SETS), scenario, 1, replications)])
        return numbers(results)

    first = made(0, 1) + made(2, 3)
    assert len(started) == 1
    # One that is killed while it waits is replaced, and no run was lost with it.
    started[0].kill()
    started[0].wait()
    assert first + made(4, 5) == numbers(run_all(requests(6)))
    assert (len(started), seen[-1]) == (2, 0)
    runners.clear()
    assert [process.poll() for process in started] == [-signal.SIGKILL] * 2


@pytest.mark.skipif(sys.platform != "linux", reason="processes are read as Linux tells them")
def test_processes_do_not_outlive_what_started_them():
    program = (
        "from test_workers import requests\n"
        "from penstock.running import run_all\n"
        "run_all(requests(2, (('duration', '100000 s'),)), jobs=2, on='processes')\n"
    )
    command = subprocess.Popen([sys.executable, "-c", program], cwd=HERE)
    try:
        end = time.monotonic() + 60
        while len(found := psutil.Process(command.pid).children()) < 2:
            assert time.monotonic() < end
            time.sleep(0.05)
        time.sleep(0.5)
    finally:
        command.kill()
        command.wait()
    _, left = psutil.wait_procs(found, timeout=60)
    assert not left


def test_runs_need_no_standard_error(tmp_path):
    (tmp_path / "small.toml").write_text(TEMPLATE)
    settings = " ".join(f"--set {path}='{value}'" for path, value in SETS)
    command = f"{sys.executable} -m penstock.cli run small.toml --runs 2 {settings} --on processes --store"
    for store, end in (("a", ""), ("b", " 2>&-")):
        out = subprocess.run(["sh", "-c", f"{command} {store}{end}"], cwd=tmp_path, capture_output=True, check=True)
        (tmp_path / f"{store}.txt").write_bytes(out.stdout)
    assert (tmp_path / "a.txt").read_bytes() == (tmp_path / "b.txt").read_bytes() != b""


@pytest.mark.parametrize("closed", [">&-", "<&- 2>&-", "<&- >&- 2>&-"])
def test_commands_need_no_standard_streams(closed):
    command = f"{sys.executable} -m penstock.cli explain red {closed}"
    assert subprocess.run(["sh", "-c", command], capture_output=True, check=False).returncode == 0


def test_the_current_folder_holds_no_modules_of_a_worker(tmp_path, monkeypatch):
    (tmp_path / "json.py").write_text("raise SystemExit(9)")
    monkeypatch.chdir(tmp_path)
    assert len(run_all(requests(1), on="processes")) == 1
    assert os.listdir(tmp_path) == ["json.py"]  # noqa: PTH208


def test_processes_have_huge_pages_unless_the_user_says_otherwise(monkeypatch):
    monkeypatch.delenv("GLIBC_TUNABLES", raising=False)
    assert environment()["GLIBC_TUNABLES"] == "glibc.malloc.hugetlb=1:glibc.malloc.arena_max=1"
    monkeypatch.setenv("GLIBC_TUNABLES", "glibc.malloc.check=1")
    assert environment()["GLIBC_TUNABLES"].startswith("glibc.malloc.check=1:glibc.malloc.hugetlb=1")
    monkeypatch.setenv("GLIBC_TUNABLES", "glibc.malloc.hugetlb=0")
    assert environment(DASK="1")["GLIBC_TUNABLES"] == "glibc.malloc.hugetlb=0"
    assert environment(DASK="1")["DASK"] == "1"
