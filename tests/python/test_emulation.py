"""Real packets between network namespaces, where this machine allows them."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from test_emulation_opened import NETWORK

from penstock import _core
from penstock.emulation.namespaces import NAMESPACES, Namespaces, why_not
from penstock.errors import PenstockError

pytestmark = [
    pytest.mark.skipif(why_not() is not None, reason=f"emulation is not possible here: {why_not()}"),
    pytest.mark.usefixtures("namespaces"),
]

EXAMPLES = Path(__file__).parents[2] / "examples" / "emulation"
EXAMPLE = EXAMPLES / "bottleneck.toml"
COMMAND = [sys.executable, "-m", "penstock"]
# Sends 20 datagrams to h2 with the traffic class given, and listens there; Python's own sockets need no other package.
SEND = (
    "import socket, sys, time; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); "
    "s.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, int(sys.argv[1])); "
    "[(s.sendto(bytes([i]) * 1000, ('h2', 9)), time.sleep(float(sys.argv[2]))) for i in range(20)]"
)
LISTEN = (
    "import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(('', 9)); "
    "s.setsockopt(socket.IPPROTO_IP, 13, 1)\n"  # IP_RECVTOS
    "while True:\n"
    "    data, more, _, _ = s.recvmsg(2000, 99); print(data[0], len(data), more[0][2][0], flush=True)"
)


def program(text: str, *words: object) -> str:
    quoted = "'" + text.replace("'", "'\\''") + "'"
    return " ".join([sys.executable, "-c", quoted, *map(str, words)])


def state() -> dict[str, str]:
    """What an emulation must not change. Whether a neighbour is REACHABLE or STALE changes on its own."""
    shown = {
        words: subprocess.run(["ip", *words.split()], capture_output=True, text=True, check=True).stdout
        for words in ("link", "address", "route", "rule", "neigh", "netns")
    }
    shown["neigh"] = re.sub(r" [A-Z]+ *$", "", shown["neigh"], flags=re.MULTILINE)
    mounts = Path("/proc/mounts").read_text()
    return {**shown, "hosts": Path("/etc/hosts").read_text(), "mounts": str(mounts.count("penstock"))}


def emulate(tmp_path: Path, text: str, *words: str, code: int = 0) -> tuple[dict, list[list[str]]]:
    """The results of an emulation with a listener at h2, and what it has heard."""
    (tmp_path / "two.toml").write_text(text)
    command = [*COMMAND, "emulate", str(tmp_path / "two.toml"), "--format", "json", "--run", f"h2: {program(LISTEN)}"]
    done = subprocess.run([*command, *words], capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    found = json.loads(done.stdout)
    listener = found["emulation"]["programs"][0]
    assert listener["exit_code"] is None, listener
    return found, [line.split() for line in listener["stdout"].splitlines()]


def test_datagrams_arrive_and_a_replay_repeats_them(tmp_path):
    before, log = state(), tmp_path / "log.csv"
    sender = f"h1 at 300 ms: {program(SEND, 0xB8, 0.01)}"
    found, heard = emulate(tmp_path, NETWORK.replace("1 s", "2 s"), "--run", sender, "--log", str(log))
    assert heard == [[str(i), "1000", str(0xB8)] for i in range(20)]
    packets = found["emulation"]["packets"]
    assert (packets["injected"], packets["delivered"], packets["dropped"], packets["in_flight"]) == (20, 20, 0, 0)
    assert found["emulation"]["programs"][1]["exit_code"] == 0
    assert len(log.read_text().splitlines()) == 21
    assert state() == before
    digest = found["emulation"]["digest"]
    replay = [*COMMAND, "run", str(tmp_path / "two.toml"), "--replay", str(log), "--format", "json"]
    again = subprocess.run(replay, capture_output=True, text=True, check=True)
    assert f"Digest {digest}." in again.stderr
    del found["emulation"]
    assert json.loads(again.stdout) == found


@pytest.mark.skipif(shutil.which("iperf3") is None, reason="iperf3 is not installed")
def test_the_example_carries_a_transfer_of_iperf3():
    runs = ["--run", "h2: iperf3 -s -1", "--run", "h1 at 300 ms: iperf3 -c h2 -t 2 -J"]
    words = ["emulate", str(EXAMPLE), "--format", "json", "--set", "duration=4 s", *runs]
    done = subprocess.run([*COMMAND, *words], capture_output=True, text=True, check=True)
    assert "Packets of programs replace the flows tcp." in done.stderr
    found = json.loads(done.stdout)["emulation"]
    packets = found["packets"]
    assert packets["injected"] == packets["delivered"] + packets["dropped"] + packets["in_flight"] + packets["unsent"]
    client = found["programs"][1]
    assert client["exit_code"] == 0, client
    # At most what the link of 20 Mbit/s carries; at least a tenth, however busy the machine is.
    received = json.loads(client["stdout"])["end"]["sum_received"]["bits_per_second"]
    assert 2e6 < received < 20e6 * 1448 / 1500


@pytest.mark.parametrize("control", ["reno", "cubic"])
def test_the_example_of_quic_transfers_its_bytes(control):
    quic = f"{sys.executable} {EXAMPLES / 'quic.py'}"
    runs = ["--run", f"h2: {quic} serve", "--run", f"h1 at 2 s: {quic} send h2 --megabytes 0.5 --control {control}"]
    words = ["emulate", str(EXAMPLE), "--format", "json", "--set", "duration=8 s", *runs]
    done = subprocess.run([*COMMAND, *words], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)["emulation"]
    client = found["programs"][1]
    assert client["exit_code"] == 0, client
    shown = re.match(r"500000 bytes in (\S+) s: (\S+) Mbit/s; connected after (\S+) ms", client["stdout"])
    assert shown is not None, client
    seconds, rate, connected = map(float, shown.groups())
    # Two round trips of 40 ms at least: the handshake, and the last byte with the answer.
    assert connected > 40
    assert seconds > 0.04
    assert rate < 20
    # 500 kB in datagrams of at most 1500 bytes.
    assert found["packets"]["delivered"] > 500_000 / 1500


def test_the_example_of_a_call_is_heard_without_loss():
    call = f"{sys.executable} {EXAMPLES / 'call.py'}"
    runs = ["--run", f"h2: {call} receive", "--run", f"h1 at 300 ms: {call} send h2 --seconds 2.5"]
    words = ["emulate", str(EXAMPLE), "--format", "json", "--set", "duration=4 s", *runs]
    done = subprocess.run([*COMMAND, *words], capture_output=True, text=True, check=True)
    [hearing, calling] = json.loads(done.stdout)["emulation"]["programs"]
    assert calling["exit_code"] == 0, calling
    heard = re.findall(r"(\w+): (\d+) packets, (\d+) lost, mean delay (\S+) ms", hearing["stdout"])
    assert {kind for kind, *_ in heard} == {"audio", "video"}, hearing
    for _, packets, lost, delay in heard:
        assert int(packets) > 0
        assert int(lost) == 0
        assert float(delay) > 20  # of the links


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed (make emulation)")
def test_a_web_server_and_curl_transfer_a_file(tmp_path):
    (tmp_path / "page").write_bytes(bytes(100_000))
    server = f"h2: {sys.executable} -m http.server 80 --directory {tmp_path}"
    client = "h1 at 1500 ms: curl -s -o /dev/null -w '%{size_download} %{time_total}' http://h2/page"
    words = ["emulate", str(EXAMPLE), "--format", "json", "--set", "duration=4 s", "--run", server, "--run", client]
    done = subprocess.run([*COMMAND, *words], capture_output=True, text=True, check=True)
    fetched = json.loads(done.stdout)["emulation"]["programs"][1]
    assert fetched["exit_code"] == 0, fetched
    size, seconds = fetched["stdout"].split()
    assert int(size) == 100_000
    assert float(seconds) > 0.08  # two round trips: the connection, and the request with its answer


def test_marks_of_the_network_are_written_into_real_packets(tmp_path):
    marking = NETWORK.replace(
        'rate = "10 Mbit/s"', 'rate = "1 Mbit/s"\nqueue.step-marking = { threshold = "2 packets" }'
    )
    found, heard = emulate(tmp_path, marking.replace("1 s", "2 s"), "--run", f"h1 at 300 ms: {program(SEND, 0x2A, 0)}")
    # DSCP 10 and ECT(0); the burst fills the queue, so that all but the first packets are marked CE.
    classes = [int(line[2]) for line in heard]
    assert [line[0] for line in heard] == [str(i) for i in range(20)]
    assert (set(classes), classes[0], classes[-1]) == ({0x2A, 0x2B}, 0x2A, 0x2B)
    assert found["emulation"]["packets"]["marked"] == classes.count(0x2B) >= 10


def test_drops_of_the_network_are_drops_of_real_packets(tmp_path):
    short = NETWORK.replace('rate = "10 Mbit/s"', 'rate = "1 Mbit/s"\nqueue.tail-drop = { limit = "4 packets" }')
    found, heard = emulate(tmp_path, short.replace("1 s", "2 s"), "--run", f"h1 at 300 ms: {program(SEND, 0, 0)}")
    packets = found["emulation"]["packets"]
    assert packets["dropped"] == 20 - len(heard) > 5
    assert packets["injected"] == packets["delivered"] + packets["dropped"] + packets["in_flight"]


def test_every_packet_and_copy_is_accounted_for(tmp_path):
    lossy = NETWORK.replace('to = "r"\nrate', 'to = "r"\nimpairment.loss = { probability = 0.3 }\nrate', 1)
    copying = lossy.replace('to = "h2"\n', 'to = "h2"\nimpairment.duplication = { probability = 0.3 }\n')
    found, heard = emulate(tmp_path, copying.replace("1 s", "2 s"), "--run", f"h1 at 300 ms: {program(SEND, 0, 0)}")
    packets = found["emulation"]["packets"]
    assert packets["injected"] == 20
    assert packets["copied"] > 0
    assert packets["dropped"] > 0
    assert packets["delivered"] == len(heard)
    left = sum(packets[name] for name in ("delivered", "unsent", "dropped", "in_flight"))
    assert packets["injected"] + packets["copied"] == left


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_nothing_is_left_after_a_signal(tmp_path, number):
    before = state()
    (tmp_path / "two.toml").write_text(NETWORK.replace("1 s", "60 s"))
    words = ["emulate", str(tmp_path / "two.toml"), "--run", f"h1: {program('import time; time.sleep(61.5)')}"]
    running = subprocess.Popen([*COMMAND, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    there = _wait_for_sleepers(running.pid)
    running.send_signal(number)
    _, errors = running.communicate(timeout=30)
    assert running.returncode == 130, errors
    assert "the real nodes are removed, and the same command starts again from the beginning" in errors
    assert state() == before
    assert not [each for each in there if each.exists() and each.read_bytes()]


def test_the_next_run_removes_what_a_killed_one_left(tmp_path):
    before = state()
    (tmp_path / "two.toml").write_text(NETWORK.replace("1 s", "60 s"))
    words = ["emulate", str(tmp_path / "two.toml"), "--run", f"h1: {program('import time; time.sleep(61.5)')}"]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    running = subprocess.Popen([*COMMAND, *words], stderr=subprocess.DEVNULL, env=environment)
    there = _wait_for_sleepers(running.pid)
    with Namespaces(["h1"], 1500) as alive:
        left = [*NAMESPACES.glob(f"penstock-{running.pid}-*"), *tmp_path.glob(f"penstock-{running.pid}-*")]
        assert len(left) == 4
        running.kill()
        running.wait()
        assert all(each.exists() for each in [*left, *there])
        (tmp_path / "two.toml").write_text(NETWORK)
        words = ["emulate", str(tmp_path / "two.toml")]
        done = subprocess.run([*COMMAND, *words], capture_output=True, text=True, check=True, env=environment)
        assert (
            f"Removed namespaces of a killed run: {', '.join(sorted(each.name for each in left[:3]))}." in done.stderr
        )
        assert all((NAMESPACES / name).exists() for name in alive.names)
        assert not [each for each in left if each.exists()]
    assert state() == before
    assert not [each for each in there if each.exists() and each.read_bytes()]


def _wait_for_sleepers(process: int) -> list[Path]:
    """The program of the test in a namespace of this process, once it runs."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        for namespace in NAMESPACES.glob(f"penstock-{process}-*-h1"):
            found = subprocess.run(["ip", "netns", "pids", namespace.name], capture_output=True, text=True, check=False)
            commands = [Path("/proc") / each / "cmdline" for each in found.stdout.split()]
            if there := [each for each in commands if each.exists() and b"61.5" in each.read_bytes()]:
                return there
        time.sleep(0.05)
    pytest.fail("the program does not run")


def test_kernel_settings_apply_to_real_nodes_only(tmp_path):
    setting = Path("/proc/sys/net/ipv4/ip_default_ttl")
    before, shown = setting.read_text(), f"h1: cat {setting}"
    found, _ = emulate(tmp_path, NETWORK, "--sysctl", "net.ipv4.ip_default_ttl=77", "--run", shown)
    assert found["emulation"]["programs"][1]["stdout"].strip() == "77"
    assert setting.read_text() == before != "77\n"


def test_names_that_exist_are_refused_and_left_alone():
    run = f"test-{os.getpid()}"
    with Namespaces(["h1", "h2"], 1500, run):
        with (
            pytest.raises(PenstockError, match=f"there is a network namespace penstock-{run} already"),
            Namespaces(["h1"], 1500, run),
        ):
            pass
        assert (NAMESPACES / f"penstock-{run}-h1").exists()
    assert not (NAMESPACES / f"penstock-{run}-h1").exists()


def test_a_failure_while_namespaces_are_made_leaves_nothing(monkeypatch):
    before = state()

    def fail(*_: object) -> list[str]:
        raise OSError("no such ioctl")

    monkeypatch.setattr(_core, "switch_offloads_off", fail)
    with pytest.raises(OSError, match="no such ioctl"), Namespaces(["h1", "h2"], 1500, f"test-{os.getpid()}"):
        pass
    assert state() == before
