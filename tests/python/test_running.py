from __future__ import annotations

import _thread
import pickle
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from penstock import _core
from penstock.errors import InputError, RunsFailed, ScenarioError
from penstock.running import RunRequest, run_all
from penstock.store import Store

pytestmark = pytest.mark.usefixtures("core")


def requests(text="", count=4, **more):
    return [RunRequest(text, replication=i, name="demo", **more) for i in range(count)]


def test_results_are_in_the_order_of_the_requests_whatever_the_workers():
    text = "[fake]\nslow_not_used = 1"
    one = run_all(requests(text, 8), jobs=1)
    many = run_all(requests(text, 8), jobs=8)
    assert one == many
    assert [result.request.replication for result in one] == list(range(8))
    assert one[3].metrics[0].value == 1.0 + 1 + 0.3


def test_keys_without_effect_are_mistakes_unless_a_setting_may_be_why(core, monkeypatch):
    made = core.Scenario.__init__

    def without_effect(self, *given, **named):
        made(self, *given, **named)
        self.left_out = [{"file": "demo", "line": 2, "path": "flows[0].route", "message": "has no effect"}]

    monkeypatch.setattr(core.Scenario, "__init__", without_effect)
    with pytest.raises(ScenarioError, match=r"demo:2: flows\[0\]\.route: has no effect\n1 mistake"):
        run_all(requests())
    assert core.Scenario.runs == 0
    assert len(run_all(requests(sets=(("fake.rate", "2"),)))) == 4


@pytest.mark.parametrize("option", ["jobs", "threads"])
@pytest.mark.parametrize("number", [0, -1, 1.5, "2"])
def test_numbers_of_workers_and_cores_are_whole_and_positive(option, number):
    with pytest.raises(InputError, match=f"{option}: {number!r} is not a whole number from 1"):
        run_all(requests(), **{option: number})


def test_an_unknown_executor_is_refused_before_any_run(core):
    with pytest.raises(InputError, match=r"^executor: there is no 'foo'; allowed are 'horizon' and 'plain'\.$"):
        run_all(requests(), executor="foo")
    assert core.Scenario.runs == 0


def test_a_run_in_the_store_is_not_made_again(tmp_path, core):
    store = Store(tmp_path)
    first = run_all(requests(), store=store)
    again = run_all(requests(), store=store)
    assert core.Scenario.runs == 4
    assert all(result.cached for result in again)
    assert not any(result.cached for result in first)
    assert [(r.metrics, r.digest, r.packet_hops) for r in first] == [
        (r.metrics, r.digest, r.packet_hops) for r in again
    ]


def test_numbers_of_numpy_are_those_of_python(tmp_path, core):
    first = run_all([RunRequest("", seed=np.uint64(2), replication=np.int32(1))], store=Store(tmp_path))
    assert run_all([RunRequest("", seed=2, replication=1)], store=Store(tmp_path))[0].cached
    assert (first[0].request, core.Scenario.runs) == (RunRequest("", seed=2, replication=1), 1)


def test_a_component_without_a_source_is_not_kept(tmp_path, core, monkeypatch):
    made = core.Scenario.__init__

    def of_a_plugin(self, *given, **named):
        made(self, *given, **named)
        self.unidentified_components = ["discipline.linear-drop", "source.tiny"]

    monkeypatch.setattr(core.Scenario, "__init__", of_a_plugin)
    with pytest.raises(
        InputError, match=r"^discipline\.linear-drop, source\.tiny of a plug-in has no source.*run without a store$"
    ):
        run_all(requests(), store=Store(tmp_path))
    assert core.Scenario.runs == 0
    assert len(run_all(requests())) == core.Scenario.runs == 4


@pytest.mark.parametrize("ends", [False, True])
def test_a_signal_ends_the_runs_only_if_its_handler_does(ends):
    told, sent, before = [], [], signal.getsignal(signal.SIGTERM)
    signal.signal(signal.SIGTERM, signal.default_int_handler if ends else lambda number, _frame: told.append(number))

    def progress(status):
        if status.done and not sent:
            sent.append(status.done)
            signal.raise_signal(signal.SIGTERM)

    try:
        if ends:
            with pytest.raises(KeyboardInterrupt):
                run_all(requests(count=6), jobs=1, progress=progress)
        else:
            assert len(run_all(requests(count=6), jobs=1, progress=progress)) == 6
            assert told
            assert set(told) == {signal.SIGTERM}
    finally:
        signal.signal(signal.SIGTERM, before)


def test_equal_requests_are_run_once(core):
    results = run_all([RunRequest("", replication=1)] * 3)
    assert core.Scenario.runs == 1
    assert len(results) == 3


def test_another_model_version_is_another_run(tmp_path, monkeypatch):
    run_all(requests(count=1), store=Store(tmp_path))
    monkeypatch.setattr(_core, "MODEL_VERSION", "another")
    assert not run_all(requests(count=1), store=Store(tmp_path))[0].cached


def test_a_failing_run_is_named_and_the_others_are_finished(tmp_path):
    store = Store(tmp_path)
    text = "[fake]\nfail = [1]"
    with pytest.raises(RunsFailed) as caught:
        run_all(requests(text), store=store)
    message = str(caught.value)
    assert "demo, seed 1, replication 1 failed: the queue is unstable" in message
    assert "--seed 1 --replication 1" in message
    assert "1 of 4 runs failed" in message
    assert caught.value.exit_code == 1
    repeat = message.split("penstock run ")[1].split(maxsplit=1)[0]
    assert Path(repeat).read_text() == text
    assert all(result.cached for result in run_all([r for r in requests(text) if r.replication != 1], store=store))


def test_a_panic_is_called_ours():
    with pytest.raises(RunsFailed, match=r"replication 2 failed \(a bug in Penstock.*index out of bounds"):
        run_all(requests("[fake]\npanic = [2]"))


@pytest.mark.parametrize("wrong", [{"seed": -1}, {"seed": 2**64}, {"seed": 1.5}, {"replication": -1}])
def test_a_seed_or_replication_that_does_not_exist_is_not_called_ours(wrong):
    with pytest.raises(InputError, match=r"is not a whole number from 0 to 2\^64 - 1"):
        run_all([RunRequest("[fake]", **wrong)])


def test_errors_are_the_same_in_another_process():
    for scenario in ("a = 1", "[fake]\nfail = [0]"):
        with pytest.raises((ScenarioError, RunsFailed)) as caught:
            run_all([RunRequest(scenario)])
        copy = pickle.loads(pickle.dumps(caught.value))
        assert (type(copy), str(copy), vars(copy)) == (type(caught.value), str(caught.value), vars(caught.value))


def test_failures_are_listed_in_order_and_not_all_of_them():
    with pytest.raises(RunsFailed) as caught:
        run_all(requests("[fake]\nfail = [0, 1, 2, 3, 4, 5, 6]", 8), jobs=8)
    assert [failure.request.replication for failure in caught.value.failures] == list(range(7))
    assert "... and 2 more." in str(caught.value)


def test_mistakes_of_all_scenarios_are_reported_before_anything_runs(core):
    with pytest.raises(ScenarioError) as caught:
        run_all([*requests("a = 1"), *requests("b = 1"), *requests("")])
    assert [mistake["path"] for mistake in caught.value.mistakes] == ["a", "b"]
    assert core.Scenario.runs == 0


def test_settings_take_part_in_the_run():
    results = run_all([RunRequest("", sets=(("rate", "5.0"),)), RunRequest("")])
    assert [result.metrics[0].value for result in results] == [6.0, 2.0]


@pytest.fixture
def interruptible():
    """Shells start background jobs with interruption ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_interruption_stops_the_running_and_keeps_the_finished(tmp_path):
    store = Store(tmp_path)
    text = "[fake]\nslow = [1, 2, 3]"
    threading.Timer(0.5, _thread.interrupt_main).start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        run_all(requests(text), jobs=2, store=store)
    assert time.monotonic() - begin < 3
    assert run_all(requests(text, 1), store=store)[0].cached


def test_the_longest_runs_go_first_and_their_work_is_told(core, monkeypatch):
    order, work = [], []
    real = core.Scenario.run
    monkeypatch.setattr(core.Scenario, "run", lambda self, *args: order.append(self.fake["rate"]) or real(self, *args))
    sizes = (1.0, 3.0, 2.0)
    asked = [RunRequest(f"[fake]\nrate = {size}", name="demo", hops=size) for size in sizes]
    results = run_all(asked, jobs=1, progress=lambda status: work.append((status.work, status.worked)))
    assert order == [3.0, 2.0, 1.0]
    assert [result.request.hops for result in results] == list(sizes)
    assert (work[0], work[-1]) == ((6.0, 0.0), (6.0, 6.0))


def test_progress_is_told_everything(tmp_path):
    store = Store(tmp_path)
    run_all(requests(count=1), store=store)
    seen = []
    text_requests = requests()
    run_all(text_requests, store=store, progress=lambda s: seen.append((s.total, s.done, s.cached, s.packet_hops)))
    assert seen[0] == (4, 1, 1, 0)
    assert seen[-1] == (4, 4, 1, 3000)
