"""Reports: the pages of studies and of published studies, and refusals."""

from __future__ import annotations

import html
import json
import re
from html.parser import HTMLParser

import plotly.graph_objects
import pytest

from penstock.report import render
from penstock.report.making import Makers, published_report
from penstock.reproductions.comparison import compare
from penstock.reproductions.fits import Stored
from penstock.reproductions.loading import load, names
from penstock.reproductions.stored import SUMMARY, stored_outcome
from penstock.reproductions.study import text_beside
from penstock.store import Store
from penstock.template import TEMPLATE

SCENARIO = """
description = "Two streams </script><script>alert(1)</script> and <b>one</b> link\\u202e"
duration = "1 s"

[nodes]
hosts = { count = 2 }
sink = {}

[[links]]
from = "hosts"
to = "sink"
rate = "1 Mbit/s"
delay = "1 ms"
queue.tail-drop = { limit = "10 packets" }

[[flows]]
name = "calls"
from = "hosts"
to = "sink"
source.poisson = { rate = "900 kbit/s", packet = "500 bytes" }

[[measure]]
metric = "loss"
of = ["calls"]

[[measure]]
metric = "delay"
of = ["calls"]
"""

STUDY = """
description = "How large a queue?"
scenario = "network.toml"
runs = 3

[grid]
hosts-sink.queue.tail-drop.limit = ["2 packets", "10 packets", "50 packets"]

[compare]
parameter = "hosts-sink.queue.tail-drop.limit"
baseline = "2 packets"
metrics = ["loss[calls]"]
"""


class Page(HTMLParser):
    """What a page has: its elements in order, its tables by their ids, and the texts of scripts of data."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.tables, self.figures, self.words = [], {}, [], ""
        self._table = self._cell = None
        self._in = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.elements.append((tag, attributes))
        self._in = "figure" if "data-figure" in attributes else tag if tag in ("script", "style") else ""
        if self._in == "figure":
            self.figures.append("")
        elif tag == "table" and "id" in attributes:
            self._table = self.tables.setdefault(attributes["id"], [])
        elif tag == "tr" and self._table is not None:
            self._table.append([])
        elif tag in ("th", "td") and self._table is not None and self._table:
            self._table[-1].append("")
            self._cell = True
        elif tag == "small":
            self._cell = None

    def handle_endtag(self, tag):
        self._in = "" if tag in ("script", "style") else self._in
        if tag == "table":
            self._table = None
        if tag in ("th", "td"):
            self._cell = None

    def handle_data(self, data):
        if self._in == "figure":
            self.figures[-1] += data
        elif not self._in:
            self.words += data
            if self._cell and self._table:
                self._table[-1][-1] += data.strip()


@pytest.fixture
def study(tmp_path):
    (tmp_path / "network.toml").write_text(SCENARIO, encoding="utf-8")
    file = tmp_path / "queue.toml"
    file.write_text(STUDY, encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def pcn(tmp_path_factory):
    """The page of the largest published study, from the runs that come with the package."""
    store = Store(tmp_path_factory.mktemp("store"))
    return render(published_report("pcn", Makers(store, only_stored=True)))


def test_the_page_of_a_study(penstock, study, tmp_path):
    code, out, _ = penstock("report", study)
    assert code == 0
    assert out.startswith("queue.html: written, ")
    text = (tmp_path / "queue.html").read_text(encoding="utf-8")
    page = Page(text)
    sections = [attributes["id"] for tag, attributes in page.elements if tag == "section" and "id" in attributes]
    assert [name for name in sections if not name.startswith("metric-")] == [
        "results",
        "findings",
        "settings",
        "topology",
        "provenance",
        "repeat",
    ]
    assert page.tables["varied"][1:] == [
        ["hosts-sink.queue.tail-drop.limit", "2 packets, 10 packets, 50 packets"],
    ]
    # At three points a loss, and a mean and a maximum delay; and two differences to the first point.
    assert [len(page.tables[f"metric-{n}-numbers"]) - 1 for n in (1, 2)] == [3, 6]
    assert [row[1] for row in page.tables["comparisons"][1:]] == ["10 packets", "50 packets"]
    assert [row[:2] for row in page.tables["ranges"][1:]] == [
        ["loss", "calls"],
        ["delay", "calls statistic=mean"],
        ["delay", "calls statistic=max"],
    ]
    assert "penstock run" in page.words
    assert "How large a queue?" in page.words
    # Of the loss, which is a share, and of the delay.
    assert "95 % confidence over independent runs, by logit, t" in page.words
    assert len(page.figures) == 2


def test_single_runs_have_no_intervals_that_overlap(penstock, tmp_path):
    (tmp_path / "network.toml").write_text(SCENARIO, encoding="utf-8")
    sweep = ("--set", "hosts-sink.queue.tail-drop.limit=2 packets, 50 packets")
    for runs, told in ((1, {"none"}), (3, {"apart", "overlap"})):
        assert penstock("report", "network.toml", *sweep, "--runs", runs, "--force")[0] == 0
        page = Page((tmp_path / "network.html").read_text(encoding="utf-8"))
        assert {row[-1] for row in page.tables["ranges"][1:]} <= told


def test_what_the_store_lacks_is_told(penstock, tmp_path):
    (tmp_path / "network.toml").write_text(SCENARIO, encoding="utf-8")
    limit = "hosts-sink.queue.tail-drop.limit"
    penstock("run", "network.toml", "--set", f"{limit}=2 packets", "--runs", "3")
    penstock("run", "network.toml", "--set", f"{limit}=10 packets", "--runs", "1")
    sweep = ("--set", f"{limit}=2 packets, 10 packets, 50 packets", "--runs", "3")
    assert penstock("report", "network.toml", *sweep, "--stored")[0] == 0
    words = Page((tmp_path / "network.html").read_text(encoding="utf-8")).words
    assert "So far: 4 of 9 runs at 2 of 3 points." in words
    assert "Runs of each point1 to 3" in words
    assert penstock("report", "network.toml", *sweep, "--force")[0] == 0
    assert "So far" not in Page((tmp_path / "network.html").read_text(encoding="utf-8")).words


def test_notes_are_whole(penstock, tmp_path):
    """They explain what a reader must know of the numbers, in more than the line that a description has."""
    poisson = 'source.poisson = { rate = "900 kbit/s", packet = "500 bytes" }'
    text = SCENARIO.replace(poisson, "source.ftp = {}\ntransport.tcp = {}")
    text = text.replace('delay = "1 ms"', 'delay = "1 ms"\nboth-ways = true')
    (tmp_path / "network.toml").write_text(text, encoding="utf-8")
    assert penstock("report", "network.toml", "--runs", "2")[0] == 0
    words = Page((tmp_path / "network.html").read_text(encoding="utf-8")).words
    assert "all runs are the same" in words
    assert "about what real hosts have." in words


def test_numbers_are_those_of_the_run_verb(penstock, study, tmp_path):
    penstock("report", study)
    _, out, _ = penstock("run", study, "--format", "json")
    points = json.loads(out)["points"]
    of = {"of": "calls", "statistic": "mean"}
    means = [
        metric["mean"]
        for point in points
        for metric in point["metrics"]
        if metric["name"] == "delay" and metric["labels"] == of
    ]
    [figure] = [
        json.loads(text)
        for text in Page((tmp_path / "queue.html").read_text(encoding="utf-8")).figures
        if "delay" in text
    ]
    assert figure["traces"][0]["y"] == pytest.approx([1000 * mean for mean in means])
    assert figure["traces"][0]["x"] == [2, 10, 50]


def test_a_single_mean_has_its_table_and_no_plot(penstock, tmp_path):
    (tmp_path / "network.toml").write_text(SCENARIO, encoding="utf-8")
    assert penstock("report", "network.toml", "--runs", "2")[0] == 0
    page = Page((tmp_path / "network.html").read_text(encoding="utf-8"))
    assert page.figures == []
    assert len(page.tables["metric-1-numbers"]) == 2


def test_texts_of_strangers_do_nothing(penstock, tmp_path):
    """Neither as HTML, nor in a script, nor by characters that turn the direction of writing round [UAX9 s2]."""
    (tmp_path / "network.toml").write_text(SCENARIO, encoding="utf-8")
    assert penstock("report", "network.toml", "--runs", "1")[0] == 0
    text = (tmp_path / "network.html").read_text(encoding="utf-8")
    assert "<script>alert" not in text
    assert "\u202e" not in text
    assert "&lt;script&gt;alert(1)" in text


def test_equal_results_give_equal_bytes_and_nothing_is_loaded(penstock, study, tmp_path):
    penstock("report", study)
    first = (tmp_path / "queue.html").read_bytes()
    assert penstock("report", study, "--stored", "--force")[0] == 0
    assert (tmp_path / "queue.html").read_bytes() == first
    page = Page(first.decode())
    loads = [
        value for tag, attributes in page.elements for name, value in attributes.items() if name in ("src", "href")
    ]
    assert all(value.startswith(("#", "data:")) for value in loads)
    [policy] = [given["content"] for _, given in page.elements if given.get("http-equiv") == "Content-Security-Policy"]
    assert policy.startswith("default-src 'none'")


def test_plotly_knows_all_that_is_drawn(pcn):
    """Its own checker refuses names and values that do not exist."""
    figures = [json.loads(text) for text in Page(pcn).figures]
    assert len(figures) == 13
    for figure in figures:
        plotly.graph_objects.Figure(figure["traces"], figure["layout"])
        shown = [number for view in figure["views"] for number in view["traces"]]
        assert shown == list(range(len(figure["traces"])))


def test_a_plot_without_scripts_has_the_points_of_the_interactive_one(pcn):
    """Each visible point has its numbers as text, and a place that follows from them."""
    pages = re.findall(r'<div class="still".*?</div></div>', pcn, re.DOTALL)
    figures = [json.loads(text) for text in Page(pcn).figures]
    assert len(pages) == len(figures) == 13
    for drawn, figure in zip(pages, figures, strict=True):
        visible = [trace for trace in figure["traces"] if trace.get("visible", True) is True]
        names = dict(zip(figure["layout"]["yaxis"]["tickvals"], figure["layout"]["yaxis"]["ticktext"], strict=True))
        points = [
            (f"{trace['name']}: {names[y]} at {x:.6g}", x, y)
            for trace in visible
            for x, y in zip(trace["x"], trace["y"], strict=True)
        ]
        marks = re.findall(r'<svg x="([\d.]+)%" y="([\d.]+)%" overflow="visible"><title>(.*?)</title>', drawn)
        assert [html.unescape(title) for *_, title in marks] == [html.unescape(text) for text, *_ in points]
        places = [(value, float(at)) for (at, *_), (_, value, _) in zip(marks, points, strict=True)]
        (low, left), (high, right) = min(places), max(places)
        for value, at in places:
            assert at == pytest.approx(left + (right - left) * (value - low) / (high - low), abs=0.02)


def test_every_printed_number_stands_beside_ours(pcn):
    study = load("pcn")
    comparisons = compare(study.document, stored_outcome(study))
    page = Page(pcn)
    rows = {name: table for name, table in page.tables.items() if name.startswith("table-")}
    assert sum(len(table) - 1 for table in rows.values()) == len(comparisons) == 332
    for table in rows.values():
        head = [text.lower() for text in table[0]]
        verdict = head.index("verdict")
        assert {row[verdict] for row in table[1:]} <= {"agrees", "differs"}
        assert any(name.startswith("null: ") for name in head)
    verdicts = [
        row[[text.lower() for text in table[0]].index("verdict")] for table in rows.values() for row in table[1:]
    ]
    assert verdicts.count("agrees") == sum(each.agrees for each in comparisons)
    assert len(page.tables["claims"]) - 1 == len(study.document.claims)
    assert len(page.tables["questions"]) - 1 == len(study.document.questions)
    assert [row[0] for row in page.tables["scores"][1:]] == [
        table.id for table in study.document.tables if table.numbers()
    ]


def test_beside_each_count_stands_what_null_models_have():
    made = published_report("pcn", Makers(Store("none"), only_stored=True))
    document = load("pcn").document
    scores = {each["table"]: each for each in json.loads(text_beside(document, SUMMARY))["tables"]}
    best = sum(max(each["null"].values()) for each in scores.values())
    agree = sum(each["agree"] for each in scores.values())
    head = dict(made.summary)
    assert head["printed numbers that agree"] == f"{agree} of 332"
    assert head["of each table's best null model"] == f"{best} of 332"
    assert head["discrimination"] == f"{(agree - best) / 332:+.2f}"
    for part, score in zip(made.parts, scores.values(), strict=True):
        worth = f"best null model {max(score['null'].values())} ("
        assert f"{score['agree']} of {score['computed']} numbers agree; {worth}" in part.text
        assert f"discrimination {score['discrimination']:+.2f}." in part.text


def test_a_verdict_that_is_another_under_all_the_texts_answers_says_so():
    made = published_report("pcn", Makers(Store("none"), only_stored=True))
    (grid,) = (block.grid for block in made.findings if block.title == "Claims")
    known = Stored.load(load("pcn").document).as_printed
    for claim, _, verdict, evidence in grid.rows:
        other = known.get(claim.text)
        told = f"With every answer as the text has it: {other}." in evidence.note
        assert told == (other not in (None, verdict.text))


def test_the_page_of_the_largest_published_study_is_under_8_mb(pcn):
    assert len(pcn.encode()) < 8_000_000


def test_a_published_study_that_is_run(tmp_path):
    """A report without runs shows the runs of the store."""
    makers = Makers(Store(tmp_path / "store"))
    made = published_report("md1k", makers, runs=1)
    assert dict(made.summary)["runs of each row"] == "1"
    assert [block.title for block in made.findings][:2] == ["Claims", "What the agreement is worth"]
    stored = published_report("md1k", Makers(makers.store, only_stored=True))
    assert dict(stored.provenance)["Runs"].startswith("those that come with Penstock")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["first.toml", "--stored"], "first.toml: none of its runs is in the store yet"),
        (["first.toml", "--out", "nowhere/page.html"], "nowhere/page.html: there is no folder nowhere; make it first."),
        (["first.toml", "--out", "page.pdf"], "page.pdf: the page is HTML, so its name ends with .html."),
        (["first.toml", "--out", "there.html"], "there.html: exists and is left as it is"),
        (["first.toml", "--out", "folder.html"], "folder.html: is a folder"),
        (["pcnn"], "pcnn: there is no such file"),
        (["af", "--set", "duration=1 s"], "--set changes nothing"),
        (["af", "--stored", "--runs", "3"], "--runs changes nothing"),
    ],
)
def test_what_is_refused(penstock, tmp_path, words, told):
    (tmp_path / "first.toml").write_text(TEMPLATE, encoding="utf-8")
    (tmp_path / "there.html").write_text("mine", encoding="utf-8")
    (tmp_path / "folder.html").mkdir()
    code, out, err = penstock("report", *words)
    assert code in (1, 2)
    assert told in err
    assert out == ""
    assert (tmp_path / "there.html").read_text(encoding="utf-8") == "mine"
    assert sorted(path.name for path in tmp_path.iterdir() if path.suffix == ".html") == ["folder.html", "there.html"]


def test_a_published_study_is_suggested_for_a_name_that_is_no_file(penstock):
    _, _, err = penstock("report", "pcnn")
    assert f"Published studies are {', '.join(names())}." in err
