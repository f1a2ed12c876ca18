"""The command line: ``main`` runs it and turns whatever happens into an exit code and words.

Each verb has a file of its own, which imports what it needs only when it is called: ``--help`` must be instant.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING

from penstock.cli.console import emit, say

if TYPE_CHECKING:
    from types import FrameType

__all__ = ["main"]


def main() -> None:
    """Runs the command line and ends the process: 0 done, 1 failed, 2 asked for wrongly, 130 interrupted."""
    try:
        signal.signal(signal.SIGTERM, _interrupt)
        code = _guarded()
    except KeyboardInterrupt:
        code = 130
    if code == 130:
        say("interrupted; finished runs are kept, and the same command goes on from there.")
    sys.exit(code)


def _guarded() -> int:
    import typer

    from penstock.cli.app import app
    from penstock.cli.help import help_text
    from penstock.errors import PenstockError

    try:
        shown = help_text(app, sys.argv[1:])
        if shown is not None:
            emit(shown)
            return 0
        return int(app(prog_name="penstock", standalone_mode=False) or 0)
    except typer.TyperException as error:
        show = getattr(error, "show", None)
        if show is None:
            say(f"error: {error}")
        else:
            show()
        return error.exit_code
    except typer.Abort:
        return 130
    except PenstockError as error:
        say(str(error))
        return error.exit_code
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        return _ours(error)


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    """What asks to end is obeyed as Ctrl-C is."""
    raise KeyboardInterrupt


def _ours(error: BaseException) -> int:
    """Owns up to a bug."""
    if os.environ.get("PENSTOCK_TRACEBACK") == "1":
        import traceback

        traceback.print_exception(error)
    import shlex

    from penstock import MODEL_VERSION, __version__

    command = shlex.join(["penstock", *sys.argv[1:]])
    say(
        f"this is a bug in Penstock, not a mistake of yours: {type(error).__name__}: {error}\n"
        f"  repeat it: PENSTOCK_TRACEBACK=1 {command}\n"
        f"  please report it with that output (version {__version__}, model {MODEL_VERSION[:12]})."
    )
    return 1
