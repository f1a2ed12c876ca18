"""Reads untrusted TOML and reports the line of an error; the core reads scenarios itself."""

from __future__ import annotations

import re
import tomllib
from typing import Any

DEEPEST = 60
"""Maximum nesting of tables and lists; the reader recurses for each level."""

_MARKS = re.compile(r'"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#.*|[\[{\]}]|\n')
_KEY = re.compile(rf"^[ \t]*\[{{0,2}}(?:[ \t]*[\w-]+[ \t]*\.){{{DEEPEST}}}", re.MULTILINE)


class TomlError(ValueError):
    """A text that is no TOML, or cannot be read; `line` is None if unknown."""

    def __init__(self, message: str, line: int | None) -> None:
        super().__init__(message)
        self.line = line


def parsed(text: str) -> dict[str, Any]:
    """Returns the values of a TOML text.

    Raises TomlError if it is none, is nested deeper than :data:`DEEPEST` levels, or a number has too many digits.

    Examples
    --------
    >>> parsed("a = [1, 2]")
    {'a': [1, 2]}
    """
    if (line := _too_deep(text)) is not None:
        raise TomlError(f"is nested deeper than {DEEPEST} levels", line)
    try:
        return tomllib.loads(text)
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


def _too_deep(text: str) -> int | None:
    """The first line where brackets or dotted keys are nested too deeply."""
    depth, line = 0, 1
    for mark in _MARKS.finditer(text):
        if mark[0] == "\n":
            line += 1
        elif mark[0] in "[{":
            depth += 1
            if depth > DEEPEST:
                return line
        elif mark[0] in "]}":
            depth -= 1
    key = _KEY.search(text)
    return None if key is None else text.count("\n", 0, key.end()) + 1
