"""Settings of some points only, settings that overwrite each other, and settings without effect at some points."""

from __future__ import annotations

import json

import pytest
from one_link import one_link

import penstock as ps
from penstock.cli.files import read_text
from penstock.errors import ArgumentError, ScenarioError
from penstock.studies.file import read_study

SCENARIO = one_link({"load": 'poisson = { rate = "9 Mbit/s", packet = "500 bytes" }'}, [("queue", 'of = "a-b"')])
HEAD = 'scenario = "page.toml"\nruns = 2\n'
RED = '{ red = { min-threshold = "5 packets", max-threshold = "15 packets", max-probability = 0.1 } }'
DISCIPLINES = f"""
[[zip]]
discipline = ["tail drop", "RED", "CoDel"]
a-b.queue = [{{ tail-drop = {{}} }}, {RED}, {{ codel = {{}} }}]
"""


@pytest.fixture
def plan(tmp_path):
    """Reads a study of the scenario above; gives its plan."""
    (tmp_path / "page.toml").write_text(SCENARIO)

    def read(text, override=None):
        return read_study(HEAD + text, tmp_path / "s.toml", read_text, override)

    return read


def mistakes(plan, text):
    with pytest.raises(ScenarioError) as error:
        plan(text).read()
    return [(found["line"], found["path"], found["message"]) for found in error.value.mistakes]


def test_a_buffer_varies_for_one_discipline_only(plan):
    study = plan(
        f"""{DISCIPLINES}
[[when]]
if = "discipline == 'tail drop'"
[when.grid]
a-b.queue.tail-drop.limit = ["10 packets", "20 packets"]
[[when]]
if = "discipline == 'RED'"
set.a-b.queue.red.limit = "30 packets"
derived.a-b.delay = "2 * 1 ms"
"""
    )
    assert [
        (point.parameters["discipline"], dict(point.sets).get("a-b.queue.tail-drop.limit")) for point in study.points
    ] == [
        ("tail drop", "10 packets"),
        ("tail drop", "20 packets"),
        ("RED", None),
        ("CoDel", None),
    ]
    assert [dict(point.sets).get("a-b.delay") for point in study.points] == [None, None, "2 ms", None]
    limits = [json.loads(each.scenario.canonical)["links"][0]["queue"] for each in study.read()]
    assert [list(queue) for queue in limits] == [["tail-drop"], ["tail-drop"], ["red"], ["codel"]]
    assert [queue.get("tail-drop", {}).get("limit") for queue in limits[:2]] == ["10 packets", "20 packets"]
    assert limits[2]["red"]["limit"] == "30 packets"


def test_a_condition_sees_derived_values_and_the_scenario(plan):
    study = plan(
        """
[grid]
n = [1, 2, 3]
[derived]
twice = "2 * n"
[[when]]
if = "twice > 2 and a-b.rate > 1 Mbit/s"
derived.a-b.delay = "twice * 1 ms"
"""
    )
    assert [dict(point.sets) for point in study.points] == [{}, {"a-b.delay": "4 ms"}, {"a-b.delay": "6 ms"}]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[[when]]\nset.a-b.rate = '1 Mbit/s'\n", (3, "when[0].if", "needs a condition in quotes")),
        ("[[when]]\nif = '1 < 2'\n", (3, "when[0]", "sets nothing")),
        ("[[when]]\nif = '1 < 2'\nvary.a-b.rate = [1]\n", (5, "when[0].vary", "unknown key 'vary' (when has if, set,")),
        ("when = 3\n", (3, "when", "needs tables, [[when]]")),
        ("[[when]]\nif = '1 + 2'\nset.a-b.rate = 1\n", (4, "when[0].if", "is no condition")),
        ("[[when]]\nif = 'n < 2'\nset.a-b.rate = 1\n", (4, "when[0].if", "'n' is unknown")),
        ("[[when]]\nif = '1 < 2'\n[when.grid]\na-b.rate = 3\n", (6, "when[0].grid.a-b.rate", "needs a list of values")),
        (
            "[set]\na-b.rate = '1 Mbit/s'\n[[when]]\nif = '1 < 2'\nset.a-b.rate = '2 Mbit/s'\n",
            (7, "when[0].set.a-b.rate", "is set in set too; a name has its values in one place"),
        ),
        (
            "[grid]\nn = [1, 2]\n[[when]]\nif = 'n < 2'\nset.a-b.rate = '1 Mbit/s'\n"
            "[[when]]\nif = 'n < 3'\nset.a-b.rate = '2 Mbit/s'\n",
            (10, "when[1].set.a-b.rate", "is set in when[0] too, and both conditions hold (at n = 1)"),
        ),
        (
            "[[when]]\nif = '1 < 2'\nderived.a-b.delay = 'm'\n",
            (5, "when[0].derived.a-b.delay", "'m' is unknown"),
        ),
        (
            "[ranges]\na-b.rate = '1 Mbit/s..2 Mbit/s'\n[[when]]\nif = '1 < 2'\nset.a-b.delay = '1 ms'\n",
            (5, "when", "cannot vary together with ranges"),
        ),
    ],
)
def test_mistakes_in_conditions_have_their_line(plan, text, found):
    ((line, path, message), *others) = mistakes(plan, text)
    assert not others
    assert (line, path) == found[:2]
    assert found[2] in message


TWICE = "'a-b.rate' = ['1 Mbit/s'], a-b.rate = ['2 Mbit/s']"


@pytest.mark.parametrize("part", ["set", "grid", "when.grid"])
def test_a_name_with_and_without_quotes_is_set_twice(plan, part):
    text = f"when = [{{ if = '1 < 2', grid = {{ {TWICE} }} }}]" if part == "when.grid" else f"{part} = {{ {TWICE} }}"
    [(_, path, message)] = mistakes(plan, f"{text}\n")
    assert path == f"{part.replace('when', 'when[0]')}.a-b.rate"
    assert message == "is set twice, with and without quotes; leave one of them out"


def test_what_a_condition_sets_cannot_be_replaced_on_the_command_line(plan):
    with pytest.raises(ps.errors.InputError, match=r"--set a-b.rate: is set in when of the study"):
        plan("[[when]]\nif = '1 < 2'\nset.a-b.rate = '1 Mbit/s'\n", {"a-b.rate": "2 Mbit/s"})


# Settings that overwrite each other


@pytest.mark.parametrize(
    ("text", "line", "path", "other"),
    [
        (
            f"{DISCIPLINES}[derived]\na-b.queue.tail-drop.limit = '20 packets * 1'\n",
            8,
            "a-b.queue.tail-drop.limit",
            "a-b.queue",
        ),
        (
            f"{DISCIPLINES}[grid]\na-b.queue.tail-drop.limit = ['1 packet']\n",
            8,
            "a-b.queue.tail-drop.limit",
            "a-b.queue",
        ),
        (f"[set]\na-b.queue.tail-drop.limit = '9 packets'\n{DISCIPLINES}", 8, "a-b.queue", "a-b.queue.tail-drop.limit"),
        ("[set]\na-b.rate = '1 Mbit/s'\n[grid]\nlinks.a-b.rate = ['2 Mbit/s']\n", 6, "links.a-b.rate", "a-b.rate"),
    ],
)
def test_two_settings_of_one_point_that_overwrite_each_other_are_a_mistake(plan, text, line, path, other):
    found = mistakes(plan, text)
    assert found[0][:2] == (line, path)
    assert f"replaces what '{other}' sets" in found[0][2]


@pytest.mark.parametrize(
    ("top", "place"),
    [("warm-up = '0.1 s'\n", "warm-up"), ("warm-up = { mser-5 = 'queue' }\n", "warm-up"), ("seed = 3\n", "seed")],
)
def test_keys_at_the_top_of_a_study_are_no_settings_too(plan, top, place):
    value = "[7]" if place == "seed" else "['0.2 s']"
    ((_, path, message),) = mistakes(plan, f"{top}[grid]\n{place} = {value}\n")
    assert path == f"grid.{place}"
    assert message.startswith("is set at the top of the study too")


def test_the_same_on_the_command_line(penstock, tmp_path):
    (tmp_path / "page.toml").write_text(SCENARIO)
    sets = ("--set", f"a-b.queue={{ tail-drop = {{}} }},{RED}", "--set", "a-b.queue.tail-drop.limit=20 packets")
    for verb in ("run", "check"):
        code, out, err = penstock(verb, "page.toml", *sets)
        assert (code, out) == (2, "")
        assert err.startswith("--set a-b.queue.tail-drop.limit: replaces what 'a-b.queue' sets;")
    code, _, err = penstock("run", "page.toml", "--seed", "3", "--set", "seed=4")
    assert code == 2
    assert "--seed: seed is a setting of the points too" in err


def link(queue=None):
    net = ps.Network()
    a, b = net.node("a"), net.node("b")
    net.link(a, b, rate="10 Mbit/s", delay="1 ms", queue=queue)
    net.flows("load", a, b, source=ps.PoissonSource(rate="9 Mbit/s", packet="500 bytes"))
    net.measure("queue", of="a-b")
    return ps.Study(net, duration="0.2 s", name="here").runs(2)


def test_the_same_in_python(tmp_path):
    queues = {"discipline": ["tail drop", "CoDel"], "a-b.queue": [{"tail-drop": {}}, {"codel": {}}]}
    study = link().vary_together(queues)
    with pytest.raises(ScenarioError, match=r"a-b.queue.tail-drop.limit: replaces what 'a-b.queue' sets"):
        study.derive("a-b.queue.tail-drop.limit", "20 packets * 1").plan().read()
    limits = {"a-b.queue.tail-drop.limit": ["2 packets", "20 packets"]}
    frame = study.when("discipline == 'tail drop'", vary=limits).run(store=ps.Store(tmp_path / "store"))
    assert frame["discipline"].to_list() == ["tail drop", "tail drop", "CoDel"]
    assert frame["a-b.queue.tail-drop.limit"].to_list() == ["2 packets", "20 packets", None]
    assert frame["mean"].n_unique() == 3
    with pytest.raises(ArgumentError, match="when: sets nothing"):
        study.when("1 < 2")
    with pytest.raises(ArgumentError, match=r"when: a-b.rate needs a list"):
        study.when("1 < 2", vary={"a-b.rate": "1 Mbit/s"})
    assert "when discipline" in study.when("discipline == 'CoDel'", fix={"a-b.delay": "2 ms"})._repr_html_()


# Without effect


TCP = one_link(
    {"f": 'ftp = {}\ntransport.tcp = { ack-every = 2, ack-delay = "50 ms" }'},
    [("goodput", 'of = "f"')],
    duration="0.2 s",
    limit=None,
    both_ways=True,
)


def test_what_has_no_effect_at_some_points_is_said_once(penstock, tmp_path):
    (tmp_path / "f.toml").write_text(TCP)
    sweep = ("f.toml", "--set", "f.transport.tcp.ack-every=1,2,3", "--set", "a-b.rate=10 Mbit/s,20 Mbit/s")
    for command in (
        ("check", *sweep),
        ("run", *sweep, "--runs", "1"),
        ("run", *sweep, "--runs", "1", "--on", "processes"),
    ):
        code, out, err = penstock(*command)
        assert code == 0, err
        warnings = [line for line in err.splitlines() if line.startswith("warning: ")]
        assert len(warnings) == 1
        assert warnings[0].startswith("warning: f.toml:18: flows[0].transport.tcp.ack-delay: has no effect while every")
        assert warnings[0].endswith("(at 2 of 6 points)")
    assert "6 runs of 6 points" in out
    code, out, err = penstock("verify", "--sample", "all")
    assert code == 0, out + err
    code, _, err = penstock(
        "run", "f.toml", "--set", "f.transport.tcp.ack-every=1", "--set", "a-b.rate=1 Mbit/s,2 Mbit/s"
    )
    assert code == 2
    assert "f.toml:18: flows[0].transport.tcp.ack-delay: has no effect while" in err
    assert "1 mistake, nothing was run." in err


def test_points_at_which_a_setting_has_no_effect_are_one_run(penstock, tmp_path):
    (tmp_path / "f.toml").write_text(TCP)
    sweep = ("f.toml", "--set", "f.transport.tcp.ack-every=1,2", "--set", "f.transport.tcp.ack-delay=10 ms,90 ms")
    code, out, _ = penstock("run", *sweep, "--runs", "1", "--dry-run")
    assert code == 0
    assert "4 points, 4 runs: 0 in the store, 1 the same as others, 3 to be made" in out
