from __future__ import annotations

from pathlib import Path

import pytest

import penstock.components
from penstock import generate, reference


def test_the_committed_classes_are_those_of_the_core():
    assert Path(penstock.components.__file__).read_text() == generate.module(reference.catalogue()), (
        "run python -m penstock.generate"
    )


def parameter(key, kind, *, required=False, choices=(), **more):
    words = {"choices": [{"word": word, "doc": f"Means {word}."} for word in choices]} if choices else {}
    return {"key": key, "doc": f"What {key} is.", "kind": kind, "range": "some", "required": required, **words, **more}


def test_a_generated_module_works():
    parameters = [
        parameter("lambda", "quantity", default="1 s"),
        parameter("how", "choice", choices=("a", "b"), default="b"),
        parameter("much", "number", default="1/30"),
        parameter("many", "integer", default="64"),
        parameter("on", "switch", default="true"),
        parameter("left-out", "quantity"),
        parameter("needed", "list", required=True, items={"kind": "number"}),
    ]
    component = {
        "name": "two-words",
        "summary": "",
        "doc": "A thing.\n\nMore.\n\n## Decides\nNot this.",
        "parameters": parameters,
    }
    twin = {**component, "name": "twin", "parameters": []}
    keyword = {**twin, "name": "none"}
    components = {"meter": [component], "source": [twin], "transport": [twin], "arrival": [keyword]}
    made = {}
    exec(compile(generate.module({"components": components}), "made", "exec", dont_inherit=True), made)
    assert {"TwinSource", "TwinTransport", "NoneArrival"} <= made.keys()
    thing = made["TwoWords"](needed=[1])
    assert (thing.KIND, thing.KEY) == ("meter", "two-words")
    assert (thing.lambda_, thing.how, thing.much, thing.many, thing.on, thing.left_out) == (
        "1 s",
        "b",
        "1/30",
        64,
        True,
        None,
    )
    assert thing.table() == {"needed": [1]}
    assert made["TwoWords"](needed=[], lambda_="2 s", left_out="1").table() == {
        "needed": [],
        "lambda": "2 s",
        "left-out": "1",
    }
    assert "Not this." not in made["TwoWords"].__doc__
    for wrong in ({}, {"needed": 1}, {"needed": [[]]}, {"needed": [1], "how": "c"}):
        with pytest.raises(ValueError, match="TwoWords"):
            made["TwoWords"](**wrong)
