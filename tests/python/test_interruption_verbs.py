"""Every verb answers every signal that asks it to end within a second of CPU time, wherever it is by then."""

from __future__ import annotations

import signal
import subprocess
import sys
import tarfile
import time
from itertools import cycle
from pathlib import Path

import pytest
import verbs
from test_interruption_phases import LIMIT, PATIENCE, cpu, stop

from penstock import _core
from penstock.records import RunRequest
from penstock.store import Record, RunKeys, Store
from penstock.store.runfile import encode

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="CPU time of a process is read as Linux tells it")

LONG = verbs.PAGE.replace("20 ms", "10000000 s")
KEPT = 9000
"""Runs in the store."""
RANGE = ("--range", "f.source.cbr.rate=0.5 Mbit/s..1 Mbit/s")
COMMANDS = {
    **verbs.COMMANDS,
    "run": ("long.toml",),
    "run on processes": ("long.toml", "--on", "processes", "--jobs", "2"),
    **({} if "emulate" in verbs.REFUSED else {"emulate": ("long-real.toml",)}),
    **({} if "compare-hosts" in verbs.REFUSED else {"compare-hosts": ("long-tcp.toml",)}),
    "trace": ("long.toml", "--format", "csv", "--out", "trace.csv"),
    "trace pcap": ("long.toml", "--pcap", "captures"),
    "series": ("long.toml", "--of", "a-b", "--every", "1 us", "--out", "series.parquet"),
    "view": ("long.toml", "--out", "view.html"),
    "check": ("wide.toml",),
    "plot": ("numbers.csv", "--x", "x", "--y", "y", "--out", "plot.svg"),
    "report": ("points.toml", "--out", "report.html"),
    "new": ("new.toml", "--topology", "large.gml", "--set", "rate=1 Gbit/s", "--set", "delay=1 ms"),
    "reproduce": ("af",),
    "sensitivity": ("af", "--table", "2"),
    "screen": ("long.toml", *RANGE, "--samples", "2"),
    "search": ("long.toml", *RANGE, "--maximise", "goodput"),
    "slurm": ("points.toml", "--out", "points.sbatch"),
    "status": ("points.toml",),
    "runs": ("--each",),
    "verify": ("--sample", "all"),
    "gc": ("--stale", "--dry-run"),
    "export": ("out.tar.gz",),
    "import": ("kept.tar.gz", "--store", "other", "--sample", "all"),
    "bench": ("page.toml", "--duration", "1000000 s"),
}
"""What takes long, where the verb can."""
ENOUGH = 5.0
"""Seconds by the clock after which the signal is sent anyway."""
SIGNALS = cycle([signal.SIGHUP, signal.SIGINT, signal.SIGTERM])
MOMENTS = [(name, after, next(SIGNALS)) for name in COMMANDS if "dask" not in name for after in (0.0, 0.7, 1.8)]
"""The command, after how much CPU time from when it obeys signals, and which; :mod:`test_listening` has a cluster's."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """What the commands read."""
    made = tmp_path_factory.mktemp("verbs")
    (made / "kept").mkdir()
    verbs.prepare(made)
    (made / "long.toml").write_text(LONG)
    (made / "long-tcp.toml").write_text(verbs.TCP.replace("1500 ms", "10000 s"))
    (made / "long-real.toml").write_text(verbs.REAL.replace("20 ms", "10000000 s"))
    nodes = "".join(f"n{number} = {{}}\n" for number in range(400_000))
    (made / "wide.toml").write_text(verbs.PAGE.replace("b = {}\n", f"b = {{}}\n{nodes}"))
    (made / "numbers.csv").write_text("x,y\n" + "".join(f"{at},{at * 7 % 1000}\n" for at in range(150_000)))
    nodes = "".join(f'node [ id {at} label "n{at}" ]\n' for at in range(20_000))
    edges = "".join(f"edge [ source {at} target {at + 1} ]\n" for at in range(19_999))
    (made / "large.gml").write_text(f"graph [\n{nodes}{edges}]\n")
    rates = ", ".join(f'"{rate} kbit/s"' for rate in range(1000, 16_000))
    (made / "points.toml").write_text(f'scenario = "page.toml"\nruns = 5\n[grid]\n"f.source.cbr.rate" = [{rates}]\n')
    fill(made)
    return made


def fill(made):
    """Puts runs into the store, as one of them is, and all of them into an archive."""
    from penstock.cli.export import export_runs
    from penstock.cli.selecting import Selection

    store, keys = Store(made / "store"), RunKeys(_core.Scenario(verbs.PAGE, "page").canonical)
    run = store.get(keys.of(1, 0))
    for replication in range(2, KEPT):
        request = RunRequest(verbs.PAGE, (), 1, replication, "page")
        key, numbers = (
            keys.of(1, replication),
            (run.manifest.digest, run.manifest.packet_hops, run.metrics, None, run.measured),
        )
        store.write(Record(key, encode(key, request, *numbers)))
    (made / "kept.tar.gz").unlink()
    export_runs(store, Selection(store.texts), made / "kept.tar.gz")


def obeys(process, number):
    """Whether a process catches the signal."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("SigCgt:"):
            return bool(int(line.split()[1], 16) >> (number - 1) & 1)
    return False


def is_whole(file):
    """Whether it is the archive of all runs: a signal may come between the renaming and the end of the command."""
    if not file.name.endswith(".tar.gz"):
        return False
    with tarfile.open(file) as archive:
        return len(archive.getnames()) > KEPT - 2


def test_every_verb_is_gone_over():
    assert {name.partition(" ")[0] for name, *_ in MOMENTS} == set(verbs.verbs())
    assert {number for *_, number in MOMENTS} == {signal.SIGHUP, signal.SIGINT, signal.SIGTERM}


@pytest.mark.parametrize(("name", "after", "number"), MOMENTS)
def test_a_verb_ends_within_a_second_of_cpu_time(folder, tmp_path, request, name, after, number):
    if name in ("emulate", "compare-hosts"):
        request.getfixturevalue("namespaces")
    for file in folder.iterdir():
        if file.name not in ("store", "temporary"):
            (tmp_path / file.name).symlink_to(file)
    command = [*verbs.COMMAND, name.partition(" ")[0], *COMMANDS[name]]
    environment = {**verbs.environment(tmp_path), "PENSTOCK_STORE": str(folder / "store")}
    with (tmp_path / "said").open("w+") as said:
        process = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL, stderr=said)
        try:
            end = time.monotonic() + PATIENCE
            while not obeys(process.pid, number):
                assert process.poll() is None
                assert time.monotonic() < end
                time.sleep(0.001)
            begin, late = cpu(process.pid), time.monotonic() + ENOUGH
            # What has others work for it takes little itself.
            while (is_on := process.poll() is None) and cpu(process.pid) < begin + after and time.monotonic() < late:
                time.sleep(0.002)
            if not is_on:  # it takes no longer
                assert process.returncode == 0
                return
            # What workers have used is counted with the rest when they have ended.
            others = sum(map(cpu, verbs.children(process.pid)[1:]))
            spent, code = stop(process, number)
        finally:
            if process.returncode is None:
                process.kill()
                process.wait()
        said.seek(0)
        told = said.read()
    assert spent - others <= LIMIT, told
    # One that was all but done has ended by then.
    assert code in (130, 0), told
    assert code == 0 or "interrupted; " in told
    assert "Traceback" not in told
    for file in tmp_path.iterdir():
        assert file.is_symlink() or file.name in ("said", "temporary", "other") or code == 0 or is_whole(file), file


@pytest.mark.parametrize("number", ["SIGHUP", "SIGINT"])
def test_a_signal_that_is_ignored_stays_so(number):
    # As nohup starts a command, or a shell one in the background.
    program = (
        "import signal; from penstock.interruption import obey; "
        f"signal.signal(signal.{number}, signal.SIG_IGN); obey(); signal.raise_signal(signal.{number}); print('on')"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (0, "on\n")
