"""Precision targets, warm-ups that are found, derived metrics and comparisons of a study."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from one_link import one_link

from penstock.cli.files import read_text
from penstock.errors import InputError, PrecisionMissed, ScenarioError
from penstock.statistics import holm, paired, wilson
from penstock.store import Store
from penstock.studies.file import read_study
from penstock.studies.making import make, stored
from penstock.studies.runner import Runner
from penstock.studies.select import select
from penstock.studies.verify import verify
from penstock.studies.warmup import series

SCENARIO = one_link(
    {
        "one": 'poisson = { rate = "2 Mbit/s", packet = "500 bytes" }',
        "two": 'poisson = { rate = "1 Mbit/s", packet = "500 bytes" }',
    },
    [("throughput", 'of = ["one", "two"]'), ("delay", 'of = "one"\ntake = ["mean", "max"]'), ("queue", 'of = "a-b"')],
    rate="4 Mbit/s",
    limit="5 packets",
)
HEAD = 'scenario = "page.toml"\n'


@pytest.fixture
def plan(tmp_path):
    (tmp_path / "page.toml").write_text(SCENARIO)
    return lambda text, head=HEAD: read_study(head + text, tmp_path / "s.toml", read_text)


@pytest.fixture
def made(plan, tmp_path):
    """Runs a study; gives its result."""

    def run(text, **options):
        study = plan(text)
        asked = study.read()
        verify(study, asked)
        return make(study, asked, Runner(store=Store(tmp_path / "store"), **options))

    return run


@pytest.fixture
def penstock(penstock, tmp_path):
    """The command line, where the scenario is."""
    (tmp_path / "page.toml").write_text(SCENARIO)
    return penstock


# Mistakes


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('precision = { half-width = "5 %" }\n', ["2: precision.metric: is missing"]),
        ('precision = { metric = "delay" }\n', ["2: precision.half-width: needs a share of the mean, such as"]),
        (
            'precision = { metric = "delay", half-width = "0 %" }\n',
            ["2: precision.half-width: is not above zero, so no"],
        ),
        ('precision = { metric = "delay", half-width = "100 %" }\n', ["2: precision.half-width: is not below 100 %"]),
        ('[precision]\nmetric = "delay"\nhalf-width = "5 %"\nleast = 1\n', ["5: precision.least: needs two runs"]),
        (
            '[precision]\nmetric = "delay"\nhalf-width = "5 %"\nleast = 20\nmost = 10\n',
            ["6: precision.most: is less than the minimum number of runs, 20"],
        ),
        (
            '[precision]\nmetric = "delay"\nhalf-width = "5 %"\nmots = 10\n',
            ["5: precision.mots: is unknown there; there"],
        ),
        ('runs = 3\nprecision = { metric = "delay", half-width = "5 %" }\n', ["2: runs: changes nothing, as the"]),
        ("precision = 3\n", ["2: precision: needs a table with metric, half-width, least, most"]),
        (
            'precision = { metric = "dealy", half-width = "5 %" }\n',
            ["2: precision.metric: 'dealy' is not measured here"],
        ),
        (
            'precision = { metric = "delay", half-width = "1 bytes" }\n',
            ["2: precision.half-width: has not the unit of del"],
        ),
        ("runs = 100_001\n", ["2: runs: needs a whole number, 1 to 100,000"]),
        ("warm-up = 3\n", ['2: warm-up: needs a time, such as "10 s", or { mser-5 = "METRIC" } to find it']),
        ('warm-up = { mser-5 = "queue", windows = 3 }\n', ["2: warm-up.windows: needs 50 to 10000 of them"]),
        ('warm-up = { mser-5 = "qeue" }\n', ["2: warm-up: 'qeue' is not measured here; did you mean 'queue'?"]),
        ('warm-up = "2 s"\n', ["2: warm-up: "]),
        ('[metrics]\nx = "throughput[one] +"\n', ["3: metrics.x: ends where a value is expected"]),
        ('[metrics]\nx = "throughput[one] + delay"\n', ["3: metrics.x: ", "cannot be added to"]),
        ('[metrics]\nx = "throughput[three]"\n', ["3: metrics.x: 'throughput[three]' means no number"]),
        ("[metrics]\nx = 3\n", ["3: metrics.x: is not an expression"]),
        ("[metrics]\n'' = 'delay'\n", ["3: metrics.: needs a name without brackets"]),
        ("[metrics]\n'x[a]' = 'delay'\n", ["3: metrics.x[a]: needs a name without brackets"]),
        (
            '[grid]\na-b.rate = ["4 Mbit/s", "5 Mbit/s"]\n[compare]\nparameter = "a-b.rate"\nbaseline = "4 Mbit/s"\n'
            'metrics = ["delay", "delay[mean]"]\n',
            ["7: compare.metrics: 'delay[mean]' is delay[one, mean], which 'delay' is too"],
        ),
        (
            'compare = { parameter = "seed", baseline = 1, metrics = ["delay"] }\n',
            ["2: compare: 'seed' does not vary; nothing does"],
        ),
        (
            '[compare]\nparameter = "ties"\nbaseline = "no"\nmetrics = ["dly"]\n'
            '[grid]\nties = ["random", "scenario"]\n',
            [
                "5: compare.metrics: 'dly' is not measured",
                "2: compare: no point has ties = no; there are random, scenario",
            ],
        ),
        (
            'compare = { parameter = "ties" }\n',
            ["2: compare.baseline: is missing", "2: compare.metrics: needs a list of"],
        ),
    ],
)
def test_mistakes_have_their_line_and_nothing_is_run(made, tmp_path, text, found):
    with pytest.raises(ScenarioError) as error:
        made(text)
    told = str(error.value).replace(f"{tmp_path}/s.toml:", "")
    for said in found:
        assert said in told
    assert not (tmp_path / "store").exists()


# Precision


def test_each_point_has_as_many_runs_as_it_takes(made):
    target = '[precision]\nmetric = "queue"\nhalf-width = "10 %"\nleast = 10\n'
    result = made(target + '[grid]\na-b.rate = ["4 Mbit/s", "16 Mbit/s"]\n')
    frame = result.frame()
    assert set(frame["method"]) == {"t, sequential"}
    queues = frame.filter(frame["metric"] == "queue")
    assert (queues["half_width"] <= 0.1 * queues["mean"]).all()
    counts = [len(point.runs) for point in result.points]
    # Neither point has a run more than it takes, whatever the other one takes.
    for point, count in zip(result.points, counts, strict=True):
        assert result.plan.precision.stop([select("queue", run.metrics).value for run in point.runs]) == count >= 10
    assert counts[0] != counts[1]
    assert result.warnings == []
    # The same for any number of workers, and from the store.
    again = made(target + '[grid]\na-b.rate = ["4 Mbit/s", "16 Mbit/s"]\n', jobs=3)
    assert again.json() == result.json()
    assert all(run.cached for run in again.runs)


def test_a_target_that_is_not_reached_is_said_and_nothing_is_lost(made):
    result = made('precision = { metric = "queue", half-width = "0.1 %", least = 3, most = 6 }\n')
    assert len(result.runs) == 6
    (warning,) = result.warnings
    assert warning.startswith("queue has not reached ±0.1 % after 6 runs; about ")
    result = made(
        'precision = { metric = "drops", half-width = "5 %", least = 10 }\n'
        '[set]\nmeasure = [{ metric = "drops", of = "a-b" }]\na-b.queue.tail-drop.limit = "9999 packets"\n'
    )
    assert len(result.runs) == 10
    assert "drops is zero in every run, so no half-width is a share of it; give an absolute one." in result.warnings
    with pytest.raises(PrecisionMissed, match="1 of 1 point missed the precision target") as missed:
        result.require_precision()
    assert missed.value.result is result


def test_a_target_that_is_missed_ends_the_command_with_an_error_below_the_numbers(penstock):
    target = 'precision = { metric = "queue", half-width = "0.1 %", least = 3, most = 6 }\n'
    Path("s.toml").write_text(HEAD + target + '[grid]\na-b.rate = ["4 Mbit/s", "16 Mbit/s"]\n')
    code, out, err = penstock("run", "s.toml")
    assert code == 1
    assert "12 runs of 2 points, seed 1" in out
    told = [line for line in err.splitlines() if "precision" in line]
    for line, rate in zip(told, ("4 Mbit/s", "16 Mbit/s"), strict=False):
        assert "precision: queue has not reached ±0.1 % after 6 runs; about " in line
        assert line.endswith(f" would (at a-b.rate = {rate}).")
    assert told[2:] == [
        "2 of 2 points missed the precision target; all runs are kept, and the numbers are from all of them."
    ]
    # Nothing is lost: programs have the same numbers and reasons, and nothing is made again.
    code, out, err = penstock("run", "s.toml", "--format", "json")
    data = json.loads(out)
    assert (code, [point["runs"] for point in data["points"]], len(data["warnings"])) == (1, [6, 6], 2)
    code, out, err = penstock("plot", "s.toml", "--x", "a-b.rate", "--y", "queue", "--out", "q.svg")
    assert (code, out) == (1, "q.svg: written.\n")
    assert Path("q.svg").read_text().startswith("<?xml")
    code, out, err = penstock("report", "s.toml", "--out", "r.html")
    assert (code, out.startswith("r.html: written, ")) == (1, True)
    assert [line for line in err.splitlines() if "precision" in line] == told
    assert Path("r.html").read_text().startswith("<!DOCTYPE html>")
    assert penstock("run", "s.toml", "--stored")[0] == 0


def test_an_absolute_target_has_the_units_of_its_metric(made):
    result = made('precision = { metric = "throughput[one]", half-width = "100 kbit/s", least = 2 }\n')
    (one,) = (each for each in result.summaries() if (each.metric, each.labels["of"]) == ("throughput", "one"))
    assert one.interval.half <= 100_000


def test_a_target_for_a_condition_that_all_runs_meet(made):
    result = made(
        '[set]\nduration = "100 ms"\n[metrics]\nok = "queue >= 0 packets"\n'
        '[precision]\nmetric = "ok"\nhalf-width = "0.05"\nleast = 10\n'
    )
    (ok,) = (each for each in result.summaries() if each.metric == "ok")
    assert (ok.interval.mean, ok.interval.runs) == (1, 35)
    assert ok.interval.half <= 0.05 < wilson(34, 34).half


def test_an_absolute_target_is_shown_with_its_unit(penstock):
    Path("s.toml").write_text(HEAD + 'precision = { metric = "delay", half-width = "20 ms" }\n')
    assert "30 runs of each point, until ±0.02 s of delay (" in penstock("run", "s.toml")[1]


def test_a_precision_target_on_the_command_line(penstock):
    Path("s.toml").write_text(HEAD + 'precision = { metric = "queue", half-width = "20 %" }\n')
    code, out, _ = penstock("run", "s.toml")
    assert code == 0
    assert " runs of each point, until ±20 % of queue (Law's sequential rule)." in out
    assert "1 point, at least 30 runs: 30 in the store" in penstock("run", "s.toml", "--dry-run")[1]
    code, _, err = penstock("run", "s.toml", "--runs", 3)
    assert (code, err) == (2, "the study has a precision target, so --runs changes nothing; leave one of them out.\n")
    assert "nothing is known about the error of a single run" in penstock("run", "s.toml", "--replication", 3)[1]


# Warm-up


def test_a_series_is_what_a_run_gives_in_its_windows(plan):
    (asked,) = plan("").read()
    values = series(asked, "queue", windows=50)
    whole = asked.scenario.run(asked.seed, 0)
    (queue,) = (value for name, _, _, value in whole.metrics if name == "queue")
    # A time average over equal windows is the average of theirs.
    assert sum(values) / 50 == pytest.approx(queue, rel=1e-9)
    assert values[0] < max(values)


def test_a_warm_up_that_is_found_is_set_at_all_points_and_shown(made, penstock):
    # A delay of 300 ms: nothing arrives before, and throughput jumps from zero.
    study = (
        'runs = 2\nwarm-up = { mser-5 = "throughput[one]", windows = 50 }\n'
        '[set]\nduration = "4 s"\n[grid]\na-b.delay = ["1 ms", "300 ms"]\n'
    )
    result = made(study)
    assert result.warm_up.points[1] >= 0.24
    assert result.warm_up.seconds == max(result.warm_up.points)
    settings = {dict(point.asked.point.sets)["warm-up"] for point in result.points}
    assert settings == {result.warm_up.text}
    Path("s.toml").write_text(HEAD + study)
    out = penstock("run", "s.toml")[1]
    assert f"warm-up {result.warm_up.text}, by MSER-5 of throughput[one] in 50 windows; the longest of all" in out


def test_a_warm_up_that_is_found_and_leaves_nothing_of_a_shorter_point(made):
    study = (
        'runs = 2\nwarm-up = { mser-5 = "throughput[one]", windows = 50 }\n'
        '[[zip]]\nduration = ["4 s", "200 ms"]\na-b.delay = ["300 ms", "1 ms"]\n'
    )
    with pytest.raises(InputError, match=r"^warm-up: the longest .* leaves nothing to count \(at duration = 200 ms, "):
        made(study)


def test_a_stored_point_that_is_too_short_is_named_also_where_others_have_no_runs(plan, made, tmp_path):
    text = (
        'warm-up = { mser-5 = "queue", windows = 50 }\n[set]\na-b.queue.tail-drop.limit = "9999 packets"\n'
        '[grid]\na-b.rate = ["8 Mbit/s", "1 Mbit/s"]\n'
    )
    result = made("runs = 1\n" + text)
    assert result.warm_up.too_short == [1]
    store = Store(tmp_path / "store")
    for manifest in store.manifests():
        settings = dict(manifest.settings)
        if (
            settings["a-b.rate"] == "8 Mbit/s"
            and settings["warm-up"] == result.warm_up.text
            and "duration" not in settings
        ):
            (tmp_path / "store" / "runs" / manifest.key[:2] / f"{manifest.key}.json").unlink()
    study = plan("runs = 1\n" + text)
    found = stored(study, study.read(), store)
    assert len(found.points) == 1
    assert found.cautions == result.cautions
    assert found.cautions[0].endswith("(at a-b.rate = 1 Mbit/s).")


def test_a_run_that_is_too_short_to_tell_is_warned_of(penstock):
    # A queue that grows from the beginning to the end.
    Path("s.toml").write_text(
        HEAD + 'runs = 2\nwarm-up = { mser-5 = "queue", windows = 50 }\n'
        '[set]\na-b.rate = "1 Mbit/s"\na-b.queue.tail-drop.limit = "9999 packets"\n'
    )
    code, out, err = penstock("run", "s.toml")
    assert code == 0
    assert err == (
        "warning: the run is too short to tell the start-up from the rest: MSER-5 would cut off half of it or more.\n"
    )
    assert "warm-up 500 ms, by MSER-5" in out


def test_a_window_in_which_nothing_is_measured(made):
    with pytest.raises(InputError, match=r"warm-up: delay\[one\] is unknown between 0 ps and 10 ms; watch another"):
        made('runs = 2\nwarm-up = { mser-5 = "delay[one]" }\n[set]\none.source.poisson.rate = "10 kbit/s"\n')


# Comparisons


COMPARE = (
    "runs = 6\n[compare]\nparameter = 'size'\nbaseline = 5\nmetrics = ['queue', 'ratio']\n"
    "[grid]\nsize = [5, 8, 20]\na-b.rate = ['4 Mbit/s', '8 Mbit/s']\n"
    "[derived]\na-b.queue.tail-drop.limit = 'size * 1 packet'\n[metrics]\nratio = 'throughput[one] / throughput[two]'\n"
)


def test_comparisons_are_paired_and_adjusted_together(made):
    result = made(COMPARE)
    found = result.comparisons()
    assert [(each.metric, each.others["a-b.rate"], each.value) for each in found] == [
        (metric, rate, size)
        for metric in ("queue[a-b, mean]", "ratio")
        for size in (8, 20)
        for rate in ("4 Mbit/s", "8 Mbit/s")
    ]
    runs = {(p.asked.point.parameters["size"], p.asked.point.parameters["a-b.rate"]): p.runs for p in result.points}
    first = paired(*([select("queue", run.metrics).value for run in runs[size, "4 Mbit/s"]] for size in (8, 5)))
    assert found[0].found == first
    assert [each.p_holm for each in found] == holm([each.found.p_two_sided for each in found])
    # A longer queue is longer where it overflows: the same arrivals tell it from few runs.
    assert found[0].found.difference > 0
    assert found[0].p_holm < 0.05
    data = json.loads(result.json())
    assert data["comparisons"][0]["difference"] == first.difference
    assert len(data["comparisons"]) == 8


def test_a_comparison_that_is_mistaken_is_told_of_stored_runs_too(made, plan, tmp_path):
    made(COMPARE)
    mistaken = plan(COMPARE.replace("'queue', 'ratio'", "'qeue'"))
    with pytest.raises(InputError, match=r"^compare: 'qeue' is not measured here; did you mean 'queue'\?"):
        stored(mistaken, mistaken.read(), Store(tmp_path / "store"))
    # With more runs still to come, it may be for want of pairs.
    mistaken = replace(mistaken, runs=7)
    assert stored(mistaken, mistaken.read(), Store(tmp_path / "store")).plan.compare is None


def test_comparisons_of_the_command_line(penstock):
    Path("s.toml").write_text(HEAD + COMPARE)
    out = penstock("run", "s.toml")[1].splitlines()
    assert "Differences from size = 5" in out
    head = out[out.index("Differences from size = 5") + 1]
    assert head.split() == ["metric", "rate", "size", "difference", "unit", "p", "significant", "pairs"]
    assert out[-1] == "Differences of runs with the same random numbers; p by Holm's procedure over all of them."
    code, _, err = penstock("run", "s.toml", "--runs", 1)
    message = "s.toml:3: compare: a comparison needs at least two runs of each point\n1 mistake, nothing was run.\n"
    assert (code, err) == (2, message)
    assert penstock("plot", "s.toml", "--runs", 1, "--y", "queue", "--out", "q.svg")[0] == 0


def test_points_of_different_seeds_are_no_pairs(made):
    with pytest.raises(InputError, match="points of different seeds share no random numbers"):
        made("runs = 2\n[grid]\nseed = [1, 2]\n").compare("seed", 1, ["queue"])


QUEUE = "a-b.queue.tail-drop.limit"


def test_a_computed_number_has_a_name_of_its_own(made):
    with pytest.raises(ScenarioError, match=r"s.toml:3: metrics.queue: 'queue' is measured; give .* another name"):
        made("[metrics]\nqueue = '2 * queue'\n")


def test_what_always_varies_together_is_compared_together(made):
    zipped = f'runs = 2\n[[zip]]\nsize = ["small", "large"]\n{QUEUE} = ["5 packets", "50 packets"]\n'
    zipped += '[grid]\nduration = ["1 s", "2 s"]\n'
    (short, long) = made(zipped).compare("size", "small", ["queue"])
    assert (short.value, short.others, long.others) == ("large", {"duration": "1 s"}, {"duration": "2 s"})
    assert short.found.difference > 0


def test_nothing_to_compare_is_told(made):
    points = (("5 packets", "1 s"), ("5 packets", "2 s"), ("9 packets", "3 s"))
    apart = "runs = 2\n" + "".join(
        f'[[list]]\n{QUEUE} = "{size}"\nduration = "{time}"\nname = "{size}, {time}"\n' for size, time in points
    )
    with pytest.raises(InputError, match=r"no point differs from .* = 9 packets in it alone"):
        made(apart).compare(QUEUE, "9 packets", ["queue"])
    # Of a study before anything is run.
    section = f'[compare]\nparameter = "{QUEUE}"\nbaseline = "9 packets"\nmetrics = ["queue"]\n'
    with pytest.raises(ScenarioError, match=r"s.toml:3: compare: no point differs from .* = 9 packets in it alone"):
        made(apart.replace("runs = 2\n", "runs = 2\n" + section))


LISTED = f"""
[[list]]
{QUEUE} = "5 packets"
duration = "1 s"
warm-up = "0.1 s"
[[list]]
warm-up = "0.1 s"
duration = "1 s"
{QUEUE} = "9 packets"
[[list]]
{QUEUE} = "5 packets"
duration = "2 s"
warm-up = "0.2 s"
[[list]]
{QUEUE} = "9 packets"
warm-up = "0.2 s"
duration = "2 s"
[[list]]
duration = "1 s"
warm-up = "0.1 s"
"""


def test_points_are_compared_whatever_the_order_of_their_parameters(made):
    result = made("runs = 2\n" + LISTED)
    found = result.compare(QUEUE, "5 packets", ["queue"])
    assert result.compare(QUEUE, "5 packets", "queue") == found
    assert [(each.value, each.others) for each in found] == [
        ("9 packets", {"duration": "1 s", "warm-up": "0.1 s"}),
        ("9 packets", {"duration": "2 s", "warm-up": "0.2 s"}),
    ]


def test_a_point_without_the_compared_parameter_is_left_out(made):
    with pytest.raises(InputError, match=r"no point has .* = 7 packets; there are 5 packets, 9 packets\."):
        made("runs = 2\n" + LISTED).compare(QUEUE, "7 packets", ["queue"])


# Points that measure different numbers


@pytest.mark.parametrize(
    ("aims", "place"),
    [
        (
            f"runs = 2\n[compare]\nparameter = '{QUEUE}'\nbaseline = '9 packets'\nmetrics = ['queue']\n",
            "6: compare.metrics",
        ),
        ("runs = 2\n[metrics]\nmore = '2 * queue'\n", "4: metrics.more"),
        ("[precision]\nmetric = 'queue'\nhalf-width = '5 %'\n", "3: precision.metric"),
    ],
)
def test_a_number_that_a_later_point_lacks_is_told_before_anything_is_run(made, aims, place):
    measures = "measure = [[{ metric = 'queue', of = 'a-b' }], [{ metric = 'delay', of = 'one' }]]"
    varied = f"[grid]\n{measures}\n{QUEUE} = ['5 packets', '9 packets']\n"
    lacking = r"'queue' is not measured here \(delay\) \(at measure = .* = 5 packets\)"
    with pytest.raises(ScenarioError, match=rf"s.toml:{place}: {lacking}"):
        made(aims + varied)


def test_a_number_that_is_computed_from_one_that_a_point_lacks(plan, penstock):
    study = (
        '[metrics]\ndouble = "2 * delay[one, mean]"\n[grid]\n'
        'measure = [[{ metric = "delay", of = "one" }, { metric = "queue", of = "a-b" }], '
        '[{ metric = "queue", of = "a-b" }]]\n'
    )
    double = plan("runs = 1\n" + study)
    with pytest.raises(InputError, match=r"^metrics: 'delay' is not measured here \(queue\) \(at measure = "):
        make(double, double.read())
    Path("s.toml").write_text(HEAD + study)
    for verb in ("run", "plot"):
        code, _, err = penstock(verb, "s.toml", "--runs", 1)
        assert (code, err.partition(" (at ")[0]) == (
            2,
            "s.toml:3: metrics.double: 'delay' is not measured here (queue)",
        )


def test_a_number_that_is_measured_twice_counts_once(made):
    twice = (
        '[set]\nmeasure = [{ metric = "queue", of = "a-b" }, { metric = "delay", of = "one" }, '
        '{ metric = "queue", of = "a-b" }, { metric = "delay", of = "one", quantiles = [0.5] }]\n'
    )
    result = made("runs = 3\n" + twice)
    once = made("runs = 3\n")
    own = {(each.metric, *each.labels.values()): each.interval for each in result.summaries()}
    assert len(own) == len(result.summaries())
    for each in once.summaries():
        if each.metric in ("queue", "delay"):
            assert own[each.metric, *each.labels.values()] == each.interval
    assert result.values().filter(metric="queue").height == 3
    assert select("queue", result.runs[0].metrics).value == select("queue", once.runs[0].metrics).value


def test_conditions_and_roots_without_a_value_keep_their_labels_and_unit(made):
    # Nothing is lost in some runs only; and a root has no value where more than that share is lost.
    study = (
        'runs = 6\n[set]\nmeasure = [{ metric = "loss", of = "one" }]\nduration = "200 ms"\n'
        '[metrics]\noften = "1 / loss > 5"\nroot = "sqrt(1 % - loss)"\n'
    )
    result = made(study)
    losses = [select("loss", run.metrics).value for run in result.runs]
    assert min(losses) == 0
    assert max(losses) > 0.01
    found = {each.metric: each for each in result.summaries()}
    assert [each.metric for each in result.summaries()] == ["loss", "often", "root"]
    assert (found["often"].labels, len(found["often"].values)) == ({"of": "runs"}, 6)
    assert (found["root"].unit, len(found["root"].values)) == ("1", 6)


def test_quantiles_of_points_with_odd_parameters(made):
    # A parameter with the name of a bound, and one that only the last of many points has.
    many = "".join(f"[[list]]\nlow = {number}\nduration = '5 ms'\n" for number in range(101))
    frame = made(f"runs = 6\n{many}a-b.delay = '2 ms'\n").quantiles("queue", [0.5])
    assert frame["parameter.low"].to_list() == list(range(101))
    assert frame["low"].dtype == frame["high"].dtype == pl.Float64
    assert frame["a-b.delay"].to_list() == [None] * 100 + ["2 ms"]


def test_quantiles_over_the_runs_of_each_point(made):
    frame = made("runs = 6\n").quantiles("queue", [0.5])
    assert frame["runs"].to_list() == [6]
    assert frame["low"][0] <= frame["estimate"][0] <= frame["high"][0]
    with pytest.raises(ValueError, match="needs at least 29 runs, not 6"):
        made("runs = 6\n").quantiles("queue", [0.9])


# In Python


def test_the_same_in_python(tmp_path):
    import penstock as ps

    net = ps.Network()
    a, b = net.node("a"), net.node("b")
    net.link(a, b, rate="4 Mbit/s", delay="1 ms")
    net.flows("load", a, b, source=ps.PoissonSource(rate="2 Mbit/s", packet="500 bytes"))
    net.measure("delay", of="load", take=["mean", "max"])
    study = (
        ps.Study(net, duration="1 s").metric("excess", "delay[max] - delay[mean]").precision("excess", "30 %", least=4)
    )
    result = study.find_warm_up("delay[mean]", windows=50).result(store=Store(tmp_path))
    (excess,) = (summary for summary in result.summaries() if summary.metric == "excess")
    assert (excess.unit, excess.method) == ("s", "t, sequential")
    assert excess.interval.half <= 0.3 * excess.interval.mean
    assert result.warm_up is not None
    with pytest.raises(ScenarioError, match=r"study: precision.half-width: is not above zero"):
        study.precision("excess", "0 %").plan()
