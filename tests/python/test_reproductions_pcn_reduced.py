"""The PCN study in reduced form: what is stored of its runs is what they give now, and its verdicts follow from it.

All of its runs take minutes. So the first run of some scenarios is repeated and compared to the last bit, and counts
and verdicts are worked out again from the stored numbers.
"""

import json
import re

import pytest

from penstock.records import RunRequest
from penstock.reproductions.claims import judge
from penstock.reproductions.loading import load
from penstock.reproductions.pcn.cases import cases
from penstock.reproductions.reading import Readings
from penstock.reproductions.reproduce import SEED
from penstock.reproductions.stored import digests, scenario_name, stored_outcome
from penstock.reproductions.study import text_beside
from penstock.reproductions.summary import AGREED, summarise
from penstock.running import run_all
from second_looks import judged_again, stored_looks

STUDY = load("pcn")
DOCUMENT = STUDY.document
SETTINGS = Readings(DOCUMENT).settings()
RENEW = "renew the stored results: python tools/renew/renew.py pcn"
ROWS = [
    ("B.3", {"traffic": "CBR"}),
    ("B.3", {"traffic": "VBR"}),
    ("B.8", {"topology": "PLT2", "algorithm": "CL"}),
    ("C.1", {"traffic": "CBR", "load_over_sr": 1.25}),
    ("C.1", {"traffic": "CBR", "load_over_sr": 2.0}),
    ("C.3", {"load_over_sr": 1.25, "ingresses": 35}),
]
"""One of every kind of run, each among the shortest of its kind."""
EXPERIMENTS = (
    "sweep-middle",
    "fractional-middle",
    "poisson-0.6",
    "flows-100",
    "synchronised-excess",
    "drops-tail",
    "series-3",
)


@pytest.fixture(scope="module")
def stored():
    return stored_outcome(STUDY)


def row(table, key):
    table = DOCUMENT.table(table)
    (found,) = (row for row in table.rows if row.matches(key))
    return table, found


@pytest.mark.parametrize(
    ("table", "key"), ROWS, ids=lambda it: it if isinstance(it, str) else "-".join(map(str, it.values()))
)
def test_rows_give_what_is_stored(stored, table, key):
    table, found = row(table, key)
    parts = STUDY.build(SETTINGS, table, found)
    assert list(parts) == list(cases(SETTINGS, table, found))
    results = run_all([RunRequest(text, (), SEED, 0, part) for part, text in parts.items()])
    made = dict(zip(parts, results, strict=True))
    numbers = STUDY.measure(SETTINGS, table, found, made)
    assert numbers == {name: values[0] for name, values in stored.all_values(table, found).items()}, RENEW
    known = digests(STUDY)
    assert {part: result.digest for part, result in made.items()} == {
        part: known[scenario_name(table.id, found.name, part)] for part in parts
    }, RENEW


def test_experiments_give_what_is_stored():
    pages = STUDY.experiments(SETTINGS)
    results = run_all([RunRequest(pages[name], (), SEED, 0, name) for name in EXPERIMENTS])
    known = digests(STUDY)
    found = {name: result.digest for name, result in zip(EXPERIMENTS, results, strict=True)}
    assert found == {name: known[f"experiment {name}"] for name in EXPERIMENTS}, RENEW


def test_every_scenario_has_its_digest():
    wanted = {
        scenario_name(table.id, row.name, part)
        for table in DOCUMENT.tables
        for row in table.rows
        for part in STUDY.build(SETTINGS, table, row)
    }
    assert set(digests(STUDY)) == wanted | {f"experiment {name}" for name in STUDY.experiments(SETTINGS)}, RENEW


def test_the_verdicts_follow_from_what_is_stored(stored):
    known = {item["claim"]: item for item in json.loads(text_beside(load("pcn").document, "verdicts.json"))}
    assert set(known) == set(STUDY.claims)
    # Stored runs have no experiments; their digests are compared above.
    of_tables = [claim.id for claim in DOCUMENT.claims if claim.tables and claim.id != "pcn-c03"]
    assert len(of_tables) == 25
    for judgement in judged_again(STUDY, judge(STUDY, stored, only=of_tables), stored_looks(STUDY)):
        assert judgement.as_json() == known[judgement.claim], RENEW


def test_the_counts_follow_from_what_is_stored(stored):
    known = json.loads(text_beside(load("pcn").document, "summary.json"))
    made = summarise(STUDY, stored, None)
    for table, entry in zip(made.as_json()["tables"], known["tables"], strict=True):
        scores = [(table, entry), (table["pilot"], entry["pilot"])]
        scores += [(table["contrasts"][kind], entry["contrasts"][kind]) for kind in table["contrasts"]]
        for now, then in scores:
            for name in ("computed", "agree", "null", "discrimination"):
                assert now[name] == then[name], f"{entry['table']}: {RENEW}"
    findings = text_beside(load("pcn").document, "findings.md")
    agree = made.total(AGREED)[0].agree
    assert f"{agree} of the 332 numbers lie within" in re.sub(r"\s+", " ", findings)
    scores = {table.table.id: table.scores[AGREED] for table in made.tables}
    for kind, subject in (("B", "admission"), ("C", "termination")):
        its = [score for table, score in scores.items() if table.startswith(kind)]
        told = f"{sum(score.agree for score in its)} of {sum(score.computed for score in its)} about {subject}"
        assert told in re.sub(r"\s+", " ", findings)
    rows = re.findall(r"^\| [^|]*, (C\.\d)(?: and (C\.\d))? ((?:\| \d+ of \d+ ){4})\|$", findings, re.MULTILINE)
    assert [name for *names, _ in rows for name in names if name] == [name for name in scores if name.startswith("C")]
    for *names, cells in rows:
        its = [scores[name] for name in names if name]
        agreeing, of = (sum(map(int, numbers)) for numbers in zip(*re.findall(r"(\d+) of (\d+)", cells), strict=True))
        assert (agreeing, of) == (sum(score.agree for score in its), sum(score.computed for score in its)), names
    verdicts = [item["verdict"] for item in json.loads(text_beside(load("pcn").document, "verdicts.json"))]
    confirmed, refuted, undecided = (verdicts.count(kind) for kind in ("confirmed", "refuted", "undecided"))
    assert f"Of 38 claims {confirmed} are confirmed, {refuted} refuted and {undecided} undecided" in findings


def numbers(table, **key):
    table, found = row(table, key)
    parts = STUDY.build(SETTINGS, table, found)
    results = run_all([RunRequest(text, (), SEED, 0, part) for part, text in parts.items()])
    return STUDY.measure(SETTINGS, table, found, dict(zip(parts, results, strict=True)))


def test_admission_on_the_single_link_is_near_the_print():
    found = numbers("B.3", traffic="CBR")
    # Four standard deviations of 0.045 points from run to run; counting calls gives -0.012 %.
    assert found["stm"] == pytest.approx(0.065, abs=0.18)
    assert found["cl"] == pytest.approx(0.028, abs=0.18)


def test_termination_on_the_single_link_is_that_of_arithmetic():
    found = numbers("C.1", traffic="CBR", load_over_sr=1.25)
    # Five cuts of 5 %, 0.1 s apart; each is rounded to whole calls of 2000, 0.025 points, and a queue of 50 ms drains.
    assert found["termination_time_stm"] == pytest.approx(0.4, abs=0.001)
    assert found["over_termination_stm"] == pytest.approx(100 * (1 - 1.25 * 0.95**5), abs=0.3)
    # CL cuts once, by the surplus and an eighth of it, which is under way while it measures for 200 ms.
    assert found["over_termination_cl"] == pytest.approx(25 / 8, abs=0.6)
