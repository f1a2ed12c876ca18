"""The command line.

Each verb has a file of its own, which imports what it needs only when it is called: ``--help`` must be instant.
"""

from __future__ import annotations

import os
import sys

from typing import Annotated

import typer

from penstock.cli import bench, check, explain, listing, new, reproduce, run, sensitivity
from penstock.cli.console import emit, say
from penstock.cli.help import Verb, help_text
from penstock.errors import PenstockError

__all__ = ["app", "main"]

app = typer.Typer(
    name="penstock",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for verb, does in {
    "run": run.run,
    "check": check.check,
    "new": new.new,
    "list": listing.list_,
    "explain": explain.explain,
    "reproduce": reproduce.reproduce,
    "sensitivity": sensitivity.sensitivity,
    "bench": bench.bench,
}.items():
    app.command(verb, cls=Verb)(does)


def _say_version(asked: bool) -> None:
    if asked:
        from penstock import MODEL_VERSION, __version__

        emit(f"penstock {__version__}, model {MODEL_VERSION}")
        raise typer.Exit


@app.callback()
def options(
    _version: Annotated[
        bool,
        typer.Option(
            "--version",
            help="Show the version, and that of the model: runs of one model version give the same numbers.",
            callback=_say_version,
            is_eager=True,
        ),
    ] = False,
) -> None:
    """Packet-level simulation of traffic management: metering, marking, dropping, queueing, scheduling."""


def main() -> None:
    """Runs the command line and ends the process: 0 done, 1 failed, 2 asked for wrongly, 130 interrupted."""
    sys.exit(_guarded())


def _guarded() -> int:
    shown = help_text(app, sys.argv[1:])
    if shown is not None:
        emit(shown)
        return 0
    try:
        code = app(standalone_mode=False)
    except typer.TyperException as error:
        show = getattr(error, "show", None)
        if show is None:
            say(f"error: {error}")
        else:
            show()
        return error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        code = 130
    except PenstockError as error:
        say(str(error))
        return error.exit_code
    except BaseException as error:
        if isinstance(error, SystemExit):
            raise
        return _ours(error)
    if code == 130:
        say("interrupted; finished runs are kept, and the same command goes on from there.")
    return int(code or 0)


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
