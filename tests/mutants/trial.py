"""Asks the tests about one mistake, the nearest first, until one fails."""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from schemata import CRATES, TREE, VARIABLE, Program

if TYPE_CHECKING:
    from mistakes import Mistake

MEMORY = 6 << 30
"""Bytes that a process of tests may ask for: a mistake may allocate without end."""
UNIT = "unit tests"
LEAST_SECONDS = 20
"""Of CPU time, whatever the tests need without a mistake; ten times that otherwise."""
IDLE_SECONDS = 1800
"""By the clock, for what waits instead of working."""


@dataclass(frozen=True)
class Step:
    """A run of tests, and how near to the mistake they are."""

    near: str
    command: tuple[str, ...]
    folder: Path
    whole: tuple[str, ...] = ()
    """What it is a part of, if it is one."""
    seconds: float = 0.0
    """CPU time that it takes without a mistake, if that is known."""

    @property
    def key(self) -> str:
        """A name of what must pass without a mistake; a new build of the same sources keeps it."""
        return " ".join(self.whole or self.command)


@dataclass(frozen=True)
class Outcome:
    """What a step said."""

    passed: bool
    test: str
    """The first test that failed, or how the process ended."""
    seconds: float
    output: str = ""


def module_of(file: str) -> list[str]:
    """The modules that a file is, from itself outwards, as prefixes of test names; the last is the whole crate."""
    parts = list(Path(file).with_suffix("").parts[3:])
    if parts[-1] in {"mod", "lib"}:
        parts.pop()
    return ["::".join(parts[:length]) + "::" for length in range(len(parts), 0, -1)] + [""]


def steps_for(it: Mistake, programs: list[Program], seconds: dict[str, float]) -> list[Step]:
    """What could catch a mistake: its module's tests, its crate's, those of the crates above, and the package's."""
    steps = []
    if it.is_rust:
        crate = Path(it.file).parts[1]
        above = CRATES[CRATES.index(crate) :]
        for program in [program for program in programs if program.crate == crate and program.is_unit]:
            steps += [unit_step(program, module) for module in module_of(it.file)]
        for name in above:
            rest = [it for it in programs if it.crate == name and not (name == crate and it.is_unit)]
            near = "the crate's other tests" if name == crate else "tests of the crates above"
            steps += [Step(near, (str(program.path),), folder_of(program)) for program in rest]
        programs_first = {str(program.path): program.name not in it.asks for program in programs}
        steps.sort(key=lambda step: (step.near != UNIT, programs_first[step.command[0]], seconds.get(step.key, 0.0)))
    return steps + [python_step(name) for name in it.python]


def unit_step(program: Program, module: str) -> Step:
    """Unit tests of a module or, without one, of the crate."""
    all_of_it = (str(program.path),)
    return Step(UNIT, (*all_of_it, module) if module else all_of_it, folder_of(program), all_of_it)


def python_step(name: str) -> Step:
    """A file of tests of the package, against the package in the copy."""
    pytest = (sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "-p", "no:cacheprovider")
    return Step("Python tests", (*pytest, f"tests/python/{name}"), TREE)


def folder_of(program: Program) -> Path:
    """Where cargo would run it."""
    return TREE / "crates" / program.crate


def ask(step: Step, number: int = 0) -> Outcome:
    """Runs a step with one mistake at work, or none."""
    limit = int(max(LEAST_SECONDS, 10 * step.seconds))

    def limits() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    environment = os.environ | {
        VARIABLE: str(number),
        "RUST_BACKTRACE": "0",
        "PYTHONPATH": str(TREE / "python"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    before = used()
    try:
        done = subprocess.run(
            step.command,
            cwd=step.folder,
            env=environment,
            preexec_fn=limits,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=IDLE_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Outcome(False, "does not end", used() - before)
    return Outcome(done.returncode == 0, first_failure(done.stdout, done.returncode), used() - before, done.stdout)


def used() -> float:
    """CPU time of all children that ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def first_failure(output: str, code: int) -> str:
    """The name of a test that failed, or how the process ended."""
    found = re.search(r"^test (.+?) \.\.\. FAILED", output, re.M) or re.search(r"^(?:FAILED|ERROR) (\S+)", output, re.M)
    if found:
        return found.group(1)
    if code < 0:
        return "does not end" if -code in {9, 24} else f"ended by signal {-code}"
    return f"ended with status {code}" if code else ""
