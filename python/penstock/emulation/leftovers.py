"""Names of runs, and the removal of what killed runs left.

A run is named after its process and the time at which this process started, since numbers of processes are reused.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from penstock.emulation.machine import NAMESPACES
from penstock.emulation.processes import end_processes

PREFIX = "penstock-"
"""All namespaces and temporary folders of emulations begin with it."""
_NAME = re.compile(PREFIX + r"(\d+)-(\d+)(-.*)?")


def run_name() -> str:
    """The name of this process's run, such as ``1234-567890``."""
    return f"{os.getpid()}-{_started(os.getpid())}"


def remove_leftovers() -> list[str]:
    """Ends the programs of killed runs, and removes their namespaces and temporary folders; returns the namespaces."""
    namespaces = [path.name for path in _dead(NAMESPACES)]
    end_processes(namespaces)
    for name in namespaces:
        subprocess.run(["ip", "netns", "del", name], check=False, capture_output=True)
    for folder in _dead(Path(tempfile.gettempdir())):
        shutil.rmtree(folder, ignore_errors=True)
    return namespaces


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
