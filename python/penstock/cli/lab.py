"""``penstock lab``: a local page with sliders for a scenario and results that follow them."""

import importlib.util
import os
import sys
import time
from typing import Annotated

from penstock.cli import options
from penstock.cli.console import emit, say
from penstock.cli.files import read_text
from penstock.cli.verb import option
from penstock.errors import InputError, advice
from penstock.printable import path_text
from penstock.studies.definition import alternatives
from penstock.studies.file import is_study
from penstock.studies.plan import document_of


def lab(
    file: options.ScenarioFile,
    *,
    port: Annotated[
        int | None, option("--port N", "Port of the page's server. Default: a free one.", bounds=(1, 65535))
    ] = None,
    no_browser: Annotated[bool, option("--no-browser", "Only print the address; do not open it in a browser.")] = False,
    runs: Annotated[
        int, option("--runs -n N", "Independent runs per setting, 5 by default, at most 1000.", bounds=(1, 1000))
    ] = 5,
    sets: options.OneSet = None,
    jobs: options.Jobs = None,
    store: options.Store = None,
) -> None:
    """Explore a scenario on a local page.

    The left side has sliders for the scenario's numbers, lists of components, and its text. The right side has metrics
    with 95 % confidence intervals and queues over time; it follows every change. Only this machine can reach the page,
    at an address with a secret token, and the page loads nothing else. Ctrl-C ends it; finished runs are kept.
    """
    if any(importlib.util.find_spec(name) is None for name in ("starlette", "uvicorn")):
        raise InputError(f"the lab needs Starlette and uvicorn; install them with: {advice('lab')}")
    settings = options.read_sets(sets)
    for path, value in settings:
        if len(alternatives(path, value)) > 1:
            raise InputError(
                f"--set {path}: the lab shows one setting at a time; give one value, or use 'penstock run'."
            )
    if is_study(text := read_text(file)):  # a study has many points, a lab shows one
        inner = document_of(text).get("scenario")
        other = path_text(file.parent / inner) if isinstance(inner, str) else "its scenario"
        raise InputError(
            f"{path_text(file)}: is a study file, and the lab opens scenarios: try 'penstock lab {other}'; "
            f"'penstock run {path_text(file)}' runs the study."
        )
    from penstock.lab.server import Session, listener, served

    bound = listener(port)
    with served(Session(file, runs, jobs, store, settings), bound) as address:
        emit(address)
        say("The lab is at this address until Ctrl-C; whoever knows it can use it, so keep it to yourself.")
        if not no_browser:
            _open(address)
        while True:  # until an interruption
            time.sleep(3600)


def _open(address: str) -> None:
    """Opens the address in a browser, if there is one."""
    import webbrowser

    # Without a display, Python would start a text browser in this terminal.
    has_display = sys.platform in ("darwin", "win32") or any(
        name in os.environ for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    )
    if not has_display or not webbrowser.open(address):
        say("No browser was found: open the address yourself.")
