"""``penstock schema``: the JSON Schemas of scenarios and studies, for editors."""

from pathlib import Path
from typing import Annotated, Literal

from penstock import _core
from penstock.cli.console import emit
from penstock.cli.verb import argument, option
from penstock.errors import InputError
from penstock.printable import json_text
from penstock.schemas import document_schema, study_schema


def schema(
    of: Annotated[
        Literal["scenario", "study", "document"],
        argument("KIND", "scenario (the default), study, or document (the document.toml of a published study)."),
    ] = "scenario",
    *,
    use: Annotated[
        Path | None, option("--use FILE.py", "Add the components of a Python file, for scenarios that use it.")
    ] = None,
) -> None:
    """Show the JSON Schema of scenarios or studies.

    With it, an editor completes keys, shows what they mean, and marks mistakes.
    """
    if of == "scenario":
        try:
            emit(_core.json_schema() if use is None else _core.json_schema(use))
        except ValueError as error:
            raise InputError(str(error)) from None
        return
    emit(json_text(study_schema() if of == "study" else document_schema()))
