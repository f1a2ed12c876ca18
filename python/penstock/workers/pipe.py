"""Worker processes, and pickled objects through pipes to them: both ends are of one command and trust each other."""

import os
import pickle
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import IO, Any

from penstock.huge_pages import tunables

STARTS = 10  # number of consecutive workers that may end, without any result in between, for reasons unrelated to a run


def environment(**more: str) -> dict[str, str]:
    """Returns the environment of this process with its module path, and with huge pages enabled."""
    paths = os.pathsep.join(path for path in sys.path if path)
    return {**os.environ, **more, "PYTHONPATH": paths, **tunables(os.environ)}


def program(module: str) -> list[str]:
    """Returns the command of a worker: an interpreter that ignores modules in the current folder."""
    return [sys.executable, "-P", "-m", module]


def opened(command: Sequence[str], stdout: int) -> subprocess.Popen[bytes]:
    """Starts a worker with a pipe to its standard input; raises OSError if the system refuses."""
    # A terminal sends Ctrl-C to a whole group, but the first process is to end the others.
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=stdout, env=environment(), process_group=0)


def close(child: subprocess.Popen[bytes]) -> int:
    """Waits for a process that is ending; returns its exit code."""
    for pipe in (child.stdin, child.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()
    try:
        # A process without pipes ends on its own.
        return child.wait(timeout=1.0)
    except subprocess.TimeoutExpired:
        child.kill()
        return child.wait()


def send(pipe: IO[bytes] | None, what: Any) -> None:
    """Writes an object; raises OSError if the other end is closed."""
    assert pipe is not None
    pickle.dump(what, pipe)
    pipe.flush()


def receive(pipe: IO[bytes] | None) -> Any:
    """Reads an object; raises EOFError if the pipe ends before it, UnpicklingError or EOFError if within it."""
    assert pipe is not None
    return pickle.load(pipe)
