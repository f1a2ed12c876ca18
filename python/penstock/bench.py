"""Standard workloads, to compare machines, versions and simulators by CPU time per packet-hop."""

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, TypedDict

import penstock as ps
from penstock import _core
from penstock.component import Component
from penstock.errors import InputError, PenstockError, core_faults
from penstock.huge_pages import allow_restart, restart_for
from penstock.memory import allow, allowed, require


class Measurement(TypedDict):
    """Cost and results of a workload."""

    workload: str
    packet_hops: int
    cpu_seconds: float
    packet_hops_per_cpu_second: float
    peak_rss_bytes: int
    goodput_bps: float
    delivered: int
    drops: int
    wall_seconds: float
    threads: int
    events: dict[str, int]  # by path through the engine
    ports: dict[str, int]  # in use, by how their departures are computed


_SIZES: dict[str, Any] = {"packet": "1500 bytes", "header": "40 bytes"}
"""Sizes of the packets of TCP."""


def cbr(flows: int = 1000) -> str:
    """Periodic flows of 64 kbit/s at random phases over one link that they fill by half, 60 s."""
    net = ps.Network()
    a, b = net.node("a"), net.node("b")
    net.link(a, b, rate=f"{128 * flows} kbit/s", delay="10 ms", queue=ps.TailDrop(limit="1000 packets"))
    net.flows("cbr", a, b, count=flows, source=ps.Cbr(rate="64 kbit/s", packet="160 bytes"))
    return net.toml(description="Periodic flows over one link", duration="60 s")


def parking_lot() -> str:
    """Five links in a row: 500 periodic flows through all of them and 500 over each one, 20 s."""
    net = ps.Network()
    nodes = [net.node(f"n{i}") for i in range(6)]
    steps = list(pairwise(nodes))
    for a, b in steps:
        net.link(a, b, rate="128 Mbit/s", delay="1 ms", queue=ps.TailDrop(limit="1000 packets"))
    source = ps.Cbr(rate="64 kbit/s", packet="160 bytes")
    net.flows("through", nodes[0], nodes[-1], count=500, source=source)
    for number, (a, b) in enumerate(steps):
        net.flows(f"over{number}", a, b, count=500, source=source)
    return net.toml(description="Periodic flows over five links in a row", duration="20 s")


def tcp_bulk(profile: str = "rfc") -> str:
    """40 transfers over 10 Gbit/s with a round trip of 1 ms, 2 s."""
    times: dict[str, Any] = {"rtt_us": 1_000, "starts": "100 ms", "duration": "2 s"}
    return _dumbbell(profile, flows=40, access="40 Gbit/s", rate="10 Gbit/s", buffer=833, **times)


def tcp_many(flows: int = 1000, profile: str = "rfc") -> str:
    """Transfers over 1 Mbit/s each (1,000 by default) with a round trip of 50 ms, 10 s; the buffer is in proportion."""
    times: dict[str, Any] = {"rtt_us": 50_000, "starts": "1 s", "duration": "10 s"}
    buffer = max(flows * 4166 // 1000, 10)
    return _dumbbell(profile, flows=flows, access="10 Gbit/s", rate=f"{flows} Mbit/s", buffer=buffer, **times)


def af() -> str:
    """A row of the Assured Forwarding study: two drop precedences, CIR 256, 128 kbit/s of UDP."""
    from penstock.reproductions.loading import load
    from penstock.reproductions.reading import Readings
    from penstock.reproductions.study import page_of

    study = load("af")
    table = study.document.table("2")
    key = {"udp_rate": "128k", "drop_precedences": "2", "cir_kbps": "256"}
    [row] = [row for row in table.rows if row.matches(key)]
    [page] = study.build(Readings(study.document).settings(), table, row).values()
    return page_of(page).text


_CLASSES = "abcdefgh"

_SCHEDULERS: dict[str, tuple[Component, dict[str, Any]]] = {
    "fifo": (ps.Fifo(), {}),
    "priority": (ps.Priority(order=list(_CLASSES)), {}),
    "wrr": (ps.Wrr(), {"weight": 1}),
    "wrr-bytes": (ps.Wrr(weighs="bytes"), {"weight": 1}),
    "drr": (ps.Drr(), {"quantum": "1500 bytes"}),
    "scfq": (ps.Scfq(), {"weight": 1}),
    "wf2q-plus": (ps.Wf2qPlus(), {"weight": 1}),
    "cbq": (ps.Cbq(), {"share": 0.125}),
}
"""The schedulers with the parameters of each class."""


def schedulers(name: str) -> str:
    """Eight classes of 100 periodic flows, of 160 and of 1500 bytes, offer 1.2 times what 1 Gbit/s carries, 2 s."""
    scheduler, said = _SCHEDULERS[name]
    classes = {} if name == "fifo" else {each: {**said, "queue": ps.TailDrop(limit="100 packets")} for each in _CLASSES}
    queue = ps.TailDrop(limit="800 packets") if name == "fifo" else None
    net = ps.Network()
    a, b = net.node("a"), net.node("b")
    net.link(a, b, rate="1 Gbit/s", delay="10 ms", queue=queue, scheduler=scheduler, classes=classes)
    for each in _CLASSES:
        for size in (160, 1500):
            source = ps.Cbr(rate="1500 kbit/s", packet=f"{size} bytes")
            net.flows(f"{each}{size}", a, b, count=50, traffic_class=each, source=source)
    return net.toml(description=f"Eight classes overload a link under {name}", duration="2 s")


def atm() -> str:
    """15 transfers in segments of 512 bytes over three hops of cells with EPD, 10 s; a hop is that of a cell."""
    return Path(__file__).with_name("atm.toml").read_text(encoding="utf-8")


def pcn(traffic: str) -> str:
    """Admission of calls (``CBR``, or ``VBR`` with random times) over one link at five times the admissible rate."""
    from penstock.reproductions.loading import load
    from penstock.reproductions.pcn.cases import ADMISSION, SINGLE, Case
    from penstock.reproductions.pcn.scenario import scenario
    from penstock.reproductions.reading import Readings

    settings = Readings(load("pcn").document).settings()
    return scenario(settings, Case(ADMISSION, traffic, SINGLE), span=("100 s", "10 s"))


def fat_tree(ports: int = 16, variant: Literal["new-reno", "sack"] = "new-reno", **more: Any) -> str:
    """A fat tree of 1 Gbit/s with 1,024 hosts, each with four transfers to other pods or edges, 100 ms."""
    net = ps.Network()
    tree = ps.topologies.fat_tree(net, ports, rate="1 Gbit/s", delay="1 us", queue=ps.TailDrop(limit="100 packets"))
    tcp = ps.Tcp(variant=variant, initial_window="10 packets", initial_rto="5 ms", min_rto="5 ms", **_SIZES, **more)
    hosts = len(tree.hosts)
    for number, shift in enumerate((1, ports, hosts // 3, hosts // 2 + 1)):
        name = f"transfers{number}"
        net.flows(name, tree.hosts, tree.hosts, shift=shift, start=("0 s", "1 ms"), source=ps.Ftp(), transport=tcp)
    return net.toml(description="Transfers over a fat tree", duration="100 ms")


def fabric() -> str:
    """Eight hosts on a switch of 10 Gbit/s: each 10 ms seven of them send 64 kB each to the eighth, in turn, 1 s."""
    net = ps.Network()
    hosts = net.nodes("hosts", 8)
    switch = net.node("switch", buffer=ps.Pool(size="1 MB"))
    marking = ps.StepMarking(limit="1000 packets", threshold="65 packets")
    net.link(hosts, switch, rate="10 Gbit/s", delay="1 us")
    net.link(switch, hosts, rate="10 Gbit/s", delay="1 us", queue=marking)
    timers: dict[str, Any] = dict.fromkeys(("ack_delay", "initial_rto", "min_rto"), "1 ms")
    tcp = ps.Tcp(congestion_control=ps.Dctcp(), ecn=True, ack_every=2, **timers, **_SIZES)
    for receiver in range(8):
        starts = [f"{10 * number} ms" for number in range(receiver, 100, 8)]
        for sender in (host for host in range(8) if host != receiver):
            name = f"incasts{receiver}-{sender}"
            net.transfers(name, hosts[sender], hosts[receiver], at=starts, size="64 kB", transport=tcp)
    return net.toml(description="Incasts of seven to one at a switch", duration="1 s")


def _dumbbell(
    profile: str, *, flows: int, access: str, rate: str, rtt_us: int, buffer: int, starts: str, duration: str
) -> str:
    """40 access nodes a side and one bottleneck; each way, an access link has 1 % of the round trip and it has 48 %."""
    net = ps.Network()
    sources, sinks = net.nodes("sources", 40), net.nodes("sinks", 40)
    left, right = net.node("left"), net.node("right")
    large, small = ps.TailDrop(limit="100000 packets"), ps.TailDrop(limit=f"{buffer} packets")
    near, far = f"{rtt_us * 10} ns", f"{rtt_us * 480} ns"
    for a, b in ((sources, left), (left, sources), (right, sinks), (sinks, right)):
        net.link(a, b, rate=access, delay=near, queue=large)
    net.link(left, right, rate=rate, delay=far, queue=small)
    net.link(right, left, rate=rate, delay=far, queue=large)
    shared: dict[str, Any] = {"initial_window": "10 packets", "max_window": "256 packets", "syn": False}
    if profile == "rfc":
        tcp = ps.Tcp(variant="new-reno", min_rto="200 ms", ack_every=1, **_SIZES, **shared)
    else:
        tcp = ps.Tcp(profile="linux-6", packet="1500 bytes", **shared)
    net.flows("tcp", sources, sinks, count=flows, start=("0 s", starts), source=ps.Ftp(), transport=tcp)
    return net.toml(description="Transfers over a dumbbell", duration=duration)


_CONTROLS: dict[str, tuple[str, list[Callable[[], Any]], Component]] = {
    "dualpi2": ("20 transfers of CUBIC and 20 of Prague over DualPI2", [ps.Cubic, ps.Prague], ps.Dualpi2()),
    "fq-codel": ("40 transfers of CUBIC over FQ-CoDel", [ps.Cubic], ps.FqCodel()),
    "cake": ("40 transfers of CUBIC over CAKE at 950 Mbit/s", [ps.Cubic], ps.Cake(rate="950 Mbit/s")),
    "bbr": ("40 transfers of BBR over a buffer of a bandwidth-delay product", [ps.Bbr], ps.Fifo()),
    "prague": ("40 transfers of Prague over DualPI2", [ps.Prague], ps.Dualpi2()),
}
"""The workloads of controls and of the queues made for them: contents, controls, and the bottleneck's scheduler."""


def controls(name: str) -> str:
    """Transfers of one or two controls over 1 Gbit/s with a round trip of 10 ms, 5 s."""
    description, chosen, scheduler = _CONTROLS[name]
    marks = scheduler != ps.Fifo()
    queue = None if marks else ps.TailDrop(limit="833 packets")
    net = ps.Network()
    left, right, sink = net.node("left"), net.node("right"), net.node("sink")
    net.link(left, right, rate="1 Gbit/s", delay="2 ms", scheduler=scheduler, queue=queue)
    net.link(right, left, rate="10 Gbit/s", delay="2 ms")
    net.link(right, sink, rate="10 Gbit/s", delay="1 ms", both_ways=True)
    for control in (each() for each in chosen):
        hosts = net.nodes(control.KEY, 40 // len(chosen))
        net.link(hosts, left, rate="10 Gbit/s", delay="2 ms", both_ways=True)
        tcp = ps.Tcp(congestion_control=control, recovery="rack", ecn=marks, max_window="10000 packets")
        net.flows(f"{control.KEY}-transfers", hosts, sink, start=("0 s", "100 ms"), source=ps.Ftp(), transport=tcp)
    return net.toml(description=description, duration="5 s")


WORKLOADS: dict[str, Callable[..., str]] = {
    "cbr": cbr,
    "parking-lot": parking_lot,
    "tcp-bulk": tcp_bulk,
    "tcp-many": tcp_many,
    "tcp-bulk-linux-6": partial(tcp_bulk, profile="linux-6"),
    "tcp-many-linux-6": partial(tcp_many, profile="linux-6"),
    "af": af,
    "atm": atm,
    "pcn-cbr": partial(pcn, "CBR"),
    "pcn-vbr": partial(pcn, "VBR"),
    "fat-tree": fat_tree,
    "fabric": fabric,
    **{name: partial(controls, name) for name in _CONTROLS},
    **{f"schedulers-{name}": partial(schedulers, name) for name in _SCHEDULERS},
}
"""Functions that return the text of a scenario."""

GROUPS = {"schedulers": tuple(f"schedulers-{name}" for name in _SCHEDULERS)}

LARGE = ("fat-tree",)
"""Workloads that take a minute; they are measured only by name."""

RESIZABLE = ("cbr", "tcp-many")
"""Workloads with a variable number of flows."""


def is_file(name: str) -> bool:
    """Whether `name` is a scenario file instead of a workload."""
    return name.endswith(".toml")


def text_of(name: str, flows: int | None = None) -> tuple[str, str | None]:
    """The text of a workload or scenario file, and the file's folder. Raises InputError if it is no scenario."""
    if is_file(name):
        from penstock.cli.files import read_scenario

        return read_scenario(Path(name), "a speed is"), str(Path(name).parent)
    return WORKLOADS[name](*([] if flows is None else [flows])), None


def measure_scenario(
    text: str,
    name: str,
    duration: str | None = None,
    *,
    threads: int = 1,
    only_setup: bool = False,
    folder: str | None = None,
) -> Measurement:
    """Measures the scenario `text` on up to `threads` cores; the result has the number that was used most of the time.

    The peak memory includes what this process needed before. A process of its own restarts if the scenario needs much
    memory (:func:`penstock.huge_pages.restart_for`); the time before that counts as its start.
    """
    begin, begin_wall = time.process_time(), time.perf_counter()
    scenario = _core.Scenario(text, name, [] if duration is None else [("duration", duration)], folder)
    require([(name, scenario.memory)], 1)
    run = None
    if only_setup:
        scenario.build(scenario.seed, 0)
    else:
        restart_for([scenario.memory])
        run = scenario.run(scenario.seed, 0, threads=threads)
    spent, wall = time.process_time() - begin, time.perf_counter() - begin_wall
    counters = {"goodput_bps": 0.0, "delivered": 0, "drops": 0} if run is None else run.counters
    hops = 0 if run is None else run.packet_hops
    return Measurement(
        workload=name,
        packet_hops=hops,
        cpu_seconds=spent,
        packet_hops_per_cpu_second=hops / spent,
        peak_rss_bytes=_peak_bytes(),
        goodput_bps=counters["goodput_bps"],
        delivered=counters["delivered"],
        drops=counters["drops"],
        wall_seconds=wall,
        threads=1 if run is None else run.threads,
        events={} if run is None else run.events,
        ports={} if run is None else run.ports,
    )


def measure_in_subprocess(
    name: str, flows: int | None = None, duration: str | None = None, *, threads: int = 1, only_setup: bool = False
) -> Measurement:
    """Measures a workload of :data:`WORKLOADS`, or a scenario file, in a fresh process; see :func:`measure_scenario`.

    Raises InputError if it needs more memory than is available, PenstockError if that process fails.
    """
    how = {"duration": duration, "threads": threads, "only_setup": only_setup}
    command = [sys.executable, "-m", "penstock.bench", name, json.dumps(flows), json.dumps(how), json.dumps(allowed())]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode == InputError.exit_code:
        raise InputError(ended.stderr.strip())
    if ended.returncode != 0:
        raise PenstockError(f"the workload {name} failed:\n{ended.stderr.strip()}")
    measured: Measurement = json.loads(ended.stdout)
    return measured


def _peak_bytes() -> int:
    """Peak memory of this process, on Linux without that of its parent, at which ``ru_maxrss`` starts."""
    status = Path("/proc/self/status")
    if status.is_file():
        for entry in status.read_text(encoding="ascii").splitlines():
            if entry.startswith("VmHWM:"):
                return int(entry.split()[1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


if __name__ == "__main__":
    asked, *given = sys.argv[1:]
    resized, options, memory = map(json.loads, given)
    allow(memory)
    allow_restart()
    try:
        scenario_text, of = text_of(asked, resized)
        with core_faults():
            print(json.dumps(measure_scenario(scenario_text, asked, folder=of, **options)))
    except PenstockError as error:
        print(error, file=sys.stderr)
        sys.exit(error.exit_code)
