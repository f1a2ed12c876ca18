"""Processes in network namespaces."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_ENDING = 2.0
"""Seconds that processes have to end after SIGTERM."""


def end_processes(namespaces: Sequence[str]) -> None:
    """Ends all processes in these namespaces."""
    deadline = time.monotonic() + _ENDING
    number = signal.SIGTERM
    while processes := [each for name in namespaces for each in _processes(name)]:
        for process in processes:
            with suppress(ProcessLookupError):
                os.kill(process, number)
        if number == signal.SIGTERM and time.monotonic() > deadline:
            number = signal.SIGKILL
        elif number == signal.SIGKILL and time.monotonic() > deadline + _ENDING:
            return  # one that the kernel cannot end yet
        time.sleep(0.05)


def _processes(namespace: str) -> list[int]:
    found = subprocess.run(["ip", "netns", "pids", namespace], check=False, capture_output=True, text=True)
    return [int(word) for word in found.stdout.split() if int(word) != os.getpid()]
