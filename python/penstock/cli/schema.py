"""``penstock schema``: the JSON Schemas of scenarios and studies, for editors."""

import json
from pathlib import Path
from typing import Annotated, Any, Literal

from penstock import _core, studies
from penstock.cli.console import emit
from penstock.cli.verb import argument, option
from penstock.errors import InputError
from penstock.printable import json_text
from penstock.records import MOST_RUNS
from penstock.reproductions.folder.content import FREE, INNER, SECTIONS, SINGLE


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


_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_SETTINGS = {"type": "object", "minProperties": 1}
_STUDY = Path(studies.__file__).with_name("study.schema.json")


def study_schema() -> dict[str, Any]:
    """The JSON Schema of a study file, in which the path of a setting may be written as nested tables."""
    schema: dict[str, Any] = json.loads(_STUDY.read_text(encoding="utf-8"))
    return schema


def document_schema() -> dict[str, Any]:
    """The JSON Schema of ``document.toml`` in a study's folder."""
    inner = {name for names in INNER.values() for name in names}
    properties: dict[str, Any] = dict.fromkeys(FREE, _SETTINGS)
    for name in SECTIONS:
        if name not in inner:
            table = _section(name)
            properties[name] = table if name in SINGLE else {"type": "array", "items": table, "minItems": 1}
    return {"$schema": _DIALECT, "title": "A table of a paper as a study", **_closed(properties, ["document", "table"])}


def _section(name: str) -> dict[str, Any]:
    keys = SECTIONS[name]
    properties = {key.removesuffix("?"): _of_kind(key.removesuffix("?"), kind) for key, kind in keys.items()}
    return _closed(properties, [key for key in keys if not key.endswith("?")])


def _of_kind(key: str, kind: str) -> dict[str, Any]:
    if kind == "tables" and key in SECTIONS:
        return {"type": "array", "items": _section(key), "minItems": 1}
    texts = {"type": "array", "items": {"type": "string"}}
    kinds: dict[str, dict[str, Any]] = {
        "text": {"type": "string"},
        "number": {"type": "number"},
        "count": {"type": "integer", "minimum": 1, "maximum": MOST_RUNS},
        "decimals": {"type": "integer", "minimum": 0},
        "flag": {"type": "boolean"},
        "table": {"type": "object"},
        "tables": {"type": "array", "items": {"type": "object"}, "minItems": 1},
        "texts": texts,
        "columns": {"anyOf": [texts, {"type": "object", "additionalProperties": {"type": "string"}}]},
        "swaps": {"type": "object", "additionalProperties": {"type": "object"}},
        "cells": {"type": "object", "additionalProperties": {"type": ["string", "number"]}},
        "pairs": {"type": "object", "additionalProperties": {"type": "string"}},
        "answers": {"type": "array", "items": {"type": "string", "pattern": "="}, "minItems": 2, "maxItems": 2},
    }
    return {"enum": ["key", "value"]} if key == "role" else kinds[kind]


def _closed(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
