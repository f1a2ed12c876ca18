from __future__ import annotations

import importlib.util
import tomllib
from pathlib import Path

import pytest

import penstock.components
from penstock import generate, reference, toml


def test_the_committed_classes_are_those_of_the_core():
    assert Path(penstock.components.__file__).read_text() == generate.module(reference.catalogue()), (
        "run python -m penstock.generate"
    )


def test_the_package_exports_the_committed_classes():
    file = Path(penstock.components.__file__)
    assert file.with_name("exports.py").read_text() == generate.exports(file.read_text())
    assert set(penstock.components.__all__) < set(penstock.__all__)


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


def component(name, *parameters):
    return {"name": name, "summary": "", "doc": f"The {name}.", "parameters": list(parameters)}


NESTED = {
    "queue-rule": [component("codel", parameter("target", "quantity", default="5 ms")), component("red")],
    "scheduler": [
        component(
            "fq-codel",
            parameter("queue", "component", of="queue-rule", names=["codel", "red"], default="codel"),
            parameter("new-queue", "component", of="queue-rule", names=["codel", "red"]),
        )
    ],
    "tree": [component("root", parameter("below", "component", required=True, of="scheduler", names=["fq-codel"]))],
}


@pytest.fixture
def nested(tmp_path):
    text = generate.module({"components": dict(reversed(NESTED.items()))})
    file = tmp_path / "nested.py"
    file.write_text(text)
    found = importlib.util.spec_from_file_location("nested", file)
    made = importlib.util.module_from_spec(found)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(__import__("sys").modules, "nested", made)
        found.loader.exec_module(made)
        yield made


def test_a_parameter_may_be_a_component(nested):
    fair = nested.FqCodel(queue=nested.Codel(target="20 ms"))
    assert fair.table() == {"queue": {"codel": {"target": "20 ms"}}}
    assert nested.FqCodel().table() == {}
    assert nested.FqCodel(queue="codel", new_queue=nested.Red()).table() == {"queue": "codel", "new-queue": {"red": {}}}
    whole = nested.Root(below=fair).table()
    assert whole == {"below": {"fq-codel": {"queue": {"codel": {"target": "20 ms"}}}}}
    assert tomllib.loads(f"tree = {toml.value(whole)}")["tree"] == whole
    for wrong in ({}, {"below": "codel"}, {"below": nested.Codel()}, {"below": {"fq-codel": {}}}):
        with pytest.raises(ValueError, match="Root"):
            nested.Root(**wrong)
    assert "AnyScheduler" in nested.__all__


def test_pages_show_the_values_of_their_own_examples():
    [page] = reference.pages("red")
    assert "- `max-threshold` (quantity; such as 40 packets; " in page
    [page] = reference.pages("tail-drop")
    assert "such as 60 packets" in page
    # Another unit means another quantity of that name.
    assert reference._used("rate", "1.5 Mbit/s", '## Example\nrate = "3 ms"') == "1.5 Mbit/s"
    assert reference._used("rate", "1.5 Mbit/s", '## Example\npeak-rate = "3 Mbit/s", rate = "2 Mbit/s"') == "2 Mbit/s"


def test_pages_say_where_nested_kinds_stand():
    assert reference.places({"components": NESTED}) == {
        "queue-rule": ["scheduler.fq-codel.queue", "scheduler.fq-codel.new-queue"],
        "scheduler": ["scheduler"],
        "tree": [],
    }
