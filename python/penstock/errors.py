"""The exceptions of the package, as one tree, and the message about a package that is not installed.

A user can act on all of them; any other exception is a bug of ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from penstock import _core
from penstock.printable import path_text, printable_lines, things
from penstock.records import RunFailure

__all__ = [
    "ArgumentError",
    "InputError",
    "PenstockError",
    "PrecisionMissed",
    "RunsFailed",
    "ScenarioError",
    "StoreError",
]


_SHOWN = 5  # maximum number of failed runs, or of points, that a message lists


class PenstockError(Exception):
    """The root of the tree; its text is a message for people, printable on any terminal."""

    def __init__(self, message: str = "") -> None:
        super().__init__(printable_lines(message))

    exit_code = 1
    """Exit code of the command line."""


class InputError(PenstockError):
    """Something asked for does not exist or cannot be read."""

    exit_code = 2


class ArgumentError(InputError, TypeError, ValueError):
    """An unknown name, or a component of the wrong kind, in a program that builds a network."""


class ScenarioError(PenstockError):
    """A scenario has `mistakes`, each with ``file``, ``line``, ``path`` and ``message``; nothing was run."""

    exit_code = 2

    def __init__(self, mistakes: Iterable[_core.Mistake]) -> None:
        self.mistakes: list[_core.Mistake] = list(mistakes)
        count = len(self.mistakes)
        lines = [line_of(mistake) for mistake in self.mistakes]
        super().__init__("\n".join([*lines, f"{things(count, 'mistake')}, nothing was run."]))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.mistakes,)


class StoreError(PenstockError):
    """The store of results cannot be read or written."""


class RunsFailed(PenstockError):  # noqa: N818  (named after what happened)
    """Some of the `total` runs failed, each with a ``RunFailure`` in `failures`; the others are finished and stored."""

    def __init__(self, failures: Sequence[RunFailure], total: int) -> None:
        self.failures = list(failures)
        self.total = total
        last = f"{len(self.failures)} of {total} runs failed; the others are finished."
        super().__init__(_first(list(map(str, self.failures)), last))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.failures, self.total)


class PrecisionMissed(PenstockError):  # noqa: N818  (named after what happened)
    """Points of a study missed its precision target; all runs are stored, and `result` is the ``StudyResult``."""

    def __init__(self, result: Any) -> None:
        self.result = result
        missed = result.missed
        points = f"{len(missed)} of {things(len(result.points), 'point')}"
        kept = "all runs are kept, and the numbers are from all of them."
        last = f"{points} missed the precision target; {kept}"
        super().__init__(_first([f"precision: {line}" for line in missed], last))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.result,)


def numbers_of_run(seed: Any, replication: Any) -> tuple[int, int]:
    """Seed and replication as whole numbers of Python. Raises InputError if one is not from 0 to 2^64 - 1."""
    for key, number in (("seed", seed), ("replication", replication)):
        if not (hasattr(number, "__index__") and 0 <= number < 2**64):
            raise InputError(f"{key}: {number!r} is not a whole number from 0 to 2^64 - 1.")
    return int(seed), int(replication)


@contextmanager
def core_faults() -> Iterator[None]:
    """Raises PenstockError if a component of the user's own fails, ScenarioError if the core finds mistakes."""
    try:
        yield
    except _core.ComponentError as error:
        raise PenstockError(str(error)) from None
    except _core.ScenarioError as error:
        raise ScenarioError(error.mistakes) from None


def _first(lines: Sequence[str], last: str) -> str:
    more = [f"... and {len(lines) - _SHOWN} more."] if len(lines) > _SHOWN else []
    return "\n".join([*lines[:_SHOWN], *more, last])


def line_of(mistake: _core.Mistake) -> str:
    """A mistake on one line: file, line, path and message, if known.

    >>> line_of({"file": "a.toml", "line": 3, "path": "links[0].rate", "message": "is missing"})
    'a.toml:3: links[0].rate: is missing'
    >>> line_of({"file": "a.toml", "line": None, "path": "", "message": "is empty"})
    'a.toml: is empty'
    >>> line_of({"file": "--set duration", "line": None, "path": "duration", "message": "5 has no unit"})
    '--set duration: 5 has no unit'
    """
    file, path = mistake["file"], mistake["path"]
    shown = path_text(file)
    place = shown if mistake["line"] is None else f"{shown}:{mistake['line']}"
    if file.startswith("--set ") and file.removeprefix("--set ").rpartition(".")[2] == path.rpartition(".")[2]:
        # The place already names the key.
        path = ""
    return ": ".join(part for part in (place, path, mistake["message"]) if part)


def advice(extra: str) -> str:
    """The command that installs the packages of an extra; it names them, since an extra would install Penstock, too.

    >>> advice("search").startswith("pip install 'optuna")
    True
    """
    from importlib import metadata

    try:
        required = metadata.requires("penstock") or []
    except metadata.PackageNotFoundError:
        required = []
    of_extra = re.compile(rf"extra\s*==\s*['\"]{re.escape(extra)}['\"]")
    packages = [each.partition(";")[0].strip() for each in required if of_extra.search(each)]
    quoted = " ".join(f"'{package}'" for package in packages)
    return f"pip install {quoted}" if packages else f"the packages of the extra {extra}"
