"""The command line in a process of its own that says when a phase begins, so that a signal can be sent then.

Run as ``python phases.py PHASE ARGUMENTS...``: a line with the phase's name is written when it begins the first time.
"""

from __future__ import annotations

import os
import sys
from typing import Any

PHASES = ("reading", "checking", "building", "gathering", "encoding", "writing")


def main() -> None:
    """Wraps what begins the phase, and does what the arguments say."""
    phase = sys.argv.pop(1)
    from penstock import _core, running
    from penstock.cli import command as penstock
    from penstock.store import Store
    from penstock.workers import job

    place: tuple[Any, str] = {
        "reading": (_core, "scenarios"),
        "checking": (_core, "scenarios"),
        "building": (running, "Job"),
        "gathering": (job, "metrics_of"),
        "encoding": (job, "encode"),
        "writing": (Store, "write"),
    }[phase]
    begin = getattr(*place)
    said = False

    def marked(*arguments: Any, **named: Any) -> Any:
        nonlocal said
        if not said:
            said = True
            os.write(1, f"{phase}\n".encode())
        return begin(*arguments, **named)

    setattr(*place, marked)
    penstock()


if __name__ == "__main__":
    main()
