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
            help="A component (red), metric, document (af), claim (af-c03) or reading (af-a07).",
            metavar="NAME",
            autocompletion=explained,
        ),
    ],
    output: FormatOption = Format.TABLE,
) -> None:
    """Explain a component, metric, study or claim.

    Also an open question of a study, and the readings that answer it.
    """
    from penstock import reproductions
    from penstock.cli.console import emit, show
    from penstock.cli.suggest import suggestion
    from penstock.errors import InputError
    from penstock.printable import json_text, quoted
    from penstock.reference import names, pages

    found = pages(name)
    study = reproductions.explain(name)
    if study is not None:
        found.append(study)
    if not found:
        known = [*names(), *reproductions.names()]
        raise InputError(
            f"there is nothing called {quoted(name)}{suggestion(name, known)} 'penstock list' shows what there is."
        )
    if output is Format.JSON:
        emit(json_text({"name": name, "pages": found}))
        return
    if not sys.stdout.isatty():
        emit("\n".join(found))
        return
    from rich.markdown import Markdown

    show(*(Markdown(page) for page in found))
