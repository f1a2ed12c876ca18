"""Write a new component: `make new KIND=discipline NAME=early-random-drop`.

Each kind has a template in this folder, `KIND.txt`. Its parts begin with a line `+++ PATH [WHERE]`; `@name@`,
`@module@`, `@Type@` and `@Title@` stand for scenario key, Rust module, Rust type and name at the start of a sentence.
WHERE says where the text of the part goes:

(nothing)         into a new file
`module`          nowhere, it is empty: `pub mod @module@;` is inserted among the modules of the file
`private module`  the same with `mod @module@;`
`in A > B`        to the end of the block that the first line with B after the first line with A opens; or `in B`
`before A`        before the first line with A

In A and B, `^` and `$` match the ends of a line.
"""

from __future__ import annotations

import re
import sys
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
PART = re.compile(r"^\+\+\+ (\S+) ?(.*)\n", re.MULTILINE)
KEY = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
# Rust's keywords, and the modules that a folder of components has for other purposes.
RESERVED = """as async await become box break const continue crate do dyn else enum extern false final fn for gen if
impl in let loop macro match mod move mut override priv pub ref return self static struct super testing
tests trait true try type typeof unsafe unsized use virtual where while yield"""


class RefusedError(Exception):
    """A mistake of the caller, as a sentence."""


class Part(NamedTuple):
    """A piece of text and where it goes."""

    path: str
    where: str
    text: str


def kinds() -> list[str]:
    """The kinds that have a template."""
    return sorted(file.stem for file in HERE.glob("*.txt"))


def check_name(name: str) -> None:
    """Refuses a word that cannot be a key of a scenario."""
    if not KEY.fullmatch(name):
        form = "lower-case letters and digits, words joined by hyphens, such as early-random-drop"
        raise RefusedError(f"NAME={name}: not a valid key; {form}")
    if name in RESERVED.split():
        raise RefusedError(f"NAME={name}: a reserved word of Rust or of the source tree; choose another name")


def parts(kind: str, name: str) -> list[Part]:
    """The template of `kind`, filled in."""
    if kind not in kinds():
        near = get_close_matches(kind, kinds(), 1)
        hint = f"; did you mean {near[0]}?" if near else ";"
        raise RefusedError(f"KIND={kind}: unknown kind{hint} one of {', '.join(kinds())}")
    text = (HERE / f"{kind}.txt").read_text(encoding="utf-8")
    text = text.replace("@name@", name).replace("@module@", name.replace("-", "_"))
    text = text.replace("@Type@", "".join(word.capitalize() for word in name.split("-")))
    text = text.replace("@Title@", name.replace("-", " ").capitalize())
    _, *pieces = PART.split(text)
    return [Part(*piece) for piece in zip(pieces[::3], pieces[1::3], pieces[2::3], strict=True)]


def line_with(lines: list[str], anchor: str, start: int, path: str) -> int:
    """Index of the first line from `start` on that holds `anchor`."""
    pattern = re.escape(anchor).replace(r"\^", "^").replace(r"\$", "$")
    for index in range(start, len(lines)):
        if re.search(pattern, lines[index]):
            return index
    raise RefusedError(f"{path}: has no line with {anchor!r} any more; the template needs a correction")


def end_of_block(lines: list[str], opening: int) -> int:
    """Index of the line that closes the block opened by `lines[opening]`: the next bracket with its indentation."""
    indent = re.match(" *", lines[opening])[0]
    closing = re.compile(indent + r"[\])}]")
    return next(i for i in range(opening + 1, len(lines)) if closing.match(lines[i]))


def inserted(text: str, part: Part, module: str) -> str:
    """The text of a file with a part in it."""
    lines = text.splitlines(keepends=True)
    verb, _, anchor = part.where.partition(" ")
    if part.where in ("module", "private module"):
        visibility = "" if verb == "private" else "pub "
        modules = [(i, found[1]) for i, line in enumerate(lines) if (found := re.match(r"(?:pub )?mod (\w+);", line))]
        at = next((i for i, other in modules if other > module), modules[-1][0] + 1)
        # An attribute belongs to the module below it.
        while lines[at - 1].startswith("#["):
            at -= 1
        return "".join([*lines[:at], f"{visibility}mod {module};\n", *lines[at:]])
    at = 0
    for step in anchor.split(" > "):
        at = line_with(lines, step, at, part.path)
    if verb == "in":
        if not lines[at].rstrip().endswith(("(", "[", "{")):
            raise RefusedError(f"{part.path}:{at + 1}: opens no block any more; the template needs a correction")
        at = end_of_block(lines, at)
    return "".join([*lines[:at], part.text, *lines[at:]])


def changes(kind: str, name: str, root: Path) -> dict[str, str]:
    """The new text of every file that changes, by its path below `root`."""
    check_name(name)
    changed: dict[str, str] = {}
    pieces = parts(kind, name)
    for part in pieces:
        entry = f'"{name}" =>'
        if part.text.lstrip().startswith(entry) and f" {entry}" in (root / part.path).read_text(encoding="utf-8"):
            raise RefusedError(f"NAME={name}: {part.path} lists this name already; choose another name")
    for part in pieces:
        file = root / part.path
        if not part.where:
            # A module is a file or a folder.
            if taken := [path for path in (file, file.with_suffix("")) if path.exists()]:
                raise RefusedError(f"NAME={name}: {taken[0].relative_to(root)} exists; choose another name")
            changed[part.path] = part.text
            continue
        text = changed.get(part.path) or file.read_text(encoding="utf-8")
        changed[part.path] = inserted(text, part, name.replace("-", "_"))
    return changed


def main(arguments: list[str]) -> int:
    """Writes a component."""
    kind, name = [*arguments, "", ""][:2]
    try:
        if not kind or not name:
            raise RefusedError(f"usage: make new KIND=kind NAME=name; kinds: {', '.join(kinds())}")
        changed = changes(kind, name, ROOT)
    except RefusedError as refusal:
        print(f"error: {refusal}", file=sys.stderr)
        return 1
    for path, text in changed.items():
        print(f"  {'edited' if (ROOT / path).exists() else 'wrote '}  {path}")
        (ROOT / path).write_text(text, encoding="utf-8")
    recipe = f"docs/contributing/{kind}.md"
    print(f"next: make try COMPONENT={name}" + (f"; what to write is in {recipe}" if (ROOT / recipe).exists() else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
