"""Mistakes in studies of somebody's own: the message names the place."""

import pytest
from click.testing import CliRunner
from half_study import DOCUMENT, change, write_study

from penstock.cli.app import app
from penstock.errors import InputError, ScenarioError
from penstock.reproductions.loading import load
from penstock.reproductions.reading import Readings
from penstock.reproductions.reproduce import reproduce


@pytest.fixture
def folder(tmp_path):
    return write_study(tmp_path)


def run(*arguments):
    return CliRunner().invoke(app, [str(each) for each in arguments])


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
        change(folder, old, new)
        with pytest.raises((InputError, ScenarioError)) as error:
            self.reproduced(folder)
        assert words in str(error.value)
        assert str(folder) in str(error.value) or "half" in str(error.value)

    def test_all_at_once_with_their_lines(self, folder):
        change(folder, "runs = 2", "runs = 0")
        change(folder, 'authors = ["A. Nobody"]\n', "")
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
