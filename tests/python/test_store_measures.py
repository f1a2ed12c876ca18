"""Runs are named by their simulation: after a measure is added or removed, only missing runs are made."""

from __future__ import annotations

import pytest
from one_link import one_link

from penstock import _core
from penstock.records import RunRequest
from penstock.running import run_all
from penstock.store import Store, measuring, pick, run_key

QUEUE = ("queue", 'of = "a-b"')
LOSS = ("loss", 'of = "load"')
DELAY = ("delay", 'of = "load"\nquantiles = [0.5, 0.9]')
FLOWS = {"load": 'poisson = { rate = "9 Mbit/s", packet = "500 bytes" }'}


def page(*measured):
    return one_link(FLOWS, measured, duration="0.1 s", limit="5 packets")


def requests(*measured, runs=3):
    return [RunRequest(page(*measured), seed=7, replication=number, name="page") for number in range(runs)]


def run(store, *measured, runs=3):
    """The numbers of each run, and how many runs were made."""
    results = run_all(requests(*measured, runs=runs), store=store, jobs=1)
    made = sum(not result.cached for result in results)
    return [[(it.name, it.labels, it.unit, it.value) for it in result.metrics] for result in results], made


def fresh(*measured, runs=3):
    return run(None, *measured, runs=runs)[0]


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store")


def test_a_measure_that_is_removed_runs_nothing(store):
    assert run(store, QUEUE, LOSS, DELAY) == (fresh(QUEUE, LOSS, DELAY), 3)
    for fewer in ([LOSS], [DELAY, QUEUE], [QUEUE], [DELAY, LOSS, QUEUE]):
        assert run(store, *fewer) == (fresh(*fewer), 0)


def test_measures_that_overlap_give_each_number_once(store):
    mean = ("delay", 'of = "load"')
    (numbers,), made = run(store, mean, DELAY, runs=1)
    assert (numbers, made) == (fresh(DELAY, runs=1)[0], 1)
    # The stored run has the numbers of each of the two.
    for one in (mean, DELAY):
        assert run(store, one, runs=1) == (fresh(one, runs=1), 0)


def test_a_measure_that_is_added_runs_again_and_both_are_kept(store):
    run(store, QUEUE, runs=2)
    assert run(store, LOSS) == (fresh(LOSS), 3)
    for there in ([QUEUE], [LOSS], [LOSS, QUEUE]):
        assert run(store, *there, runs=2) == (fresh(*there, runs=2), 0)
    # Only the run that was made without it lacks it.
    assert run(store, QUEUE) == (fresh(QUEUE), 1)


def test_the_file_is_that_of_a_scenario_with_all_of_its_measures(store):
    run(store, QUEUE, runs=1)
    run(store, LOSS, runs=1)
    (manifest,) = store.manifests()
    assert [path for path, _ in manifest.settings] == ["measure"]
    text = store.texts.get(manifest.scenario)
    scenario = _core.Scenario(text, "page", list(manifest.settings))
    stored = store.get(manifest.key)
    assert [text for text, _ in stored.measured] == scenario.measures
    made = scenario.run(manifest.seed, manifest.replication)
    assert [(it.name, list(it.labels.items()), it.unit, it.value) for it in stored.metrics] == made.metrics
    assert stored.manifest.digest == made.digest


def test_what_no_run_can_measure_together_takes_the_place_of_the_earlier(store):
    assert run(store, runs=1)[1] == 1  # without any measure a scenario has a default
    assert run(store, QUEUE, runs=1) == (fresh(QUEUE, runs=1), 1)
    assert run(store, QUEUE, runs=1)[1] == 0
    assert run(store, runs=1) == (fresh(runs=1), 1)


def test_runs_that_differ_in_what_they_measure_are_made_once(store):
    both = [requests(QUEUE, runs=1)[0], requests(LOSS, runs=1)[0]]
    for kept in (None, store):
        results = run_all(both, store=kept, jobs=1)
        assert [result.metrics[0].name for result in results] == ["queue", "loss"]
        assert [len(result.metrics) for result in results] == [len(fresh(each, runs=1)[0]) for each in (QUEUE, LOSS)]
    assert len(store.manifests()) == 1
    apart = [requests(runs=1)[0], requests(LOSS, runs=1)[0]]
    results = run_all(apart, jobs=1)
    assert [(it.name, it.value) for it in results[0].metrics] == [
        (name, value) for name, _, _, value in fresh(runs=1)[0]
    ]
    assert results[1].metrics[0].name == "loss"


def test_worker_processes_keep_the_numbers_of_both(store):
    run_all(requests(QUEUE), store=store, jobs=2, on="processes")
    results = run_all(requests(LOSS), store=store, jobs=2, on="processes")
    assert [len(result.metrics) for result in results] == [len(each) for each in fresh(LOSS)]
    assert run(store, QUEUE, LOSS) == (fresh(QUEUE, LOSS), 0)


def test_every_metric_is_the_same_whatever_else_is_measured():
    """Watching changes nothing: digests of one simulation are equal, and so are the numbers that two share."""
    alone = {}
    for metric in (QUEUE, LOSS, DELAY, ("throughput", 'of = "load"'), ("utilisation", 'of = "a-b"')):
        (result,) = run_all(requests(metric, runs=1))
        alone[metric] = result
    (together,) = run_all(requests(*alone, runs=1))
    assert {result.digest for result in alone.values()} == {together.digest}
    assert [metric for result in alone.values() for metric in result.metrics] == list(together.metrics)


def test_status_says_that_a_measure_is_missing(penstock, tmp_path):
    (tmp_path / "s.toml").write_text(page(QUEUE))
    penstock("run", "s.toml", "--runs", "2")
    (tmp_path / "s.toml").write_text(page(QUEUE, LOSS))
    code, out, _ = penstock("status", "s.toml", "--runs", "2")
    assert code == 0
    assert "measure[1].metric: nothing -> loss" in out
    assert "0 stored, 0 failed, 2 left" in out


def test_archives_and_verification_take_runs_with_the_numbers_of_both(penstock, tmp_path):
    (tmp_path / "s.toml").write_text(page(QUEUE))
    penstock("run", "s.toml", "--runs", "2")
    (tmp_path / "s.toml").write_text(page(LOSS))
    penstock("run", "s.toml", "--runs", "2")
    code, out, err = penstock("verify", "--sample", "all")
    assert (code, "2 runs read, 2 made again: 0 differ" in out) == (0, True), out + err
    code, out, err = penstock("export", "a.tar.gz")
    assert code == 0, err
    # Another store has fewer numbers of one of them: the archive's are taken.
    other = tmp_path / "other"
    assert penstock("run", "s.toml", "--runs", "1", "--store", other)[0] == 0
    code, out, err = penstock("import", "a.tar.gz", "--sample", "all", "--store", other)
    assert code == 0, err
    assert "2 taken into the store, 0 were there" in out
    assert run(Store(other), QUEUE, LOSS, runs=0) == ([], 0)
    code, out, _ = penstock("import", "a.tar.gz", "--store", other)
    assert "0 taken into the store, 2 were there" in out
    assert len(Store(other).manifests()) == 2


def test_numbers_are_picked_by_what_they_measure():
    measured = [("a", 2), ("b", 1), ("always", 0)]
    assert pick(["a", "b", "always"], [1, 2, 3], measured) == [1, 2, 3]
    assert pick(["b", "a", "always"], [1, 2, 3], measured) == [3, 1, 2]
    assert pick(["b"], [1, 2, 3], measured) == [3]
    assert pick(["c"], [1, 2, 3], measured) is None
    assert pick(["a"], [1, 2, 3], None) == [1, 2, 3]


def test_a_request_with_other_measures_is_the_same_run():
    (request,) = requests(QUEUE, runs=1)
    scenario = _core.Scenario(request.scenario, "page", [])
    (other,) = requests(LOSS, DELAY, runs=1)
    texts = _core.Scenario(other.scenario, "page", []).measures
    joined, read = measuring(request, scenario, [*scenario.measures, *texts])
    assert run_key(read.canonical, 1, 0) == run_key(scenario.canonical, 1, 0)
    assert len(read.measures) == 4
    assert measuring(request, scenario, ["default"]) is None
    assert [path for path, _ in joined.sets] == ["measure"]


TRANSFERS = one_link(
    {"web": 'ftp = { size = "50 kB" }\ntransport.tcp = { variant = "new-reno", packet = "1500 bytes" }'},
    [("goodput", 'of = "web"')],
    duration="0.2 s",
    limit=None,
    both_ways=True,
)
COMPLETION = '[[measure]]\nmetric = "completion-time"\nof = "web"\nsizes = ["10 kB"]\n'
SLOWDOWN = '[[measure]]\nmetric = "slowdown"\nof = "web"\n'


def test_counts_that_come_by_themselves_are_kept_with_what_they_belong_to(store):
    def made(*measures):
        request = RunRequest("".join((TRANSFERS, *measures)), seed=1, name="page")
        (kept,), (fresh,) = run_all([request], store=store, jobs=1), run_all([request], jobs=1)
        # As texts, in which not-a-number is equal to itself.
        assert [repr((it.name, it.labels, it.value)) for it in kept.metrics] == [
            repr((it.name, it.labels, it.value)) for it in fresh.metrics
        ]
        return kept.cached

    assert [made(COMPLETION), made(), made(SLOWDOWN), made(COMPLETION), made(COMPLETION, SLOWDOWN)] == [
        False,
        True,
        False,
        True,
        True,
    ]
