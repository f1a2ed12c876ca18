from __future__ import annotations

import ast
import inspect
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import get_args

import pytest

import penstock.components
from penstock import generate, reference, toml
from penstock.component import aliases, entries, made


def test_the_committed_stub_is_that_of_the_core():
    file = Path(penstock.components.__file__).with_suffix(".pyi")
    assert file.read_text() == generate.stub(reference.catalogue()), "run python -m penstock.generate"


def test_the_package_exports_the_classes():
    assert set(penstock.components.__all__) < set(penstock.__all__)
    assert set(dir(penstock.components)) == set(penstock.components.__all__)
    with pytest.raises(AttributeError, match="no attribute 'Rde'"):
        penstock.components.Rde  # noqa: B018


def test_editors_are_told_what_the_classes_have(tmp_path):
    """The stub, which editors and type checkers read, agrees with the classes at run time."""
    stub = ast.parse(Path(penstock.components.__file__).with_suffix(".pyi").read_text())
    for node in stub.body:
        if isinstance(node, ast.ClassDef):
            made = getattr(penstock.components, node.name)
            assert inspect.getdoc(made) == ast.get_docstring(node)
            [init] = [each for each in node.body if isinstance(each, ast.FunctionDef)]
            values = [None if each is None else ast.literal_eval(each) for each in init.args.kw_defaults]
            shown = inspect.signature(made).parameters.values()
            assert [each.arg for each in init.args.kwonlyargs] == [each.name for each in shown]
            assert values == [None if each.default is each.empty else each.default for each in shown]
    program = tmp_path / "program.py"
    program.write_text(
        'import penstock as ps\nps.TailDrop(limit="9 packets")\nps.TailDrop(limt=9)\nps.Cbr(rate="1 Mbit/s")\n'
    )
    done = subprocess.run([sys.executable, "-m", "mypy", program], capture_output=True, text=True, check=False)
    assert [line.partition("error: ")[2] for line in done.stdout.splitlines() if "error: " in line] == [
        'Unexpected keyword argument "limt" for "TailDrop"; did you mean "limit"?  [call-arg]',
        'Missing named argument "packet" for "Cbr"  [call-arg]',
    ]


def classes(everything):
    """The classes and aliases of a catalogue."""
    return {name: made(name, everything) for name in (*entries(everything), *aliases(everything))}


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
    built = classes({"components": components})
    assert {"TwinSource", "TwinTransport", "NoneArrival"} <= built.keys()
    thing = built["TwoWords"](needed=[1])
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
    assert built["TwoWords"](needed=[], lambda_="2 s", left_out="1").table() == {
        "needed": [],
        "lambda": "2 s",
        "left-out": "1",
    }
    assert "Not this." not in built["TwoWords"].__doc__
    for wrong in ({}, {"needed": 1}, {"needed": [[]]}, {"needed": [1], "how": "c"}):
        with pytest.raises(ValueError, match="TwoWords"):
            built["TwoWords"](**wrong)


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
def nested():
    return SimpleNamespace(**classes({"components": dict(reversed(NESTED.items()))}))


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
    assert [each.__name__ for each in get_args(nested.AnyScheduler)[:-1]] == ["FqCodel"]


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
