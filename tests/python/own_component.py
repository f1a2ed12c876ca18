"""Scenarios with components written in Python: the example ``my-red``, and a class to change."""

from __future__ import annotations

from pathlib import Path

from penstock import _core

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "own"
SCENARIO = (EXAMPLES / "red.toml").read_text()
LINE = next(line for line in SCENARIO.splitlines() if line.startswith("queue.my-red"))
SHORT = [("duration", "6 s"), ("series", "[]")]
WITHOUT_SERIES = ("--set", "series=[]", "--set", "duration=3 s")
MINE = "queue.mine = {}"
TEMPLATE = '''from penstock import own

TABLE = [1, 2]

@own.discipline
class Mine:
    """Does something."""

    limit = own.parameter("limit", "60 packets", doc="Its limit.")
    drops = own.stream("mine")
    count: int = 0
    mean: float = 0.0
    slots: list[int] = [0, 0, 0]

    def on_arrival(self, now, packet, queue):
        BODY
        return own.ACCEPT
'''
"""A file with the component ``mine``; tests replace parts of it."""


def with_file(folder: Path, text: str, line: str = LINE, name: str = "mine.py") -> str:
    """A scenario that uses a file with this text."""
    (folder / name).write_text(text)
    return SCENARIO.replace("red.py", name).replace(LINE, line)


def mistakes(folder: Path, text: str, line: str = LINE) -> list[str]:
    scenario = with_file(folder, text, line)
    return [each["message"] for each in _core.check(scenario, "own.toml", SHORT, str(folder))]


def run_mine(folder: Path, text: str) -> _core.Run:
    """Run the scenario with the component ``mine`` in a file with this text."""
    return _core.Scenario(with_file(folder, text, MINE), "own.toml", SHORT, str(folder)).run(1, 0)
