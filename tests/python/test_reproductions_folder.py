"""Studies of somebody's own, in folders."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from half_study import DOCUMENT, SCENARIO, change, write_study

from penstock.cli.app import app
from penstock.reproductions.claims import judge
from penstock.reproductions.comparison import compare
from penstock.reproductions.loading import is_folder, load
from penstock.reproductions.outcome import Outcome
from penstock.reproductions.reading import Readings
from penstock.reproductions.reproduce import reproduce
from penstock.reproductions.study import page_of

EXAMPLE = Path(__file__).parents[2] / "examples" / "studies" / "buffer-sizing"


@pytest.fixture
def folder(tmp_path):
    return write_study(tmp_path)


def run(*arguments):
    return CliRunner().invoke(app, [str(each) for each in arguments])


class TestFolder:
    def test_names_are_no_folders(self, folder, monkeypatch):
        monkeypatch.chdir(folder.parent)
        assert (is_folder("af"), is_folder(str(folder)), is_folder("./af"), is_folder(folder.name)) == (
            False,
            True,
            True,
            True,
        )

    def test_rows_make_settings(self, folder):
        study = load(str(folder))
        table = study.document.table("1")
        for key, expected in (("all", ["250 kbit/s", "500 kbit/s"]), ("tenth", ["25 kbit/s", "50 kbit/s"])):
            settings = Readings(study.document, {"half-a01": key}).settings()
            pages = [page_of(study.build(settings, table, row)[""]) for row in table.rows]
            assert [page.sets for page in pages] == [(("stream.source.cbr.rate", rate),) for rate in expected]

    def test_numbers_are_in_their_columns_units(self, folder):
        study = load(str(folder))
        outcome = reproduce(study, [], Readings(study.document), 2)
        # The last packet of a second is in flight at its end.
        assert outcome.values("1", "share", {"rate": 0.25}) == pytest.approx([25, 25], abs=0.2)
        assert outcome.values("1", "sent", {"rate": 0.5}) == pytest.approx([0.5, 0.5], abs=0.003)
        assert [comparison.agrees for comparison in compare(study.document, outcome)] == [True, True, False, True]

    def test_claims_hold_if_all_their_conditions_do(self, folder):
        study = load(str(folder))
        outcome = reproduce(study, [], Readings(study.document), 2)
        verdicts = {judgement.claim: judgement.finding for judgement in judge(study, outcome)}
        assert [finding.verdict for finding in verdicts.values()] == ["confirmed", "refuted", "undecided"]
        # Two rows, and the two parts of one condition.
        assert verdicts["half-c01"].evidence == "4 of 4 comparisons hold."

    def test_differences_are_taken_run_by_run(self, folder):
        change(folder, '"sent[rate=0.5] > 0.6"', '"sent[rate=0.5] > 0.5 + sent[rate=0.25]"')
        study = load(str(folder))
        outcome = Outcome(study.document, Readings(study.document), list(study.document.tables), 3)
        table = study.document.table("1")
        # 0.6 apart in each run, while runs differ by more: without pairs nothing could be said.
        for row, sent in zip(table.rows, ([0.1, 0.9, 0.5], [0.7, 1.5, 1.1]), strict=True):
            outcome.put(table, row, {"share": [10.0, 10.0, 10.0], "sent": sent})
        found = {judgement.claim: judgement.finding.verdict for judgement in judge(study, outcome)}
        assert (found["half-c01"], found["half-c02"]) == ("refuted", "confirmed")


class TestCommands:
    def test_reproduce(self, folder, tmp_path):
        found = run("reproduce", folder, "--format", "json", "--store", tmp_path / "store")
        assert found.exit_code == 0, found.output
        numbers = json.loads(found.stdout)
        assert [(each["row"], each["column"], each["verdict"]) for each in numbers] == [
            ({"rate": 0.25}, "share", "agrees"),
            ({"rate": 0.25}, "sent", "agrees"),
            ({"rate": 0.5}, "share", "differs"),
            ({"rate": 0.5}, "sent", "agrees"),
        ]
        assert {each["document"] for each in numbers} == {"half"}
        assert {each["runs"] for each in numbers} == {2}

    @pytest.mark.parametrize(
        "arguments",
        [["reproduce", "--summary"], ["reproduce", "--claims"], ["sensitivity"], ["reproduce", "--dry-run"]],
    )
    def test_the_other_forms(self, folder, tmp_path, arguments):
        verb, *options = arguments
        found = run(verb, folder, *options, "--store", tmp_path / "store", "--format", "json")
        assert found.exit_code == 0, found.output
        assert json.loads(found.stdout)

    def test_what_to_do_next_names_the_folder(self, folder, tmp_path):
        found = run("reproduce", folder, "--store", tmp_path / "store")
        assert f"penstock explain {folder}" in found.stdout.replace("\n", "")

    def test_explain(self, folder):
        for name, words in (
            (folder, "Half of it"),
            (folder / "half-c01", "share < 60"),
            (folder / "half-a01", "a tenth"),
        ):
            assert words in run("explain", name).stdout

    def test_words_for_one_of_each_and_for_what_is_left_out(self, folder, tmp_path):
        change(folder, "  { rate = 0.5, share = 51, sent = 0.5 },\n", "")
        change(
            folder,
            '"share < 60", "share[rate=0.5] > 1.9 * share[rate=0.25] and share[rate=0.5] < 2.1 * share[rate=0.25]"',
            '"share < 60"',
        )
        change(folder, '"sent[rate=0.5] > 0.6"', '"sent > 0.6"')
        options = ("--store", tmp_path / "store", "--claims", "--runs", 2)
        found = " ".join(run("reproduce", folder, *options).stdout.split())
        assert "1 row x 2 runs, " in found
        assert "1 of 1 comparison holds." in found
        assert "0 of 1 comparison holds." in found
        assert "1 row x 1 run, " in run("reproduce", folder, *options, "--runs", 1).stdout
        page = run("explain", folder).stdout
        assert "\nA. Nobody; half.\n" in page
        assert "\n- `1`: Shares of a link\n" in page

    def test_report(self, folder, tmp_path):
        found = run("report", folder, "--out", tmp_path / "page.html", "--store", tmp_path / "store")
        assert found.exit_code == 0, found.output
        page = (tmp_path / "page.html").read_text()
        assert "Half of it" in page
        assert "with stream.source.cbr.rate = 250 kbit/s" in page

    def test_check(self, folder):
        assert "sound, with 2 scenarios for 4 printed numbers" in run("check", folder).stdout

    def test_the_example_is_sound(self):
        assert "sound, with 16 scenarios for 32 printed numbers" in run("check", EXAMPLE).stdout

    def test_the_examples_buffers_are_those_of_the_print(self):
        study = load(str(EXAMPLE))
        table, settings = study.document.table("oc3"), Readings(study.document).settings()
        made = [dict(page_of(study.build(settings, table, row)[""]).sets) for row in table.rows]
        limits = [int(each["r1-r2.queue.tail-drop.limit"].removesuffix(" packets")) for each in made]
        # Printed multiples of a rounded number differ from rounded multiples by one at most.
        assert all(abs(limit - row.values["buffer"]) <= 1 for limit, row in zip(limits, table.rows, strict=True))


# Without claims or open questions


BARE = DOCUMENT.partition("[[claim]]")[0].replace(" * factor", "").replace("share = 51", "share = 60")


@pytest.fixture
def bare(tmp_path):
    return f"{write_study(tmp_path, BARE)}/"


def test_a_study_without_claims_and_questions_is_told_about_its_numbers_alone(bare, penstock, tmp_path):
    code, out, err = penstock("reproduce", bare, "--store", tmp_path / "store")
    assert (code, err) == (0, "")
    assert "3 of 4 printed numbers agree; 1 differs.\n" in out
    assert "sensitivity" not in out
    code, page, _ = penstock("explain", bare)
    assert (code, [line for line in page.splitlines() if line.startswith("## ")][-2:]) == (
        0,
        ["## Tables (4 printed numbers)", "## Next"],
    )
    assert "sensitivity" not in page
    assert penstock("report", bare, "--out", tmp_path / "page.html", "--store", tmp_path / "store")[0] == 0
    shown = (tmp_path / "page.html").read_text()
    assert "claims confirmed" not in shown
    assert "--claims" not in shown


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("reproduce", "--reading", "foo"), "no reading 'foo' in half; it has none."),
        (("reproduce", "--reading", "foo=x"), "no reading 'foo' in half; it has none."),
        (("reproduce", "--claims"), "half has no claims, so --claims tests nothing; leave it out"),
        (("reproduce", "--claims", "--format", "json"), "half has no claims"),
        (("reproduce", "--claims", "--dry-run"), "half has no claims"),
        (("sensitivity",), "half has no open question with another answer, so nothing varies"),
    ],
)
def test_claims_and_questions_that_are_not_there(bare, penstock, words, told):
    code, out, err = penstock(words[0], bare, *words[1:])
    assert (code, out) == (2, "")
    assert told in err


# Answers, cells and settings without effect


QUESTION = """
[[ambiguity]]
id = "half-a02"
question = "How large are packets?"
options = [
  { key = "small", text = "125 bytes", set = { packet = "125 bytes" } },
  { key = "odd", text = "a third of a byte", set = { packet = "one" } },
]
chosen = "small"
reason = "It is said elsewhere."
"""


def with_question(text):
    changed = text.replace("[table.set]\n", '[table.set]\nstream.source.cbr.packet = "packet"\n')
    return changed + QUESTION


def test_every_answer_is_checked(tmp_path, penstock):
    document = write_study(tmp_path, with_question(DOCUMENT)) / "document.toml"
    assert penstock("check", document)[0] == 2
    err = penstock("check", document)[2]
    assert "(with half-a02=odd)" in err
    assert err.count("(with half-a02=odd)") == 1  # although it is so in every row
    document.write_text(with_question(DOCUMENT).replace('"one"', '"250 bytes"'))
    code, out, err = penstock("check", document)
    assert (code, err) == (0, "")
    assert out.endswith("with 2 scenarios for 4 printed numbers, and with 2 other answers.\n")


def test_another_answer_with_a_mistake_leaves_the_numbers_of_the_chosen_ones(tmp_path, penstock):
    # The study does not agree with the changed cell.
    write_study(tmp_path, with_question(DOCUMENT).replace("sent = 0.25", "sent = 9.25"))
    code, out, err = penstock("reproduce", f"{tmp_path}/")
    assert (code, err) == (0, "")
    assert "differs" in out


def test_a_column_is_computed_from_cells_and_what_is_stated(tmp_path, penstock):
    stated = DOCUMENT.replace("[[tolerance]]", "[setup.line]\nrate = '1 Mbit/s'\n[[tolerance]]", 1)
    own = stated.replace('from = "utilisation[a-b]"', 'from = "throughput[stream] / (rate * line.rate) * share_of"')
    own = own.replace("[setup.line]", "[assumed]\nshare_of = '30 %'\n[setup.line]")
    study = load(str(write_study(tmp_path, own) / "document.toml"))
    outcome = reproduce(study, [], Readings(study.document), 2)
    shares = [each.mean for each in compare(study.document, outcome) if each.column == "share"]
    assert shares == pytest.approx([30, 30], abs=0.2)
    (tmp_path / "document.toml").write_text(own.replace("* share_of", "* shares_of"))
    code, _, err = penstock("check", tmp_path / "document.toml")
    assert code == 2
    assert "from of share: 'shares_of' is not measured here" in err


def test_what_has_no_effect_in_some_rows_is_said_and_in_all_rows_refused(tmp_path, penstock):
    tcp = SCENARIO.replace(
        'source.cbr = { rate = "250 kbit/s", packet = "125 bytes" }',
        "source.ftp = {}\ntransport.tcp = { ack-delay = '50 ms' }",
    )
    tcp = tcp.replace('delay = "1 ms"', 'delay = "1 ms"\nboth-ways = true')
    (tmp_path / "scenario.toml").write_text(tcp)
    document = DOCUMENT.replace(
        'stream.source.cbr.rate = "rate * 1 Mbit/s * factor"', 'stream.transport.tcp.ack-every = "4 * rate"'
    ).partition("[[ambiguity]]")[0]
    (tmp_path / "document.toml").write_text(document)
    code, _, err = penstock("check", tmp_path / "document.toml")
    assert code == 0
    assert err.startswith(f"warning: {tmp_path / 'scenario.toml'}:18: flows[0].transport.tcp.ack-delay: has no effect")
    assert err.endswith("(at 1 of 2 points)\n")
    page = tmp_path / "page.html"
    assert penstock("report", f"{tmp_path}/", "--out", page, "--store", tmp_path / "store")[0] == 0
    assert "<svg" in page.read_text()
    (tmp_path / "document.toml").write_text(document.replace("4 * rate", "1"))
    code, _, err = penstock("check", tmp_path / "document.toml")
    assert code == 2
    assert "ack-delay: has no effect" in err


def test_the_report_reads_the_files_that_a_scenario_names(tmp_path, penstock):
    own, folder = Path(__file__).parents[2] / "examples" / "own", tmp_path / "study"
    folder.mkdir()
    (folder / "red.py").write_text((own / "red.py").read_text())
    thresholds = 'min-threshold = "5 packets", max-threshold = "25 packets", max-probability = 0.1'
    red = f'queue.my-red = {{ limit = "60 packets", {thresholds} }}'
    scenario = SCENARIO.replace('delay = "1 ms"', f'delay = "1 ms"\n{red}')
    (folder / "scenario.toml").write_text(f'use = "red.py"\n{scenario}')
    (folder / "document.toml").write_text(DOCUMENT)
    page = tmp_path / "page.html"
    code, _, err = penstock("report", f"{folder}/", "--out", page, "--store", tmp_path / "store", "--runs", 2)
    assert code == 0, err
    assert "<svg" in page.read_text()
