"""Reads scenario files, and says what is wrong with those that cannot be."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from penstock.errors import InputError
from penstock.printable import path_text, utf8

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["read_text"]


def read_text(file: Path) -> str:
    """The text of a scenario file.

    Raises
    ------
    InputError
        If there is no such file, it is not a text, or it is too large.
    """
    from penstock import _core
    from penstock.memory import require_file

    try:
        require_file(file)
        with file.open("rb") as opened:
            content = opened.read(_core.LARGEST_SCENARIO + 1)
    except FileNotFoundError:
        raise InputError(_missing(file)) from None
    except IsADirectoryError:
        raise InputError(_folder(file)) from None
    except NotADirectoryError:
        culprit = next(parent for parent in file.parents if parent.is_file())
        raise InputError(f"{path_text(file)}: {path_text(culprit)} is a file, not a folder.") from None
    except OSError as error:
        raise InputError(f"{path_text(file)}: cannot be read: {error.strerror or error}.") from None
    if len(content) > _core.LARGEST_SCENARIO:
        most = _core.LARGEST_SCENARIO >> 20
        raise InputError(f"{path_text(file)}: is larger than {most} MiB, which is the most that a scenario may be.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path_text(file)}:{line}: is not UTF-8 text; a scenario is a TOML file in UTF-8.") from None
    if not text.strip():
        raise InputError(f"{path_text(file)}: is empty; 'penstock new FILE' writes a scenario to start from.")
    return text


def _missing(file: Path) -> str:
    if not file.parent.is_dir():
        return f"{path_text(file)}: there is no such file, nor a folder {path_text(file.parent)}."
    names = []
    with suppress(OSError):  # who may not list a folder gets no suggestions
        names = sorted(path.name for path in file.parent.iterdir() if path.is_file())
    similar = _similar(file, names)
    hint = (
        f"; did you mean {path_text(similar)}?" if similar else "; 'penstock new FILE' writes a scenario to start from."
    )
    return f"{path_text(file)}: there is no such file{hint}"


def _similar(file: Path, names: list[str]) -> str | None:
    """The name that may have been meant; endings, which would make all files alike, are not compared."""
    from penstock import _core

    ending = file.suffix or ".toml"
    stems = {utf8(name.removesuffix(ending)): name for name in names if name.endswith(ending)}
    others = {utf8(name): name for name in names if not name.endswith(ending)}
    for wanted, known in ((file.name.removesuffix(ending), stems), (file.name, others)):
        if (found := _core.nearest(utf8(wanted), [*known])) is not None:
            return known[found]
    return None


def _folder(file: Path) -> str:
    inside = sorted(str(path) for path in file.glob("*.toml"))[:3]
    hint = f"did you mean {_either(inside)}?" if inside else "it holds no .toml files."
    return f"{path_text(file)}: is a folder, and a scenario is a file; {hint}"


def _either(names: list[str]) -> str:
    names = [path_text(name) for name in names]
    return " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
