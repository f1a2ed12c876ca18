"""What this machine allows, reported before anything is made, and its cores."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

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
    if shutil.which("unshare") is not None and (refused := _refused_pair()):
        return f"this kernel makes no pairs of virtual interfaces (veth): {refused}"
    return None


def _refused_pair() -> str:
    """Why a pair of virtual interfaces cannot be made, tried in a namespace that ends at once; empty if it can."""
    command = ["unshare", "--net", "ip", "link", "add", "probe", "type", "veth"]
    tried = subprocess.run(command, check=False, capture_output=True, text=True)
    return tried.stderr.strip().rstrip(".") if tried.returncode else ""


def may_raise_priority() -> bool:
    """Whether this process may start programs with real-time priority: CAP_SYS_NICE."""
    return bool(_effective() >> 23 & 1)


def _effective() -> int:
    """The effective capabilities of this process, as bits."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return next((int(line.split()[1], 16) for line in status.splitlines() if line.startswith("CapEff:")), 0)


def require_rights() -> None:
    """Raises PenstockError if emulation is not possible here."""
    if (reason := why_not()) is not None:
        raise PenstockError(f"this process cannot emulate: {reason}. Nothing was made.")


def setting_file(name: str) -> Path:
    """The file of a kernel setting, such as ``net.ipv4.tcp_rmem`` [sysctl(8)]."""
    return Path("/proc/sys", *name.split("."))


def read_settings(texts: Sequence[str]) -> list[tuple[str, str]]:
    """Reads ``NAME=VALUE`` of kernel settings of the network, which each namespace has of its own.

    Raises InputError if one has another form, or this kernel does not have it.
    """
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
    """Keeps this thread, and the programs that it starts, off one core; yields that core for the simulated network.

    The network's thread has priority over programs. If they shared a core, the kernel would take it from the network
    for 50 ms of a second, so that starved programs proceed. A machine with one core is not divided.
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
    """Asks the kernel to keep idle cores awake until the end [Documentation/power/pm_qos_interface.rst].

    A core that sleeps deeply notices a packet tens of microseconds later. Where there is no such interface, or no right
    to use it, nothing is asked.
    """
    with ExitStack() as until_the_end:
        with suppress(OSError):
            file = until_the_end.enter_context(_LATENCY.open("wb", buffering=0))
            file.write(bytes(4))  # latency 0 as a 32-bit number; the request lasts while the file is open
        yield
