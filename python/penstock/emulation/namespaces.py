"""What this machine allows, and network namespaces for real nodes with their removal, also after killed runs."""

import os
import platform
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Self

from penstock import _core
from penstock.errors import InputError, PenstockError
from penstock.printable import quoted

NAMESPACES = Path("/run/netns")
"""Folder of the named network namespaces."""
_LATENCY = Path("/dev/cpu_dma_latency")
_CAPABILITIES = {"CAP_NET_ADMIN": 12, "CAP_NET_RAW": 13, "CAP_SYS_ADMIN": 21}
"""Needed capabilities and their bits [capabilities(7)]: interfaces, packet sockets, and namespaces."""


def why_not() -> str | None:
    """Why this machine or process cannot emulate; None if it can."""
    if platform.system() != "Linux" or not hasattr(_core, "emulate"):
        return "it needs network namespaces and packet sockets of Linux"
    if shutil.which("ip") is None:
        return "it needs the command 'ip' of the package iproute2"
    missing = [name for name, bit in _CAPABILITIES.items() if not _effective() >> bit & 1]
    if missing:
        return f"it needs {', '.join(missing)}, which root has: run it with sudo, or in a container that has them"
    if shutil.which("unshare") is not None:  # tried in a namespace that ends at once
        command = ["unshare", "--net", "ip", "link", "add", "probe", "type", "veth"]
        tried = subprocess.run(command, check=False, capture_output=True, text=True)
        if tried.returncode and (refused := tried.stderr.strip().rstrip(".")):
            return f"this kernel makes no pairs of virtual interfaces (veth): {refused}"
    return None


def may_raise_priority() -> bool:
    """Whether this process may start programs with real-time priority: CAP_SYS_NICE."""
    return bool(_effective() >> 23 & 1)


def _effective() -> int:
    """The effective capabilities of this process, as bits."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return next((int(line.split()[1], 16) for line in status.splitlines() if line.startswith("CapEff:")), 0)


def setting_file(name: str) -> Path:
    """The file of a kernel setting, such as ``net.ipv4.tcp_rmem`` [sysctl(8)]."""
    return Path("/proc/sys", *name.split("."))


def read_settings(texts: Sequence[str]) -> list[tuple[str, str]]:
    """Reads ``NAME=VALUE`` of kernel settings of the network. Raises InputError for other forms and unknown names."""
    made = []
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not value or re.fullmatch(r"net(\.[A-Za-z0-9_-]+)+", name) is None:
            raise InputError(
                f"--sysctl {quoted(text)}: is not of the form net.NAME=VALUE, such as net.ipv4.tcp_sack=0."
            )
        if not setting_file(name).is_file():
            raise InputError(f"--sysctl {quoted(text)}: this kernel has no setting {quoted(name)}.")
        made.append((name, value))
    return made


@contextmanager
def divided() -> Iterator[set[int]]:
    """Keeps this thread, and the programs that it starts, off one core, if there are several; yields that core.

    The network's thread has priority. On a shared core, the kernel would take the core from it for 50 ms of each second
    so that starved programs proceed.
    """
    allowed = os.sched_getaffinity(0)
    if len(allowed) < 2:
        yield allowed
        return
    own = {max(allowed)}
    os.sched_setaffinity(0, allowed - own)
    try:
        yield own
    finally:
        os.sched_setaffinity(0, allowed)


@contextmanager
def awake() -> Iterator[None]:
    """Asks the kernel to keep idle cores awake until the end, if it can [Documentation/power/pm_qos_interface.rst]."""
    # A core that sleeps deeply notices a packet tens of microseconds later.
    with ExitStack() as until_the_end:
        with suppress(OSError):
            file = until_the_end.enter_context(_LATENCY.open("wb", buffering=0))
            file.write(bytes(4))  # latency 0 as a 32-bit number; the request lasts while the file is open
        yield


INTERFACE = "net0"
"""The interface of a real node."""
_PREFIX = "penstock-"
"""All namespaces and temporary folders of emulations begin with it."""
_NAME = re.compile(_PREFIX + r"(\d+)-(\d+)(-.*)?")
_ENDING_SECONDS = 2.0
_NETWORK = "198.18"
"""First bytes of addresses: for benchmarks, never routed on the Internet [RFC2544 appendix C.2.2]."""
_QUIET = "for i in /proc/sys/net/ipv6/conf/*/disable_ipv6; do [ ! -e $i ] || echo 1 > $i; done"
"""Switches IPv6 off, which sends packets whenever an interface comes up."""


class Namespaces:
    """A namespace for each real node, and one for the simulated network's ends of their links; removed at the end.

    A context manager. The machine's own namespace gets no interface, address or route. `mtu` is in bytes; `settings`
    are kernel settings of the real nodes. `run` distinguishes simultaneous runs: by default it is the number of this
    process and the time at which it started, since numbers of processes are reused.
    """

    def __init__(
        self, real: Sequence[str], mtu: int, run: str | None = None, settings: Sequence[tuple[str, str]] = ()
    ) -> None:
        self.real = list(real)
        self.mtu = mtu
        self.settings = list(settings)
        self.network = _PREFIX + (run or f"{os.getpid()}-{_started(os.getpid())}")  # namespace of the network's ends
        self.network_file = NAMESPACES / self.network
        self.names = [self.network, *map(self.of, self.real)]  # all namespaces
        self.interfaces = [f"node{number}" for number in range(len(self.real))]  # of the network, for each real node
        self.addresses = {node: f"{_NETWORK}.{number >> 8}.{number & 255}" for number, node in enumerate(self.real, 1)}
        self.absent: list[str] = []  # offloads that the interfaces do not have, so that they cannot be switched off

    def of(self, node: str) -> str:
        """The namespace of a real node."""
        return f"{self.network}-{node}"

    def __enter__(self) -> Self:
        if there := [name for name in self.names if (NAMESPACES / name).exists()]:
            remedy = f"'ip netns del {there[0]}' removes it"
            raise PenstockError(f"there is a network namespace {there[0]} already; {remedy}. Nothing was made.")
        try:
            with _undisturbed():
                self._make()
        except BaseException:
            self.remove()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()

    def _make(self) -> None:
        for name in self.names:
            _ip(["netns", "add", name])
            _ip(["netns", "exec", name, "sh", "-c", _QUIET])
        for number, node in enumerate(self.real):
            inside, outside = self.of(node), self.interfaces[number]
            _ip(["-n", self.network, *f"link add {outside} type veth peer name {INTERFACE} netns".split(), inside])
            _ip(["-n", self.network, *f"link set {outside} mtu {self.mtu} up".split()])
            lines = ["link set lo up", f"link set {INTERFACE} address {mac(number)} mtu {self.mtu} up"]
            lines.append(f"addr add {self.addresses[node]}/16 dev {INTERFACE}")
            for other, name in enumerate(self.real):
                if name != node:
                    neighbour = f"{self.addresses[name]} lladdr {mac(other)}"
                    lines.append(f"neigh add {neighbour} dev {INTERFACE} nud permanent")
            _ip(["-n", inside, "-batch", "-"], "\n".join(lines))
            for name, value in self.settings:
                _ip(["netns", "exec", inside, "sh", "-c", 'echo "$2" > "$1"', "sh", str(setting_file(name)), value])
            for namespace, interface in ((inside, INTERFACE), (self.network, outside)):
                self.absent = _core.switch_offloads_off(NAMESPACES / namespace, interface)

    def remove(self) -> None:
        """Ends the processes in the namespaces and removes these; signals wait until this is done."""
        with _undisturbed():
            _remove([name for name in self.names if (NAMESPACES / name).exists()])


def mac(number: int) -> str:
    """The Ethernet address of a real node, by its number."""
    return f"02:70:73:00:{number >> 8:02x}:{number & 255:02x}"


def _ip(words: list[str], lines: str | None = None) -> None:
    done = subprocess.run(["ip", *words], check=False, capture_output=True, text=True, input=lines)
    if done.returncode:
        reason = done.stderr.strip() or f"exit code {done.returncode}"
        raise PenstockError(f"'ip {' '.join(words)}' failed: {reason}. Everything that was made is removed.")


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Holds interruptions back until its end, where the first one is raised; only the main thread gets any."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    held: list[int] = []
    numbers = [each for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP) if callable(signal.getsignal(each))]
    before = {each: signal.signal(each, lambda number, _: held.append(number)) for each in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if held:
            os.kill(os.getpid(), held[0])


def remove_leftovers() -> list[str]:
    """Ends the programs of killed runs, and removes their namespaces and temporary folders; returns the namespaces."""
    namespaces = [path.name for path in _dead(NAMESPACES)]
    _remove(namespaces)
    for folder in _dead(Path(tempfile.gettempdir())):
        shutil.rmtree(folder, ignore_errors=True)
    return namespaces


def _remove(namespaces: Sequence[str]) -> None:
    end_processes(namespaces)
    for name in namespaces:
        subprocess.run(["ip", "netns", "del", name], check=False, capture_output=True)


def _dead(folder: Path) -> list[Path]:
    """Entries that are named after a process that has ended."""
    found = ((path, _NAME.fullmatch(path.name)) for path in (folder.iterdir() if folder.is_dir() else ()))
    return sorted(path for path, name in found if name and _started(int(name[1])) != int(name[2]))


def _started(process: int) -> int | None:
    """When a process started, in ticks since the machine did [proc_pid_stat(5)]; None if it has ended."""
    try:
        # The second field is the command in parentheses, which may hold anything.
        fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else int(fields[19])


def end_processes(namespaces: Sequence[str]) -> None:
    """Ends all processes in these namespaces."""
    begin = time.monotonic()
    while processes := [each for name in namespaces for each in _processes(name)]:
        spent = time.monotonic() - begin
        if spent > 2 * _ENDING_SECONDS:
            return  # one that the kernel cannot end yet
        for process in processes:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGTERM if spent <= _ENDING_SECONDS else signal.SIGKILL)
        time.sleep(0.05)


def _processes(namespace: str) -> list[int]:
    found = subprocess.run(["ip", "netns", "pids", namespace], check=False, capture_output=True, text=True)
    return [int(word) for word in found.stdout.split() if int(word) != os.getpid()]
