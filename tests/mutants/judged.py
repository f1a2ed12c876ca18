"""Known reasons why mistakes of random draws survive."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mistakes import ROOT

if TYPE_CHECKING:
    from mistakes import Mistake

FILE = Path(__file__).parent / "judged.toml"
KINDS = {
    "speed": "only the time or the memory of a run differs",
    "same": "another way to the same result",
    "never": "differs in a case that cannot occur",
    "check": "leaves out a check of debug builds",
    "open": "nothing says which of two results is right",
}


@dataclass(frozen=True)
class Judgement:
    """The reason why no test can distinguish a mistake from the right text."""

    file: str
    line: str
    """The line where the mistake begins, without its indentation; with the lines before it if it is not unique."""
    mistake: str
    kind: str
    """One of :data:`KINDS`."""
    reason: str


@dataclass(frozen=True)
class Draw:
    """The score of a draw before tests were added for its survivors."""

    count: int
    """How many were asked for; some do not compile."""
    seed: int
    caught: int
    tried: int


def read_draw(count: int, seed: int, path: Path = FILE) -> Draw | None:
    """The first score of a draw, if it is known."""
    draws = [Draw(**entry) for entry in tomllib.loads(path.read_text())["draw"]]
    return next((draw for draw in draws if (draw.count, draw.seed) == (count, seed)), None)


def read_judgements(mistakes: list[Mistake], root: Path = ROOT, path: Path = FILE) -> dict[str, Judgement]:
    """The judgements of mistakes, by their names."""
    known = [Judgement(**entry) for entry in tomllib.loads(path.read_text())["judged"]]
    found = {}
    for it in mistakes:
        lines = lines_until(it, root)
        for judged in known:
            place = judged.line.splitlines()
            if (judged.file, judged.mistake) == (it.file, it.mistake) and lines[-len(place) :] == place:
                found[it.name] = judged
    return found


def lines_until(mistake: Mistake, root: Path = ROOT) -> list[str]:
    """The lines of the source up to the one in which a mistake begins, without their indentation."""
    source = (root / mistake.file).read_text()
    begin = mistake.span(source)[0]
    end = source.find("\n", begin)
    return [line.strip() for line in source[:end].splitlines()]
