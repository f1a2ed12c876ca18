"""Whole commands that are interrupted at a random moment: their CPU time until the end, and how they end."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from worker import MEMORY, TICKS, Verdict

LIMIT = 1.0
"""Seconds of CPU time after the signal."""
PATIENCE = 120.0
"""Seconds by the clock after the signal; a busy machine gives a process little of its time."""
ENDS = {0: "done", 2: "refused", 130: "interrupted", 1: "failed"}


def stop_command(text, sets, delay, number, folder=None):
    """Runs a scenario by the command, and sends the signal `number` after `delay` seconds."""
    with tempfile.TemporaryDirectory(dir=folder) as name:
        file = Path(name) / "case.toml"
        file.write_bytes(text.encode("utf-8", "replace"))
        words = [word for path, value in sets for word in ("--set", f"{path}={value}")]
        if any("\0" in word for word in words):
            words = []
        command = [
            sys.executable,
            "-m",
            "penstock.cli",
            "run",
            str(file),
            "--runs",
            "2",
            "--store",
            f"{name}/store",
            *words,
        ]

        def limit():
            # A fuzzer that was started in the background may have been told to ignore it.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            preexec_fn=limit,  # noqa: PLW1509  (nothing of Python is used between fork and exec)
            env={**os.environ, "RUST_BACKTRACE": "0"},
        )
        try:
            return _stopped(process, delay, number)
        finally:
            process.kill()
            process.communicate()


def _stopped(process, delay, number):
    end = time.monotonic() + delay
    while time.monotonic() < end and process.poll() is None:
        time.sleep(0.02)
    used = _cpu(process.pid)
    if process.poll() is None:
        process.send_signal(number)
    end = time.monotonic() + PATIENCE
    spent = 0.0
    while (code := process.poll()) is None:
        spent = _cpu(process.pid) - used
        if spent > 10 * LIMIT or time.monotonic() > end:
            return Verdict("hang", f"after {signal.Signals(number).name}", "command", spent)
        time.sleep(0.01)
    said = process.stderr.read().decode(errors="replace")
    if "this is a bug in Penstock" in said or "panicked" in said:
        return Verdict("panic", f"command: {said[-2000:]}")
    if code not in ENDS:
        # A signal before the command line has begun ends the process as it ends any other.
        early = code in (-number, 130) or "KeyboardInterrupt" in said
        return Verdict("interrupted", "early") if early else Verdict("abort", f"command: exit {code}")
    if spent > LIMIT:
        return Verdict("slow", f"after {signal.Signals(number).name}", "command", spent)
    return Verdict(ENDS[code], "command", "command", spent)


def _cpu(pid):
    """Seconds of CPU time of a process."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / TICKS
