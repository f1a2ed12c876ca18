"""The command line; the file of a verb is imported only when the verb is called, since ``--help`` must be instant."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from io import StringIO
from typing import TYPE_CHECKING

from penstock.cli.console import say, tell_for_libraries
from penstock.errors import PenstockError
from penstock.huge_pages import allow_restart
from penstock.interruption import asked, ignore, obey
from penstock.printable import command_text, shortened

if TYPE_CHECKING:
    import click

__all__ = ["command", "main"]


def main() -> None:
    """Runs the command line and ends the process: 0 done, 1 failed, 2 asked for wrongly, 130 interrupted."""
    try:
        obey()
        tell_for_libraries()
        code = _guarded()
    except KeyboardInterrupt:
        code = 130
    if code == 130:
        say(f"interrupted; {_what_remains(sys.argv[1:])}.")
    sys.exit(code)


def command() -> None:
    """As :func:`main`, for a process of its own: an interruption ends it with code 130, instead of by its signal.

    Python itself ends by the signal if the interruption passed through code compiled at run time, as for a dataclass.
    """
    _open_closed_streams()
    allow_restart()
    try:
        main()
    except SystemExit as ended:
        if ended.code == 130:
            for stream in (sys.stdout, sys.stderr):
                with suppress(OSError):
                    stream.flush()
            os._exit(130)
        ignore()
        raise


def _open_closed_streams() -> None:
    """Opens standard output and error if they are closed: Python has none then, and other files get their numbers."""
    for number, name in ((1, "stdout"), (2, "stderr")):
        if not hasattr(getattr(sys, name), "write"):
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, number)
            os.set_inheritable(number, True)
            setattr(sys, name, open(number, "w", closefd=False))  # noqa: SIM115, it stays open


def _what_remains(words: Sequence[str]) -> str:
    """Says what an interruption leaves: some verbs, and runs with some options, store nothing."""
    verb = next((word for word in words if not word.startswith("-")), "")
    if verb in ("trace", "series", "view"):
        return "an unfinished file is removed, and the same command starts again from the beginning"
    if verb in ("emulate", "compare-hosts"):
        return "the real nodes are removed, and the same command starts again from the beginning"
    options = "=".join(words)
    unstored = ("--debug-component", "--executor=plain", "--replay")
    if verb in ("bench", "check", "conform", "explain", "new") or any(option in options for option in unstored):
        return "nothing is kept, and the same command starts again from the beginning"
    return "finished runs are kept, and the same command continues from there"


def _guarded() -> int:
    from penstock.cli.app import run_command

    try:
        return run_command(sys.argv[1:])
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        return 130 if asked() else _failed(error)


def _failed(error: BaseException) -> int:
    """Reports an error and returns its exit code."""
    import click

    from penstock import _core

    match error:
        case click.ClickException():
            say(_usage_message(error, sys.argv[1:]))
            return error.exit_code
        case click.Abort():
            return 130
        case PenstockError() | _core.ComponentError():
            say(str(error))
            return getattr(error, "exit_code", PenstockError.exit_code)
    return _ours(error)


def _usage_message(error: click.ClickException, words: Sequence[str]) -> str:
    """The message of a mistake on the command line; long words that it repeats are shortened."""
    text = StringIO()
    error.show(file=text)
    message = text.getvalue().rstrip("\n")
    repeated = {part for word in words for part in (word, *word.split("=")) if len(part) > 60 or "\n" in part}
    for part in sorted(repeated, key=len, reverse=True):
        for written in (part, repr(part)[1:-1]):
            message = message.replace(written, shortened(part, 60))
    # Other forms of what it repeats.
    return "\n".join(shortened(line, 1000) for line in message.split("\n"))


def _ours(error: BaseException) -> int:
    """Reports a bug of ours."""
    if os.environ.get("PENSTOCK_TRACEBACK") == "1":
        say("".join(traceback.format_exception(error)))
    from penstock import MODEL_VERSION, __version__

    command = command_text(["penstock", *sys.argv[1:]])
    say(
        f"this is a bug in Penstock, not a mistake of yours: {type(error).__name__}: {shortened(str(error), 1000)}\n"
        f"  repeat it: PENSTOCK_TRACEBACK=1 {command}\n"
        f"  please report it with that output (version {__version__}, model {MODEL_VERSION[:12]})."
    )
    return 1
