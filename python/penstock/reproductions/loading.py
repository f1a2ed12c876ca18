"""Finds studies: of the package by name, others by the path of their folder."""

from contextlib import suppress
from importlib import import_module, resources
from pathlib import Path
from typing import TYPE_CHECKING

from penstock.errors import InputError
from penstock.printable import path_text

if TYPE_CHECKING:  # command lines import this module, and should be quick
    from penstock.reproductions.study import Study

DATA = "document.toml"
"""The file that makes a folder a study."""


def names() -> list[str]:
    """The studies that come with the package, by name."""
    here = resources.files(__package__)
    return sorted(entry.name for entry in here.iterdir() if entry.is_dir() and entry.joinpath(DATA).is_file())


def is_folder(name: str) -> bool:
    """Whether a study is asked for by the path of its folder instead of by its name.

    Examples
    --------
    >>> is_folder("af"), is_folder("./af"), is_folder("studies/af/document.toml")
    (False, True, True)
    """
    return name not in names() and ("/" in name or name.endswith(".toml") or has_document(Path(name)))


def has_document(folder: Path) -> bool:
    """Whether a folder is a study; what cannot be looked at is none."""
    with suppress(OSError, ValueError):
        return (folder / DATA).is_file()
    return False


def load(name: str) -> "Study":
    """The study of this name, or in this folder.

    Raises InputError if there is no such study; ScenarioError if the folder's file has mistakes.

    `name`: a name, or the path of a folder with a ``document.toml``, or of that file.
    """
    if is_folder(name):
        from penstock.reproductions.folder import read_folder

        path = Path(name)
        folder = path.parent if path.name == DATA else path
        if not has_document(folder):
            raise InputError(f"{path_text(name)}: there is no {DATA} in it, which makes a folder a study.")
        return read_folder(folder / DATA)
    if name not in names():
        from penstock.reproductions.document import unknown

        raise InputError(f"{unknown('published study', name, names())} A folder with a {DATA} is one too.")
    study: Study = import_module(f"{__package__}.{name}").STUDY
    return study
