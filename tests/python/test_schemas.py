"""The JSON Schemas of study files and of ``document.toml`` accept what the readers accept."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import jsonschema
import pytest

from penstock.cli.schema import document_schema, study_schema
from penstock.reproductions.folder.content import SECTIONS
from penstock.studies import file
from penstock.studies.derived import WHEN_KEYS
from penstock.studies.sections import AIMS, METHODS

ROOT = Path(__file__).parents[2]


def studies():
    """All study files of the examples, and those on pages."""
    for path in sorted((ROOT / "examples").rglob("*.toml")):
        if path.name != "document.toml" and file.is_study(path.read_text()):
            yield pytest.param(path.read_text(), id=path.name)
    for page in sorted((ROOT / "docs").glob("*.md")):
        for number, block in enumerate(re.findall(r"^```toml\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)):
            if re.search(r"^scenario = \"\w+\.toml\"", block, re.MULTILINE):
                yield pytest.param(block, id=f"{page.name}-{number}")


def faults(schema, content):
    return list(jsonschema.Draft202012Validator(schema).iter_errors(content))


@pytest.mark.parametrize("text", list(studies()))
def test_every_study_of_the_examples_and_pages_is_of_the_schema(text):
    assert faults(study_schema(), tomllib.loads(text)) == []


def test_the_example_of_a_folder_is_of_the_schema():
    text = (ROOT / "examples" / "studies" / "buffer-sizing" / "document.toml").read_text()
    assert faults(document_schema(), tomllib.loads(text)) == []


def test_every_key_of_a_study_has_its_schema():
    schema = study_schema()
    assert set(schema["properties"]) == set(file.KEYS)
    assert set(schema["properties"]["when"]["items"]["properties"]) == set(WHEN_KEYS)
    assert set(AIMS) < set(schema["properties"])
    assert all(each["description"] for each in schema["properties"].values())
    assert schema["properties"]["sensitivity"]["properties"]["method"]["enum"] == list(METHODS)


def test_every_key_of_a_document_has_its_schema():
    schema = document_schema()
    tables = {name: schema["properties"][name] for name in SECTIONS if name in schema["properties"]}
    tables = {name: table.get("items", table) for name, table in tables.items()}
    tables["columns"] = tables["table"]["properties"]["columns"]["items"]
    tables["options"] = tables["ambiguity"]["properties"]["options"]["items"]
    assert set(tables) == set(SECTIONS)
    for name, keys in SECTIONS.items():
        assert set(tables[name]["properties"]) == {key.removesuffix("?") for key in keys}
        assert set(tables[name]["required"]) == {key for key in keys if not key.endswith("?")}


@pytest.mark.parametrize(
    "text",
    [
        "runs = 3",
        'scenario = "a.toml"\nruns = 0',
        'scenario = "a.toml"\ngrd = {}',
        'scenario = "a.toml"\n[grid]\na.b = 3',
        'scenario = "a.toml"\n[[when]]\nset.a.b = 3',
        'scenario = "a.toml"\n[[when]]\nif = "1 < 2"\nvary.a.b = [3]',
        'scenario = "a.toml"\n[precision]\nmetric = "goodput"',
        'scenario = "a.toml"\n[sensitivity]\nmethod = "guess"',
    ],
)
def test_what_the_reader_refuses_by_its_form_is_refused(text):
    assert faults(study_schema(), tomllib.loads(text))


def test_the_command_shows_all_three(penstock):
    for kind, schema in (("study", study_schema()), ("document", document_schema())):
        code, out, err = penstock("schema", kind)
        assert (code, err) == (0, "")
        assert json.loads(out) == schema
        jsonschema.Draft202012Validator.check_schema(schema)
    assert penstock("schema", "scenario")[1] == penstock("schema")[1]
    assert penstock("schema", "page")[0] == 2
