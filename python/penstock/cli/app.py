"""The verbs, and the options that stand before them."""

from __future__ import annotations

from typing import Annotated

import typer

from penstock.cli import (
    bench,
    check,
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
from penstock.cli.console import emit
from penstock.cli.help import Verb, Verbs

__all__ = ["app"]

app = typer.Typer(
    name="penstock",
    cls=Verbs,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("run", cls=Verb)(run.run)
app.command("trace", cls=Verb)(trace.trace)
app.command("series", cls=Verb)(series.series)
app.command("view", cls=Verb)(view.view)
app.command("lab", cls=Verb)(lab.lab)
app.command("check", cls=Verb)(check.check)
app.command("plot", cls=Verb)(plot.plot)
app.command("report", cls=Verb)(report.report)
app.command("new", cls=Verb)(new.new)
app.command("list", cls=Verb)(listing.list_)
app.command("explain", cls=Verb)(explain.explain)
app.command("reproduce", cls=Verb)(reproduce.reproduce)
app.command("sensitivity", cls=Verb)(sensitivity.sensitivity)
app.command("screen", cls=Verb)(screen.screen)
app.command("search", cls=Verb)(search.search)
app.command("slurm", cls=Verb)(slurm.slurm)
app.command("status", cls=Verb)(status.status)
app.command("runs", cls=Verb)(runs.runs)
app.command("retry-failed", cls=Verb)(retry.retry_failed)
app.command("verify", cls=Verb)(verify.verify)
app.command("gc", cls=Verb)(gc.gc)
app.command("export", cls=Verb)(export.export)
app.command("import", cls=Verb)(import_.import_)
app.command("schema", cls=Verb)(schema.schema)
app.command("bench", cls=Verb)(bench.bench)


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
