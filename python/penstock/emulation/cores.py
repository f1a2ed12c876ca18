"""The cores of an emulation: one for the simulated network, and all others for programs."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_LATENCY = Path("/dev/cpu_dma_latency")


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
    file = None
    with suppress(OSError):
        file = _LATENCY.open("wb", buffering=0)
        file.write(bytes(4))  # latency 0 as a 32-bit number; the request lasts while the file is open
    try:
        yield
    finally:
        if file is not None:
            file.close()
