"""No verb listens but the lab and the local Dask cluster: on loopback, the cluster to nobody without its certificate.

That the lab listens on the loopback interface, to nobody without its token, is in ``test_lab``.
"""

from __future__ import annotations

import os
import signal
import socket
import ssl
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
import verbs

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="sockets of a process are read as Linux tells them")
PATIENCE = 300.0
HOOK = """\
import os
import sys

def heard(event, arguments):
    if event == "socket.bind":
        with open(os.environ["BOUND"], "a") as file:
            file.write(f"{arguments[1]!r}\\n")

sys.addaudithook(heard)
"""
"""Tells of every socket that gets an address, however soon it is closed again."""


def listening(processes):
    """The addresses that processes wait for connections or datagrams at, as (host, port)."""
    found = set()
    for process in processes:
        with suppress(psutil.Error):  # it has ended since
            for connection in psutil.Process(process).net_connections(kind="inet"):
                waits = connection.status == psutil.CONN_LISTEN or connection.type == socket.SOCK_DGRAM
                if waits and not connection.raddr:
                    found.add(tuple(connection.laddr))
    return found


@pytest.fixture
def begin(tmp_path):
    """Begins a command that tells in a file which sockets it binds."""
    begun = []
    (tmp_path / "hook").mkdir()
    (tmp_path / "hook" / "sitecustomize.py").write_text(HOOK)

    def start(command, **options):
        paths = os.pathsep.join([str(tmp_path / "hook"), *filter(None, sys.path)])
        environment = {**verbs.environment(tmp_path), "PYTHONPATH": paths, "BOUND": str(tmp_path / "bound")}
        process = subprocess.Popen(command, cwd=tmp_path, env=environment, **options)
        begun.append(process)
        return process

    yield start
    for process in begun:
        process.kill()
        process.wait()


def bound(folder):
    file = folder / "bound"
    return file.read_text().splitlines() if file.exists() else []


def test_what_the_tests_see(begin, tmp_path):
    program = (
        "import socket, time; made = socket.create_server(('127.0.0.2', 0)); "
        "print(made.getsockname()[1], flush=True); time.sleep(600)"
    )
    process = begin([sys.executable, "-c", program], stdout=subprocess.PIPE)
    port = int(process.stdout.readline())
    assert listening([process.pid]) == {("127.0.0.2", port)}
    assert bound(tmp_path) == ["('127.0.0.2', 0)"]
    process.stdout.close()


def test_every_verb_is_gone_over():
    assert {name.partition(" ")[0] for name in verbs.COMMANDS} == set(verbs.verbs())


@pytest.mark.parametrize("name", [name for name in verbs.COMMANDS if "dask" not in name and name not in verbs.ENDLESS])
def test_no_verb_listens(begin, tmp_path, name):
    verbs.prepare(tmp_path)
    # A file, since a pipe that nobody reads holds little.
    with (tmp_path / "said").open("w") as said:
        process = begin(verbs.words(name), stdout=said, stderr=said)
    found = set()
    end = time.monotonic() + PATIENCE
    while process.poll() is None and not (name in verbs.LONG and bound(tmp_path)):
        found |= listening(verbs.children(process.pid))
        assert time.monotonic() < end
        time.sleep(0.1)
    assert (process.returncode, found, bound(tmp_path)) == (0, set(), []), (tmp_path / "said").read_text()


@pytest.fixture
def cluster(begin, tmp_path):
    """A command whose runs on a local cluster take for ever, and what it listens at by then."""
    (tmp_path / "long.toml").write_text(verbs.PAGE.replace("20 ms", "10000000 s"))
    words = [*verbs.COMMAND, "run", "long.toml", "--runs", "2", "--on", "dask", "--jobs", "2"]
    with (tmp_path / "said").open("w") as said:
        process = begin(words, stdout=said, stderr=said)
    end = time.monotonic() + PATIENCE
    while len(at := listening(verbs.children(process.pid))) < 3:
        assert process.poll() is None, (tmp_path / "said").read_text()
        assert time.monotonic() < end
        time.sleep(0.05)
    return process, at


def greet(port):
    """Talks TLS with a port, without a certificate."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with (
        socket.create_connection(("127.0.0.1", port), timeout=60) as stray,
        context.wrap_socket(stray) as secret,
    ):
        secret.sendall(bytes(16))
        if not secret.recv(1000):
            raise ConnectionResetError


def wait_until_all_are_gone(processes):
    end = time.monotonic() + PATIENCE
    while any(Path(f"/proc/{process}").exists() for process in processes):
        assert time.monotonic() < end
        time.sleep(0.02)


def test_the_local_cluster_listens_to_itself_alone(cluster, tmp_path):
    process, at = cluster
    assert len(at) == 3  # a scheduler and two workers, each with one socket
    assert {host for host, _ in at} == {"127.0.0.1"}
    assert all("'127.0.0.1'" in line for line in bound(tmp_path))
    for _, port in at:
        # Neither an unencrypted request nor an encrypted one of a stranger is answered.
        with socket.create_connection(("127.0.0.1", port), timeout=60) as stray:
            stray.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            with suppress(ConnectionResetError):
                assert stray.recv(1000)[:1] in (b"", b"\x15")  # nothing, or an alert of TLS
        with pytest.raises((ssl.SSLError, ConnectionError)):
            greet(port)
    time.sleep(1)
    assert process.poll() is None
    said = (tmp_path / "said").read_text()
    assert "Traceback" not in said
    assert "SSL" not in said
    assert all(line.startswith(("0/2", "local cluster: waiting")) for line in said.splitlines()), said


def test_the_certificate_of_the_local_cluster_is_its_users_alone(cluster, tmp_path):
    process, _ = cluster
    [folder] = (tmp_path / "temporary").iterdir()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {file.name: file.stat().st_mode & 0o777 for file in folder.glob("*.pem")} == {"identity.pem": 0o600}
    looked_at = 0
    for child in verbs.children(process.pid):
        with suppress(FileNotFoundError, ProcessLookupError):  # some are soon over
            words = Path(f"/proc/{child}/cmdline").read_bytes()
            looked_at += 1
            assert b"PRIVATE" not in words
            assert b"penstock-dask" not in words
    assert looked_at >= 3


@pytest.mark.parametrize(
    "number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGABRT, signal.SIGKILL]
)
def test_nothing_is_left_of_a_local_cluster(cluster, tmp_path, number):
    process, _ = cluster
    assert list((tmp_path / "temporary").iterdir())
    all_of_it = verbs.children(process.pid)
    process.send_signal(number)
    code = process.wait(PATIENCE)
    assert code == (130 if number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP) else -number)
    wait_until_all_are_gone(all_of_it)
    assert list((tmp_path / "temporary").iterdir()) == []


def test_nothing_is_left_of_a_cluster_whose_program_is_killed_while_it_begins(begin, tmp_path):
    (tmp_path / "page.toml").write_text(verbs.PAGE)
    process = begin(verbs.words("run on dask"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + PATIENCE
    while not list((tmp_path / "temporary").iterdir()):
        assert process.poll() is None
        assert time.monotonic() < end
        time.sleep(0.001)
    all_of_it = verbs.children(process.pid)
    process.kill()
    process.wait()
    wait_until_all_are_gone(all_of_it)
    assert list((tmp_path / "temporary").iterdir()) == []
