"""The command ``penstock``: its verbs, and the options before them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from click.exceptions import Exit

from penstock.cli.completion import install_completion, show_completion
from penstock.cli.console import emit
from penstock.cli.verb import Verb, Verbs, ending_option

if TYPE_CHECKING:
    from click import Context

VERBS = (
    *("run", "emulate", "compare_hosts", "trace", "series", "view", "lab", "check", "conform", "plot", "report", "new"),
    *("list_", "explain", "reproduce", "sensitivity", "screen", "search", "slurm", "status", "runs", "retry_failed"),
    *("verify", "gc", "export", "import_", "schema", "bench"),
)
"""The module and function of each verb."""


def show_version(_: Context) -> None:
    """Shows the versions of package and model."""
    from penstock import MODEL_VERSION, __version__

    emit(f"penstock {__version__}, model {MODEL_VERSION}")


_VERSION = "Show the versions of package and model; equal models give equal numbers."
app = Verbs(
    "penstock",
    commands=[*map(Verb, VERBS)],
    params=[
        ending_option("--version", _VERSION, show_version),
        ending_option(
            "--install-completion", "Install completion for your shell (bash, zsh or fish).", install_completion
        ),
        ending_option("--show-completion", "Show the script of the completion for your shell.", show_completion),
    ],
    help="Packet-level simulation of traffic management: metering, marking, dropping, queueing, scheduling.",
)


def run_command(words: list[str]) -> int:
    """Runs the words after ``penstock`` and returns the exit code; raises the errors of click."""
    if asked := os.environ.get("_PENSTOCK_COMPLETE"):
        from click.shell_completion import shell_complete

        return shell_complete(app, {}, "penstock", "_PENSTOCK_COMPLETE", asked)
    try:
        with app.make_context("penstock", words) as ctx:
            return int(app.invoke(ctx) or 0)
    except Exit as ended:
        return ended.exit_code
