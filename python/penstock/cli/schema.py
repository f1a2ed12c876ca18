"""``penstock schema``: the JSON Schemas of scenarios and studies, for editors."""

from enum import StrEnum
from typing import Annotated

import typer

__all__ = ["schema"]


class Kind(StrEnum):
    """What a schema is of."""

    SCENARIO = "scenario"
    STUDY = "study"
    DOCUMENT = "document"


def schema(
    of: Annotated[
        Kind,
        typer.Argument(
            help="Of what: a scenario, a study file, or the document.toml of a published study.", metavar="[KIND]"
        ),
    ] = Kind.SCENARIO,
) -> None:
    """Show a JSON Schema for editors: of scenarios or studies.

    An editor that knows it completes keys, shows what they mean and underlines what cannot be.
    """
    from penstock.cli.console import emit

    if of is Kind.SCENARIO:
        from penstock import _core

        emit(_core.json_schema())
        return
    from penstock.printable import json_text
    from penstock.schemas import document_schema, study_schema

    emit(json_text(study_schema() if of is Kind.STUDY else document_schema()))
