"""Programs in the namespaces of real nodes."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from penstock.emulation.namespaces import Namespaces, end_processes
from penstock.errors import InputError
from penstock.printable import quoted

_FORM = re.compile(r"\s*([^\s:]+)(?:\s+at\s+([0-9.]+)\s*(ms|s|min))?\s*:\s*(\S.*)", re.DOTALL)
_SECONDS = {"ms": 1e-3, "s": 1.0, "min": 60.0}
_ENDING_SECONDS = 2.0
# The names of the real nodes, in a mount namespace of the program's own, which 'ip netns exec' makes.
_WITH_HOSTS = 'mount --bind "$1" /etc/hosts && exec sh -c "$2"'


@dataclass(frozen=True)
class Program:
    """A command that starts at a node, `at` seconds after the beginning of the run."""

    node: str
    command: str
    at: float = 0.0

    @classmethod
    def read(cls, text: str, real: Sequence[str], end: float) -> Program:
        """Reads ``NODE: COMMAND`` or ``NODE at TIME: COMMAND``.

        Raises InputError if it has another form or names no real node, or starts after the run's `end` in seconds.

        >>> Program.read("h1 at 500 ms: ping -c 1 h2", ["h1", "h2"], 10.0)
        Program(node='h1', command='ping -c 1 h2', at=0.5)
        """
        found = _FORM.fullmatch(text)
        if found is None:
            raise InputError(
                f"--run {quoted(text)}: is not of the form NODE: COMMAND or NODE at TIME: COMMAND, "
                "such as 'h1 at 0.5 s: iperf3 -c h2'."
            )
        node, time_, unit, command = found.groups()
        if node not in real:
            raise InputError(f"--run {quoted(text)}: there is no real node {quoted(node)}; {', '.join(real)}.")
        try:
            at = 0.0 if time_ is None else float(time_) * _SECONDS[unit]
        except ValueError:
            raise InputError(f"--run {quoted(text)}: {quoted(time_)} is not a number.") from None
        if at >= end:
            raise InputError(f"--run {quoted(text)}: the run ends after {end:g} s, before the program starts.")
        return cls(node, command.strip(), at)


@dataclass(frozen=True)
class Ended:
    """A program that has ended; its code is None if it did not end on its own."""

    program: Program
    code: int | None
    output: str
    errors: str

    def json(self) -> dict[str, Any]:
        """Returns it as plain values."""
        return {**asdict(self.program), "exit_code": self.code, "stdout": self.output, "stderr": self.errors}


class Programs:
    """Starts programs when they are due, and ends them; a context manager."""

    def __init__(self, programs: Sequence[Program], namespaces: Namespaces) -> None:
        self._waiting = sorted(enumerate(programs), key=lambda each: each[1].at)
        self._namespaces = namespaces
        self._running: dict[int, tuple[Program, subprocess.Popen[bytes]]] = {}
        self._folder = tempfile.TemporaryDirectory(prefix=f"{namespaces.network}-")
        self._hosts = Path(self._folder.name) / "hosts"

    def __enter__(self) -> Self:
        lines = [f"{address} {node}" for node, address in self._namespaces.addresses.items()]
        self._hosts.write_text("\n".join(["127.0.0.1 localhost", *lines, ""]), encoding="utf-8")
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()
        self._folder.cleanup()

    def start(self, seconds: float) -> None:
        """Starts the programs that are due `seconds` after the beginning."""
        while self._waiting and self._waiting[0][1].at <= seconds:
            number, program = self._waiting.pop(0)
            inside = self._namespaces.of(program.node)
            words = ["ip", "netns", "exec", inside, "sh", "-c", _WITH_HOSTS, "sh", str(self._hosts), program.command]
            with self._file(number, "out").open("wb") as output, self._file(number, "err").open("wb") as errors:
                streams: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": output, "stderr": errors}
                self._running[number] = (program, subprocess.Popen(words, start_new_session=True, **streams))

    def end(self) -> list[Ended]:
        """Ends all programs; returns all programs in the order in which they were given."""
        codes = {number: process.poll() for number, (_, process) in self._running.items()}
        self._stop()
        ended = {
            number: Ended(program, codes[number], self._text(number, "out"), self._text(number, "err"))
            for number, (program, _) in self._running.items()
        }
        ended |= {number: Ended(program, None, "", "") for number, program in self._waiting}
        return [ended[number] for number in sorted(ended)]

    def _file(self, number: int, kind: str) -> Path:
        return Path(self._folder.name) / f"{number}.{kind}"

    def _text(self, number: int, kind: str) -> str:
        return self._file(number, kind).read_text(encoding="utf-8", errors="replace")

    def _stop(self) -> None:
        end_processes([self._namespaces.of(program.node) for program, _ in self._running.values()])
        for _, process in self._running.values():
            process.kill()  # one that was not yet in its namespace
            with suppress(subprocess.TimeoutExpired):
                process.wait(_ENDING_SECONDS)
