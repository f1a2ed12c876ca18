"""``penstock schema``: the JSON Schemas of scenarios and studies, for editors."""

from pathlib import Path
from typing import Annotated, Any, Literal

from penstock import _core
from penstock.cli.console import emit
from penstock.cli.verb import argument, option
from penstock.errors import InputError
from penstock.printable import json_text
from penstock.reproductions.folder.content import FREE, INNER, SECTIONS, SINGLE
from penstock.studies.sections import METHODS


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
_TEXT = {"type": "string", "minLength": 1}
_TEXTS = {"anyOf": [_TEXT, {"type": "array", "items": _TEXT, "minItems": 1}]}
_COUNT = {"type": "integer", "minimum": 1}
_SETTINGS = {"type": "object", "minProperties": 1}
_EXPRESSION = {"type": ["string", "number"]}


def study_schema() -> dict[str, Any]:
    """The JSON Schema of a study file."""
    properties = {key: {"description": text, **kind} for key, (text, kind) in _study_keys().items()}
    return {
        "$schema": _DIALECT,
        "title": "A Penstock study",
        **_closed(properties, ["scenario"]),
        "$defs": {
            # The path of a setting may be written as nested tables, so values occur at any depth.
            "lists": _nested({"type": "array", "minItems": 1}, "lists"),
            "expressions": _nested(_EXPRESSION, "expressions"),
            "ranges": _nested({"type": ["string", "array"]}, "ranges"),
        },
    }


def document_schema() -> dict[str, Any]:
    """The JSON Schema of ``document.toml`` in a study's folder."""
    inner = {name for names in INNER.values() for name in names}
    properties: dict[str, Any] = dict.fromkeys(FREE, _SETTINGS)
    for name in SECTIONS:
        if name not in inner:
            table = _section(name)
            properties[name] = table if name in SINGLE else {"type": "array", "items": table, "minItems": 1}
    properties |= {"print": {"type": "object"}, "quantity": {"type": "array", "items": {"type": "object"}}}
    return {"$schema": _DIALECT, "title": "A table of a paper as a study", **_closed(properties, ["document", "table"])}


def _study_keys() -> dict[str, tuple[str, dict[str, Any]]]:
    lists, expressions = {"$ref": "#/$defs/lists"}, {"$ref": "#/$defs/expressions"}
    seed = {"type": "integer", "minimum": 0, "maximum": 2**63 - 1}
    tables = {"type": "array", "items": _SETTINGS}
    when = _closed(
        {
            "if": {"description": "The condition, over the values of all points.", **_TEXT},
            "set": {"description": "Settings that are the same at all of these points.", **_SETTINGS},
            "grid": {"description": "Lists of values; every combination is a point.", **lists},
            "derived": {"description": "Settings that are computed from others.", **expressions},
        },
        ["if"],
    )
    precision = _closed(
        {"metric": _TEXT, "half-width": _TEXT, "least": {"type": "integer", "minimum": 2}, "most": _COUNT},
        ["metric", "half-width"],
    )
    found = _closed({"mser-5": _TEXT, "windows": _COUNT}, ["mser-5"])
    compare = _closed(
        {"parameter": _TEXT, "baseline": {}, "metrics": {"type": "array", "items": _TEXT, "minItems": 1}},
        ["parameter", "baseline", "metrics"],
    )
    sensitivity = _closed(
        {"method": {"enum": list(METHODS)}, "samples": _COUNT, "metrics": _TEXTS, "second-order": {"type": "boolean"}},
        [],
    )
    search = _closed(
        {
            **dict.fromkeys(("minimise", "maximise", "subject-to"), _TEXTS),
            **dict.fromkeys(("trials", "finalists", "fresh"), _COUNT),
        },
        [],
    )
    return {
        "description": ("A sentence for people.", _TEXT),
        "scenario": ("The scenario's file; its path begins in this file's folder.", _TEXT),
        "runs": ("Number of runs per point; 5 by default.", _COUNT),
        "seed": ("Root of the random numbers of all points; by default the scenario's.", seed),
        "set": ("Settings that are the same at all points.", _SETTINGS),
        "grid": ("Lists of values; every combination is a point.", lists),
        "zip": (
            "Lists of one length: the first values go together, then the second ones, and so on.",
            {"anyOf": [lists, {"type": "array", "items": lists}]},
        ),
        "list": ("Points, each with a value for every name.", tables),
        "when": ("Settings of points that meet a condition.", {"type": "array", "items": when}),
        "where": ("Conditions; points that miss one are left out.", _TEXTS),
        "derived": ("Settings or auxiliary values that are computed from others.", expressions),
        "warm-up": ("A time, or the metric by which to find it.", {"anyOf": [_TEXT, found]}),
        "precision": ("Runs per point until a mean is precise enough.", precision),
        "metrics": ("Numbers that are computed in each run.", {"type": "object", "additionalProperties": _TEXT}),
        "compare": ("Paired differences wherever all other parameters agree.", compare),
        "ranges": ("Ranges of a sensitivity study or a search.", {"$ref": "#/$defs/ranges"}),
        "sensitivity": ("Which of the ranges matter.", sensitivity),
        "search": ("Which values in the ranges are best.", search),
    }


def _nested(value: dict[str, Any], name: str) -> dict[str, Any]:
    below = {"anyOf": [value, {"$ref": f"#/$defs/{name}"}]}
    return {"type": "object", "minProperties": 1, "additionalProperties": below}


def _section(name: str) -> dict[str, Any]:
    keys = SECTIONS[name]
    properties = {key.removesuffix("?"): _of_kind(key.removesuffix("?"), kind) for key, kind in keys.items()}
    return _closed(properties, [key for key in keys if not key.endswith("?")])


def _of_kind(key: str, kind: str) -> dict[str, Any]:
    if kind == "tables" and key in SECTIONS:
        return {"type": "array", "items": _section(key)}
    kinds: dict[str, dict[str, Any]] = {
        "text": {"type": "string"},
        "number": {"type": "number"},
        "count": {"type": "integer", "minimum": 1, "maximum": 2**31 - 1},
        "flag": {"type": "boolean"},
        "table": {"type": "object"},
        "tables": {"type": "array", "items": {"type": "object"}},
        "texts": {"type": "array", "items": {"type": "string"}},
        "any": {},
    }
    return {"enum": ["key", "value"]} if key == "role" else kinds[kind]


def _closed(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
