"""Cross-validated agreement: answers chosen on all tables but the one that is scored."""

import json
import math
import re

import numpy as np
import pytest
from one_link import one_link
from scipy import stats

from penstock.errors import InputError
from penstock.report.reproduction import cross_blocks
from penstock.reproductions import worth
from penstock.reproductions.cross_validation import cross_validate, says
from penstock.reproductions.likelihood import ERRORS, FLOOR, Print, bagged_posterior, joint
from penstock.reproductions.loading import load, names
from penstock.reproductions.pages import study_page
from penstock.store import Store
from penstock.studies.runner import Runner
from renew import Renewal

SCENARIO = one_link(
    {"stream": 'poisson = { rate = "250 kbit/s", packet = "125 bytes" }'},
    [("utilisation", 'of = "a-b"')],
    rate="1 Mbit/s",
    limit=None,
)

TABLE = """
[[table]]
id = "{id}"
caption = "Share of a link"
columns = [
  {{ name = "rate", unit = "Mbit/s", role = "key" }},
  {{ name = "share", unit = "%", role = "value", decimals = 0, from = "utilisation[a-b]{times}" }},
]
rows = [{rows}]
[table.set]
stream.source.poisson.rate = "rate * 1 Mbit/s * {factor}"
a-b.delay = "wire * 1 ms"
"""

QUESTION = """
[[ambiguity]]
id = "half-{id}"
question = "How much?"
options = [{options}]
chosen = "{chosen}"
printed = "{printed}"
reason = "It fits."
fitted = "To the shares."
"""


def table(name, rows, factor="factor", times=""):
    cells = ", ".join(f"{{ rate = {rate}, share = {share} }}" for rate, share in rows)
    return TABLE.format(id=name, rows=cells, factor=factor, times=times)


def question(name, setting, options, chosen, printed):
    texts = ", ".join(
        f'{{ key = "{key}", text = "{key} of it", set = {{ {setting} = {value} }} }}' for key, value in options.items()
    )
    return QUESTION.format(id=name, options=texts, chosen=chosen, printed=printed)


FACTOR = question("a01", "factor", {"all": 1, "half": 0.5, "tenth": 0.1}, "all", "tenth")
WIRE = question("a02", "wire", {"short": 1, "long": 2}, "short", "short")
UNREAD = question("a03", "nothing", {"one": 1, "two": 2}, "one", "one")


def document(*parts):
    """A study whose shares of a link are the offered ones, so factors of 1 in all are right."""
    head = '[document]\nid = "half"\ntitle = "Half"\nauthors = ["A. Nobody"]\n'
    tolerance = '[[tolerance]]\ncolumns = ["share"]\nabsolute = 5\nreason = "Few packets."\n'
    return "\n".join([head, tolerance, *parts])


SHARES = ([(0.2, 20), (0.4, 40)], [(0.3, 30), (0.6, 60)])
TWO = tuple(table(name, rows) for name, rows in zip("12", SHARES, strict=True))
UNMOVED = tuple(table(name, rows, "factor * nothing ^ 0") for name, rows in zip("12", SHARES, strict=True))


@pytest.fixture
def study(tmp_path):
    def write(*parts):
        folder = tmp_path / "half"
        folder.mkdir(exist_ok=True)
        (folder / "scenario.toml").write_text(SCENARIO)
        (folder / "document.toml").write_text(document(*parts))
        return folder

    return write


@pytest.fixture
def result(study, tmp_path):
    def made(*parts, **options):
        folder = load(str(study(*parts)))
        return cross_validate(folder, runner=Runner(jobs=1, store=Store(tmp_path / "store")), **options)

    return made


@pytest.fixture
def crossed(command, tmp_path):
    def made(folder, *words, store="store"):
        return command("reproduce", str(folder), "--cross-validate", "--store", str(tmp_path / store), *words)

    return made


def said(found):
    return {each["question"]: each["says"] for each in found["questions"]}


class TestChoice:
    def test_the_right_answer_is_found_without_the_table_that_is_scored(self, result):
        found = result(*UNMOVED, FACTOR, WIRE, UNREAD)
        for row in found["tables"]:
            assert row["answers"]["half-a01"] == "all"
            assert (row["computed"], row["agree"], row["chosen"]["agree"]) == (2, 2, 2)
        assert found["cross_validated"]["agree"] == found["chosen"]["agree"] == 4
        assert found["complete"]

    def test_a_wrong_choice_of_the_document_is_not_taken_over(self, result):
        wrong = FACTOR.replace('chosen = "all"', 'chosen = "half"')
        found = result(*TWO, wrong, WIRE)
        assert (found["cross_validated"]["agree"], found["chosen"]["agree"]) == (4, 0)
        assert found["chosen"]["discrimination"] < 0 <= found["cross_validated"]["discrimination"]

    def test_what_a_print_can_tell(self, result):
        found = result(*UNMOVED, FACTOR, WIRE, UNREAD)
        assert said(found) == {"half-a01": "decides", "half-a02": "cannot tell"}
        for each in found["questions"]:
            assert sum(answer["probability"] for answer in each["posterior"]) == pytest.approx(1, abs=1e-3)

    def test_a_question_that_only_the_left_out_table_reads_keeps_the_answer_of_the_text(self, result):
        found = result(table("1", [(0.2, 20), (0.4, 40)]), table("2", [(0.3, 30)], factor="1"), FACTOR, WIRE)
        first, second = found["tables"]
        assert (first["answers"]["half-a01"], first["agree"], first["unread"]) == ("tenth", 0, ["half-a01"])
        assert (second["answers"]["half-a01"], second["agree"], second["unread"]) == ("all", 1, [])

    def test_two_changes_that_help_only_together(self, result):
        one = question("a01", "one", {"single": 1, "double": 2}, "double", "single")
        other = question("a02", "other", {"whole": 1, "sixth": "0.15"}, "sixth", "whole")
        # The print has 0.3 of the rate: 1 at first, 2 or 0.15 alone, and 0.3 together.
        shares = [(0.4, 12), (0.3, 9)], [(0.2, 6), (0.35, 10.5)]
        tables = (table(name, rows, "one * other") for name, rows in zip("12", shares, strict=True))
        found = result(*tables, one, other, WIRE.replace("a02", "a04"))
        for row in found["tables"]:
            assert (row["answers"]["half-a01"], row["answers"]["half-a02"]) == ("double", "sixth")

    def test_an_answer_that_changes_only_the_measuring_is_read(self, result):
        share = question("a05", "share", {"right": 1, "twofold": 2}, "right", "twofold")
        tables = (
            table("1", [(0.2, 20), (0.4, 40)], "1", " * share"),
            table("2", [(0.3, 30), (0.6, 60)], "1", " * share"),
        )
        found = result(*tables, share, WIRE)
        assert said(found)["half-a05"] == "decides"
        assert [row["answers"]["half-a05"] for row in found["tables"]] == ["right", "right"]

    def test_an_answer_that_is_given_is_kept(self, result):
        found = result(*TWO, FACTOR, WIRE, fixed={"half-a01": "half"})
        assert found["fixed"] == {"half-a01": "half"}
        assert "half-a01" not in said(found)
        assert found["cross_validated"]["agree"] == 0


class TestBudget:
    def test_too_small_a_budget_is_refused_with_both_numbers(self, result):
        with pytest.raises(InputError) as refused:
            result(*TWO, FACTOR, WIRE, budget=5)
        # Five pairs of answers: each factor with the short wire, and the text's and the chosen one with the long wire.
        # Of the four rows, two with half the rate are two others at full rate. Three runs of 5 * 4 - 2 scenarios.
        told = "a budget of 5 runs is too small: the 2 open questions of half need 54 to try every answer, 3 of each"
        assert told in str(refused.value)

    def test_the_search_stops_at_the_budget_and_says_so(self, result):
        other = question("a02", "other", {"whole": 1, "most": 0.9, "half": 0.45}, "whole", "whole")
        tables = [table(str(turn), rows, "factor * other") for turn, rows in enumerate(SHARES)]
        wire = WIRE.replace("a02", "a03")
        with pytest.raises(InputError, match="need") as refused:
            result(*tables, FACTOR, other, wire, budget=1)
        minimum = int(re.search(r"need (\d+)", str(refused.value))[1])
        stopped = result(*tables, FACTOR, other, wire, budget=minimum)
        # The better point is known from trying every answer, and no pair of changes can be paid around it.
        assert (stopped["used"], stopped["complete"]) == (minimum, False)
        assert stopped["cross_validated"]["agree"] == 4
        ended = result(*tables, FACTOR, other, wire, budget=10 * minimum)
        assert ended["complete"]
        assert minimum < ended["used"] <= 10 * minimum

    def test_stored_runs_count_like_others(self, result):
        assert result(*TWO, FACTOR, WIRE) == result(*TWO, FACTOR, WIRE)
        with pytest.raises(InputError, match="too small"):
            result(*TWO, FACTOR, WIRE, budget=53)


class TestRuns:
    def test_the_number_of_jobs_changes_no_byte(self, study, crossed):
        folder = study(*TWO, FACTOR, WIRE)
        made = [crossed(folder, "--jobs", jobs, "--format", "json", store=jobs) for jobs in ("1", "3")]
        assert [done.returncode for done in made] == [0, 0], made[0].stderr
        assert made[0].stdout == made[1].stdout
        assert json.loads(made[0].stdout)["document"] == "half"

    def test_an_interrupted_search_goes_on_from_what_is_stored(self, study, tmp_path):
        folder = load(str(study(*TWO, FACTOR, WIRE)))
        store = Store(tmp_path / "store")

        def stop(status):
            if status.done >= 20:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            cross_validate(folder, runner=Runner(jobs=1, store=store, progress=stop))
        cached = []
        runner = Runner(jobs=1, store=store, progress=lambda status: cached.append(status.cached))
        resumed = cross_validate(folder, runner=runner)
        assert cached[-1] >= 20
        assert resumed == cross_validate(folder, runner=Runner(jobs=1, store=Store(tmp_path / "other")))

    def test_people_see_the_totals_and_the_words(self, study, crossed):
        done = crossed(study(*TWO, FACTOR, WIRE))
        assert "Cross-validated, 4 of 4 numbers agree" in done.stdout
        assert "decides all" in done.stdout
        assert "cannot tell" in done.stdout
        assert "54 runs to try every answer" in done.stderr


class TestBadInput:
    @pytest.mark.parametrize(
        ("words", "told"),
        [
            (["--table", "1"], "--table names 1 table with printed numbers (1)"),
            (["--runs", "1"], "1 run has no spread to judge answers by; at least 2"),
            (["--budget", "7"], "a budget of 7 runs is too small"),
            (["--summary"], "--cross-validate has the counts of --summary"),
            (["--claims"], "--claims tests claims"),
            (["--as-printed"], "--as-printed gives them"),
            (["--dry-run"], "--dry-run makes no runs"),
            (["--stored"], "--stored makes no runs"),
            (["--reading", "half-a01=all", "--reading", "half-a01=half"], "'half-a01' is answered twice"),
            (["--reading", "half-a01=all", "--reading", "half-a02=short"], "nothing to choose"),
        ],
    )
    def test_is_refused_with_its_reason(self, study, crossed, words, told):
        done = crossed(study(*TWO, FACTOR, WIRE), *words)
        assert (done.returncode, told in " ".join(done.stderr.split())) == (2, True), done.stderr

    @pytest.mark.parametrize(
        ("name", "words", "told"),
        [
            ("af", ["--reading", "af-a01=shared-count", "--reading", "af-a02=independent"], "contradict each other"),
            ("ubr", [], "ubr has 0 tables with printed numbers"),
            ("ubr", ["--table", "30"], "no number of table 30 is printed"),
        ],
    )
    def test_of_the_package(self, crossed, name, words, told):
        done = crossed(name, *words)
        assert (done.returncode, told in done.stderr) == (2, True), done.stderr

    def test_a_document_with_one_table(self, study, crossed):
        done = crossed(study(TWO[0], FACTOR, WIRE))
        assert (done.returncode, "half has 1 table with printed numbers (1)" in done.stderr) == (2, True)

    def test_a_budget_without_a_search(self, command):
        done = command("reproduce", "af", "--budget", "9")
        assert (done.returncode, "--cross-validate too" in " ".join(done.stderr.split())) == (2, True)


class TestLikelihood:
    @pytest.fixture
    def of(self, study):
        document = load(str(study(*TWO, FACTOR, WIRE))).document
        of_table = Print(document, document.table("1"))
        return lambda values: of_table.log_likelihood(values).sum(axis=0)

    def test_is_the_probability_of_what_rounds_to_the_print(self, of):
        ours = np.array([[19.0, 22.0, 20.0], [41.0, 40.0, 43.0]])
        expected = []
        for error in ERRORS:
            each = []
            for printed, values in zip((20, 40), ours, strict=True):
                scale = math.hypot(values.std(ddof=1) * math.sqrt(1 + 1 / 3), 5 * error)
                mean = stats.t(2, values.mean(), scale)
                each.append(math.log(mean.cdf(printed + 0.5) - mean.cdf(printed - 0.5)))
            expected.append(sum(each))
        assert of(ours) == pytest.approx(expected)
        assert joint([of(ours)[np.newaxis]]) == pytest.approx(math.log(np.mean(np.exp(expected))))

    def test_a_print_is_hit_or_missed_where_nothing_varies(self, of):
        hit, missed = (of(np.array([[20.0] * 3, [20.0 + above] * 3]))[0] for above in (20.4, 19.0))
        assert hit == pytest.approx(0, abs=1e-6)
        assert missed == pytest.approx(math.log(FLOOR), abs=1e-6)

    def test_a_run_without_a_value_counts_against_an_answer_and_excludes_it_not(self, of):
        values = np.array([[20.0, math.nan, 20.0], [40.0, 40.0, 40.0]])
        assert of(values)[0] == pytest.approx(math.log(FLOOR), abs=1e-6)

    def test_answers_that_all_miss_are_not_told_apart(self, of):
        far, further = (joint([of(np.array([[20.0 + by] * 3, [40.0 + by] * 3]))[np.newaxis]]) for by in (40.0, 44.0))
        assert 0 < far - further < math.log(3)

    def test_a_posterior_is_no_surer_than_the_rows_agree(self):
        none = np.zeros((10, len(ERRORS)))
        agreed, single = none + 2, none.copy()
        # The same 20 in all, from all rows and from one of them, which 1 - (1 - 1/10)^10 of the samples have.
        single[3] = 20
        assert bagged_posterior([agreed, none]) == pytest.approx([1, 0], abs=1e-6)
        assert bagged_posterior([single, none])[0] == pytest.approx(1 - 0.9**10 / 2, abs=0.03)
        assert bagged_posterior([none, none, none]) == pytest.approx([1 / 3] * 3)

    def test_words_have_thresholds(self):
        assert [says([share, 1 - share]) for share in (0.95, 0.94, 0.75, 0.74)] == [
            "decides",
            "leans to",
            "leans to",
            "cannot tell",
        ]


class TestStored:
    @pytest.mark.parametrize("name", names())
    def test_belongs_to_the_document_and_is_shown(self, name):
        document = load(name).document
        result = worth.cross_validated(document)
        section = "\n".join(worth.cross_section(document))
        if result is None:
            assert worth.missing(document) in section
            return
        printed = {table.id: len(table.numbers()) for table in document.tables if table.numbers()}
        covered = {table["table"]: table["numbers"] for table in result["tables"]}
        assert covered.items() <= printed.items()
        assert (f"Only tables {', '.join(covered)}" in section) == (covered != printed)
        assert ("the other answers were kept" in section) == bool(result["fixed"])
        assert {each["question"] for each in result["questions"]}.isdisjoint(result["fixed"])
        assert sum(table["agree"] for table in result["tables"]) == result["cross_validated"]["agree"]
        for each in result["questions"]:
            keys = [answer["reading"] for answer in each["posterior"]]
            assert [option.key for option in document.question(each["question"]).options if option.key in keys] == keys
            assert says(answer["probability"] for answer in each["posterior"]) == each["says"]
            assert f"| `{each['question']}` | {each['says']}" in section

    def test_the_chosen_answer_is_named_where_the_print_is_for_another(self):
        document = load("md1k").document
        words = worth.verdict(document, "md1k-a01", "decides", "waiting")
        assert words == "decides waiting"
        words = worth.verdict(document, "md1k-a01", "leans to", "in-system", "`")
        assert words == "leans to `in-system`, chosen is `waiting`"
        assert worth.verdict(document, "md1k-a01", "cannot tell", "in-system") == "cannot tell"

    @pytest.mark.parametrize(("name", "agree"), [("md1k", [0, 3]), ("ubr", None)])
    def test_a_summary_has_it_in_every_row(self, command, name, agree):
        rows = json.loads(command("reproduce", name, "--summary", "--format", "json").stdout)["tables"]
        found = [row["cross_validated"] for row in rows]
        assert [None if each is None else each["agree"] for each in found] == (agree or [None] * len(rows))
        shown = command("reproduce", name, "--summary").stdout
        told = "Not cross-validated: no number is printed" if agree is None else "Cross-validated, 3 of 9 numbers agree"
        assert told in shown

    @pytest.mark.parametrize(
        ("parts", "told"),
        [
            ([*TWO, FACTOR], "Not cross-validated yet: `penstock reproduce"),
            ([TWO[0], FACTOR], "that takes two printed tables and an open question"),
            (TWO, "that takes two printed tables and an open question"),
        ],
    )
    def test_a_page_says_why_there_is_none(self, study, parts, told):
        page = study_page(load(str(study(*parts))).document)
        assert told in page[page.index("## What the agreement is worth without the fit") :]

    def test_a_report_has_both_tables(self):
        scores, questions = cross_blocks(load("md1k").document)
        assert "Cross-validated, 3 of 9 numbers agree" in scores.markdown
        assert [row[0].text for row in scores.grid.rows] == ["1", "2"]
        assert questions.grid.rows[0][0].text == "md1k-a01"
        assert [block.grid for block in cross_blocks(load("ubr").document)] == [None]


class TestRenewal:
    def test_of_some_tables_and_questions_keeps_all_other_answers(self, study, tmp_path):
        folder = load(str(study(*TWO, table("3", [(0.5, 50)]), FACTOR, WIRE)))
        renewal = Renewal(folder, 3, 1, Store(tmp_path / "store"))
        found = renewal.cross_validated(3, None, ["1", "2"], ["half-a01"])
        assert [each["table"] for each in found["tables"]] == ["1", "2"]
        assert found["fixed"] == {"half-a02": "short"}
        assert said(found) == {"half-a01": "decides"}
        told = worth.told(folder.document, found)
        assert "Only tables 1, 2 were left out in turn" in told
        assert "Only answers to half-a01 were chosen; the other answers were kept." in told
