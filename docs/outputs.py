"""Runs what the pages show, and compares or renews the outputs: ``python docs/outputs.py README.md docs/tutorial.md``.

A page is read from top to bottom in an empty folder of its own. A ``toml`` block whose first line is ``# NAME.toml``
becomes that file; a ``console`` block's lines after ``$`` are run and what they print is compared; ``python`` blocks
are executed in one namespace, and what they print is compared with the ``text`` block that follows. In an output
``...`` stands for any text within a line, and alone on a line for any lines. ``<!-- not run -->`` before a block leaves
it out.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from penstock import MODEL_VERSION

ROOT = Path(__file__).parent.parent
FENCE = re.compile(r"^(?P<skip><!-- not run -->\n)?```(?P<kind>\w+)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
SAID_OTHERWISE = {"make run": "penstock reproduce af"}
"""What a checkout's make targets do once everything is set up."""


@dataclass(frozen=True)
class Shown:
    """A command or program of a page, what the page shows of its output, and what it printed."""

    line: int
    what: str
    shown: str
    printed: str
    failed: bool = False

    @property
    def is_true(self) -> bool:
        """Whether the page shows what was printed; a failure must be shown in words."""
        hidden = self.failed and not self.shown.replace("...", "").strip()
        return not hidden and re.fullmatch(_pattern(self.shown), self.printed) is not None


def run_page(page: Path) -> list[Shown]:
    """Runs everything that a page shows."""
    text = page.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        return list(_run(text, _environment(Path(folder))))


def renewed(text: str, outcomes: list[Shown]) -> str:
    """The page with the outputs as they are now, shortened where they were."""
    for outcome in outcomes:
        if not outcome.is_true:
            text = text.replace(outcome.shown, _shortened(outcome), 1)
    return text


def _run(text: str, environment: dict[str, str]):
    names: dict[str, object] = {}
    before = ""
    for block in FENCE.finditer(text):
        kind, body = block["kind"], block["body"]
        line = text.count("\n", 0, block.start()) + 1
        printed, before = before, ""
        if block["skip"]:
            continue
        if kind == "toml" and (name := re.match(r"# ([\w-]+\.toml)\b", body)):
            Path(name[1]).write_text(body, encoding="utf-8")
        elif kind == "console":
            for entry in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
                command, shown = _command(entry)
                yield Shown(line, command, shown, *_call(SAID_OTHERWISE.get(command, command), environment))
        elif kind == "python":
            into = io.StringIO()
            os.environ.update(environment)
            with contextlib.redirect_stdout(into):
                exec(compile("\n" * line + body, "page", "exec"), names)
            before = into.getvalue()
        elif kind == "text" and printed:
            yield Shown(line, "the program above", body, _tidy(printed))


def _command(entry: str) -> tuple[str, str]:
    """A command, which goes on after a backslash, and its output."""
    lines = entry.split("\n")
    end = next(i for i, line in enumerate(lines) if not line.endswith("\\"))
    command = " ".join(line.removesuffix("\\").strip().removeprefix("> ") for line in lines[: end + 1])
    return command, "\n".join(lines[end + 1 :])


def _call(command: str, environment: dict[str, str]) -> tuple[str, bool]:
    ended = subprocess.run(["bash", "-c", command], env=environment, capture_output=True, text=True, check=False)
    # Progress goes to standard error too, and a page shows it only where something went wrong.
    failed = ended.returncode != 0
    return _tidy(ended.stdout + (ended.stderr if failed else "")), failed


def _tidy(text: str) -> str:
    # The model's version changes with every edit of the simulator.
    text = text.replace(MODEL_VERSION, "...").replace(MODEL_VERSION[:12], "...")
    return "".join(line.rstrip() + "\n" for line in text.splitlines())


def _environment(folder: Path) -> dict[str, str]:
    """One with ``penstock`` and ``python`` of this interpreter, and a store of its own."""
    commands = folder / ".commands"
    commands.mkdir()
    for name, module in (("penstock", "-m penstock.cli"), ("python", "")):
        file = commands / name
        file.write_text(f'#!/bin/sh\nexec "{sys.executable}" {module} "$@"\n', encoding="utf-8")
        file.chmod(0o755)
    path = f"{commands}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "PENSTOCK_STORE": str(folder / ".store"), "EXAMPLES": str(ROOT / "examples")}


def _pattern(shown: str) -> str:
    parts = []
    for line in shown.splitlines():
        text = r"[^\n]*".join(re.escape(part.rstrip() if not part.strip() else part) for part in line.split("..."))
        parts.append(r"(?:[^\n]*\n)*" if line.strip() == "..." else text + r"[^\S\n]*\n")
    return "".join(parts)


def _shortened(outcome: Shown) -> str:
    """What was printed, leaving out what the page leaves out: lines are known again by everything but their numbers."""
    if "..." not in outcome.shown:
        return outcome.printed
    lines = outcome.printed.splitlines()
    made = []
    for shown in outcome.shown.splitlines():
        found = next((i for i, line in enumerate(lines) if _skeleton(line) == _skeleton(shown)), None)
        if found is None:
            made.append(shown)
        else:
            made.append(_with_dots(shown, lines[found]))
            del lines[: found + 1]
    return "\n".join(made) + "\n"


def _with_dots(shown: str, line: str) -> str:
    """The line with `...` in place of each word that has it in `shown`."""
    if "..." not in shown:
        return line
    words = zip(shown.split(), line.split(), strict=True)
    return " ".join(old if old == "..." else new for old, new in words)


def _skeleton(line: str) -> str:
    return re.sub(r"(?<= )\.\.\.(?= )|[\d.e+-]*\d[\d.]*", "#", " ".join(line.replace("!", "").split()))


def main(pages: list[str]) -> None:
    """Renews the pages."""
    for name in pages:
        page = Path(name)
        outcomes = run_page(page)
        text = page.read_text(encoding="utf-8")
        new = renewed(text, outcomes)
        if new != text:
            page.write_text(new, encoding="utf-8")
        for outcome in outcomes:
            print(f"{name}:{outcome.line}: {'same' if outcome.is_true else 'RENEWED'}: {outcome.what}")


if __name__ == "__main__":
    main(sys.argv[1:])
