"""Names that people try: second names and topics lead to pages, and pages name only what exists."""

from __future__ import annotations

import re
import tomllib

import pytest

from penstock import _core, reproductions
from penstock.cli.app import app
from penstock.errors import InputError
from penstock.explained import ABSENT, SYNONYMS, explained_by, known, plain, topic_names, topic_page
from penstock.reference import catalogue, names


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("pfc", "# pause (section)"),
        ("PFC", "# pause (section)"),
        ("ecn", "# ecn (topic)"),
        ("droptail", "# tail-drop (discipline)"),
        ("Drop-Tail", "# tail-drop (discipline)"),
        ("wfq", "# wf2q-plus (scheduler)"),
        ("tbf", "# token-bucket (shaper)"),
        ("srTCM", "# tcm (meter)"),
        ("bufferbloat", "# bufferbloat (topic)"),
        ("leaf-spine", "# leaf-spine (topology)"),
        ("fat tree", "# fat-tree (topology)"),
        ("web-search", "# web-search (distribution of sizes)"),
        ("sweep", "# sweep (topic)"),
        ("precision", "# precision (topic)"),
        ("±", "# interval (topic)"),
        ("statistics", "# interval (topic)"),
        ("Confidence Interval", "# interval (topic)"),
        ("RED", "# red (discipline)"),
        ("fq_codel", "# fq-codel (scheduler)"),
        ("assured forwarding", "# af"),
        ("recovery", "# recovery (kind of component)"),
        ("AF", "# af: "),
        ("L4S", "# L4S next to Classic traffic"),
        ("Af C03", "# af-c03: "),
        ("PCN-A01", "# pcn-a01: "),
        ("Rfc7928", "# "),
        ("Links", "# link (section)"),
        ("flows", "# flow (section)"),
        ("Discipline", "# discipline (kind of component)"),
    ],
)
def test_a_name_that_people_try_has_a_page(name, first):
    pages, heading = explained_by(name)
    assert pages[0].startswith(first) or first == "# af"
    assert bool(heading) == (name not in {*names(), *topic_names(), *catalogue()["components"]})


def test_second_names_lead_to_pages_and_shadow_none():
    there = {*names(), *topic_names(), *reproductions.names()}
    for name, others in {**SYNONYMS, **ABSENT}.items():
        assert {*others} <= there, name
        assert plain(name) not in {plain(each) for each in there} - {plain(each) for each in others}, name
    assert not {*SYNONYMS} & {*ABSENT}
    assert len({plain(name) for name in (*SYNONYMS, *ABSENT)}) == len(SYNONYMS) + len(ABSENT)


def test_topics_name_only_what_exists():
    verbs = app.commands
    for topic in topic_names():
        page = topic_page(topic)
        assert page is not None
        see = re.search(r"See also: ([^.]*)\.", page.replace("\n", " "))
        assert all(explained_by(name) for name in re.split(r",\s+", see[1])) if see else True
        for verb, rest in re.findall(r"penstock ([a-z-]+)([^\n`]*)", page):
            assert verb in verbs, (topic, verb)
            options = {name for each in verbs[verb].loaded().params for name in each.opts}
            assert {*re.findall(r"--[a-z-]+", rest)} <= options, (topic, rest)


def test_what_is_not_there_is_said_with_what_is_nearest(penstock):
    assert penstock("explain", "quic") == (2, "", "Penstock has no 'quic'; nearest to it: tcp.\n")
    with pytest.raises(InputError, match="did you mean 'codel'"):
        explained_by("codal")


def test_the_page_of_a_metric_lists_what_its_measurement_accepts():
    (drops,), _ = explained_by("drops")
    for line in (
        "- Unit: packets",
        "- Of: flows, calls, links",
        "- Take: **sum**, mean, min, max (bold: the default)",
        "- By: cause, precedence, class, ingress",
    ):
        assert f"{line}\n" in drops
    assert "- Quantiles: any" in explained_by("wait")[0][0]


NETWORK = """
duration = "2 s"
nodes = { r1 = {}, r2 = {} }
[[links]]
from = "r1"
to = "r2"
rate = "10 Mbit/s"
delay = "1 ms"
both-ways = true
queue.tail-drop = { limit = "60 packets" }
pcn.threshold = { rate = "1 Mbit/s", size = "20 ms", threshold = "10 ms" }
[[flows]]
name = "bulk"
from = "r1"
to = "r2"
FLOW
[[calls]]
name = "voice"
from = "r1"
to = "r2"
source.cbr = { rate = "64 kbit/s", packet = "160 bytes" }
CALLS
"""
CALLS = {
    "": 'arrivals.poisson = { interval = "1 s" }\nholding.exponential = { mean = "1 s" }\n'
    'admission.cle = { threshold = 0.1, weight = 0.3 }\nsignalling = { packet = "160 bytes" }',
    "termination-time": 'initial = { calls = 20, spread = "20 ms" }\n'
    "termination.single-threshold = { marked-run = 100, unmarked-run = 20 }",
}
FLOWS = {
    "ef-error": 'class = "ef"\nsource.cbr = { rate = "64 kbit/s", packet = "160 bytes" }',
    **dict.fromkeys(("frame-delay", "incomplete-frames"), 'source.video = { rate = "1 Mbit/s" }'),
    "page-time": 'transport.tcp = { packet = "1500 bytes" }\n'
    'source.http = { page = "10 kB", objects = 0, think = "1 s" }',
    **dict.fromkeys(
        ("completion-time", "slowdown", "transfers"),
        'transport.tcp = { packet = "1500 bytes" }\nsource.ftp = { size = "1 MB" }',
    ),
}


@pytest.mark.parametrize("metric", [each["name"] for each in catalogue()["metrics"]])
def test_the_example_of_a_metric_has_all_keys_and_is_accepted(metric):
    described = next(each for each in catalogue()["metrics"] if each["name"] == metric)
    [page] = [page for page in explained_by(metric)[0] if page.startswith(f"# {metric} (metric)")]
    example = page.partition("## Example\n\n```toml\n")[2].removesuffix("```\n")
    [measure] = tomllib.loads(example)["measure"]
    assert measure["metric"] == metric
    assert ("quantiles" in measure, "by" in measure) == (described["quantiles"], bool(described["by"]))
    assert ("take" in measure) == (len(described["take"]) > 1)
    flow = FLOWS.get(metric, 'transport.tcp = { packet = "1500 bytes" }\nsource.ftp = {}')
    text = NETWORK.replace("FLOW", flow).replace("CALLS", CALLS.get(metric, CALLS[""]))
    _core.Scenario(text + example, metric, [], None)


def test_the_command_says_which_name_it_explains(penstock):
    code, out, err = penstock("explain", "droptail")
    assert (code, err) == (0, "'droptail' here: tail-drop.\n")
    assert out == penstock("explain", "tail-drop")[1]
    assert "droptail" in known()
