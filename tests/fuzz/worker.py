"""A process that checks cases, watched from outside: it may panic, abort, or never answer."""

from __future__ import annotations

import json
import os
import resource
import select
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from corpus import ROOT

MEMORY = 6 << 30
"""Bytes of address space for a worker."""
CPU_LIMIT = 30.0
"""Seconds of CPU time after which a case counts as hanging; a tenth of it is usual at most."""
WALL_LIMIT = 600.0
"""Seconds by the clock, for a case that waits for something."""
PHASE_LIMIT = 1.0
"""Seconds of CPU time between two looks at a flag."""
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Verdict:
    """What became of a case: refused, toolarge, begun, compared; or panic, abort, hang, slow, wrong."""

    kind: str
    message: str = ""
    phase: str = ""
    seconds: float = 0.0
    mistaken: tuple[str, ...] = ()

    @property
    def failed(self):
        return self.kind in ("panic", "abort", "hang", "slow", "wrong")

    @property
    def signature(self):
        """What two failures with one cause have in common, mostly."""
        place = self.message.split(": ")[0] if self.kind == "panic" else self.message
        return (self.kind, place, self.phase if self.kind == "slow" else "")


def build():
    """Builds the worker with the checks of the test profile; gives the program."""
    command = ["cargo", "build", "--locked", "--quiet", "--package", "penstock-scenario", "--example", "fuzz_worker"]
    subprocess.run(command, cwd=ROOT, check=True)
    target = os.environ.get("CARGO_TARGET_DIR", ROOT / "target")
    return str(Path(target) / "debug" / "examples" / "fuzz_worker")


class Worker:
    """Checks cases one after the other, in a new process whenever one does not survive."""

    def __init__(self, program, cpu_limit=CPU_LIMIT, wall_limit=WALL_LIMIT):
        self._program = program
        self._limits = cpu_limit, wall_limit
        self._process = None

    def check(self, text, sets=(), events=3000, cut=0, pretend=None):
        """The verdict on a case."""
        request = {"text": text, "sets": list(sets), "events": events, "cut": cut, "pretend": pretend}
        if self._process is None:
            self._start()
        begin, used = time.monotonic(), self._cpu()
        try:
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            return self._ended()
        answer = b""
        while not answer.endswith(b"\n"):
            ready, _, _ = select.select([self._process.stdout], [], [], 0.2)
            if ready:
                piece = os.read(self._process.stdout.fileno(), 1 << 16)
                if not piece:
                    return self._ended()
                answer += piece
            elif self._cpu() - used > self._limits[0] or time.monotonic() - begin > self._limits[1]:
                self.stop()
                return Verdict("hang", "no answer")
        return self._verdict(json.loads(answer))

    def stop(self):
        """Ends the process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _start(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        self._process = subprocess.Popen(
            [self._program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            preexec_fn=limit,  # noqa: PLW1509  (nothing of Python is used between fork and exec)
            env={**os.environ, "RUST_BACKTRACE": "0"},
        )

    def _cpu(self):
        """Seconds of CPU time of the process, of all its threads."""
        try:
            stat = Path(f"/proc/{self._process.pid}/stat").read_text(encoding="ascii", errors="replace")
        except OSError:
            return 0.0
        fields = stat.rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def _ended(self):
        code = self._process.wait()
        self.stop()
        return Verdict("abort", f"signal {-code}" if code < 0 else f"exit {code}")

    def _verdict(self, answer):
        if answer["verdict"] in ("panic", "wrong"):
            return Verdict(answer["verdict"], answer["message"])
        seconds = answer["seconds"]
        kind = "slow" if seconds > PHASE_LIMIT else answer["verdict"]
        return Verdict(kind, f"{answer['verdict']} case", answer["phase"], seconds, tuple(answer["mistaken"]))
