"""``penstock explain``: what a component, metric, document, claim or reading is."""

import sys
from typing import Annotated

import typer

from penstock.cli.completion import explained
from penstock.cli.options import Format, FormatOption

__all__ = ["explain"]


def explain(
    name: Annotated[
        str,
        typer.Argument(
            help="A component (red), metric, topic (sweep), document (af), claim (af-c03) or reading (af-a07); also by "
            "another name of it (pfc).",
            metavar="NAME",
            autocompletion=explained,
        ),
    ],
    output: FormatOption = Format.TABLE,
) -> None:
    """Explain a component, metric, topic, study or claim.

    Also an open question of a study, and the readings that answer it.
    """
    from penstock.cli.console import emit, say, show
    from penstock.explained import explained_by
    from penstock.printable import json_text, printable_lines

    found, heading = explained_by(name)
    if heading:
        say(heading)
    if output is Format.JSON:
        emit(json_text({"name": name, "pages": found}))
        return
    if not sys.stdout.isatty():
        emit("\n".join(found))
        return
    from rich.markdown import Markdown

    # Links of a stranger's document would be sequences that act on the terminal.
    show(*(Markdown(printable_lines(page), hyperlinks=False) for page in found))
