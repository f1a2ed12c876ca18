"""Statements of claims in a document's data: what they name, their loops, and the evidence in words."""

import pytest

from penstock.records import Metric, RunRequest, RunResult
from penstock.reproductions.document import Document
from penstock.reproductions.evidence import LEVEL, Estimate, Finding, above, decide
from penstock.reproductions.fits import Watched
from penstock.reproductions.outcome import Outcome
from penstock.reproductions.reading import Readings
from penstock.reproductions.statements import StatedTest

PAPER = """
[document]
id = "paper"
title = "A paper"
authors = ["A. Author"]

[testing]
evidence = "{what}: {all}."
loops.schemes = { scheme = ["old", "new"] }

[[table]]
id = "1"
where = "2"
caption = "Rates"
columns = [
  { name = "scheme", unit = "1", role = "key" },
  { name = "load", unit = "1", role = "key" },
  { name = "rate", unit = "kbps", role = "value" },
]
rows = [
  { scheme = "none", load = "N/A", rate = 1.0 },
  { scheme = "old", load = 0.5, rate = 10.0 },
  { scheme = "old", load = 0.9, rate = 20.0 },
  { scheme = "new", load = 0.5, rate = 30.0 },
  { scheme = "new", load = 0.9, rate = 60.0 },
]

[[claim]]
id = "paper-c01"
where = "2"
kind = "quantitative"
basis = "prose"
claim = "It is faster."
test = "In words."
tables = ["1"]
printed_support = "yes"
"""
# Two runs a row: none 1 and 2, old 10 and 11, 20 and 23, new 30 and 32, 60 and 61.
VALUES = [[1.0, 2.0], [10.0, 11.0], [20.0, 23.0], [30.0, 32.0], [60.0, 61.0]]


def found(keys, numbers=None):
    document = Document.parse(PAPER + keys)
    outcome = Outcome(document, Readings(document), list(document.tables), 2)
    for row, values in zip(document.tables[0].rows, VALUES, strict=True):
        outcome.put(document.tables[0], row, {"rate": values})
    metrics = [Metric("queue", {"of": name}, "packets", value) for name, value in (("a", 3.0), ("b", 4.0))]
    outcome.experiments["long"] = [RunResult(RunRequest("", replication=n), metrics, "d", 0) for n in range(2)]
    return StatedTest(document, document.claim("paper-c01"), numbers or {})(outcome, {})


def means(keys, numbers=None):
    return {test.label: test.estimate.mean for test in found(keys, numbers).decision.tests}


@pytest.mark.parametrize(
    ("number", "mean"),
    [
        ("rate[scheme=new, load=0.9] - rate[scheme=old, load=0.9]", 39.0),
        ("abs(rate[scheme=none] - 3) / 2", 0.75),
        ("rate[scheme=old, load=0.5] / printed.rate[scheme=new, load=0.9]", 10.5 / 60),
        ("rate[scheme=none] + mean.rate[scheme=old, load=0.5]", 1.5 + 10.5),
        ("average.rate[scheme=old]", 16.0),
        ("average.rate[scheme=old|new, load=0.5]", (20.0 + 21.5) / 2),
        ("total.rate[load=0.9]", 82.0),
        # Of the new scheme 30 and 29 apart, of the old one 10 and 12.
        ("range.rate[over=load, scheme=old|new]", (20.0 + 20.5) / 2),
        ("run.queue[experiment=long]", 7.0),
        ("run.queue[experiment=long, of=b]", 4.0),
        ("twice[what=3]", 6.0),
    ],
)
def test_numbers_by_hand(number, mean):
    numbers = {"twice": lambda _outcome, cells: [2 * float(cells["what"])] * 2}
    assert means(f'holds = ["it: {number} > 0"]', numbers) == {"it": pytest.approx(mean)}


def test_a_row_of_a_loop_gives_the_cells_that_brackets_leave_out():
    keys = 'holds = [{ for = [{ rows = { scheme = "new" } }], holds = ["{load}: rate - rate[scheme=old] > 0"] }]'
    assert means(keys) == {"0.5": pytest.approx(20.5), "0.9": pytest.approx(39.0)}
    # A row that has no such cell stands for all.
    keys = keys.replace("scheme=old", "scheme=none")
    assert means(keys) == {"0.5": pytest.approx(29.5), "0.9": pytest.approx(59.0)}


def test_loops_within_loops_and_names_of_several_variables():
    keys = """
holds = [
  { for = ["schemes", [{ load = 0.5, name = "half" }, { load = 0.9, name = "full" }]], holds = [
    "{scheme}, {name}: rate[scheme={scheme}, load={load}] > 0",
  ] },
]
"""
    assert list(means(keys)) == ["old, half", "old, full", "new, half", "new, full"]


@pytest.mark.parametrize(
    ("statement", "holds"),
    [
        ("10.5 < rate[scheme=new, load=0.5] < 40", True),
        ("40 < rate[scheme=new, load=0.5] < 50", False),
        ("rate[scheme=new, load=0.5] < 20 + 11", False),
        ("rate[scheme=new, load=0.5] > 2 * printed.rate[scheme=old, load=0.5]", True),
    ],
)
def test_sides_and_bounds(statement, holds):
    (test,) = found(f'holds = ["it: {statement}"]').decision.tests
    assert (test.lead > 0) == holds


def test_evidence_and_remark():
    keys = """
what = "Rates of {fast}"
holds = ["new: rate[scheme=new, load=0.9] > 0", "old: rate[scheme=old, load=0.9] < 0"]
show.fast = { for = ["schemes"], text = "{scheme} {0:.1f}", of = ["rate[scheme={scheme}, load=0.9]"], join = ", " }
also.half = ["x: rate[scheme=new, load=0.5] > 0"]
remark = "At half the load {half.lowest:.0f}, and {tests[old].lowest:.1f} against it. {unsettled}"
"""
    finding = found(keys)
    assert finding.evidence.startswith("Rates of old 21.5, new 60.5: new +60.5")
    assert finding.note == "At half the load 31, and 21.5 against it."


# Of two runs each: 30.5 less 60.5 is clearly below 0, and 10.5 less 21.5 likewise.
@pytest.mark.parametrize(
    ("statements", "all_hold", "any_holds"),
    [
        (["new: rate[scheme=new, load=0.9] > 0", "old: rate[scheme=new, load=0.9] > 100"], "refuted", "confirmed"),
        (["new: rate[scheme=new, load=0.9] > 100", "old: rate[scheme=new, load=0.9] > 90"], "refuted", "refuted"),
        (["new: rate[scheme=new, load=0.9] > 0", "old: rate[scheme=old, load=0.9] > 21"], "undecided", "confirmed"),
        (["new: rate[scheme=new, load=0.9] > 100", "old: rate[scheme=old, load=0.9] > 21"], "refuted", "undecided"),
    ],
)
def test_one_statement_that_holds_may_be_enough(statements, all_hold, any_holds):
    holds = f"holds = {statements}".replace("'", '"')
    assert found(holds).verdict == all_hold
    finding = found(f"any = true\n{holds}")
    assert finding.verdict == any_holds
    # At another level it is still one that is enough; in the last case more runs of the open statement decide.
    assert finding.at(0.049).verdict == any_holds
    assert (finding.runs_to_decide is not None) == (any_holds == "undecided")


def test_a_test_that_had_a_choice_of_sides_keeps_half_of_the_error():
    # Its probability if false is between 1.25 % and 2.5 %.
    test = above("rate", Estimate.of([1.0, 4.0, 3.0, 2.0, 0.4, 1.0]), 0.2)
    assert [decide([test], level).verdict for level in (LEVEL, LEVEL / 4)] == ["confirmed", "undecided"]
    finding = Finding.of(decide([test], LEVEL / 4), "")
    assert (finding.at(LEVEL).verdict, finding.at(4 * LEVEL).verdict) == ("undecided", "confirmed")


def test_what_decides_is_read_without_the_rest_of_the_evidence():
    keys = 'holds = ["it: rate[scheme=new, load=0.9] > 0"]\nalso.half = ["x: rate[scheme=new, load=0.5] > 0"]\n'
    document = Document.parse(PAPER + keys)
    outcome = Outcome(document, Readings(document), list(document.tables), 2)
    outcome.put(document.tables[0], document.tables[0].rows[4], {"rate": VALUES[4]})
    test = StatedTest(document, document.claim("paper-c01"), {})
    watched = Watched(outcome)
    assert test.decide(watched).verdict == "confirmed"
    assert watched.looked.numbers == {("1", ("new", 0.9), "rate")}
    with pytest.raises(KeyError):
        test(outcome, {})


def test_a_claim_without_statements_or_runs_is_open():
    assert (found("").verdict, found("").evidence) == ("undecided", "It was not tested. In words.")
    assert found('needs = ["short"]\nholds = ["it: 1 > rate[scheme=none]"]').verdict == "undecided"


def test_brackets_must_name_one_row():
    with pytest.raises(ValueError, match=r"paper-c01: 2 rows of table 1 have \{'scheme': 'old'\}"):
        found('holds = ["it: rate[scheme=old] > 0"]')
