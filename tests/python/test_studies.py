"""Study files: varied and derived settings, and mistakes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from penstock.cli.files import read_text
from penstock.errors import InputError, ScenarioError
from penstock.studies.file import read_study

SCENARIO = """
duration = "1 s"
[nodes]
hosts = { count = 2 }
r = {}
sink = {}
[[links]]
from = "hosts"
to = "r"
rate = "10 Mbit/s"
delay = "1 ms"
[[links]]
from = "r"
to = "sink"
rate = "2 Mbit/s"
delay = "9 ms"
queue.tail-drop = { limit = "10 packets" }
[[flows]]
name = "load"
from = "hosts"
to = "sink"
source.poisson = { rate = "800 kbit/s", packet = "500 bytes" }
[[measure]]
metric = "delay"
of = "load"
[[measure]]
metric = "loss"
of = "load"
"""
RUNS = 'scenario = "page.toml"\nruns = 2\n'


@pytest.fixture
def study(tmp_path):
    """Reads a study of the scenario above; gives its plan."""
    (tmp_path / "page.toml").write_text(SCENARIO)

    def read(text, override=None, head=RUNS):
        return read_study(head + text, tmp_path / "s.toml", read_text, override)

    return read


@pytest.fixture
def wrong(study):
    """Gives the mistakes of a study, each as line, path and message."""

    def tell(text, head=RUNS):
        with pytest.raises(ScenarioError) as error:
            study(text, head=head).read()
        return [(found["line"], found["path"], found["message"]) for found in error.value.mistakes]

    return tell


@pytest.fixture
def penstock(penstock, tmp_path):
    """The command line, where the scenario is."""
    (tmp_path / "page.toml").write_text(SCENARIO)
    return penstock


# Points


def test_grid_zip_and_list_multiply(study):
    plan = study(
        """
[set]
load.source.poisson.packet = "250 bytes"
[[list]]
name = "small"
r-sink.queue.tail-drop.limit = "5 packets"
[[list]]
name = "large"
r-sink.queue.tail-drop.limit = "50 packets"
[zip]
r-sink.rate = ["2 Mbit/s", "4 Mbit/s"]
load.source.poisson.rate = ["800 kbit/s", "1600 kbit/s"]
[grid]
nodes.hosts.count = [1, 2]
"""
    )
    assert len(plan.points) == 8
    assert plan.points[5].parameters == {
        "name": "large",
        "r-sink.queue.tail-drop.limit": "50 packets",
        "r-sink.rate": "2 Mbit/s",
        "load.source.poisson.rate": "800 kbit/s",
        "nodes.hosts.count": 2,
    }
    assert dict(plan.points[5].sets) == {
        "load.source.poisson.packet": "250 bytes",
        "r-sink.queue.tail-drop.limit": "50 packets",
        "r-sink.rate": "2 Mbit/s",
        "load.source.poisson.rate": "800 kbit/s",
        "nodes.hosts.count": "2",
    }
    asked = plan.read()
    assert [each.replications for each in asked] == [(0, 1)] * 8
    # One sender of 800 kbit/s is half as much work as two.
    assert [each.hops for each in asked[:2]] == [2.4e6, 4.8e6]


def test_derived_values_see_parameters_each_other_and_the_scenario(study):
    plan = study(
        """
[grid]
factor = [0.5, 1]
[derived]
"r-sink.queue.tail-drop.limit" = "ceil(factor * bdp / (load.source.poisson.packet / 1 packet))"
bdp = "r-sink.rate * rtt"
rtt = "2 * (r-sink.delay + 1 ms)"
"""
    )
    # 2 Mbit/s x 20 ms = 40,000 bits; half of that is 5 packets of 500 bytes.
    assert [dict(point.sets) for point in plan.points] == [
        {"r-sink.queue.tail-drop.limit": "5 packets"},
        {"r-sink.queue.tail-drop.limit": "10 packets"},
    ]
    assert plan.points[0].parameters == {
        "factor": 0.5,
    }
    assert plan.points[0].derived == {
        "r-sink.queue.tail-drop.limit": "5 packets",
        "bdp": "5000 bytes",
        "rtt": "20 ms",
    }


def test_derived_values_see_all_digits_of_a_number(study):
    plan = study(
        """
[grid]
factor = [0.00000012, 0.3333333333]
[derived]
r-sink.rate = "factor * 10 Gbit/s"
"""
    )
    assert [dict(point.sets) for point in plan.points] == [
        {"r-sink.rate": "1.2 kbit/s"},
        {"r-sink.rate": "3.333333333 Gbit/s"},
    ]


def test_conditions_leave_points_out(study):
    plan = study(
        """
where = ["n * load.source.poisson.rate <= r-sink.rate", "mode == 'a' or n > 1"]
[grid]
n = [1, 2, 3]
mode = ["a", "b"]
[derived]
nodes.hosts.count = "n"
load.class = "mode"
""",
    )
    assert [(point.parameters["n"], point.parameters["mode"]) for point in plan.points] == [
        (1, "a"),
        (2, "a"),
        (2, "b"),
    ]


def test_a_buffer_of_the_bandwidth_delay_product_over_the_root_of_the_flows(study):
    plan = study(
        """
[grid]
n = [1, 4, 16]
[derived]
nodes.hosts.count = "n"
r-sink.queue.tail-drop.limit = "r-sink.rate * 20 ms / sqrt(n)"
"""
    )
    assert [dict(point.sets)["r-sink.queue.tail-drop.limit"] for point in plan.points] == [
        f"{size} bytes" for size in (5000, 2500, 1250)
    ]
    plan.read()


# Mistakes


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("list = []\n", (3, "list", "is empty, so there would be no point")),
        ("zip = []\n", (3, "zip", "is empty, so there would be no point")),
        ("[grid]\nr-sink.rate = []\n", (4, "grid.r-sink.rate", "is an empty list, so there would be no point")),
        ("[grid]\nr-sink.rate = '1 Mbit/s'\n", (4, "grid.r-sink.rate", "needs a list of values; put a fixed")),
        ("[grid]\nr-sink.rate = [1, 2, 1]\n", (4, "grid.r-sink.rate", "has 1 twice")),
        ("[grid]\n", (3, "grid", "is empty")),
        ("[zip]\na.b = [1]\na.c = [1, 2]\n", (3, "zip[0]", "needs lists of one length: a.b has 1, a.c has 2")),
        (
            "[grid]\nrate = [1, 2]\n",
            (4, "grid.rate", "changes nothing: no derived value and no condition of a [[when]] uses it, and it is no"),
        ),
        (
            "where = 'n > 1'\n[grid]\nn = [1, 2]\n",
            (5, "grid.n", "changes nothing: 'where' only leaves out points, no derived value and no condition of"),
        ),
        ("[grid]\na.b = [1]\n[set]\na.b = 2\n", (4, "grid.a.b", "is set in set too; a name has its values in one")),
        ("[grd]\na.b = [1]\n", (3, "grd", "unknown key 'grd'; did you mean 'grid'? (a study has description, ")),
        ("where = 'n > 9'\n[grid]\nn = [1]\n[derived]\nload.count = 'n'\n", (3, "where", "leaves out every point")),
        ("where = ['1']\n", (3, "where[0]", "is no condition; write one with <")),
        (
            "[derived]\na.b = 'c + 1'\nc = '2 * d'\nd = 'c'\n",
            (4, "derived.a.b", "goes round in a circle: a.b -> c -> d -> c"),
        ),
        (
            "[derived]\nr-sink.delay = 'tow'\n",
            (4, "derived.r-sink.delay", "'tow' is unknown: neither a parameter"),
        ),
        (
            "[derived]\nr-sink.delay = '1 ms * 1 ms'\n",
            (4, "derived.r-sink.delay", "1e-06 s^2 has a unit that no setting has"),
        ),
        ("[derived]\nr-sink.delay = '2 ms + 1'\n", (4, "derived.r-sink.delay", "1 cannot be added to 0.002 s")),
        ("[derived]\nr-sink.delay = [1]\n", (4, "derived.r-sink.delay", "is not an expression; write it in quotes")),
        (
            "[derived]\nr-sink.delay = 'r-sink.queue'\n",
            (4, "derived.r-sink.delay", "'r-sink.queue' is a table or a list"),
        ),
        ("[derived]\nr-sink.delay = '3 Mbit/s'\n", (4, "r-sink.delay", "unknown unit 'Mbit/s' in '3 Mbit/s'")),
        (
            "[grid]\nr-snk.rate = ['1 Mbit/s', '2 Mbit/s']\n",
            (4, "r-snk.rate", "unknown key, link or group of flows or calls"),
        ),
        ("[grid]\nr-sink.rate = ['1 Mbit/s', '2']\n", (4, "r-sink.rate", "2 has no unit; write")),
        (
            "[grid]\nr-sink.queue = [{tail-drop = {}}, {tail-drop = {limit = 20}}]\n",
            (4, "r-sink.queue.tail-drop.limit", "20 has no unit; write"),
        ),
        ("[set]\nmeasure = [{metric = 'loss', of = 'r-snk'}]\n", (4, "measure[0].of", "unknown")),
        ("[set]\nr-sink.rat = 1\n", (4, "r-sink.rat", "unknown key 'rat'; did you mean 'rate'?")),
        ("[grid]\nflows = [1, 2]\n", (4, "grid.flows", "changes nothing: no derived value and no condition of")),
        (
            "[grid]\nn = [2020-01-01]\n[derived]\nr-sink.delay = 'n * 1 ms'\n",
            (6, "derived.r-sink.delay", "'n' is 2020-01-01, no number, text or switch (at n = 2020-01-01)"),
        ),
        (
            "[grid]\nn = [inf]\n[derived]\nr-sink.delay = 'n * 1 ms'\n",
            (6, "derived.r-sink.delay", "'n' is inf, no finite number, text or switch"),
        ),
        ("list = 3\n", (3, "list", "needs tables, [[list]]")),
        ("set = 3\n", (3, "set", "needs a table, [set]")),
        ("where = 3\n", (3, "where", "needs conditions, such as")),
        ("description = 3\n", (3, "description", "needs a text in quotes")),
        ("seed = -1\n", (3, "seed", "needs a whole number, 0 or more")),
        ("duration = '2 s'\n", (3, "duration", "is a setting of the scenario; put it in [set]")),
        (
            "[grid]\nf = [1, 2]\n[derived]\nr-sink.queue.tail-drop.limit = 'f * 1 packet packet'\n",
            (6, "derived.r-sink.queue.tail-drop.limit", "unknown unit 'packet'"),
        ),
    ],
)
def test_mistakes_have_their_line(wrong, text, found):
    (line, path, message), *others = wrong(text)
    assert not others
    assert (line, path) == found[:2]
    assert found[2] in message


def test_a_derived_setting_with_a_unit_too_many_is_told_once_with_its_point(wrong):
    ((line, path, message),) = wrong("[grid]\nn = [1, 2, 3]\n[derived]\nr-sink.rate = 'n * 1 Mbit/s * 1 s'\n")
    assert (line, path) == (6, "r-sink.rate")
    assert message.startswith("unknown unit 'bytes' in '125000 bytes'")
    assert message.endswith(" (at n = 1)")


def test_all_mistakes_are_told_at_once(wrong):
    found = wrong("runs = 0\nsede = 3\n[grid]\nn = 3\n", head='scenario = "page.toml"\n')
    assert [(line, path) for line, path, _ in found] == [(2, "runs"), (3, "sede")]
    found = wrong("[grid]\nn = [1]\nm = []\n")
    assert [(line, path) for line, path, _ in found] == [(4, "grid.n"), (5, "grid.m")]


def test_too_many_points(wrong):
    values = list(range(400))
    ((line, path, message),) = wrong(f"[grid]\na.a = {values}\na.b = {values}\n")
    assert (line, path) == (3, "grid")
    assert "makes 160000 points, and at most 100000" in message


def test_a_study_that_is_no_toml_or_has_no_scenario(study, tmp_path):
    with pytest.raises(ScenarioError, match=rf"{tmp_path}/s.toml:3: "):
        study("a = = 1\n")
    with pytest.raises(ScenarioError, match="scenario: is missing; write scenario = "):
        study("", head="runs = 2\n")
    with pytest.raises(
        InputError, match=r"s.toml:1: scenario: .*pge.toml: there is no such file; did you mean page.toml"
    ):
        study("", head='scenario = "pge.toml"\n')


def test_mistakes_of_the_scenario_itself_stand_in_its_file(study, tmp_path):
    (tmp_path / "page.toml").write_text("durations = 1\n")
    with pytest.raises(ScenarioError, match=r"page.toml:1: durations: unknown key"):
        study("[grid]\nduration = ['1 s', '2 s']\n").read()
    (tmp_path / "page.toml").write_text("duration = = 1\n")
    with pytest.raises(ScenarioError, match=r"page.toml:1: "):
        study("[grid]\nduration = ['1 s', '2 s']\n").read()


# The command


STUDY = (
    'description = "How long is the wait?"\n'
    + RUNS
    + """
[grid]
n = [1, 2]
[derived]
nodes.hosts.count = "n"
"""
)


def test_run_of_a_study(penstock):
    Path("s.toml").write_text(STUDY)
    code, out, err = penstock("run", "s.toml")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "s: How long is the wait?"
    assert lines[1].split() == ["metric", "of", "n", "mean", "unit", "runs"]
    losses = [line.split() for line in lines if line.startswith("loss")]
    assert [line[:3] for line in losses] == [["loss", "load", "1"], ["loss", "load", "2"]]
    assert losses[0][3:] == ["0", "%", "2"]
    assert lines[-3] == "4 runs of 2 points, seed 1; ± is half of the 95 % confidence interval."
    assert lines[-2] == "0 without an interval: all runs gave this value, so nothing is known about its error."
    assert re.fullmatch(r"duration 1 s, warm-up 0 s, model [0-9a-f]{12}\.", lines[-1])


def test_json_of_a_study(penstock):
    Path("s.toml").write_text(STUDY)
    found = json.loads(penstock("run", "s.toml", "--format", "json")[1])
    assert list(found) == ["study", "description", "points", "warnings"]
    assert [point["parameters"] for point in found["points"]] == [{"n": 1}, {"n": 2}]
    # What a point says is what its settings alone give.
    alone = json.loads(penstock("run", "page.toml", "--runs", 2, "--set", "nodes.hosts.count=2", "--format", "json")[1])
    assert found["points"][1]["metrics"] == alone["metrics"]


def test_settings_of_the_command_line_replace_those_of_a_study(penstock):
    Path("s.toml").write_text(STUDY)
    options = ("--set", "n=2,3", "--set", "r-sink.delay=5 ms", "--runs", 1, "--seed", 9, "--format", "json")
    points = json.loads(penstock("run", "s.toml", *options)[1])["points"]
    assert [point["parameters"]["n"] for point in points] == [2, 3]
    assert {(point["settings"]["r-sink.delay"], point["seed"]) for point in points} == {("5 ms", 9)}
    code, _, err = penstock("run", "s.toml", "--set", "nodes.hosts.count=2")
    assert (code, err) == (
        2,
        "--set nodes.hosts.count: is set in derived of the study, which only an edit can change.\n",
    )


def test_a_dry_run_runs_nothing_and_counts_what_is_stored(penstock, tmp_path):
    Path("s.toml").write_text(STUDY)
    code, out, _ = penstock("run", "s.toml", "--dry-run")
    assert code == 0
    assert not (tmp_path / "store").exists()
    assert [line.split() for line in out.splitlines()[2:4]] == [["1", "1", "2", "0"], ["2", "2", "2", "0"]]
    assert re.search(r"2 points, 4 runs: 0 in the store, 4 to be made, about \d+ s with ", out)
    penstock("run", "s.toml", "--set", "n=2")
    found = json.loads(penstock("run", "s.toml", "--dry-run", "--format", "json")[1])
    assert [(point["runs"], point["stored"]) for point in found["points"]] == [(2, 0), (2, 2)]
    assert found["seconds"] > 0
    penstock("run", "s.toml")
    assert "4 in the store, 0 to be made. Nothing was run." in penstock("run", "s.toml", "--dry-run")[1]
    assert "1 point, 5 runs: " in penstock("run", "page.toml", "--dry-run")[1]


def test_a_dry_run_divides_its_time_by_the_cores_in_use(penstock, monkeypatch):
    Path("s.toml").write_text(STUDY)
    monkeypatch.setattr("penstock.processors.available", lambda: 2)
    monkeypatch.setattr("penstock.cli.dry_run._time", lambda asked: asked.hops)  # a second for each hop
    one, two, four = (
        json.loads(penstock("run", "s.toml", "--dry-run", "--jobs", jobs, "--format", "json")[1]) for jobs in (1, 2, 4)
    )
    assert one["seconds"] == 2 * two["seconds"] == 2 * four["seconds"] > 0
    assert four["workers"] == 4


@pytest.mark.parametrize(
    ("wanted", "place"),
    [
        ('metrics.x = "2 * throughput[r-sink, ef]"', "metrics.x"),
        ('precision = { metric = "throughput[r-sink, ef]", half-width = "50 %" }', "precision.metric"),
        ('compare = { parameter = "c", baseline = "ef", metrics = ["throughput[r-sink, ef]"] }', "compare.metrics"),
    ],
)
def test_a_number_that_a_later_point_lacks_is_reported_before_the_runs(penstock, tmp_path, wanted, place):
    measure = '[[measure]]\nmetric = "throughput"\nof = "r-sink"\nby = ["class"]\n'
    Path("page.toml").write_text(SCENARIO + measure)
    runs = RUNS.partition("runs")[0] if "precision" in wanted else RUNS
    Path("s.toml").write_text(f'{runs}{wanted}\n[grid]\nc = ["ef", "af"]\n[derived]\nload.class = "c"\n')
    code, out, err = penstock("run", "s.toml")
    assert (code, out) == (2, "")
    said = r"'throughput\[r-sink, ef\]' means no number; there are throughput\[r-sink, af, sum\].* \(at c = af\)\n"
    assert re.match(rf"s.toml:\d+: {re.escape(place)}: {said}", err)
    assert not (tmp_path / "store").exists()


def test_tables_and_switches_are_shown_as_a_study_file_has_them(penstock):
    queues = 'r-sink.queue = [{ tail-drop = { limit = "9 packets" } }]\nload.transport.udp = [{}]\n'
    Path("s.toml").write_text(f"{RUNS}[grid]\n{queues}")
    for words in (("run", "s.toml", "--dry-run"), ("run", "s.toml"), ("status", "s.toml")):
        shown = penstock(*words)[1]
        assert '{ tail-drop = { limit = "9 packets" } }' in shown
        assert " {} " in shown


def test_check_of_a_study(penstock):
    Path("s.toml").write_text(STUDY)
    assert penstock("check", "s.toml")[1] == "s.toml: sound at all 2 points.\n"
    Path("s.toml").write_text(STUDY + "r-sink.dely = '1 ms'\n")
    for verb in ("check", "run"):
        code, out, err = penstock(verb, "s.toml")
        assert (code, out) == (2, "")
        assert err.startswith("s.toml:9: r-sink.dely: unknown key 'dely'; did you mean 'delay'?")
        assert err.endswith("1 mistake, nothing was run.\n")
