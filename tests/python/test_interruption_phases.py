"""Signals in every phase of a command: it takes at most a second of CPU time from then on, however long the phase is.

CPU time is what counts, since a busy machine gives a process little of its time. Each phase here is long enough to fail
if nothing looked at signals meanwhile.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

LIMIT = 1.0
"""Seconds of CPU time after the signal."""
PATIENCE = 300.0
"""Seconds by the clock for a machine that does much else."""

NETWORK = """\
duration = "{duration}"
nodes = {{ a = {{}}, b = {{}} }}
links = [{{ from = "a", to = "b", rate = "10 Gbit/s", delay = "1 ms" }}]
[[flows]]
name = "f"
from = "a"
to = "b"
count = {flows}
start = "{start}"
source.cbr = {{ rate = "{rate}", packet = "1500 bytes" }}
"""
SILENCE = NETWORK.format(duration="1000 s", flows=1, start="500 s", rate="9 Gbit/s")
"""Nothing happens for 500 s, and then very much."""
FLOWS = NETWORK.format(duration="1 ms", flows=3_000_000, start="0 s", rate="1 bit/s")
MEASURED = FLOWS.replace("3000000", "300000") + '[[measure]]\nmetric = "goodput"\nof = "f"\nper = "flow"\n'


def many_nodes():
    """A large file."""
    nodes = "".join(f"n{number} = {{}}\n" for number in range(1_000_000))
    return SILENCE.replace("nodes = { a = {}, b = {} }\n", "") + f"[nodes]\na = {{}}\nb = {{}}\n{nodes}"


def many_mistakes():
    """Each flow is checked, and wrong."""
    flow = '[[flows]]\nname = "g{}"\nfrom = "a"\nto = "b"\nsource.cbr = {{ rate = "0 bit/s", packet = "1500 bytes" }}\n'
    return SILENCE + "".join(flow.format(number) for number in range(150_000))


PHASES = {
    "reading": (many_nodes, ["run"], 0.3),
    "checking": (many_mistakes, ["check"], 0.3),
    "building": (lambda: FLOWS, ["run", "--runs", "1"], 0.3),
    "running": (lambda: SILENCE, ["run", "--runs", "1"], 1.0),
    "gathering": (lambda: MEASURED, ["run", "--runs", "1"], 0.05),
    "encoding": (lambda: MEASURED, ["run", "--runs", "1"], 0.05),
    "writing": (lambda: MEASURED, ["run", "--runs", "3", "--jobs", "1"], 0.0),
}
"""The scenario, the arguments, and after how much CPU time of the phase the signal is sent."""


def cpu(process):
    """Seconds of CPU time that the process has had, all of its threads."""
    try:
        times = psutil.Process(process).cpu_times()
    except psutil.NoSuchProcess:
        return 0.0
    return times.user + times.system


def wait_for_cpu(process, seconds):
    """Waits until the process has had so much."""
    end = time.monotonic() + PATIENCE
    while cpu(process.pid) < seconds:
        assert process.poll() is None, "it is over before the signal"
        assert time.monotonic() < end
        time.sleep(0.005)


def stop(process, number):
    """Sends a signal; gives the CPU time from then to the end, and the exit code."""
    begin = cpu(process.pid)
    process.send_signal(number)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime - begin, process.returncode


@pytest.mark.skipif(sys.platform != "linux", reason="CPU time of a process is read as Linux tells it")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["SIGINT", "SIGTERM"])
@pytest.mark.parametrize("phase", PHASES)
def test_a_signal_ends_every_phase_within_a_second_of_cpu_time(tmp_path, phase, number):
    text, (verb, *options), after = PHASES[phase]
    (tmp_path / "a.toml").write_text(text())
    with (tmp_path / "said").open("w+") as said:
        process = subprocess.Popen(
            [
                *(sys.executable, str(Path(__file__).parent / "phases.py")),
                *("building" if phase == "running" else phase, verb, "a.toml", *options),
            ],
            cwd=tmp_path,
            env={**os.environ, "PENSTOCK_STORE": str(tmp_path / "store")},
            stdout=subprocess.PIPE,
            stderr=said,
        )
        try:
            assert process.stdout.readline(), "the phase never begins"
            wait_for_cpu(process, cpu(process.pid) + after)
            spent, code = stop(process, number)
        finally:
            if process.returncode is None:
                process.kill()
            process.stdout.close()
        said.seek(0)
        told = said.read()
    assert code == 130, told
    assert spent <= LIMIT, told
    assert f"interrupted; {'nothing is kept' if verb == 'check' else 'finished runs are kept'}" in told
    assert "Traceback" not in told
