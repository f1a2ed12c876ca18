"""Completion in the shell: names, and the installation."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from penstock.cli.console import emit
from penstock.errors import InputError, PenstockError
from penstock.printable import path_text, quoted

if TYPE_CHECKING:
    import click

_FILES = {
    "bash": (".bash_completions/penstock.sh", ".bashrc"),
    "zsh": (".zfunc/penstock.zsh", ".zshrc"),
    "fish": (".config/fish/completions/penstock.fish", None),
}
"""The file of the script for each shell, and the file that must source it."""


def studies() -> list[str]:
    """The published studies and the suites."""
    from penstock import reproductions, suites

    return [*reproductions.names(), *suites.names()]


def show_completion(ctx: click.Context) -> None:
    """Shows the script for the user's shell."""
    emit(_script(ctx.command, _shell()))


def install_completion(ctx: click.Context) -> None:
    """Writes the script for the user's shell, and has the shell source it."""
    shell = _shell()
    script, start = _FILES[shell]
    file = Path.home() / script
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(_script(ctx.command, shell), encoding="utf-8")
        if start is not None:
            line, own = f"source '{file}'\n", Path.home() / start
            if not own.exists() or line not in own.read_text(encoding="utf-8", errors="replace"):
                with own.open("a", encoding="utf-8") as opened:
                    opened.write(f"\n{line}")
    except OSError as error:
        raise PenstockError(f"{path_text(file)}: cannot be written: {error.strerror or error}.") from None
    emit(f"{path_text(file)}: written. Completion works in a new {shell}.")


def _shell() -> str:
    name = Path(os.environ.get("SHELL", "")).name
    if name not in _FILES:
        raise InputError(
            f"there is no completion for the shell {quoted(name)} in $SHELL; there is for bash, zsh and fish."
        )
    return name


def _script(app: click.Command, shell: str) -> str:
    from click.shell_completion import get_completion_class

    found = get_completion_class(shell)
    assert found is not None
    return found(app, {}, "penstock", "_PENSTOCK_COMPLETE").source()
