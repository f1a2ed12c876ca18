"""``penstock lab``: a local page with sliders for a scenario and results that follow them."""

from pathlib import Path
from typing import Annotated

import typer

from penstock.cli.options import JobsOption, StoreOption, read_sets

__all__ = ["lab"]


def lab(
    file: Annotated[Path, typer.Argument(help="The scenario, a TOML file.", metavar="FILE")],
    *,
    port: Annotated[
        int | None,
        typer.Option(
            "--port",
            metavar="N",
            min=1,
            max=65535,
            help="The port of the page's server; a free one by default.",
            show_default=False,
        ),
    ] = None,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Only print the address; do not open it in a browser.")
    ] = False,
    runs: Annotated[
        int | None,
        typer.Option(
            "--runs",
            "-n",
            metavar="N",
            min=1,
            max=1000,
            help="How many independent runs of each setting; 5 by default.",
            show_default=False,
        ),
    ] = None,
    sets: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="PATH=VALUE",
            help="Begin with another value of a setting; may be repeated.",
            show_default=False,
        ),
    ] = None,
    jobs: JobsOption = None,
    store: StoreOption = None,
) -> None:
    """Explore a scenario on a local page.

    Sliders for its numbers, choices of its components and its text on the left; metrics with 95 % confidence intervals
    and queues over time on the right, which follow every change. The page is served to this machine only, at an
    address with a secret token, and loads nothing from elsewhere. Ctrl-C ends it; finished runs are kept.
    """
    from penstock.cli.console import emit, say
    from penstock.cli.files import read_text
    from penstock.errors import InputError
    from penstock.studies.plan import RUNS
    from penstock.studies.sweep import alternatives

    _require_packages()
    settings = read_sets(sets)
    for path, value in settings:
        if len(alternatives(path, value)) > 1:
            raise InputError(
                f"--set {path}: the lab shows one setting at a time; give one value, or use 'penstock run'."
            )
    _refuse_study(file, read_text(file))
    from penstock.lab.server import listener, served
    from penstock.lab.session import Session

    bound = listener(port)
    with served(Session(file, runs or RUNS, jobs, store, settings), bound) as address:
        emit(address)
        say("The lab is at this address until Ctrl-C; whoever knows it can use it, so keep it to yourself.")
        if not no_browser:
            _open(address)
        _wait()


def _wait() -> None:
    """Waits for an interruption."""
    import time

    while True:
        time.sleep(3600)


def _open(address: str) -> None:
    """Opens the address in a browser, if there is one."""
    import webbrowser

    from penstock.cli.console import say

    if not webbrowser.open(address):
        say("No browser was found: open the address yourself.")


def _require_packages() -> None:
    from importlib.util import find_spec

    from penstock.errors import InputError
    from penstock.extras import advice

    if any(find_spec(name) is None for name in ("starlette", "uvicorn")):
        raise InputError(f"the lab needs Starlette and uvicorn; install them with: {advice('lab')}")


def _refuse_study(file: Path, text: str) -> None:
    """A study file has many points, and the lab shows one setting of a scenario."""
    from penstock.errors import InputError
    from penstock.printable import path_text
    from penstock.studies.file import is_study
    from penstock.studies.plan import document_of

    if is_study(text):
        inner = document_of(text).get("scenario")
        other = path_text(file.parent / inner) if isinstance(inner, str) else "its scenario"
        raise InputError(
            f"{path_text(file)}: is a study file, and the lab opens scenarios: try 'penstock lab {other}'; "
            f"'penstock run {path_text(file)}' runs the study."
        )
