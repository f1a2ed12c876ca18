from __future__ import annotations

from pathlib import Path

import pytest

from penstock import _core, components, generate, reference


@pytest.mark.skipif(_core.MODEL_VERSION == "fake", reason="needs the core")
def test_the_committed_classes_are_those_of_the_core():
    assert Path(components.__file__).read_text() == generate.module(reference.catalogue()), (
        "run python -m penstock.generate"
    )


def parameter(name, kind, default=None, *, optional=False, choices=()):
    key = name.replace("_", "-")
    words = [{"word": word, "doc": f"Means {word}."} for word in choices]
    return {
        **{"key": key, "name": name, "doc": f"What {key} is.", "kind": kind, "example": None, "range": "some"},
        **{"default": default, "optional": optional, "choices": words},
    }


def test_a_generated_module_works():
    parameters = [
        parameter("lambda", "quantity", "1 s"),
        parameter("how", "choice", "b", choices=("a", "b")),
        parameter("much", "number", "1/30"),
        parameter("many", "integer", "64"),
        parameter("on", "switch", "true"),
        parameter("left_out", "quantity", optional=True),
        parameter("needed", "list"),
    ]
    component = {
        "name": "two-words",
        "summary": "",
        "doc": "A thing.\n\nMore.\n\n## Decides\nNot this.",
        "parameters": parameters,
    }
    twins = [
        {"kind": kind, "key": kind, "components": [{**component, "name": "twin", "parameters": []}]}
        for kind in ("x", "y")
    ]
    kinds = [{"kind": "meter", "key": "marker", "components": [component]}, *twins]
    made = {}
    exec(generate.module({"kinds": kinds, "metrics": []}), made)
    assert {"TwinX", "TwinY"} <= made.keys()
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
    with pytest.raises(ValueError, match="needed"):
        made["TwoWords"]()
