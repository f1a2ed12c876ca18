"""The rows of every run are those that its scenario is known to measure before it is run."""

from __future__ import annotations

from pathlib import Path

import pytest
import verbs

from penstock import _core
from penstock.records import Metric, RunRequest
from penstock.running import run_all
from penstock.store.checking import row_mistake
from penstock.template import TEMPLATE

EXAMPLES = sorted(Path(__file__).parents[2].glob("examples/*.toml"))
SHORT = {"duration": "50 ms", "warm-up": "0 s"}


def made(request):
    [run] = run_all([request])
    return list(run.metrics)


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_examples(file):
    sets = tuple(SHORT.items())
    try:
        _core.Scenario(file.read_text(), file.name, list(sets), str(file.parent))
    except _core.ScenarioError:  # it has instants after the end
        sets = ()
    request = RunRequest(file.read_text(), sets, 1, 0, file.name, folder=str(file.parent))
    metrics = made(request)
    assert row_mistake(request, metrics) is None
    if metrics:
        assert row_mistake(request, [*metrics, metrics[0]]) is not None


@pytest.mark.parametrize("replication", [0, 1])
def test_rows_that_only_some_runs_have(replication):
    # Without [[measure]], drops are reported only for links with drops.
    text = TEMPLATE.partition("[[measure]]")[0]
    request = RunRequest(text, (("duration", "2 s"), ("warm-up", "0 s")), 1, replication, "default")
    metrics = made(request)
    assert row_mistake(request, metrics) is None
    one = metrics[0]
    assert row_mistake(request, metrics[1:]).startswith("it lacks")
    assert "2 times" in row_mistake(request, [*metrics, one])
    other = Metric(one.name, {**one.labels, "flow": "nobody"}, one.unit, 1.0)
    assert "does not measure" in row_mistake(request, [*metrics, other])


def test_rows_by_what_arrives_may_be_there_once():
    text = verbs.PAGE + '[[measure]]\nmetric = "drops"\nof = "a-b"\nby = ["ingress"]\n'
    request = RunRequest(text, (), 1, 0, "page")
    metrics = made(request)
    assert any("ingress" in metric.labels for metric in metrics)
    assert row_mistake(request, metrics) is None
    assert "2 times" in row_mistake(request, [*metrics, metrics[-1]])
