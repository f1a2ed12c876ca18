"""Real processes that receive a signal: they stop at once, say which runs are kept, and show no traceback."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import textwrap
import time

import pytest
import verbs
from test_interruption_phases import LIMIT, cpu

from penstock import _core, cli, memory
from penstock.cli.new import TEMPLATE

COMMAND = [sys.executable, "-m", "penstock.cli"]
SAID = "interrupted; finished runs are kept, and the same command continues from there.\n"
ANEW = "interrupted; an unfinished file is removed, and the same command starts again from the beginning.\n"
RUN = ["run", "a.toml", "--runs", "2000"]
REPRODUCE = ["reproduce", "af", "--runs", "500"]
SENSITIVITY = ["sensitivity", "af", "--table", "2", "--runs", "50"]


def cpu_of_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def stopped(process, number):
    """Tells a process to stop; gives the CPU time that it and its children take from then on, and what it says."""
    before = cpu_of_children() + sum(map(cpu, verbs.children(process.pid)))
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    return cpu_of_children() - before, out, err


@pytest.fixture
def begun(tmp_path):
    """Starts a command and waits until its store holds `kept` runs."""
    started = []

    def start(arguments, kept=1):
        (tmp_path / "a.toml").write_text(TEMPLATE)
        (tmp_path / "long.toml").write_text(TEMPLATE.replace('duration = "20 s"', 'duration = "10000000 s"'))
        process = subprocess.Popen(
            [*COMMAND, *arguments],
            cwd=tmp_path,
            env={**os.environ, "PENSTOCK_STORE": str(tmp_path / "store")},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        end = time.monotonic() + 60
        while (
            len(list((tmp_path / "store").glob("runs/*/*.json"))) < kept or not (tmp_path / "store" / "runs").is_dir()
        ):
            assert process.poll() is None
            assert time.monotonic() < end
            time.sleep(0.05)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    "arguments",
    [
        RUN,
        [*RUN, "--format", "json"],
        [*RUN, "--on", "processes"],
        REPRODUCE,
        [*REPRODUCE, "--format", "json"],
        SENSITIVITY,
    ],
    ids=" ".join,
)
def test_what_is_finished_is_kept(begun, tmp_path, arguments, number):
    process = begun(arguments)
    spent, out, err = stopped(process, number)
    assert spent < LIMIT
    assert (process.returncode, out) == (130, "")
    counted, _, rest = err.rpartition(" runs are finished.\n")
    assert rest == SAID
    finished = int(counted.splitlines()[-1].split(" of ")[0])
    kept = len(list((tmp_path / "store").glob("runs/*/*.json")))
    # Rows of a study may mean the same run.
    assert finished == kept if "run" in arguments else finished >= kept > 0
    assert not list((tmp_path / "store").glob("runs/*/.*"))


def test_the_same_command_goes_on(begun, tmp_path):
    arguments = ["run", "a.toml", "--runs", "12", "--jobs", "1", "--format", "json"]
    process = begun(arguments, kept=2)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    kept = {file: file.stat().st_mtime_ns for file in (tmp_path / "store").glob("runs/*/*.json")}

    def again(*more):
        return subprocess.run([*COMMAND, *arguments, *more], cwd=tmp_path, capture_output=True, text=True, check=True)

    resumed = again("--store", "store")
    assert resumed.stdout == again("--store", "another").stdout
    assert json.loads(resumed.stdout)["metrics"][0]["runs"] == 12
    assert {file: file.stat().st_mtime_ns for file in kept} == kept


@pytest.mark.parametrize(
    "options", [[], ["--threads", "2"], ["--on", "processes"]], ids=["threads", "two cores", "processes"]
)
def test_a_run_that_takes_for_ever_ends_at_once(begun, options):
    process = begun(["run", "long.toml", "--format", "json", *options], kept=0)
    time.sleep(2)
    assert process.poll() is None
    spent, out, err = stopped(process, signal.SIGINT)
    assert spent < LIMIT
    assert (process.returncode, out, err) == (130, "", f"0 of 5 runs are finished.\n{SAID}")


@pytest.mark.parametrize(
    ("arguments", "kept"),
    [
        (["run", "a.toml"], "finished runs are kept, and the same command continues from there"),
        *(
            (arguments.split(), "nothing is kept, and the same command starts again from the beginning")
            for arguments in (
                "run a.toml --executor plain",
                "run a.toml --executor=plain",
                "run a.toml --debug-component",
                "run a.toml --replay log.csv",
                "conform a.py",
            )
        ),
    ],
)
def test_what_is_kept_is_told(monkeypatch, capsys, arguments, kept):
    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "obey", lambda: None)
    monkeypatch.setattr(cli, "_guarded", interrupted)
    monkeypatch.setattr("sys.argv", ["penstock", *arguments])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert (ended.value.code, capsys.readouterr().err) == (130, f"interrupted; {kept}.\n")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    "arguments",
    [
        ["trace", "long.toml", "--format", "parquet", "--output", "made/t"],
        ["trace", "long.toml", "--format", "csv", "--output", "made/t"],
        ["trace", "long.toml", "--pcap", "made/new"],
        ["series", "long.toml", "--of", "r1-r2", "--every", "1us", "--format", "parquet", "--output", "made/t"],
    ],
    ids=["parquet", "csv", "pcapng", "series"],
)
def test_nothing_is_left_of_a_trace_or_a_series(tmp_path, arguments, number):
    (tmp_path / "long.toml").write_text(TEMPLATE.replace('duration = "20 s"', 'duration = "10000000 s"'))
    made = tmp_path / "made"
    made.mkdir()
    process = subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        end = time.monotonic() + 120
        while not any(file.is_file() and file.stat().st_size for file in made.rglob("*")):
            assert process.poll() is None
            assert time.monotonic() < end
            time.sleep(0.05)
        spent, out, err = stopped(process, number)
    finally:
        process.kill()
        process.wait()
    assert spent < LIMIT
    assert (process.returncode, out, err) == (130, "", ANEW)
    assert list(made.iterdir()) == []


def test_an_interruption_of_compiled_text_ends_with_the_same_code(tmp_path):
    # Importing a dataclass executes such text; Python would end the process by SIGINT.
    program = (
        "from penstock import cli\n"
        "def interrupted():\n"
        "    exec('raise KeyboardInterrupt')\n"
        "cli._guarded = interrupted\n"
        "cli.command()\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr.partition(";")[0]) == (130, "interrupted")


def run_as_command(tmp_path, work):
    """Ends as `penstock run` does whose work is the text `work`."""
    program = f"""
import signal
import penstock.cli.app
from penstock.errors import PenstockError

def work(words):
{textwrap.indent(textwrap.dedent(work), "    ")}

penstock.cli.app.run_command = work
penstock.cli.command()
"""
    return subprocess.run(
        [sys.executable, "-c", program, "run"], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60
    )


@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM"])
def test_an_interruption_that_python_ignores_is_repeated(tmp_path, number):
    # A finaliser raises nothing: Python reports the exception as ignored and goes on, here for ever.
    work = f"""
        class Finalised:
            def __del__(self):
                signal.raise_signal(signal.{number})
        Finalised()
        for _ in iter(int, 1):
            pass
    """
    ended = run_as_command(tmp_path, work)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", SAID)


@pytest.mark.parametrize("error", ["TypeError", "PenstockError"])
def test_an_interruption_is_told_where_it_became_another_error(tmp_path, error):
    work = f"""
        try:
            signal.raise_signal(signal.SIGTERM)
            for _ in iter(int, 1):
                pass
        except KeyboardInterrupt:
            raise {error}("no data type") from None
    """
    ended = run_as_command(tmp_path, work)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", SAID)


@pytest.mark.parametrize("read", [_core.Scenario, lambda text, name: _core.scenarios(text, name, [[]])])
def test_an_interruption_that_comes_while_the_core_asks_the_package_is_not_lost(monkeypatch, read):
    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr(memory, "allowed", interrupted)
    with pytest.raises(KeyboardInterrupt):
        read(TEMPLATE, "page")
