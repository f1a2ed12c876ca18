"""Scenarios that are opened for real packets, and what cannot be emulated: nothing here needs any right."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from penstock import _core
from penstock.cli import main
from penstock.emulation import namespaces
from penstock.emulation.making import check
from penstock.emulation.namespaces import read_settings, why_not
from penstock.emulation.opened import MEMBERS, opened
from penstock.emulation.programs import Program
from penstock.errors import InputError, PenstockError, ScenarioError
from penstock.own.files import DEBUG

FILE = Path("two.toml")
NETWORK = """
duration = "1 s"
[nodes]
h1 = { real = true }
h2 = { real = true }
r = {}
s = {}
[[links]]
from = "h1"
to = "r"
rate = "1 Gbit/s"
delay = "1 ms"
both-ways = true
[[links]]
from = "r"
to = "h2"
rate = "10 Mbit/s"
delay = "1 ms"
both-ways = true
[[links]]
from = "s"
to = "r"
rate = "1 Gbit/s"
delay = "1 ms"
both-ways = true
"""
TCP = """
[[flows]]
name = "tcp"
class = "ef"
from = "h1"
to = "h2"
source.ftp = {}
transport.tcp = {}
"""
LOG = "time_ps,flow,size,ecn,precedence\n"


def mistakes(text: str, sets=()) -> list[str]:
    found = opened(FILE, text, sets)
    return _core.emulation_mistakes(found.asked.scenario, found.real, found.groups)


def test_without_flows_each_pair_of_real_nodes_gets_a_group():
    found = opened(FILE, NETWORK)
    assert (found.real, found.groups, found.replaced) == (["h1", "h2"], ["h1-to-h2", "h2-to-h1"], [])
    assert found.asked.scenario.real_nodes == ["h1", "h2"]
    assert found.asked.scenario.sizes[2] == 2 * MEMBERS
    assert mistakes(NETWORK) == []


def test_flows_of_the_file_are_replaced_under_their_names():
    cross = '[[flows]]\nname = "cross"\nfrom = "s"\nto = "h2"\n'
    found = opened(FILE, NETWORK + TCP)
    assert (found.groups, found.replaced) == (["tcp", "tcp-back"], ["tcp"])
    assert '"ef"' in found.asked.scenario.canonical
    with pytest.raises(PenstockError, match=r"flows\[0\]: 'h2' is real, so nothing simulated begins or ends there"):
        opened(FILE, NETWORK + cross + 'source.cbr = { rate = "1 Mbit/s", packet = "1500 bytes" }\n')


def test_settings_of_flows_are_those_of_the_file():
    udp = '[[flows]]\nname = "udp"\nfrom = "s"\nto = "r"\nsource.cbr = { rate = "1 Mbit/s", packet = "1500 bytes" }\n'

    def canonical(*sets):
        return opened(FILE, NETWORK + TCP + udp, sets).asked.scenario.canonical

    assert canonical(("flows[1].count", "3")) == canonical(("udp.count", "3")) != canonical()
    assert canonical(("flows[0].class", "af1")) == canonical(("tcp.class", "af1")) != canonical()
    for path in ("flows[0].count", "flows.tcp.count", "tcp.count", "tcp.transport.tcp.ecn"):
        with pytest.raises(InputError, match=r"--set .*: packets of programs replace the flows 'tcp'; leave it out"):
            canonical((path, "true" if path.endswith("ecn") else "3"))


def test_an_opened_scenario_sends_only_what_its_log_has(tmp_path):
    found = opened(FILE, NETWORK)
    silent = found.asked.scenario.run(1, 0)
    assert (silent.delivered, silent.packet_hops) == (0, 0)
    log = tmp_path / "log.csv"
    # Programs that show tables write a byte order mark.
    log.write_text(f"\ufeff{LOG}1000,0,1500,0,0\n500000000000,0,28,3,0\n2000,{MEMBERS},40,2,1\n")
    heard = opened(FILE, NETWORK, log=log).asked.scenario.run(1, 0)
    assert (heard.delivered, heard.packet_hops) == (3, 6)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("time,flow\n", "line 1: the header of an arrival log is time_ps,flow,size,ecn,precedence"),
        (LOG + "1000,0,1500\n", "line 2: not time_ps,flow,size,ecn,precedence"),
        (LOG + "1000,999,1500,0,0\n", "arrival 0: flow 999 takes no packets from outside"),
        (LOG + "2000,0,1500,0,0\n1000,0,1500,0,0\n", "arrival 1: a packet at 1 ns"),
        (
            LOG + "1000,0,9000,0,0\n",
            "arrival 0: a packet of 9000 bytes: the flow's list has packets of 20 to 1500 bytes",
        ),
    ],
)
def test_a_log_that_does_not_fit_is_refused_with_its_place(tmp_path, text, message):
    log = tmp_path / "log.csv"
    log.write_text(text)
    with pytest.raises(InputError) as error:
        opened(FILE, NETWORK, log=log)
    assert f"log.csv: the arrivals do not fit the scenario: {message}" in str(error.value)


def test_scenarios_without_real_nodes_are_refused():
    with pytest.raises(InputError, match="has no node with real = true"):
        opened(FILE, NETWORK.replace("real = true", ""))
    with pytest.raises(InputError, match="has 'h1' with real = true"):
        opened(FILE, NETWORK.replace("h2 = { real = true }", "h2 = {}"))
    with pytest.raises(InputError, match=r"--set nodes\.r\.real: which nodes are real is written in the scenario"):
        opened(FILE, NETWORK, [("nodes.r.real", "true")])


@pytest.mark.parametrize("name", ["1", "localhost", "LocalHost", "a" * 64])
def test_names_that_programs_cannot_use_are_refused(name):
    with pytest.raises(InputError, match=rf"nodes\.{name}: programs cannot use '.*' as the name of a host"):
        opened(FILE, NETWORK.replace("h1", name))
    assert opened(FILE, NETWORK.replace("h1", "a" * 63)).real == ["a" * 63, "h2"]


def test_mistakes_of_the_scenario_have_their_lines():
    with pytest.raises(ScenarioError, match=r"two\.toml:6: nodes\.r\.real: a group of nodes cannot be real"):
        opened(FILE, (NETWORK + TCP).replace("r = {}", "r = { real = true, count = 2 }"))
    with pytest.raises(ScenarioError, match=r"two\.toml:6: nodes\.r\.colour"):
        opened(FILE, NETWORK.replace("r = {}", "r = { colour = 1 }"))


def test_links_that_cannot_be_emulated_are_named():
    short, fast = [("links[1].delay", "99 us")], [("links[1].rate", "4.9 Gbit/s"), ("links[0].rate", "9 Gbit/s")]
    assert mistakes(NETWORK, short) == [
        "link 'r-h2': a delay of 99 us into a real node is shorter than the period of the emulation; at least 100 us"
    ]
    assert [each.partition(";")[0] for each in mistakes(NETWORK, fast)] == [
        "link 'r-h2': 4900 Mbit/s is faster than can be emulated",
        "link 'h2-r': 4900 Mbit/s is faster than can be emulated",
    ]


def test_a_link_that_cannot_be_emulated_is_a_mistake_of_the_scenario():
    with pytest.raises(InputError, match=r"two\.toml: link 'r-h2': a delay of 99 us .*\nNothing was made"):
        check(opened(FILE, NETWORK, [("links[1].delay", "99 us")]))


def test_programs_are_read_with_their_nodes_and_times():
    assert Program.read("h1: iperf3 -c h2:5201", ["h1"], 100.0) == Program("h1", "iperf3 -c h2:5201", 0.0)
    assert Program.read(" h1 at 1.5 min :  a: b ", ["h1"], 100.0) == Program("h1", "a: b", 90.0)
    assert Program.read("h1 at 250 ms: a", ["h1"], 100.0).at == 0.25
    with pytest.raises(InputError, match="there is no real node 'h3'; h1, h2"):
        Program.read("h3: a", ["h1", "h2"], 100.0)
    for wrong in ("h1 a", "h1:", "h1 at x: a", "h1 at 3: a"):
        with pytest.raises(InputError, match="NODE: COMMAND"):
            Program.read(wrong, ["h1"], 100.0)
    with pytest.raises(InputError, match="is not a number"):
        Program.read("h1 at 1.2.3 s: a", ["h1"], 100.0)
    with pytest.raises(InputError, match="the run ends after 2 s, before the program starts"):
        Program.read("h1 at 2 s: a", ["h1"], 2.0)


@pytest.mark.skipif(not Path("/proc/sys/net/ipv4").exists(), reason="Linux alone has these settings")
def test_kernel_settings_are_read_and_unknown_ones_refused():
    assert read_settings(["net.ipv4.tcp_rmem = 4096 65536 65536"]) == [("net.ipv4.tcp_rmem", "4096 65536 65536")]
    for wrong in ("net.ipv4.tcp_rmem", "kernel.hostname=a", "net.ipv4.tcp_rmem=", "net/ipv4=1", "net.=1"):
        with pytest.raises(InputError, match=r"is not of the form net\.NAME=VALUE"):
            read_settings([wrong])
    with pytest.raises(InputError, match=r"this kernel has no setting 'net\.ipv4\.no_such'"):
        read_settings(["net.ipv4.no_such=1"])


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system binds no threads to cores")
@pytest.mark.parametrize("count", [1, 2])
def test_programs_leave_one_core_to_the_network(count):
    before = os.sched_getaffinity(0)
    allowed = set(sorted(before)[:count])
    os.sched_setaffinity(0, allowed)
    try:
        with namespaces.divided() as own:
            assert own == {max(allowed)}
            assert os.sched_getaffinity(0) == (allowed - own if len(allowed) > 1 else allowed)
        assert os.sched_getaffinity(0) == allowed
    finally:
        os.sched_setaffinity(0, before)


def test_idle_cores_stay_awake_if_the_machine_allows_it(monkeypatch, tmp_path):
    monkeypatch.setattr(namespaces, "_LATENCY", tmp_path / "latency")
    with namespaces.awake():
        assert (tmp_path / "latency").read_bytes() == bytes(4)
    monkeypatch.setattr(namespaces, "_LATENCY", tmp_path / "nowhere" / "latency")
    with namespaces.awake():
        pass


def test_options_that_a_replay_does_not_have_are_refused(tmp_path, monkeypatch, capsys):
    file, log = tmp_path / "two.toml", tmp_path / "log.csv"
    file.write_text(NETWORK)
    log.write_text(LOG + "1000,0,1500,0,0\n")
    monkeypatch.setenv(DEBUG, "")  # the option sets it
    for option, value in (("--runs", "3"), ("--jobs", "2"), ("--on", "processes")):
        monkeypatch.setattr("sys.argv", ["penstock", "run", str(file), "--replay", str(log), option, value])
        with pytest.raises(SystemExit):
            main()
        assert f"--replay repeats one run and keeps nothing, so {option} changes nothing" in capsys.readouterr().err
    for options in ([], ["--debug-component"]):
        monkeypatch.setattr("sys.argv", ["penstock", "run", str(file), "--replay", str(log), *options])
        with pytest.raises(SystemExit) as ended:
            main()
        err = capsys.readouterr().err
        assert (ended.value.code, "open loop" in err) == (0, True), err


def test_traces_series_and_views_of_a_replay(tmp_path, monkeypatch, capsys):
    file, log = tmp_path / "two.toml", tmp_path / "log.csv"
    file.write_text(NETWORK)
    log.write_text(LOG + "1000,0,1500,0,0\n500000000000,0,28,3,0\n")

    def said(*words: str) -> str:
        monkeypatch.setattr("sys.argv", ["penstock", *words, str(file), "--replay", str(log)])
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code == 0
        return capsys.readouterr().out

    received = said("trace", "--event", "receive", "--format", "csv").splitlines()
    assert len(received) == 3
    queue = said("series", "--of", "r-h2", "--what", "queue", "--on-change", "--format", "csv").splitlines()
    assert len(queue) > 1
    said("view", "--out", str(tmp_path / "page.html"))
    assert (tmp_path / "page.html").stat().st_size > 10_000


def test_a_kernel_without_virtual_interfaces_is_reported_before_anything_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, says in (("unshare", "echo 'Error: Unknown device type.' >&2; exit 2"), ("ip", "exit 0")):
        (tmp_path / name).write_text(f"#!/bin/sh\n{says}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr(namespaces, "_effective", lambda: (1 << 64) - 1)
    assert why_not() == "this kernel makes no pairs of virtual interfaces (veth): Error: Unknown device type"
