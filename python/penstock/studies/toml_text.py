"""Reads untrusted TOML, with the lines of its keys and of errors, and collects mistakes by their places."""

import re
import tomllib
from collections.abc import Callable
from typing import Any

from penstock import _core
from penstock.errors import ScenarioError
from penstock.printable import utf8

Place = tuple[str | int, ...]
Locate = Callable[..., int | None]  # the line of a place; None if it is in no file

DEEPEST = 60  # maximum nesting of tables and lists; the reader recurses for each level


class TomlError(ValueError):
    """A text that is no TOML, or cannot be read; `line` is None if unknown."""

    def __init__(self, message: str, line: int | None) -> None:
        super().__init__(message)
        self.line = line


def parsed(text: str) -> dict[str, Any]:
    """Returns the values of a TOML text. Raises TomlError if it is none, is too deep, or a number is too long.

    >>> parsed("a = [1, 2]")
    {'a': [1, 2]}
    """
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        found = re.search(r"\(at line (\d+), column \d+\)$", message)
        said = message[: found.start()].strip() if found else message
        raise TomlError(f"{said[:1].lower()}{said[1:]}", int(found[1]) if found else None) from None
    except RecursionError:
        raise TomlError("is nested too deeply", None) from None
    except ValueError as error:
        # Whole numbers of more digits than the interpreter reads.
        found = re.search(r"\d{4000}", text)
        line = None if found is None else text.count("\n", 0, found.start()) + 1
        raise TomlError(f"a number cannot be read: {error}", line) from None
    if _is_deep(values):
        raise TomlError(f"is nested deeper than {DEEPEST} levels", None)
    return values


def _is_deep(found: Any) -> bool:
    level = [found]
    for _ in range(DEEPEST):
        inside = [value for each in level for value in (each.values() if isinstance(each, dict) else each)]
        level = [value for value in inside if isinstance(value, (dict, list))]
    return bool(level)


def plain_value(text: str) -> Any:
    """Returns a value of the command line as a study file has it; texts need no quotes.

    >>> plain_value("5 ms"), plain_value("{ codel = {} }"), plain_value("0.5")
    ('5 ms', {'codel': {}}, 0.5)
    """
    try:
        return parsed(f"value = {text}")["value"]
    except TomlError:
        return text


class Lines:
    r"""The lines of the keys of a sound TOML text.

    >>> lines = Lines('a = 1\n[grid]\nb.c = [\n  2,\n]\n[[list]]\nd = 3\n[[list]]\nd = 4\n')
    >>> lines.of("a"), lines.of("grid", "b.c"), lines.of("list", 1, "d"), lines.of("list", 1, "e")
    (1, 3, 9, 8)
    """

    def __init__(self, text: str) -> None:
        self._lines: dict[tuple[str, ...], int] = {}
        for path, line in _core.key_lines(text):
            flat = tuple(part for piece in path for part in piece.split("."))
            for length in range(1, len(flat) + 1):
                self._lines.setdefault(flat[:length], line)

    def of(self, *path: str | int) -> int | None:
        """The line of the innermost key on this path that is in the text."""
        parts = tuple(part for piece in path for part in str(piece).split("."))
        for length in range(len(parts), 0, -1):
            if parts[:length] in self._lines:
                return self._lines[parts[:length]]
        return None


class Mistakes:
    """Mistakes by their places in a study, at most one per place."""

    def __init__(self) -> None:
        self.found: dict[Place, str] = {}

    def add(self, place: Place, message: str) -> None:
        """Adds a mistake, unless its place already has one."""
        self.found.setdefault(place, message)

    def raise_any(self, file: str, locate: Locate = lambda *_: None) -> None:
        """Raises ScenarioError with all mistakes in the order of their lines, if there are any."""
        if self.found:
            found: list[_core.Mistake] = [
                {"file": utf8(file), "line": locate(*place), "path": path_of(place), "message": message}
                for place, message in self.found.items()
            ]
            raise ScenarioError(sorted(found, key=lambda mistake: mistake["line"] or 0))


def path_of(place: Place) -> str:
    """Returns how messages name a place.

    >>> path_of(("grid", "flows")), path_of(("list", 2, "a-b.rate"))
    ('grid.flows', 'list[2].a-b.rate')
    """
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place).removeprefix(".")
