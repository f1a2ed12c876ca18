"""The command ``penstock``: its verbs, and the options before them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click
from click.exceptions import Exit

from penstock.cli import (
    bench,
    check,
    compare_hosts,
    conform,
    emulate,
    explain,
    export,
    gc,
    import_,
    lab,
    listing,
    new,
    plot,
    report,
    reproduce,
    retry,
    run,
    runs,
    schema,
    screen,
    search,
    sensitivity,
    series,
    slurm,
    status,
    trace,
    verify,
    view,
)
from penstock.cli.completion import install_completion, show_completion
from penstock.cli.console import emit
from penstock.cli.verb import Verbs, verb

if TYPE_CHECKING:
    from collections.abc import Callable

VERBS: dict[str, Callable[..., int | None]] = {
    "run": run.run,
    "emulate": emulate.emulate,
    "compare-hosts": compare_hosts.compare_hosts,
    "trace": trace.trace,
    "series": series.series,
    "view": view.view,
    "lab": lab.lab,
    "check": check.check,
    "conform": conform.conform,
    "plot": plot.plot,
    "report": report.report,
    "new": new.new,
    "list": listing.list_,
    "explain": explain.explain,
    "reproduce": reproduce.reproduce,
    "sensitivity": sensitivity.sensitivity,
    "screen": screen.screen,
    "search": search.search,
    "slurm": slurm.slurm,
    "status": status.status,
    "runs": runs.runs,
    "retry-failed": retry.retry_failed,
    "verify": verify.verify,
    "gc": gc.gc,
    "export": export.export,
    "import": import_.import_,
    "schema": schema.schema,
    "bench": bench.bench,
}


def show_version(_: click.Command) -> None:
    """Shows the versions of package and model."""
    from penstock import MODEL_VERSION, __version__

    emit(f"penstock {__version__}, model {MODEL_VERSION}")


def _doing(function: Callable[[click.Command], None]) -> Callable[[click.Context, click.Parameter, bool], None]:
    """Callback of an option before the verbs: calls `function` and ends the command."""

    def callback(ctx: click.Context, _: click.Parameter, is_asked: bool) -> None:
        if is_asked and not ctx.resilient_parsing:
            function(ctx.command)
            ctx.exit()

    return callback


_BEFORE = {
    "--version": (show_version, "Show the versions of package and model; equal models give equal numbers."),
    "--install-completion": (install_completion, "Install completion for your shell (bash, zsh or fish)."),
    "--show-completion": (show_completion, "Show the script of the completion for your shell."),
}
app = Verbs(
    "penstock",
    commands={name: verb(name, function) for name, function in VERBS.items()},
    params=[
        click.Option([name], is_flag=True, is_eager=True, expose_value=False, callback=_doing(function), help=text)
        for name, (function, text) in _BEFORE.items()
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
