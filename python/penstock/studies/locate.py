"""Line numbers of keys in a TOML text, which ``tomllib`` does not report."""

from __future__ import annotations

import re
import tomllib

__all__ = ["Lines"]

_PART = r"""(?:[A-Za-z0-9_-]+|"(?:[^"\\]|\\.)*"|'[^']*')"""
_KEY = rf"{_PART}(?:\s*\.\s*{_PART})*"
_HEADER = re.compile(rf"\s*(\[\[?)\s*({_KEY})\s*\]")
_ENTRY = re.compile(rf"\s*({_KEY})\s*=")
_PIECE = re.compile(r'''"""|\'\'\'|"(?:[^"\\]|\\.)*"|'[^']*'|[\[\]{}]|\#.*''')


class Lines:
    r"""The lines of the keys of a valid TOML text.

    Examples
    --------
    >>> lines = Lines('a = 1\n[grid]\nb.c = [\n  2,\n]\n[[list]]\nd = 3\n[[list]]\nd = 4\n')
    >>> lines.of("a"), lines.of("grid", "b.c"), lines.of("list", 1, "d"), lines.of("list", 1, "e")
    (1, 3, 9, 8)
    """

    def __init__(self, text: str) -> None:
        self._lines: dict[tuple[str, ...], int] = {}
        counts: dict[tuple[str, ...], int] = {}
        table: tuple[str, ...] = ()
        depth, quote = 0, ""
        for number, line in enumerate(text.split("\n"), start=1):
            start = 0
            if depth == 0 and not quote:
                if header := _HEADER.match(line):
                    table = tuple(_parts(header[2]))
                    if header[1] == "[[":
                        counts[table] = counts.get(table, -1) + 1
                        table = (*table, str(counts[table]))
                    elif table[:1] in counts:  # a table below the last one of a list
                        table = (table[0], str(counts[table[:1]]), *table[1:])
                    self._note(table, number)
                    continue
                entry = _ENTRY.match(line)
                if entry is None:
                    continue
                self._note((*table, *_parts(entry[1])), number)
                start = entry.end()
            depth, quote = _after(line[start:], depth, quote)

    def of(self, *path: str | int) -> int | None:
        """The line of the innermost key on this path that is written in the text."""
        parts = tuple(
            part for piece in path for part in (str(piece).split(".") if isinstance(piece, str) else [str(piece)])
        )
        for length in range(len(parts), 0, -1):
            if parts[:length] in self._lines:
                return self._lines[parts[:length]]
        return None

    def _note(self, path: tuple[str, ...], number: int) -> None:
        flat = tuple(part for piece in path for part in piece.split("."))
        for length in range(1, len(flat) + 1):
            self._lines.setdefault(flat[:length], number)


def _parts(key: str) -> list[str]:
    parts = re.findall(_PART, key)
    return [next(iter(tomllib.loads(f"{part} = 0"))) for part in parts]


def _after(line: str, depth: int, quote: str) -> tuple[int, str]:
    """Bracket depth and open multi-line quote after `line`."""
    position = 0
    while position < len(line):
        if quote:
            end = line.find(quote, position)
            if end < 0:
                return depth, quote
            position, quote = end + 3, ""
            continue
        found = _PIECE.search(line, position)
        if found is None:
            break
        position = found.end()
        if found[0] in ('"""', "'''"):
            quote = found[0]
        elif found[0] in "[{":
            depth += 1
        elif found[0] in "]}":
            depth -= 1
    return depth, quote
