"""A command for each verb, in the folder that :func:`prepare` fills, for tests of what all verbs promise."""

from __future__ import annotations

import os
import re
import shutil
import sys
from typing import TYPE_CHECKING

import psutil

from penstock import _core
from penstock.cli.app import app
from penstock.emulation.namespaces import why_not
from penstock.records import RunRequest
from penstock.running import run_all
from penstock.store import Store, run_key

if TYPE_CHECKING:
    from pathlib import Path

COMMAND = [sys.executable, "-m", "penstock.cli"]
PAGE = """\
description = "Two hosts"
duration = "20 ms"
[nodes]
a = {}
b = {}
[[links]]
from = "a"
to = "b"
rate = "10 Mbit/s"
delay = "1 ms"
[[flows]]
name = "f"
from = "a"
to = "b"
source.cbr = { rate = "6.4 Mbit/s", packet = "160 bytes" }
[[measure]]
metric = "goodput"
of = "f"
[[series]]
of = "a-b"
every = "1 ms"
"""
REAL = PAGE.replace("{}\n", "{ real = true }\n").replace('delay = "1 ms"', 'delay = "1 ms"\nboth-ways = true')
TCP = re.sub("source.*", "source.ftp = {}\\ntransport.tcp = {}", REAL).replace("20 ms", "1500 ms")
MINE = '''\
from penstock import own


@own.discipline
class Mine:
    """Accepts what fits."""

    limit = own.parameter("limit", "20 packets", doc="Its limit.")

    def on_arrival(self, queue):
        return own.ACCEPT if queue.has_room else own.DROP_OVERFLOW
'''
REFUSED = {
    *(("emulate", "compare-hosts") if why_not() else ()),
    *(() if shutil.which("iperf3") else ("compare-hosts",)),
}
"""Verbs that this machine does not allow."""
STUDY = """\
scenario = "page.toml"
runs = 2
[grid]
"f.source.cbr.packet" = ["160 bytes", "320 bytes"]
"a-b.delay" = ["1 ms", "2 ms"]
"""
GRAPH = 'graph [\n node [ id 0 label "x" ]\n node [ id 1 label "y" ]\n edge [ source 0 target 1 ]\n]\n'
RANGE = ("--range", "f.source.cbr.rate=0.5 Mbit/s..1 Mbit/s", "--runs", "2")

COMMANDS: dict[str, tuple[str, ...]] = {
    "run": ("page.toml", "--runs", "2", "--out", "result.csv"),
    "run on processes": ("page.toml", "--runs", "2", "--on", "processes", "--jobs", "2"),
    "run on dask": ("page.toml", "--runs", "4", "--on", "dask", "--jobs", "2"),
    **({} if "emulate" in REFUSED else {"emulate": ("real.toml", "--log", "arrivals.csv")}),
    **(
        {} if "compare-hosts" in REFUSED else {"compare-hosts": ("tcp.toml", "--runs", "1", "--windows", "windows.csv")}
    ),
    "trace": ("page.toml", "--format", "csv", "--out", "trace.csv"),
    "trace pcap": ("page.toml", "--pcap", "captures"),
    "series": ("page.toml", "--of", "a-b", "--every", "1 ms", "--format", "parquet", "--out", "series.parquet"),
    "view": ("page.toml", "--out", "view.html"),
    "lab": ("page.toml", "--no-browser"),
    "check": ("page.toml",),
    "conform": ("mine.py:Mine",),
    "plot": ("study.toml", "--x", "f.source.cbr.packet", "--out", "plot.svg"),
    "report": ("study.toml", "--out", "report.html"),
    "new": ("new.toml", "--topology", "graph.gml", "--set", "rate=1 Gbit/s", "--set", "delay=1 ms"),
    "list": (),
    "explain": ("red",),
    "reproduce": ("md1k", "--runs", "1"),
    "sensitivity": ("af", "--table", "2", "--runs", "1"),
    "screen": ("page.toml", *RANGE, "--samples", "2", "--plot", "screen.svg"),
    "search": ("page.toml", *RANGE, "--maximise", "goodput", "--trials", "12", "--fresh", "2", "--plot", "search.svg"),
    "slurm": ("page.toml", "--out", "page.sbatch"),
    "status": ("study.toml",),
    "runs": (),
    "retry-failed": (),
    "verify": (),
    "gc": ("--stale",),
    "export": ("out.tar.gz",),
    "import": ("kept.tar.gz", "--store", "other"),
    "schema": (),
    "bench": ("page.toml",),
}
"""What each verb is called with; further words of a name are for whoever reads."""
LONG = {"reproduce", "sensitivity"}
"""Those that take long from beginning to end."""
ENDLESS = {"lab"}
"""Those that serve until they are interrupted."""
FILES = {
    "run": "result.csv",
    **({} if "emulate" in REFUSED else {"emulate": "arrivals.csv"}),
    **({} if "compare-hosts" in REFUSED else {"compare-hosts": "windows.csv"}),
    "trace": "trace.csv",
    "trace pcap": "captures",
    "series": "series.parquet",
    "view": "view.html",
    "plot": "plot.svg",
    "report": "report.html",
    "new": "new.toml",
    "screen": "screen.svg",
    "search": "search.svg",
    "slurm": "page.sbatch",
    "export": "out.tar.gz",
}
"""What they write."""


def words(name: str) -> list[str]:
    """The command of this name."""
    return [*COMMAND, name.partition(" ")[0], *COMMANDS[name]]


def verbs() -> dict[str, object]:
    """The verbs that there are and that this machine allows."""
    return {name: each.loaded() for name, each in app.commands.items() if name not in REFUSED}


def environment(folder: Path) -> dict[str, str]:
    """That of a command in `folder`."""
    temporary = folder / "temporary"
    temporary.mkdir(exist_ok=True)
    return {**os.environ, "PENSTOCK_STORE": str(folder / "store"), "TMPDIR": str(temporary)}


def prepare(folder: Path) -> None:
    """Writes the files that the commands read, with a store, an archive of it, and a run that failed."""
    from penstock.cli.export import export_runs
    from penstock.cli.selecting import Selection

    (folder / "page.toml").write_text(PAGE)
    (folder / "real.toml").write_text(REAL)
    (folder / "tcp.toml").write_text(TCP)
    (folder / "mine.py").write_text(MINE)
    (folder / "study.toml").write_text(STUDY)
    (folder / "graph.gml").write_text(GRAPH)
    store = Store(folder / "store")
    run_all([RunRequest(PAGE, replication=number, name="page") for number in range(2)], store=store)
    export_runs(store, Selection(store.texts), folder / "kept.tar.gz")
    request = RunRequest(PAGE, (), 1, 7, "page")
    key = run_key(_core.Scenario(PAGE, "page").canonical, 1, 7)
    store.keep_failed(key, request, "the power was gone", ours=False, attempts=1)


def children(process: int) -> list[int]:
    """A process and all that it has started and that goes on."""
    try:
        return [process, *(child.pid for child in psutil.Process(process).children(recursive=True))]
    except psutil.NoSuchProcess:
        return [process]
