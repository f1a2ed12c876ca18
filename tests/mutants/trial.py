"""Runs the tests with one mistake, the nearest tests first, until one fails."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING

from schemata import CRATES, REACHED, TREE, UNIT, VARIABLE, Program

if TYPE_CHECKING:
    from mistakes import Mistake

MEMORY = 6 << 30
"""Bytes that a process of tests may ask for: a mistake may allocate without end."""
LEAST_SECONDS = 20
"""Of CPU time, whatever the tests need without a mistake; ten times that otherwise."""
FAILED = re.compile(r"^test (.+?) \.\.\. FAILED", re.MULTILINE)
IDLE_SECONDS = 1800
"""By the clock, for what waits instead of working."""


@dataclass(frozen=True)
class Step:
    """A run of tests, and their distance from the mistake."""

    near: str
    program: Program | None
    """The binary of tests; a Python file otherwise."""
    which: str = ""
    """The module of the binary, or all of it; or the Python file."""
    seconds: float = 0.0
    """CPU time that it takes without a mistake, if that is known."""

    @property
    def label(self) -> str:
        """A name of the step."""
        return f"{self.program.crate}: {self.program.name} {self.which}" if self.program else self.which

    @property
    def folder(self) -> Path:
        """The folder in which it runs."""
        return self.program.folder if self.program else TREE

    def command(self) -> list[str]:
        """The command that runs it; builds missing parts."""
        if self.program:
            return [str(self.program.path()), *([self.which] if self.which else [])]
        pytest = [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "-p", "no:cacheprovider"]
        return [*pytest, f"tests/python/{self.which}"]


@dataclass(frozen=True)
class Outcome:
    """The outcome of a step."""

    passed: bool
    test: str
    """The first test that failed, or how the process ended."""
    seconds: float
    output: str = ""
    reached: list[int] = field(default_factory=list)
    """The numbers of the mistakes in Rust that it came by, if no mistake was at work."""


def module_of(file: str) -> list[str]:
    """The modules of a file, from the innermost outwards, as prefixes of test names; the last is the whole crate."""
    parts = list(Path(file).with_suffix("").parts[3:])
    if parts[-1] in {"mod", "lib"}:
        parts.pop()
    return ["::".join(parts[:length]) + "::" for length in range(len(parts), 0, -1)] + [""]


def steps_for(it: Mistake, programs: list[Program], seconds: dict[str, float]) -> list[Step]:
    """Tests that could catch a mistake: of its module, its crate, the crates above, and the package."""
    steps = []
    if it.is_rust:
        crate = Path(it.file).parts[1]
        own = Program(crate, UNIT)
        steps = [Step(UNIT, own, module) for module in module_of(it.file)]
        for name in CRATES[CRATES.index(crate) :]:
            near = "the crate's other tests" if name == crate else "tests of the crates above"
            steps += [Step(near, program) for program in programs if program.crate == name and program != own]
        steps.sort(key=lambda step: (step.near != UNIT, step.program.name not in it.asks, seconds.get(step.label, 0.0)))
    return steps + [Step("Python tests", None, name) for name in it.python]


def ask(step: Step, number: int = 0) -> Outcome:
    """Runs a step with one mistake at work, or none; the same random cases each time."""
    limit = int(max(LEAST_SECONDS, 10 * step.seconds))

    limits = f"ulimit -t {limit} && ulimit -v {MEMORY >> 10} && ulimit -c 0"
    environment = os.environ | {
        VARIABLE: str(number),
        "RUST_BACKTRACE": "0",
        "PROPTEST_MAX_SHRINK_ITERS": "0",
        "PYTHONPATH": str(TREE / "python"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PROPTEST_RNG_SEED": "1",
    }
    output = ""
    with (
        NamedTemporaryFile("r") as reached,
        subprocess.Popen(
            ["sh", "-c", f'{limits} && exec "$@"', "sh", *step.command()],
            cwd=step.folder,
            env=environment | ({} if number else {REACHED: reached.name}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        ) as process,
    ):
        assert process.stdout is not None
        idle = threading.Timer(IDLE_SECONDS, os.kill, [process.pid, signal.SIGKILL])
        idle.start()
        for line in process.stdout:
            output += line
            if FAILED.match(line):
                os.kill(process.pid, signal.SIGKILL)  # one is enough
                break
        _, status, usage = os.wait4(process.pid, 0)
        idle.cancel()
        process.returncode = code = os.waitstatus_to_exitcode(status)
        numbers = sorted({int(it) for it in reached.read().split()})
    return Outcome(code == 0, first_failure(output, code), usage.ru_utime + usage.ru_stime, output, numbers)


def first_failure(output: str, code: int) -> str:
    """The name of a test that failed, or how the process ended."""
    found = FAILED.search(output) or re.search(r"^(?:FAILED|ERROR) (\S+)", output, re.M)
    if found:
        return found.group(1)
    if code < 0:
        return "does not end" if -code in {9, 24} else f"ended by signal {-code}"
    return f"ended with status {code}" if code else ""
