r"""Text for messages: from outside, made printable and short; and suggestions for names that do not exist.

Names, descriptions and paths may come from strangers. They must not move the cursor, colour, reorder or hide the text
around them [UAX9 s2]; such characters are escaped as in TOML: ``\u001B``.
"""

import json
import re
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from penstock import _core

# Also lone surrogates: they stand for bytes of a file's name that are not UTF-8, and no stream accepts them.
_ESCAPED = "".join(f"{first}-{last}" for first, last in _core.escaped()) + "\ud800-\udfff"
_ONE = re.compile(f"[{_ESCAPED}]")
_IN_JSON = re.compile(f"(?!\n)[{_ESCAPED}]")

# Not the dollar signs of code and of prices: `$HOME`, $5.
_FORMULA = re.compile(r"\$(?![\s`])([^$`]+?)(?<!\s)\$(?!\d)")

_MORE = "..."
_LONGEST_QUOTED = 60
_LONGEST_PATH = 300
_LONGEST_LINE = 200


def printable(text: str) -> str:
    r"""All of `text` on one line.

    >>> printable("r1\x1b[2J"), printable("Größe\u202e\n")
    ('r1\\u001B[2J', 'Größe\\u202E\\u000A')
    """
    return _ONE.sub(_escape, text)


def represented(what: object) -> str:
    """The value if it is a text, else its repr, or its type if that fails.

    >>> represented("a"), represented(2.5), represented(10**5000)
    ('a', '2.5', 'a value of int')
    """
    if isinstance(what, str):
        return what
    try:
        return repr(what)
    except (RecursionError, ValueError):
        return f"a value of {type(what).__name__}"


def printable_lines(text: str) -> str:
    r"""All of `text`; line breaks are kept.

    >>> print(printable_lines("a\x07\nb"))
    a\u0007
    b
    """
    return "\n".join(printable(line) for line in text.split("\n"))


def shortened(text: str, most: int) -> str:
    r"""At most `most` characters of :func:`printable`; no escape is cut in two.

    >>> shortened("abcdefghi", 8), shortened("ab\x1b\x1b", 11)
    ('abcde...', 'ab...')
    """
    shown = printable(text[: most + 1])
    if len(shown) <= most and len(text) <= most:
        return shown
    kept, room = [], most - len(_MORE)
    for character in text[: most + 1]:
        piece = printable(character)
        room -= len(piece)
        if room < 0:
            break
        kept.append(piece)
    return "".join(kept) + _MORE


def quoted(text: str) -> str:
    r"""A value in quotes, for messages.

    >>> print(quoted("wwr"), quoted("x\x1b" + "y" * 10_000))
    'wwr' 'x\u001Byyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy...'
    """
    return f"'{shortened(text, _LONGEST_QUOTED)}'"


def things(count: int, thing: str) -> str:
    """A number with its noun.

    >>> things(1, "run"), things(2, "failed run")
    ('1 run', '2 failed runs')
    """
    return f"{count} {thing}{'s' * (count != 1)}"


def one_line(text: str) -> str:
    r"""A description on one line.

    >>> one_line("Two flows\nand a queue\x1b[31m")
    'Two flows and a queue\\u001B[31m'
    """
    return shortened(re.sub(r"[ \t\r\n]+", " ", text.strip()), _LONGEST_LINE)


def plain_formulas(text: str) -> str:
    """Markdown without the dollar signs around its formulas, for readers that typeset none.

    >>> plain_formulas("grows as $0.2 + 0.23 (n - 1)$ s; `$HOME` and `$PATH` cost $5 to $6")
    'grows as 0.2 + 0.23 (n - 1) s; `$HOME` and `$PATH` cost $5 to $6'
    """
    return _FORMULA.sub(r"\1", text)


def path_text(path: str | Path) -> str:
    r"""A path, for messages; the middle of a very long one is left out.

    >>> path_text("a\n.toml"), len(path_text("x" * 10_000 + ".toml")), path_text("x" * 10_000 + ".toml")[-5:]
    ('a\\u000A.toml', 300, '.toml')
    """
    shown = printable(str(path))
    if len(shown) <= _LONGEST_PATH:
        return shown
    half = (_LONGEST_PATH - len(_MORE)) // 2
    return f"{shown[: _LONGEST_PATH - len(_MORE) - half]}{_MORE}{shown[-half:]}"


def json_text(data: Any, indent: int | None = 2) -> str:
    r"""JSON with unprintable characters escaped, so that a terminal can show it.

    >>> print(json_text({"name": "Größe\x9b\u202e"}, indent=0))
    {
    "name": "Größe\u009b\u202e"
    }
    """
    text = json.dumps(data, indent=indent, ensure_ascii=False, allow_nan=False)
    return _IN_JSON.sub(lambda found: json.dumps(found[0])[1:-1], text)


def command_text(words: Iterable[str]) -> str:
    r"""A command to paste into a shell; unprintable words are quoted for bash.

    >>> print(command_text(["penstock", "run", "my file.toml", "it's\x1b\n"]))
    penstock run 'my file.toml' $'it\'s\x1b\x0a'
    """
    return " ".join(_word(word) for word in words)


def file_word(file: str | Path) -> str:
    """The name of a file as a word of a command, where a leading hyphen would begin an option.

    >>> file_word("-n.toml"), file_word("net.toml")
    ('./-n.toml', 'net.toml')
    """
    return f"./{file}" if str(file).startswith("-") else str(file)


def utf8(text: str) -> str:
    r"""`text` for the core: bytes of a file's name that are not UTF-8 are escaped.

    >>> print(utf8("caf\udce9.toml"))
    caf\udce9.toml
    """
    return text.encode("utf-8", "backslashreplace").decode()


def _word(word: str) -> str:
    if not _ONE.search(word):
        return shlex.quote(word)
    pieces = []
    for character in word:
        if _ONE.match(character):
            pieces += [f"\\x{byte:02x}" for byte in character.encode("utf-8", "surrogateescape")]
        else:
            pieces.append(f"\\{character}" if character in "'\\" else character)
    return f"$'{''.join(pieces)}'"


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"


def suggestion(name: str, allowed: Iterable[str], otherwise: str = "") -> str:
    """The end of a sentence about a name that does not exist: ``; did you mean 'x'?``, else `otherwise`.

    >>> suggestion("wwr", ["wrr", "drr", "fifo"])
    "; did you mean 'wrr'?"
    >>> suggestion("pigeon", ["wrr"], ".")
    '.'
    """
    nearest = _core.nearest(utf8(name), [utf8(each) for each in allowed])
    return otherwise if nearest is None else f"; did you mean {quoted(nearest)}?"
