"""Studies of somebody's own, in folders."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from one_link import one_link

from penstock.cli.app import app
from penstock.errors import InputError, ScenarioError
from penstock.reproductions.claims import judge
from penstock.reproductions.comparison import compare
from penstock.reproductions.loading import is_folder, load
from penstock.reproductions.outcome import Outcome
from penstock.reproductions.reading import Readings
from penstock.reproductions.reproduce import reproduce
from penstock.reproductions.study import page_of

EXAMPLE = Path(__file__).parents[2] / "examples" / "studies" / "buffer-sizing"

SCENARIO = one_link(
    {"stream": 'cbr = { rate = "250 kbit/s", packet = "125 bytes" }'},
    [("utilisation", 'of = "a-b"'), ("throughput", 'of = "stream"')],
    rate="1 Mbit/s",
    limit=None,
)

DOCUMENT = """
[document]
id = "half"
title = "Half of it"
authors = ["A. Nobody"]
runs = 2

[[table]]
id = "1"
caption = "Shares of a link"
columns = [
  { name = "rate", unit = "Mbit/s", role = "key" },
  { name = "share", unit = "%", role = "value", decimals = 0, from = "utilisation[a-b]" },
  { name = "sent", unit = "Mbit/s", role = "value", decimals = 2, from = "throughput[stream]" },
]
rows = [
  { rate = 0.25, share = 25, sent = 0.25 },
  { rate = 0.5, share = 51, sent = 0.5 },
]
[table.set]
stream.source.cbr.rate = "rate * 1 Mbit/s * factor"

[[tolerance]]
columns = ["share", "sent"]
absolute = 0.3
reason = "Counted by whole packets."

[[claim]]
id = "half-c01"
claim = "Twice the rate takes twice of the link, and neither fills it."
holds = ["share < 60", "share[rate=0.5] > 1.9 * share[rate=0.25] and share[rate=0.5] < 2.1 * share[rate=0.25]"]
tables = ["1"]

[[claim]]
id = "half-c02"
claim = "Half of the link is more than half."
holds = ["sent[rate=0.5] > 0.6"]
tables = ["1"]

[[claim]]
id = "half-c03"
claim = "It is simpler."
tables = ["1"]

[[ambiguity]]
id = "half-a01"
question = "Is it all sent?"
options = [
  { key = "all", text = "all of it", set = { factor = 1 } },
  { key = "tenth", text = "a tenth", set = { factor = 0.1 } },
]
chosen = "all"
reason = "Nothing is said of a tenth."
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "scenario.toml").write_text(SCENARIO)
    (tmp_path / "document.toml").write_text(DOCUMENT)
    return tmp_path


def changed(folder, old, new):
    text = (folder / "document.toml").read_text()
    assert old in text
    (folder / "document.toml").write_text(text.replace(old, new))


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
        changed(folder, '"sent[rate=0.5] > 0.6"', '"sent[rate=0.5] > 0.5 + sent[rate=0.25]"')
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
        changed(folder, "  { rate = 0.5, share = 51, sent = 0.5 },\n", "")
        changed(
            folder,
            '"share < 60", "share[rate=0.5] > 1.9 * share[rate=0.25] and share[rate=0.5] < 2.1 * share[rate=0.25]"',
            '"share < 60"',
        )
        changed(folder, '"sent[rate=0.5] > 0.6"', '"sent > 0.6"')
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


ROWS = DOCUMENT.partition("rows = [\n")[2].partition("]\n")[0]
MISTAKES = [
    ('caption = "Shares of a link"\n', "", "caption is missing"),
    ('caption = "Shares', 'captoin = "x"\ncaption = "Shares', "unknown key 'captoin'; did you mean 'caption'?"),
    ("{ rate = 0.25, share = 25, sent = 0.25 }", "{ rate = 0.25, share = 25 }", "row 1 lacks this column: 'sent'"),
    ("{ rate = 0.5, share", "{ rate = 0.25, share", "row 2 has the key cells of row 1"),
    (', from = "utilisation[a-b]"', "", "column 'share' needs from"),
    ('from = "utilisation[a-b]"', 'from = "1 +"', "from of share: ends where a value is expected"),
    ('from = "utilisation[a-b]"', 'from = "delay[stream]"', "from of share: 'delay' is not measured here"),
    ('from = "utilisation[a-b]"', 'from = "throughput[stream]"', "column share has the unit %"),
    ("rate * 1 Mbit/s", "rate * 1 Mbit/s * nought", "'nought' is unknown"),
    ("rate * 1 Mbit/s", "rate * 1 ms", "document.toml:21: table[0].set.stream.source.cbr.rate: unknown unit 'us'"),
    (
        "stream.source.cbr.rate =",
        "stream.sauce.cbr.rate =",
        "document.toml:21: table[0].set.stream.sauce.cbr.rate: unknown key 'sauce'",
    ),
    ('columns = ["share", "sent"]\nabs', 'columns = ["share"]\nabs', "no tolerance for sent"),
    ('"sent[rate=0.5] > 0.6"', '"sent[rate=0.7] > 0.6"', "no row of table 1 has rate = 0.7; there are 0.25, 0.5"),
    ('"sent[rate=0.5] > 0.6"', '"nought > 0.6"', "there is no column 'nought'"),
    ('"sent[rate=0.5] > 0.6"', '"sent[rate=0.5] == 0.6"', "is no comparison"),
    ('"sent[rate=0.5] > 0.6"', '"sent[pace=0.5] > 0.6"', "names no row of table 1; write rate = CELL"),
    ('chosen = "all"', 'chosen = "most"', "no answer 'most'"),
    ("runs = 2", "runs = 0", "needs a whole number, 1 to 100,000"),
    ("runs = 2", "runs = 100_001", "1 to 100,000"),
    ("share = 25,", "share = inf,", "row 1: cells are finite numbers or texts"),
    (
        ROWS,
        ROWS.replace("share = 25, sent = 0.25", 'share = "N/A", sent = "N/A"').replace(
            "share = 51, sent = 0.5", 'share = "N/A", sent = "-"'
        ),
        "document.toml:16: table[0].rows: print no number in a value column",
    ),
    ("share = 25,", 'share = "25",', "row 1: 'share' is a number in quotes"),
    (
        'columns = ["share", "sent"]',
        'columns = ["share", "sent", "snet"]',
        "unknown column 'snet'; did you",
    ),
    ("absolute = 0.3\n", "", "needs absolute, relative or both"),
    ("absolute = 0.3", "absolute = -0.3", "both, 0 or more"),
    ("absolute = 0.3", "absolute = nan", "needs a number"),
    ("decimals = 0", "decimals = -1", "needs a whole number, 0 or more"),
    (
        "[[claim]]",
        '[[null]]\nid = "n"\ntext = "n"\ncolumns = "share"\n[[claim]]',
        "needs a list of columns, or a table",
    ),
    ("[[claim]]", '[[null]]\nid = "n"\ntext = "n"\nrows = { rate = 0.25 }\n[[claim]]', "needs a table of tables"),
    ("[[claim]]", "[[claims]]", "unknown section 'claims'; did you mean 'claim'?"),
    ("[document]", "[document", "line"),
    ('id = "half-a01"', 'id = "half=a01"', "ambiguity[0].id: needs a text without = and /"),
    ('id = "half-c01"', 'id = "half/c01"', "claim[0].id: needs a text without = and /"),
    ('id = "half-c01"', 'id = " "', "claim[0].id: needs a text that is not blank"),
    ('id = "half-a01"', 'id = "half-c01"', "ambiguity[0].id: 'half-c01' is a claim too"),
    ('key = "tenth"', 'key = " tenth"', "options[1].key: needs a text without blanks around it"),
    (
        'id = "half"',
        'id = "half"\ndate = "May 2004"\nyear = 2004',
        "document.toml:5: document.year: is given next to date",
    ),
    ("[table.set]", '[table.set]\n"stream.source.cbr.rate" = "1 Mbit/s"', "set.stream.source.cbr.rate: is set twice"),
    ("[[tolerance]]", '[setup]\na.b = 1\n"a.b" = 2\n[[tolerance]]', "setup.a.b: is set twice"),
    ("[[tolerance]]", "[setup]\na.b = 1\n[assumed]\na.b = 2\n[[tolerance]]", "assumed.a.b: is set in [setup] too"),
    ("[[tolerance]]", "[[assumed]]\na = 2\n[[tolerance]]", "document.toml:23: assumed: needs a table, [assumed]"),
    ("set = { factor = 1 }", 'set = { a.b = 1, "a.b" = 2 }', "options[0].set.a.b: is set twice"),
    (
        "set = { factor = 1 }",
        "set = { factor = 1, fraction = 2 }",
        "ambiguity[0].options[1]: half-a01: the answers give different settings (all, tenth)",
    ),
    ("* factor", "", "options[1].set.factor: changes nothing: no [table.set] and no from of a column uses it"),
    ('chosen = "all"', 'chosen = "most"', "ambiguity[0].chosen: no answer 'most'"),
    (
        'tables = ["1"]\n\n[[claim]]\nid = "half-c02"',
        'tables = ["2"]\n\n[[claim]]\nid = "half-c02"',
        "claim[0].tables: no table '2'",
    ),
    (
        "absolute = 0.3",
        'absolute = 0.3\ntables = ["2"]',
        "tolerance[0].tables: no table '2' in half; its only table is 1",
    ),
    ("absolute = 0.3", "absolute = 0.3\nrows = { rate = 0.3 }", "no row has rate = 0.3; there are 0.25, 0.5"),
    ("absolute = 0.3", 'absolute = 0.3\nrows = { rate = "0.25" }', "no row has rate = '0.25'; there are 0.25, 0.5"),
    ("absolute = 0.3", "absolute = 0.3\nrows = { share = 25 }", "unknown key column 'share'"),
    ("[[tolerance]]", '[[null]]\nid = "n"\ntext = "n"\n[[tolerance]]', "null[0]: reads no other number; needs columns"),
    ("[[tolerance]]", '[[null]]\nid = "n"\ntext = "n"\nvalue = 1\n[[tolerance]]', "null[0].value: is for no column"),
    (
        "[[tolerance]]",
        '[[null]]\nid = "n"\ntext = "n"\nrows = { rate = { "0.25" = "0.5" } }\n[[tolerance]]',
        "no row has rate = '0.5'; there are 0.25, 0.5",
    ),
    ("[[tolerance]]", '[[null]]\nid = "n"\ntext = "n"\ntables = { "1" = 2 }\n[[tolerance]]', "needs a table TABLE ="),
    ("[[tolerance]]", "[print]\nruns = true\n[[tolerance]]", "print.runs: needs a whole number"),
    ("[[tolerance]]", "[[quantity]]\n[[tolerance]]", "quantity[0].columns: columns is missing"),
    (
        "[[tolerance]]",
        '[[contradiction]]\nanswers = ["half-a01=all"]\nreason = "r"\n[[tolerance]]',
        "needs a list of two answers",
    ),
    (
        "[[tolerance]]",
        '[[contradiction]]\nanswers = ["half-a01=tenth", "half-a02=x"]\nreason = "r"\n[[tolerance]]',
        "contradiction[0].answers: no reading 'half-a02' in half; did you mean 'half-a01'?",
    ),
    (DOCUMENT.partition("options = [\n")[2].partition("]")[0], "", "options: needs a list of one or more tables"),
]


class TestMistakes:
    @staticmethod
    def reproduced(folder):
        study = load(str(folder))
        reproduce(study, [], Readings(study.document), 1)

    @pytest.mark.parametrize(("old", "new", "words"), MISTAKES, ids=[words for _, _, words in MISTAKES])
    def test_names_the_place(self, folder, old, new, words):
        changed(folder, old, new)
        with pytest.raises((InputError, ScenarioError)) as error:
            self.reproduced(folder)
        assert words in str(error.value)
        assert str(folder) in str(error.value) or "half" in str(error.value)

    def test_all_at_once_with_their_lines(self, folder):
        changed(folder, "runs = 2", "runs = 0")
        changed(folder, 'authors = ["A. Nobody"]\n', "")
        message = str(run("check", folder).exception)
        assert "document.toml:5: document.runs" in message
        assert "2 mistakes" in message

    def test_without_a_scenario(self, folder):
        (folder / "scenario.toml").unlink()
        with pytest.raises(InputError, match=r"scenario\.toml: there is no such file"):
            load(str(folder))

    def test_a_folder_without_the_file(self, tmp_path):
        with pytest.raises(InputError, match=r"there is no document\.toml in it"):
            load(str(tmp_path))


# Without claims or open questions


BARE = DOCUMENT.partition("[[claim]]")[0].replace(" * factor", "").replace("share = 51", "share = 60")


@pytest.fixture
def bare(tmp_path):
    (tmp_path / "scenario.toml").write_text(SCENARIO)
    (tmp_path / "document.toml").write_text(BARE)
    return f"{tmp_path}/"


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
    document = tmp_path / "document.toml"
    (tmp_path / "scenario.toml").write_text(SCENARIO)
    document.write_text(with_question(DOCUMENT))
    assert penstock("check", document)[0] == 2
    err = penstock("check", document)[2]
    assert "(with half-a02=odd)" in err
    assert err.count("(with half-a02=odd)") == 1  # although it is so in every row
    document.write_text(with_question(DOCUMENT).replace('"one"', '"250 bytes"'))
    code, out, err = penstock("check", document)
    assert (code, err) == (0, "")
    assert out.endswith("with 2 scenarios for 4 printed numbers, and with 2 other answers.\n")


def test_another_answer_with_a_mistake_leaves_the_numbers_of_the_chosen_ones(tmp_path, penstock):
    (tmp_path / "scenario.toml").write_text(SCENARIO)
    document = with_question(DOCUMENT).replace("sent = 0.25", "sent = 9.25")  # which the study does not agree with
    (tmp_path / "document.toml").write_text(document)
    code, out, err = penstock("reproduce", f"{tmp_path}/")
    assert (code, err) == (0, "")
    assert "differs" in out


def test_a_column_is_computed_from_cells_and_what_is_stated(tmp_path, penstock):
    (tmp_path / "scenario.toml").write_text(SCENARIO)
    stated = DOCUMENT.replace("[[tolerance]]", "[setup.line]\nrate = '1 Mbit/s'\n[[tolerance]]", 1)
    own = stated.replace('from = "utilisation[a-b]"', 'from = "throughput[stream] / (rate * line.rate) * share_of"')
    own = own.replace("[setup.line]", "[assumed]\nshare_of = '30 %'\n[setup.line]")
    (tmp_path / "document.toml").write_text(own)
    study = load(str(tmp_path / "document.toml"))
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
