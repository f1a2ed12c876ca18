"""Command and Python program that repeat the numbers of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.printable import command_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def command(file: Path, sets: Sequence[tuple[str, str]], runs: int, store: Path | None) -> str:
    """Returns the command that repeats the runs.

    Examples
    --------
    >>> from pathlib import Path
    >>> command(Path("net.toml"), [("a-b.rate", "2 Mbit/s")], 10, None)
    "penstock run net.toml --set 'a-b.rate=2 Mbit/s' --runs 10"
    """
    words = ["penstock", "run", str(file)]
    words += [word for path, value in sets for word in ("--set", f"{path}={value}")]
    words += ["--runs", str(runs)]
    words += ["--store", str(store)] if store is not None else []
    return command_text(words)


def program(file: Path, sets: Sequence[tuple[str, str]], runs: int, seed: int, store: Path | None) -> str:
    """Returns the program that repeats the runs, with the same store."""
    settings = "".join(f"    ({path!r}, {value!r}),\n" for path, value in sets)
    return f"""\
from pathlib import Path

import penstock as ps

file = Path({str(file)!r})
sets = ({chr(10) * bool(settings)}{settings})
text = file.read_text(encoding="utf-8")
common = {{"sets": sets, "seed": {seed}, "name": file.stem, "folder": str(file.parent)}}
requests = [ps.RunRequest(text, replication=number, **common) for number in range({runs})]
results = ps.run_all(requests, store=ps.Store({"" if store is None else repr(str(store))}))
print(ps.to_frame(results))
"""
