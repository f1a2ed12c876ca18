"""``penstock new``: writes a scenario to start from."""

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["new"]


def new(file: Annotated[Path, typer.Argument(help="The file to write.", metavar="FILE")]) -> None:
    """Write a scenario to start from.

    It runs as it is, and comments say what may be changed.
    """
    from penstock.cli.console import emit
    from penstock.errors import InputError, PenstockError
    from penstock.printable import command_text, path_text
    from penstock.template import TEMPLATE

    shown = path_text(file)
    try:
        if file.is_dir():
            raise InputError(f"{shown}: is a folder; name a file in it, such as {path_text(file / 'scenario.toml')}.")
        if file.parent.is_file():
            raise InputError(f"{shown}: {path_text(file.parent)} is a file, not a folder.")
        if not file.parent.is_dir():
            raise InputError(f"{shown}: there is no folder {path_text(file.parent)}; make it first.")
        stream = file.open("x", encoding="utf-8")
    except FileExistsError:
        raise InputError(f"{shown}: exists and is left as it is; choose another name.") from None
    except OSError as error:
        raise InputError(f"{shown}: cannot be written: {error.strerror or error}.") from None
    try:
        with stream:
            stream.write(TEMPLATE)
    except OSError as error:
        file.unlink()
        raise PenstockError(f"{shown}: cannot be written: {error.strerror or error}.") from None
    emit(f"{shown}: written. Try: {command_text(['penstock', 'run', str(file)])}")
