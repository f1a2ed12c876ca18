"""Lines of the keys of a TOML text."""

from __future__ import annotations

from penstock import _core


class Lines:
    r"""The lines of the keys of a sound TOML text.

    Examples
    --------
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
        parts = tuple(
            part for piece in path for part in (str(piece).split(".") if isinstance(piece, str) else [str(piece)])
        )
        for length in range(len(parts), 0, -1):
            if parts[:length] in self._lines:
                return self._lines[parts[:length]]
        return None
