"""The command ``penstock``: its verbs, and the options before them."""

from __future__ import annotations

import itertools
import os
from typing import TYPE_CHECKING

from click.exceptions import Exit

from penstock.cli.completion import install_completion, show_completion
from penstock.cli.console import emit
from penstock.cli.verb import Verb, Verbs, ending_option

if TYPE_CHECKING:
    from click import Context

VERBS = {
    "run": "Run a scenario or a study and show its numbers.",
    "emulate": "Pass real packets through a simulated network.",
    "compare_hosts": "Compare Linux hosts with simulated ones.",
    "trace": "Trace every packet of a run: what happens, when and where.",
    "series": "Show the state of ports, flows and components over time.",
    "view": "Write a traced run as one HTML page.",
    "lab": "Explore a scenario on a local page.",
    "check": "Find all mistakes of a scenario or study.",
    "conform": "Compare your own component with a built-in one.",
    "plot": "Draw numbers with their 95 % confidence intervals.",
    "report": "Write a study and its results as one HTML page.",
    "new": "Write a scenario to start from.",
    "list_": "List components, metrics, sections, studies and suites.",
    "explain": "Explain a component, metric, topic, study or claim.",
    "reproduce": "Run a published study again, or a suite of comparisons.",
    "sensitivity": "Show what a study's open questions change.",
    "screen": "Show which parameters matter, over ranges of them.",
    "search": "Search for the best setting within ranges.",
    "slurm": "Write a Slurm job script for a study.",
    "status": "Show the progress of a scenario or study.",
    "runs": "List the runs in the store, or show one.",
    "retry_failed": "Repeat the runs that have failed.",
    "verify": "Check the stored runs and repeat a sample of them.",
    "gc": "Remove leftovers from the store, and selected runs.",
    "export": "Write stored runs into an archive, for another machine.",
    "import_": "Verify an archive and add its runs to the store.",
    "schema": "Show the JSON Schema of scenarios or studies.",
    "bench": "Measure the speed of standard workloads.",
}
"""The module and function of each verb, and the first line of its help."""


def show_version(_: Context) -> None:
    """Shows the versions of package and model."""
    from penstock import MODEL_VERSION, __version__

    emit(f"penstock {__version__}, model {MODEL_VERSION}")


_VERSION = "Show the versions of package and model; equal models give equal numbers."
app = Verbs(
    "penstock",
    commands=[*itertools.starmap(Verb, VERBS.items())],
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
