"""Flows of a scenario that iperf3 makes between Linux hosts."""

from __future__ import annotations

import math
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.emulation.machine import may_raise_priority
from penstock.emulation.programs import Program
from penstock.errors import InputError, PenstockError
from penstock.printable import path_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.emulation.opened import Opened

SERVING = 0.3
"""Seconds that servers have to listen before the first client starts."""
_FIRST_PORT = 5201
_NEEDED = {"iperf3": "iperf3", "ss": "iproute2", "chrt": "util-linux"}
"""Programs of a comparison, with their packages."""


@dataclass(frozen=True)
class Transfer:
    """Flows of the file that iperf3 makes between Linux hosts: a group of endless TCP flows."""

    name: str
    start: str
    end: str
    count: int
    control: str
    port: int

    def programs(self, seconds: float) -> list[Program]:
        """The server, and a client that sends for longer than the `seconds` of a run."""
        words = f"-p {self.port} -P {self.count} -C {self.control} -t {math.ceil(seconds) + 1}"
        # A receiver that waits for its core reads late, so its host sends fewer acknowledgements [__tcp_ack_snd_check].
        prompt = "chrt --rr 1 iperf3" if may_raise_priority() else "iperf3"
        server = Program(self.end, f"{prompt} -s -1 -p {self.port}")
        return [server, Program(self.start, f"{prompt} -c {self.end} {words}", SERVING)]


def transfers_of(file: Path, document: Mapping[str, Any], found: Opened) -> list[Transfer]:
    """The flows between real nodes, as transfers of iperf3.

    Raises PenstockError if a program is not installed, or there are no flows; InputError if one is no endless TCP
    flow, or Linux has no such congestion control here.
    """
    for program, package in _NEEDED.items():
        if shutil.which(program) is None:
            raise PenstockError(f"comparing hosts needs the program '{program}' of the package {package}.")
    there = _controls()
    made: list[Transfer] = []
    wrong = []
    groups = [each for each in document.get("flows", []) if each.get("name") in found.replaced]
    for group in groups:
        transport, source = group.get("transport"), group.get("source")
        tcp = transport.get("tcp") if isinstance(transport, dict) else None
        if not isinstance(tcp, dict) or source != {"ftp": {}}:
            wrong.append(f"flows '{group['name']}': iperf3 replaces only source.ftp = {{}} with transport.tcp.")
            continue
        control = next(iter(tcp.get("congestion-control", {"reno": {}})))
        if control not in there:
            wrong.append(f"flows '{group['name']}': Linux has no control '{control}' here; {', '.join(there)}.")
        count, port = int(group.get("count", 1)), _FIRST_PORT + len(made)
        made.append(Transfer(group["name"], group["from"], group["to"], count, control, port))
    if wrong:
        raise InputError("\n".join(f"{path_text(file)}: {each}" for each in wrong))
    if not made:
        raise InputError(f"{path_text(file)}: has no flows between two real nodes, so there is nothing to compare.")
    return made


def _controls() -> list[str]:
    return Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text(encoding="utf-8").split()
