"""A short ``make fuzz``, and that it would notice: with the worker of the Rust tests, which has overflow checks."""

from __future__ import annotations

import random
import shutil
import sys
import tomllib
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / "fuzz"
sys.path.insert(0, str(FOLDER))

# The fuzzer is a program in a folder of its own, not a package: it can be imported only once its folder is on the path.
from cancel import stop_command  # noqa: E402
from corpus import Corpus, text_of  # noqa: E402
from fuzz import FAILURES, Fuzzer, failed, page, run  # noqa: E402
from mutations import Mutations, repaired  # noqa: E402
from shrink import shrink  # noqa: E402
from worker import Verdict, Worker, build  # noqa: E402

CASES = 400
"""Half a minute of them, about."""
PAGE = """\
duration = "1 s"
nodes = { a = {}, b = {} }
links = [{ from = "a", to = "b", rate = "1 Mbit/s", delay = "1 ms" }]
flows = [{ name = "f", from = "a", to = "b", source.cbr = { rate = "64 kbit/s", packet = "160 bytes" } }]
"""


@pytest.fixture(scope="module")
def program():
    if shutil.which("cargo") is None:
        pytest.skip("there is no cargo to build the worker with")
    return build()


@pytest.fixture
def worker(program):
    worker = Worker(program, cpu_limit=2.0, wall_limit=20.0)
    yield worker
    worker.stop()


@pytest.fixture(scope="module")
def corpus():
    return Corpus()


def test_a_short_run_finds_nothing(program, tmp_path):
    fuzzer = Fuzzer(seed=1, program=program, keep=tmp_path, shrinking=0)
    run(fuzzer, seconds=3600, jobs=2, cases=CASES)
    assert not failed(fuzzer.tally), [verdict for verdict, _ in fuzzer.tally.failures.values()]
    # Otherwise it would prove nothing: a good part of the cases is run.
    assert fuzzer.tally.verdicts["compared"] > CASES / 3, fuzzer.tally.verdicts


@pytest.mark.parametrize(
    ("pretended", "kind"),
    [("panic", "panic"), ("overflow", "panic"), ("abort", "abort"), ("hang", "hang"), ("sleep", "hang")],
)
def test_failures_are_noticed(program, pretended, kind):
    worker = Worker(program, cpu_limit=1.0, wall_limit=4.0 if pretended == "sleep" else 60.0)
    assert worker.check(PAGE, pretend=pretended).kind == kind
    # And the next case is checked by another process.
    assert worker.check(PAGE).kind == "compared"
    worker.stop()


def test_verdicts_are_those_of_the_core(worker):
    assert worker.check(PAGE).kind == "compared"
    assert worker.check(PAGE, [["duration", "0 s"]]).kind == "refused"
    assert worker.check(PAGE, [["flows[0].source.cbr.rate", "1 bit"]]).mistaken == ("flows[0].source.cbr.rate",)
    assert worker.check(PAGE.replace("a = {}", "a = { count = 100_000 }")).kind in ("refused", "toolarge")


def test_the_corpus_is_sound(worker, corpus):
    assert len(corpus.trees) > 50
    for tree in corpus.trees[::10]:
        assert worker.check(text_of(tree), events=300).kind == "compared"


def test_a_case_is_a_function_of_its_number(corpus):
    mutations = Mutations(corpus)
    cases = [mutations.case(random.Random(f"1/{number}")) for number in range(30)]
    assert cases == [mutations.case(random.Random(f"1/{number}")) for number in range(30)]
    assert len({text for text, _, _ in cases}) > 28


def test_every_component_comes_up(corpus):
    rng, found = random.Random(1), set()
    mutations = Mutations(corpus)
    for _ in range(800):
        text = mutations.case(rng)[0]
        found |= {name for tables in corpus.fragments.values() for table in tables for name in table if name in text}
    assert found == {name for tables in corpus.fragments.values() for table in tables for name in table}


def test_shrinking_leaves_what_fails(corpus):
    text = text_of(corpus.trees[0])

    def fails(smaller, sets):
        return "rate" in smaller and "delay" in smaller and ["x", "1"] in sets

    small, sets = shrink(text, [["a", "b"], ["x", "1"]], fails, seconds=60)
    assert sets == [["x", "1"]]
    assert len(small) < 120, small
    tomllib.loads(small)
    broken, _ = shrink(text + "\n[[[\n", [], lambda smaller, _: "[[[" in smaller, seconds=60)
    assert broken == "[[[\n"


def test_repairs_make_a_case_sound(worker):
    tree = tomllib.loads(PAGE)
    tree["links"][0] |= {"rate": "0 bit/s", "queue": {"red": {}}, "colour": "blue"}
    tree["measure"] = [{"metric": "nothing"}]
    text = text_of(tree)
    for _ in range(4):
        verdict = worker.check(text)
        if verdict.kind != "refused":
            break
        text = repaired(text, verdict.mistaken)
        assert text is not None, verdict
    assert verdict.kind == "compared"


@pytest.mark.parametrize("number", [2, 15])
def test_a_command_that_is_told_to_stop_stops(number, tmp_path):
    long = PAGE.replace("1 s", "3000000 s").replace("64 kbit/s", "999 kbit/s")
    verdict = stop_command(long, [], 3.0, number, tmp_path)
    assert verdict.kind == "interrupted", verdict


def test_the_page_has_all_counts():
    fuzzer = type("Fuzzer", (), {})
    from fuzz import Tally

    fuzzer.tally = Tally()
    assert not fuzzer.tally.add("random network", Verdict("compared", seconds=0.5))
    assert fuzzer.tally.add("random network", Verdict("panic", "a.rs:1: x"))
    assert not fuzzer.tally.add("random network", Verdict("panic", "a.rs:1: y"))
    assert fuzzer.tally.add_command(Verdict("slow", "after SIGINT", "command", 1.5))
    text = page(fuzzer.tally, 7, 60.0)
    assert "| panics | 2 |" in text
    assert "| cases | 3: 3 of random networks |" in text
    assert "1.50 s" in text
    assert failed(fuzzer.tally) == 3
    assert all(what in text for what in FAILURES.values())
