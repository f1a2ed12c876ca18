"""Network namespaces for real nodes, and their removal."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Self

from penstock import _core
from penstock.emulation.leftovers import PREFIX, run_name
from penstock.emulation.machine import NAMESPACES, setting_file
from penstock.emulation.processes import end_processes
from penstock.errors import PenstockError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from types import TracebackType

INTERFACE = "net0"
"""The interface of a real node."""
_NETWORK = "198.18"
"""First bytes of addresses: for benchmarks, never routed on the Internet [RFC2544 appendix C.2.2]."""


class Namespaces:
    """A namespace for each real node, and one for the simulated network's ends of their links.

    A context manager: everything is removed at its end, whatever happens. The machine's own namespace gets no
    interface, address or route: pairs of interfaces are created where they belong.

    Parameters
    ----------
    mtu : int, bytes
        MTU of their interfaces.
    settings : sequence of (str, str)
        Kernel settings of the real nodes, as name and value.
    run : str
        Distinguishes simultaneous runs; by default named after this process.
    """

    def __init__(
        self, real: Sequence[str], mtu: int, run: str | None = None, settings: Sequence[tuple[str, str]] = ()
    ) -> None:
        self.real = list(real)
        self.mtu = mtu
        self.settings = list(settings)
        self.network = PREFIX + (run or run_name())
        self.absent: list[str] = []
        """Offloads that the interfaces do not have, so that they cannot be switched off."""

    def of(self, node: str) -> str:
        """The namespace of a real node."""
        return f"{self.network}-{node}"

    @property
    def names(self) -> list[str]:
        """All namespaces."""
        return [self.network, *map(self.of, self.real)]

    @property
    def network_file(self) -> Path:
        """The file of the namespace with the simulated network's ends."""
        return NAMESPACES / self.network

    @property
    def interfaces(self) -> list[str]:
        """Interfaces there, in the order of the real nodes."""
        return [f"node{number}" for number in range(len(self.real))]

    @property
    def addresses(self) -> dict[str, str]:
        """Address of each real node."""
        return {node: f"{_NETWORK}.{number >> 8}.{number & 255}" for number, node in enumerate(self.real, 1)}

    def check(self) -> None:
        """Raises PenstockError if a namespace of one of the names exists."""
        if there := [name for name in self.names if (NAMESPACES / name).exists()]:
            raise PenstockError(
                f"there is a network namespace {there[0]} already; 'ip netns del {there[0]}' removes it. "
                "Nothing was made."
            )

    def __enter__(self) -> Self:
        self.check()
        try:
            with _undisturbed():
                self._make()
        except BaseException:
            self.remove()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.remove()

    def _make(self) -> None:
        for name in self.names:
            _ip(["netns", "add", name])
            _ip(["netns", "exec", name, "sh", "-c", _QUIET])
        for number, node in enumerate(self.real):
            inside, outside = self.of(node), self.interfaces[number]
            _ip(["-n", self.network, *_words(f"link add {outside} type veth peer name {INTERFACE} netns"), inside])
            _ip(["-n", self.network, *_words(f"link set {outside} mtu {self.mtu} up")])
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
            there = [name for name in self.names if (NAMESPACES / name).exists()]
            end_processes(there)
            for name in there:
                subprocess.run(["ip", "netns", "del", name], check=False, capture_output=True)


def mac(number: int) -> str:
    """The Ethernet address of a real node, by its number."""
    return f"02:70:73:00:{number >> 8:02x}:{number & 255:02x}"


_QUIET = "for i in /proc/sys/net/ipv6/conf/*/disable_ipv6; do [ ! -e $i ] || echo 1 > $i; done"
"""Switches IPv6 off, which sends packets whenever an interface comes up."""


def _words(text: str) -> list[str]:
    return text.split()


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
